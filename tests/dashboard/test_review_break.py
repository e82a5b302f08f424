"""A break is suggested to who has worked for fifty minutes, not to who left a case open and went away."""

import pytest

from tests.support.browser import a_browser
from tests.support.cases import seen_case
from tests.support.dashboard import an_operator, sign_in_browser
from tests.support.reviews import choose
from truename.operators.model import Role

pytestmark = [pytest.mark.browser, pytest.mark.slow]


async def test_a_break_is_suggested_after_fifty_minutes_of_work_and_not_of_absence(live_server, plumbing, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.REVIEWER}, name="Ana")
    await choose(plumbing, an_account, manual_review=True)
    case = await seen_case(plumbing, an_account)
    async with a_browser() as browser:
        context = await browser.new_context()
        await sign_in_browser(context, live_server, plumbing, ana)
        page = await context.new_page()
        await page.clock.install()
        await page.goto(f"{live_server}/dashboard/review/{case}")
        await page.keyboard.press("n")
        await page.get_by_role("heading", level=1).get_by_text("Are these the same person?").wait_for()
        hint = page.locator("[data-break]")

        async def minutes(count: int, *, working: bool) -> None:
            for _ in range(count):
                if working:
                    await page.keyboard.press("Shift")
                await page.clock.fast_forward(60_000)

        assert not await hint.is_visible()
        await page.evaluate("sessionStorage.setItem('review:since', String(Date.now() - 30 * 60_000))")
        await minutes(23, working=False)
        assert not await hint.is_visible(), "thirty minutes of work, then a break"
        await minutes(2, working=True)
        assert not await hint.is_visible()
        await page.evaluate("sessionStorage.setItem('review:since', String(Date.now() - 49 * 60_000))")
        await minutes(2, working=True)
        assert await hint.is_visible()
