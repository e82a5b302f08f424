"""The example shop in a real browser: a click, the capture in a frame, a verified webhook, the result on the page."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser, Page, Request

from tests.support.axe import faults
from tests.support.browser import PHONE
from tests.support.camera import Lens
from tests.support.visits import FOLLOW, Films, Person
from tests.support.waiting import free_port, listens, until
from truename.accounts.create import create_account
from truename.accounts.model import AccountSettings, NewAccount
from truename.analysis.replay import replay
from truename.plumbing.jobs.worker import run_pending
from truename.plumbing.resources import Plumbing
from truename.rules.results import Outcome
from truename.wiring import load_jobs

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

SHOP = Path(__file__).parents[2] / "examples" / "shop"


def test_the_example_is_small_enough_to_be_read() -> None:
    lines = [line for path in SHOP.iterdir() if path.is_file() for line in path.read_text("utf-8").splitlines()]
    assert len(lines) < 200
    assert len((SHOP / "README.md").read_text("utf-8").splitlines()) <= 10


@asynccontextmanager
async def a_shop(address: str, service: str, account: NewAccount) -> AsyncIterator[None]:
    """The shop as a process of its own, as its README starts it."""
    told = {
        "BASE": service,
        "SHOP_URL": address,
        "CLIENT_ID": account.client_id,
        "CLIENT_SECRET": account.client_secret,
        "WEBHOOK_SECRET": account.webhook_secret,
    }
    port = address.rpartition(":")[2]
    command = [sys.executable, "-m", "uvicorn", "shop:app", "--port", port]
    command += ["--log-level", "warning", "--timeout-graceful-shutdown", "1"]
    process = subprocess.Popen(command, cwd=SHOP, env={**os.environ, **told})

    async def answers() -> bool:
        assert process.poll() is None
        return listens(int(port))

    try:
        await until(answers, 30)
        yield
    finally:
        process.terminate()
        process.wait(10)


def weigh(page: Page) -> dict[str, int]:
    """How many bytes each file of the page took on the wire, filled while it loads."""
    sizes: dict[str, int] = {}

    async def note(request: Request) -> None:
        found = await request.sizes()
        sizes[request.url] = found["responseBodySize"] + found["responseHeadersSize"]

    page.on("requestfinished", lambda request: asyncio.ensure_future(note(request)))
    return sizes


async def captured(page: Page, lens: Lens, films: Films) -> Person:
    """A person with a passport and a live face, in the frame of the shop."""
    frame = page.frame_locator("iframe")
    await frame.get_by_role("button", name="Agree and continue").click(timeout=20_000)
    lens.see(films["passport"])
    await frame.get_by_role("heading", name="Choose your document").wait_for(timeout=20_000)
    await frame.locator("tn-choose select").select_option("DE")
    await frame.locator(".choice", has_text="Passport").click()
    await frame.get_by_role("button", name="Start camera", exact=True).click()
    await frame.get_by_role("button", name="Use this photo").click(timeout=30_000)
    person = Person(page, lens)
    await frame.get_by_role("button", name="I’m ready").click(timeout=20_000)
    await frame.get_by_role("heading", name=FOLLOW).wait_for(timeout=60_000)
    await page.wait_for_timeout(350)  # the screen fades in; half-faded text has less contrast
    (live,) = (one for one in page.frames if "/verify/" in one.url)
    assert await faults(live) == []
    end = frame.get_by_role("heading", name=re.compile("All done|Let’s try that again"))
    for _ in range(4):
        await end.wait_for(timeout=90_000)
        if "All done" in await end.inner_text():
            return person
        person.again()
        await frame.get_by_role("button", name="Try again").click()
    raise AssertionError("the face was never taken")


async def decided(page: Page, plumbing: Plumbing, person: Person) -> tuple[str, str]:
    """What the shop's page says once the transaction is decided, and what was found where it says no."""
    load_jobs()
    await run_pending(plumbing)
    await run_pending(plumbing)  # what the first round asked for at its end
    await page.locator("#state[data-status=APPROVED], #state[data-status=REJECTED]").wait_for(timeout=30_000)
    async with plumbing.database.system() as connection:
        cursor = await connection.execute("SELECT transaction_id FROM transactions ORDER BY created_at DESC LIMIT 1")
        row = await cursor.fetchone()
    assert row is not None
    checks = (await replay(plumbing, row["transaction_id"])).verdict.checks
    found = [check.as_dict() for check in checks if check.outcome is Outcome.FAILED]
    return " ".join((await page.inner_text("body")).split()), f"{found}; the film came round: {person.came_round}"


async def test_a_click_leads_to_a_verified_webhook_and_the_page_shows_the_result(
    browser: Browser, plumbing: Plumbing, live_server: str, lens: Lens, films: Films
) -> None:
    address = f"http://localhost:{free_port()}"
    allowed = AccountSettings(trial=True, capture_origins=(address,))
    account = await create_account(plumbing, "example shop", settings=allowed)
    context = await browser.new_context(**PHONE)
    # A driven browser says so, and counts as compromised; this one stands for a person's.
    await context.add_init_script("Object.defineProperty(navigator, 'webdriver', { get: () => false })")
    page = await context.new_page()
    sizes = weigh(page)
    async with a_shop(address, live_server, account):
        await page.goto(address)
        for _ in range(3):
            await page.get_by_role("button", name="Verify me").click()
            person = await captured(page, lens, films)
            shown, why = await decided(page, plumbing, person)
            if "Welcome" in shown or not person.came_round:
                break  # a camera that shows a picture twice is rightly refused
        assert "Welcome, you are verified." in shown, f"{shown} {why}"
        assert "APPROVED (no objection)" in shown
        async with httpx.AsyncClient() as stranger:
            forged = await stranger.post(f"{address}/webhook", content=b"{}", headers={"webhook-id": "msg_1"})
        assert forged.status_code == 400
        await context.close()

    # What a person's phone had to fetch for all of this.
    files = {url: size for url, size in sizes.items() if "/api/" not in url}
    guidance = sum(size for url, size in files.items() if "tasks-vision" in url or "/model/" in url)
    print(f"{sum(files.values()) / 1e6:.2f} MB in {len(files)} files, {guidance / 1e6:.2f} MB of it face guidance")
    assert guidance > 1_000_000
    assert sum(files.values()) - guidance < 150_000
    assert sum(files.values()) < 7_500_000
