"""A reviewer's case in a real browser, by keyboard alone; and axe finds nothing on its pages, light and dark."""

from functools import partial

import pytest
from playwright.async_api import ConsoleMessage

from tests.support.axe import faults, faults_in_light_and_dark
from tests.support.browser import DESKTOP
from tests.support.cases import a_case, seen_case
from tests.support.dashboard import an_operator, sign_in_browser
from tests.support.dashboard_numbers import history
from tests.support.reviews import choose
from truename.operators.model import Role
from truename.plumbing.jobs.worker import run_pending
from truename.wiring import load_jobs

pytestmark = [pytest.mark.browser, pytest.mark.slow]
load_jobs()


def note_error(into: list[str], said: ConsoleMessage) -> None:
    if said.type == "error":
        into.append(said.text)


async def test_a_day_at_the_keyboard_without_a_violation(browser, plumbing, an_account, live_server):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN}, name="Ana")
    await history(plumbing, an_account, count=300)
    rejected = await seen_case(plumbing, an_account)
    await choose(plumbing, an_account, manual_review=True, review_hold_seconds=60)
    case = await seen_case(plumbing, an_account)
    await a_case(plumbing, an_account, pictures=False)
    context = await browser.new_context(**DESKTOP, reduced_motion="reduce")
    await sign_in_browser(context, live_server, plumbing, ana)
    page = await context.new_page()
    troubles: list[str] = []
    page.on("console", partial(note_error, troubles))
    await page.goto(f"{live_server}/dashboard/transactions/{rejected}?frames=1")
    assert await page.locator(".marks.fields polygon").count() > 8
    assert await faults_in_light_and_dark(page) == []
    await page.goto(f"{live_server}/dashboard")
    await page.keyboard.press("n")
    await page.wait_for_url(f"**/dashboard/review/{case}")
    assert await page.locator("h1").inner_text() == "Are these the same person?"
    assert "needed" not in await page.inner_text("main")
    assert await faults(page) == []
    viewer = page.locator("[data-viewer]").first
    await viewer.focus()
    await page.keyboard.press("+")
    assert "scale(1.5)" in str(await page.locator(".sheet").first.get_attribute("style"))
    await page.locator("h1").click()
    await page.keyboard.press("3")
    await page.keyboard.press("Control+Enter")
    await page.wait_for_selector("text=What the engine found")
    await page.wait_for_load_state()  # the keys are heard from then on
    assert await faults(page) == []
    await page.keyboard.press("r")
    assert await page.locator("details.decide[open] button").inner_text() == "Reject, held 60 s"
    await page.keyboard.press("Space")
    await page.keyboard.press("Control+Enter")
    await page.wait_for_url("**/dashboard/review")
    held = page.locator(".held")
    await held.wait_for()
    await page.wait_for_load_state()
    assert "final in" in await held.inner_text()
    assert await faults(page) == []
    await page.keyboard.press("u")
    await page.wait_for_url(f"**/dashboard/review/{case}")
    await run_pending(plumbing)
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute("SELECT status FROM transactions WHERE transaction_id = %s", (case,))
        assert (await cursor.fetchone())["status"] == "IN_REVIEW"
    assert troubles == []
    await context.close()
