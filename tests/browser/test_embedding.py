"""The page in somebody else's frame: shown to allowed origins only, and they learn how it went."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiohttp
import pytest
from playwright.async_api import Browser, BrowserContext, Page
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from tests.support.browser import PHONE
from tests.support.loopback import serving
from tests.support.visits import NewLink
from truename.accounts.create import create_account
from truename.accounts.model import SCOPES, AccountSettings, NewAccount
from truename.accounts.tokens import issue_access_token
from truename.plumbing.resources import Plumbing

pytestmark = pytest.mark.browser

KYC = "/api/account/integration/kyc"


@dataclass(frozen=True)
class Shop:
    """An integrator's website on an origin of its own."""

    origin: str
    pages: dict[str, str]


@pytest.fixture
async def shop() -> AsyncIterator[Shop]:
    pages: dict[str, str] = {}

    async def page(request: Request) -> HTMLResponse:
        return HTMLResponse(pages.get(request.path_params["name"], ""))

    async with serving(Starlette(routes=[Route("/{name}", page)])) as address:
        # localhost and 127.0.0.1 are two origins; both may use the camera.
        yield Shop(address.replace("127.0.0.1", "localhost"), pages)


async def a_token(plumbing: Plumbing, live_server: str, account: NewAccount) -> str:
    token = await issue_access_token(plumbing, account.account_id, account.client_id, SCOPES)
    async with aiohttp.ClientSession(live_server, headers={"Authorization": f"Bearer {token}"}) as client:
        async with client.post(f"{KYC}/customer", json={"external_customer_id": "embedded"}) as answer:
            customer = (await answer.json())["customer_id"]
        body = {"customer_id": customer, "transaction_type": "BIOMETRIC_ONLY"}
        async with client.post(f"{KYC}/transaction", json=body) as answer:
            return str((await answer.json())["sdk_token"])


def shop_page(live_server: str, token: str) -> str:
    return f"""<!doctype html><title>Shop</title><script src="{live_server}/verify/truename.js"></script>
    <script>
      window.heard = [];
      const note = (name) => (outcome) => heard.push([name, outcome]);
      addEventListener('DOMContentLoaded', () => Truename.verify({{ token: {json.dumps(token)}, language: 'en',
        onReady: note('ready'), onDone: note('done'), onDecline: note('decline'), onError: note('error') }}));
    </script>"""


@pytest.fixture(scope="module")
async def phone(browser: Browser) -> AsyncIterator[BrowserContext]:
    async with await browser.new_context(**PHONE) as context:
        yield context


async def opened(phone: BrowserContext, address: str) -> Page:
    """A shop's page in a tab of its own."""
    page = await phone.new_page()
    await page.goto(address)
    return page


async def test_an_allowed_shop_shows_the_page_and_learns_the_outcome(
    phone: BrowserContext, plumbing: Plumbing, live_server: str, shop: Shop
) -> None:
    account = await create_account(plumbing, "shop", settings=AccountSettings(capture_origins=(shop.origin,)))
    token = await a_token(plumbing, live_server, account)
    shop.pages["pay"] = shop_page(live_server, token)
    page = await opened(phone, f"{shop.origin}/pay")
    frame = page.frame_locator("iframe")
    await frame.get_by_role("heading", name="Let’s confirm it’s you").wait_for(timeout=20_000)
    await page.wait_for_function("heard.some(([name]) => name === 'ready')")
    await frame.get_by_role("button", name="Decline").click()
    await frame.get_by_role("alertdialog").get_by_role("button", name="Decline").click()
    await page.wait_for_function("heard.some(([name]) => name === 'decline')")
    heard = await page.evaluate("heard")
    assert all(outcome["transaction_id"] for _, outcome in heard)
    await page.close()


async def test_a_shop_that_is_not_allowed_gets_nothing(
    phone: BrowserContext, plumbing: Plumbing, live_server: str, shop: Shop
) -> None:
    account = await create_account(plumbing, "closed shop", settings=AccountSettings())
    token = await a_token(plumbing, live_server, account)
    shop.pages["pay"] = shop_page(live_server, token)
    page = await opened(phone, f"{shop.origin}/pay")
    await page.wait_for_timeout(2500)
    assert await page.frame_locator("iframe").get_by_role("heading").count() == 0
    assert await page.evaluate("heard") == []
    await page.close()


async def test_another_accounts_allow_list_does_not_open_the_capture(
    phone: BrowserContext, plumbing: Plumbing, live_server: str, shop: Shop
) -> None:
    """A thief who owns an account may open the frame, but not with somebody else's token."""
    victim = await create_account(plumbing, "victim", settings=AccountSettings())
    thief = await create_account(plumbing, "thief", settings=AccountSettings(capture_origins=(shop.origin,)))
    token = await a_token(plumbing, live_server, victim)
    source = f"{live_server}/verify/?a={thief.account_id}#t={token}"
    shop.pages["trap"] = f'<!doctype html><title>Trap</title><iframe src="{source}" allow="camera"></iframe>'
    page = await opened(phone, f"{shop.origin}/trap")
    await page.frame_locator("iframe").get_by_role("heading", name="This page cannot be shown here").wait_for()
    await page.close()


async def test_a_shop_that_shows_a_finished_capture_again_learns_that_it_is_done(
    phone: BrowserContext, live_server: str, shop: Shop, new_link: NewLink, plumbing: Plumbing
) -> None:
    """As when somebody reloads its page."""
    account = await create_account(plumbing, "twice shop", settings=AccountSettings(capture_origins=(shop.origin,)))
    link = await new_link(account=account)
    await link.submit_elsewhere()
    shop.pages["pay"] = shop_page(live_server, link.phone.token)
    page = await opened(phone, f"{shop.origin}/pay")
    frame = page.frame_locator("iframe")
    await frame.get_by_role("heading", name="All done").wait_for(timeout=20_000)
    await page.wait_for_function("heard.length > 0")
    assert await page.evaluate("heard.map(([name]) => name)") == ["done"]
    await frame.get_by_role("button", name="Return to the company that sent you here").click()
    await page.wait_for_function("document.querySelector('iframe') === null")
    await page.close()


async def test_a_shop_that_sends_a_dead_token_is_told(
    phone: BrowserContext, plumbing: Plumbing, live_server: str, shop: Shop
) -> None:
    account = await create_account(plumbing, "dead link shop", settings=AccountSettings(capture_origins=(shop.origin,)))
    token = await a_token(plumbing, live_server, account)
    head, _, signature = token.rpartition(".")
    loader = f'<script src="{live_server}/verify/truename.js"></script>'
    shop.pages["pay"] = shop_page(live_server, f"{head}.{signature[::-1]}") + loader
    page = await opened(phone, f"{shop.origin}/pay")
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    await page.frame_locator("iframe").get_by_role("heading").wait_for(timeout=20_000)
    await page.wait_for_function("heard.length > 0")
    assert await page.evaluate("heard.map(([name, outcome]) => [name, typeof outcome.code])") == [["error", "string"]]
    await page.reload()
    await page.wait_for_function("heard.length > 0")
    assert faults == []
    await page.close()
