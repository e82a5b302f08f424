"""A reviewer in a real browser: a day of two at once by the keyboard, and the pages of a case, looked at closely."""

import asyncio
from collections import Counter

import pytest

from tests.support.axe import faults, faults_in_light_and_dark
from tests.support.browser import a_browser
from tests.support.cases import a_case, mismatch, seen_case
from tests.support.dashboard import an_operator, sign_in_browser
from tests.support.review_day import work
from tests.support.reviews import choose
from truename.operators.model import Role
from truename.plumbing.jobs.worker import run_pending
from truename.reviews.samples import draw_sample
from truename.wiring import load_jobs

pytestmark = [pytest.mark.browser, pytest.mark.slow]
load_jobs()


@pytest.fixture(scope="module")
async def browser():
    async with a_browser() as found:
        yield found


async def test_two_reviewers_at_once_decide_every_case_once(browser, live_server, plumbing, an_account):
    await choose(plumbing, an_account, manual_review=True, review_hold_seconds=0)
    made = [await a_case(plumbing, an_account, mismatch(0.97 if number == 3 else 0.62)) for number in range(5)]
    await draw_sample(plumbing, account_id=str(an_account.account_id), transaction_id=str(made[3]))
    people = [await an_operator(plumbing, {an_account.account_id: Role.REVIEWER}, name=name) for name in ("Ana", "Ben")]

    async def day(person):
        context = await browser.new_context()
        await sign_in_browser(context, live_server, plumbing, person)
        done = await work(await context.new_page(), live_server)
        await context.close()
        return done

    ana, ben = await asyncio.gather(*(day(person) for person in people))
    assert min(len(ana.decided), len(ben.decided)) > 0
    assert (ana.conflicts, ben.conflicts) == ([], [])
    assert Counter([*ana.decided, *ben.decided]) == Counter(str(one) for one in made)
    await run_pending(plumbing)
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute("SELECT status, count(*) AS n FROM transactions GROUP BY status")
        ended = {row["status"]: row["n"] for row in await cursor.fetchall()}
        cursor = await connection.execute("SELECT DISTINCT seen FROM review_opinions")
        (seen,) = await cursor.fetchall()
    assert ended == {"REJECTED": 4, "APPROVED": 1}, "the sample stays approved"
    assert seen["seen"][:2] == ["faces", "document"], "the pictures that the browser fetched"


async def wide(page) -> list[str]:
    """Is the page wider than its window?"""
    width = page.viewport_size["width"]
    is_wide = await page.evaluate("document.documentElement.scrollWidth") > width
    return [f"{page.url} is wider than {width} px"] if is_wide else []


async def test_the_pages_of_a_case_are_clean_and_its_pictures_can_be_looked_at(
    browser, live_server, plumbing, an_account
):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN}, name="Ana")
    await choose(plumbing, an_account, manual_review=True, review_blind_first="all", review_hold_seconds=60)
    first, second = await seen_case(plumbing, an_account), await seen_case(plumbing, an_account)
    context = await browser.new_context(viewport={"width": 1280, "height": 860})
    await sign_in_browser(context, live_server, plumbing, ana)
    page = await context.new_page()
    heard: list[str] = []
    page.on("pageerror", lambda fault: heard.append(str(fault)))
    page.on("console", lambda said: heard.append(said.text) if said.type == "error" else None)

    await page.goto(f"{live_server}/dashboard/review/{first}")
    await page.keyboard.press("n")
    heading = page.get_by_role("heading", level=1)
    await heading.get_by_text("Are these the same person?").wait_for()
    heard += await faults(page)
    await page.get_by_role("button", name="Swipe").click()
    await page.get_by_role("slider").press("ArrowLeft")
    right = page.locator("[data-viewer]").nth(1)
    assert await right.evaluate("one => one.style.clipPath") == "inset(0px 0px 0px 51%)"
    await page.keyboard.press("Escape")
    await page.locator("[data-viewer]").first.focus()
    await page.keyboard.down("z")
    assert await page.locator("canvas.loupe").count() == 2, "the loupe moves in both"
    await page.keyboard.up("z")
    assert await page.locator("canvas.loupe").count() == 0
    await page.keyboard.press("+")
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("+")
    await page.keyboard.press("]")
    turned = "one => getComputedStyle(one.querySelector('.sheet')).transform"
    drawn = await page.locator("[data-viewer]").first.evaluate(turned)
    assert drawn == "matrix(0, 2.25, -2.25, 0, 0, -60)", "what is in the middle stays there"
    await page.keyboard.press("o")
    await page.locator("img[alt$='as photographed']").nth(1).wait_for()

    async def lock() -> None:
        await page.keyboard.press("1")
        async with page.expect_navigation():
            await page.keyboard.press("Control+Enter")

    await lock()
    await heading.get_by_text("Was a living person").wait_for()
    heard += await faults(page)
    film = page.locator("ol.film")
    await film.press("ArrowRight")
    await film.press("ArrowRight")
    assert "Frame 2 of 6" in await page.locator("[data-now]").inner_text()
    await lock()
    heard += await faults(page)
    await lock()
    await page.get_by_text("Your decision").wait_for()
    await page.keyboard.press("r")
    await page.get_by_text("What will be told").nth(1).wait_for()
    heard += await faults(page)

    await page.goto(f"{live_server}/dashboard/transactions/{second}?status=IN_REVIEW&sort=oldest&frames=1")
    await page.get_by_text("2 of 2 in “Waiting longest”").wait_for()
    await page.locator("a[rel=prev]").click()
    await page.wait_for_url(f"**/transactions/{first}?status=IN_REVIEW&sort=oldest")
    await context.close()
    context = await browser.new_context(viewport={"width": 390, "height": 860}, reduced_motion="reduce")
    await sign_in_browser(context, live_server, plumbing, ana)
    page = await context.new_page()
    whole = (
        f"/review/{first}?frames=1",
        f"/transactions/{second}?frames=1",
        f"/transactions/{second}/print?pictures=1",
    )
    for path in ("/review", "/review/numbers", *whole):
        await page.goto(f"{live_server}/dashboard{path}")
        heard += [*await wide(page), *await faults_in_light_and_dark(page)]
        await page.set_viewport_size({"width": 1280, "height": 860})
        heard += await wide(page)
        await page.set_viewport_size({"width": 390, "height": 860})
    await context.close()
    assert heard == []
