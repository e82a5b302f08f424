"""Pictures of every page of the dashboard, light and dark, desktop and phone, into screenshots/.

Everything is real but the past: an installation of its own with two months of bare transactions, a few cases that were
truly read from a drawn passport, and an operator who is signed in.

    python tools/dashboard_screenshots.py [NAME …]      names: home transactions case review …
"""

import asyncio
import sys
import tempfile
from pathlib import Path
from uuid import UUID

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import aiohttp  # noqa: E402
from playwright.async_api import Browser  # noqa: E402
from tests.support.browser import DESKTOP, PHONE, a_browser  # noqa: E402
from tests.support.cases import seen_case  # noqa: E402
from tests.support.dashboard import an_operator, sign_in_browser  # noqa: E402
from tests.support.dashboard_numbers import history  # noqa: E402
from tests.support.dossiers import a_device  # noqa: E402
from tests.support.loopback import serving  # noqa: E402
from tests.support.reviews import choose  # noqa: E402
from tests.support.waiting import free_port  # noqa: E402

from tools.screenshot_studio import OUT  # noqa: E402
from truename.accounts.create import create_account  # noqa: E402
from truename.accounts.model import SCOPES, AccountSettings, NewAccount  # noqa: E402
from truename.accounts.tokens import issue_access_token  # noqa: E402
from truename.cli.doors import application  # noqa: E402
from truename.customers.endpoints import PATH as CUSTOMERS  # noqa: E402
from truename.operators.model import Operator, Role  # noqa: E402
from truename.plumbing.http.request_log import WRITE_SECONDS  # noqa: E402
from truename.plumbing.http.server import server_config  # noqa: E402
from truename.plumbing.resources import Plumbing  # noqa: E402
from truename.plumbing.settings import load_settings  # noqa: E402
from truename.reviews import queue  # noqa: E402
from truename.reviews.answer import answer  # noqa: E402
from truename.reviews.model import Answer, Confidence, Question  # noqa: E402
from truename.wiring import load_jobs, wired  # noqa: E402

LOOKS = {
    "desktop-light": {**DESKTOP, "color_scheme": "light"},
    "desktop-dark": {**DESKTOP, "color_scheme": "dark"},
    "phone-light": {**PHONE, "color_scheme": "light"},
    "phone-dark": {**PHONE, "color_scheme": "dark"},
}


async def furnish(plumbing: Plumbing, account: NewAccount, ana: Operator) -> dict[str, str]:
    """Fill the account; answers the path of each page."""
    await history(plumbing, account)
    rejected = await seen_case(plumbing, account, 0.62, device=a_device(vpn_or_proxy=True))
    customer = await _customer_of(plumbing, account, await seen_case(plumbing, account, 0.94))
    await choose(plumbing, account, manual_review=True)
    blind, whole = await seen_case(plumbing, account, 0.71), await seen_case(plumbing, account, 0.8)
    await seen_case(plumbing, account, 0.55)
    async with plumbing.database.account(account.account_id) as connection:
        own = account.account_id, ana.actor
        await queue.take(connection, *own, blind)
        lease = await queue.take(connection, *own, whole)
        asked = Question.DOCUMENT_AND_LIVE_FACE
        await answer(connection, *own, whole, lease.version, asked, Answer.SAME, Confidence.HIGH, blind=True)
    return {
        "home": "",
        "transactions": "/transactions",
        "transactions-filtered": "/transactions?status=REJECTED&within=7d",
        "transactions-none": "/transactions?status=FAILED",
        "case": f"/transactions/{rejected}?frames=1",
        "case-print": f"/transactions/{rejected}/print",
        "review-queue": "/review",
        "review-blind": f"/review/{blind}",
        "review": f"/review/{whole}",
        "customers": "/customers",
        "customer": f"/customers/{customer}",
        "lab": "/lab?use_face_comparison_min_score=1&face_comparison_min_score=0.7&on_vpn_or_proxy=REJECT",
        "developers": "/developers",
        "developers-request": "/developers/requests/shop-2026-0004",
        "developers-webhooks": "/developers/webhooks",
        "developers-signature": "/developers/signature",
        "developers-sandbox": "/developers/sandbox",
        "audit": "/audit",
        "settings": "/settings",
        "security": "/me/security",
    }


async def call_the_api(plumbing: Plumbing, account: NewAccount, address: str) -> None:
    """A few requests, some of them refused, so that the log of requests has something to show."""
    token = await issue_access_token(plumbing, account.account_id, account.client_id, SCOPES)
    calls: tuple[tuple[str, str, dict[str, object] | None], ...] = (
        ("GET", "/customer?external_customer_id=nobody", None),
        ("POST", "/customer", {"external_customer_id": "shop-1", "email": "person@example.com"}),
        ("GET", "/transactions?limit=5", None),
        ("POST", "/customer", {"external_customer_id": "shop-2", "e_mail": "person@example.com"}),
        ("GET", f"/transaction/{account.account_id}", None),
    )
    async with aiohttp.ClientSession(address, headers={"Authorization": f"Bearer {token}"}) as http:
        for number, (method, path, body) in enumerate(calls, 1):
            headers = {"X-Request-Id": f"shop-2026-{number:04}"}
            async with http.request(method, CUSTOMERS.removesuffix("/customer") + path, json=body, headers=headers):
                pass
    await asyncio.sleep(2 * WRITE_SECONDS)


async def _customer_of(plumbing: Plumbing, account: NewAccount, transaction_id: UUID) -> UUID:
    query = "SELECT customer_id FROM transactions WHERE transaction_id = %s"
    rows = await plumbing.database.statement(account.account_id, query, (transaction_id,))
    found: UUID = rows[0]["customer_id"]
    return found


async def photograph(
    browser: Browser, address: str, plumbing: Plumbing, ana: Operator, pages: dict[str, str], wanted: list[str]
) -> None:
    for look, how in LOOKS.items():
        strangers = await browser.new_context(**how)
        context = await browser.new_context(**how)
        await sign_in_browser(context, address, plumbing, ana)
        shown = {"sign-in": (strangers, "/sign-in"), **{name: (context, path) for name, path in pages.items()}}
        for name, (whose, path) in shown.items():
            if wanted and name not in wanted:
                continue
            page = await whose.new_page()
            answered = await page.goto(f"{address}/dashboard{path}", wait_until="load")
            if answered is None or answered.status != 200:
                raise SystemExit(f"{name} ({path}) answered {answered.status if answered else 'nothing'}")
            await page.screenshot(path=OUT / f"dashboard-{name}-{look}.png", full_page=True)
            await page.close()
            print(f"dashboard-{name}-{look}.png")
        await strangers.close()
        await context.close()


async def main(wanted: list[str]) -> None:
    load_jobs()
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(data_dir=Path(folder), port=free_port())
        async with wired(settings, may_create=True) as plumbing:
            account = await create_account(plumbing, "Acme Bank", settings=AccountSettings())
            ana = await an_operator(
                plumbing, {account.account_id: Role.ADMIN}, name="Ana Ruiz", email="ana@acme.example"
            )
            pages = await furnish(plumbing, account, ana)
            config = server_config(application(plumbing), settings, host="127.0.0.1", port=settings.port)
            async with serving(config) as address, a_browser() as browser:
                await call_the_api(plumbing, account, address)
                await photograph(browser, address, plumbing, ana, pages, wanted)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
