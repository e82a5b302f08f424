"""The page warns before a session ends; only the server knows when that is."""

from datetime import timedelta

import pytest

from tests.support.browser import a_browser
from tests.support.dashboard import an_operator, sign_in_browser, signed_in
from truename.operators.model import Role

LEFT = "/dashboard/me/left"


async def idle(plumbing, operator, minutes: int) -> None:
    """For so long nobody has done anything in the operator's sessions."""
    async with plumbing.database.system() as connection:
        await connection.execute(
            "UPDATE operator_sessions SET seen_at = seen_at - %s WHERE operator_id = %s",
            (timedelta(minutes=minutes), operator.operator_id),
        )


async def test_a_page_may_ask_how_long_its_session_has_without_keeping_it(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.VIEWER})
    async with signed_in(plumbing, live_server, ana) as desk:
        await idle(plumbing, ana, minutes=20)
        for _ in range(2):
            async with desk.http.get(LEFT) as answer:
                assert answer.status == 204
                assert 500 < float(answer.headers["X-Session-Left"]) <= 600
        await desk.get("/dashboard")
        async with desk.http.get(LEFT) as answer:
            assert 1700 < float(answer.headers["X-Session-Left"]) <= 1800


@pytest.mark.browser
@pytest.mark.slow
async def test_a_page_whose_session_somebody_keeps_elsewhere_neither_warns_nor_leaves(
    plumbing, live_server, an_account
):
    """A case that took longer than half an hour to review, or a second tab, ended at the sign-in."""
    ana = await an_operator(plumbing, {an_account.account_id: Role.VIEWER})
    async with a_browser() as browser:
        context = await browser.new_context()
        await sign_in_browser(context, live_server, plumbing, ana)
        page = await context.new_page()
        await page.clock.install()
        await page.goto(f"{live_server}/dashboard")
        warning = page.locator("#ending")
        for minutes in (29, 29, 29):  # by the page's clock; by the server's, seconds
            async with page.expect_response(f"**{LEFT}"):
                await page.clock.fast_forward(minutes * 60_000)
            assert not await warning.is_visible()
        assert page.url == f"{live_server}/dashboard"

        await idle(plumbing, ana, minutes=29)
        async with page.expect_response(f"**{LEFT}"):
            await page.clock.fast_forward(29 * 60_000)
        await warning.wait_for()
        await idle(plumbing, ana, minutes=2)
        await page.clock.fast_forward(2 * 60_000)
        await page.wait_for_url("**/dashboard/sign-in?next=*")


@pytest.mark.browser
@pytest.mark.slow
async def test_a_page_that_is_never_told_leaves_when_its_session_should_have_ended(plumbing, live_server, an_account):
    """A connection that is dead after a night's sleep is silent for minutes; what is shown must not stay there."""
    ana = await an_operator(plumbing, {an_account.account_id: Role.VIEWER})
    async with a_browser() as browser:
        context = await browser.new_context()
        await sign_in_browser(context, live_server, plumbing, ana)
        page = await context.new_page()
        await page.clock.install()
        await page.goto(f"{live_server}/dashboard")
        await page.route(f"**{LEFT}", lambda _: None)  # asked, and never answered
        async with page.expect_request(f"**{LEFT}"):
            await page.clock.fast_forward(31 * 60_000)
        await page.wait_for_url("**/dashboard/sign-in?next=*", timeout=15_000)
