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
from playwright.async_api import Browser, BrowserContext  # noqa: E402
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


PAGES = {
    "home": "",
    "groups": "/groups",
    "transactions": "/transactions",
    "transactions-filtered": "/transactions?status=REJECTED&within=7d",
    "transactions-none": "/transactions?status=FAILED",
    "case": "/transactions/{rejected}?frames=1",
    "case-print": "/transactions/{rejected}/print",
    "review-queue": "/review",
    "review-numbers": "/review/numbers",
    "review-blind": "/review/{blind}",
    "review": "/review/{whole}",
    "customers": "/customers",
    "customer": "/customers/{customer}",
    "customer-erase": "/customers/{customer}/erase",
    "blocklist": "/blocklist",
    "lab": "/lab?use_face_comparison_min_score=1&face_comparison_min_score=0.7&on_vpn_or_proxy=REJECT",
    "lab-run": "/lab/run/{backtest}",
    "lab-policies": "/lab/policies",
    "developers": "/developers",
    "developers-request": "/developers/requests/shop-2026-0004",
    "developers-webhooks": "/developers/webhooks",
    "developers-webhook": "/developers/webhooks/{event}",
    "developers-signature": "/developers/signature",
    "audit": "/audit",
    "settings": "/settings",
    "security": "/me/security",
}
"""Every page of an account, by the name of its picture."""
IN_A_SANDBOX = {"developers-sandbox": "/developers/sandbox"}
"""Pages that only a sandbox account has anything to show on."""
FOR_STRANGERS = {"sign-in": "/sign-in"}


async def furnish(plumbing: Plumbing, account: NewAccount, ana: Operator) -> dict[str, str]:
    """Fill the account; answers what the paths of its pages name."""
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
    return {"rejected": str(rejected), "blind": str(blind), "whole": str(whole), "customer": str(customer)}


async def call_the_api(plumbing: Plumbing, account: NewAccount, address: str) -> dict[str, str]:
    """A few requests, some of them refused, and a webhook, so that developers have something to see."""
    token = await issue_access_token(plumbing, account.account_id, account.client_id, SCOPES)
    calls: tuple[tuple[str, str, dict[str, object] | None], ...] = (
        ("GET", "/customer?external_customer_id=nobody", None),
        ("POST", "/customer", {"external_customer_id": "shop-1", "email": "person@example.com"}),
        ("GET", "/transactions?limit=5", None),
        ("POST", "/customer", {"external_customer_id": "shop-2", "e_mail": "person@example.com"}),
        ("GET", f"/transaction/{account.account_id}", None),
    )
    kyc = CUSTOMERS.removesuffix("/customer")
    async with aiohttp.ClientSession(address, headers={"Authorization": f"Bearer {token}"}) as http:

        async def told(path: str, body: dict[str, object]) -> dict[str, str]:
            async with http.post(kyc + path, json=body) as answer:
                found: dict[str, str] = await answer.json()
                return found

        for number, (method, path, body) in enumerate(calls, 1):
            headers = {"X-Request-Id": f"shop-2026-{number:04}"}
            async with http.request(method, kyc + path, json=body, headers=headers):
                pass
        customer = await told("/customer", {"external_customer_id": "shop-3"})
        config = {"webhook": {"url": "https://hooks.example.com/truename"}}
        new: dict[str, object] = {"customer_id": customer["customer_id"], "transaction_type": "DOCUMENT_ONLY"}
        opened = await told("/transaction", {**new, "config": config})
        await told(f"/transaction/{opened['transaction_id']}/cancel", {})
        run = await told("/policy/backtest", {"mode": "CHANGE", "config": {"device_policy": {"on_emulator": "WARN"}}})
        async with http.get("/api/account/integration/webhooks/event") as answer:
            event = (await answer.json())["data"][0]["event_id"]
    await asyncio.sleep(2 * WRITE_SECONDS)
    return {"event": event, "backtest": run["backtest_id"]}


async def _customer_of(plumbing: Plumbing, account: NewAccount, transaction_id: UUID) -> UUID:
    query = "SELECT customer_id FROM transactions WHERE transaction_id = %s"
    rows = await plumbing.database.statement(account.account_id, query, (transaction_id,))
    found: UUID = rows[0]["customer_id"]
    return found


async def photograph(
    browser: Browser,
    address: str,
    plumbing: Plumbing,
    shown: list[tuple[Operator | None, dict[str, str]]],
    wanted: list[str],
) -> None:
    """Each page as its operator sees it; None: as nobody who is signed in."""
    for look, how in LOOKS.items():
        for operator, pages in shown:
            context = await browser.new_context(**how)
            if operator is not None:
                await sign_in_browser(context, address, plumbing, operator)
            for name, path in pages.items():
                if not wanted or name in wanted:
                    await keep(context, f"{address}/dashboard{path}", f"dashboard-{name}-{look}.png")
            await context.close()


async def keep(context: BrowserContext, address: str, name: str) -> None:
    """One picture; ends the command where the page is not there."""
    page = await context.new_page()
    answered = await page.goto(address, wait_until="load")
    if answered is None or answered.status != 200:
        raise SystemExit(f"{name} ({address}) answered {answered.status if answered else 'nothing'}")
    await page.screenshot(path=OUT / name, full_page=True)
    await page.close()
    print(name)


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
            known = await furnish(plumbing, account, ana)
            testing = await create_account(plumbing, "Acme Bank sandbox", livemode=False)
            ben = await an_operator(
                plumbing, {testing.account_id: Role.ADMIN}, name="Ben Okafor", email="ben@acme.example"
            )
            config = server_config(application(plumbing), settings, host="127.0.0.1", port=settings.port)
            async with serving(config) as address, a_browser() as browser:
                known |= await call_the_api(plumbing, account, address)
                pages = {name: path.format(**known) for name, path in PAGES.items()}
                await photograph(
                    browser, address, plumbing, [(None, FOR_STRANGERS), (ana, pages), (ben, IN_A_SANDBOX)], wanted
                )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
