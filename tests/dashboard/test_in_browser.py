"""The dashboard in a real browser: axe on every page, narrow screens, passkeys, keys, the end of a session."""

import gzip
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from tests.support.axe import faults_in_light_and_dark
from tests.support.browser import a_browser
from tests.support.cases import a_case
from tests.support.dashboard import PASSWORD, an_operator, sign_in_browser
from tests.support.dashboard_numbers import history
from tests.support.dashboard_pages import every_page
from tests.support.reviews import waiting_for_review
from tests.support.transactions import a_customer, a_transaction, submitted
from truename.operators.model import Role
from truename.reviews import queue
from truename.reviews.answer import answer
from truename.reviews.model import Answer, Confidence, Question
from truename.rules.default_policy import DefaultPolicy
from truename.transactions.default_policy import draft_policy

pytestmark = pytest.mark.browser

NOBODY = "/dashboard/customers/00000000-0000-0000-0000-000000000001"
AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}
PHONE = 320
CUT = """() => [
  ...(document.documentElement.scrollWidth > innerWidth ? ["the page is wider"] : []),
  ...[...document.querySelectorAll(".scroll")].filter((one) => one.offsetWidth && one.scrollWidth > one.clientWidth + 1)
    .map((one) => `cut: ${one.textContent.trim().slice(0, 60)}`)]"""

SPACING = "* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important; line-height: 1.5 !important; }"
SPACED = f"""(on) => {{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("{SPACING}");
  document.adoptedStyleSheets = on ? [sheet] : [];
}}"""
"""Text as somebody may space it who reads with difficulty, which nothing on a page may be lost by."""

HIDE = """is => { Object.defineProperty(document, "hidden", { get: () => is, configurable: true });
  document.dispatchEvent(new Event("visibilitychange")); }"""
"""As a browser does with a tab that somebody leaves, or comes back to."""


def _heard(found, message) -> None:
    text = getattr(message, "text", str(message))
    if "Content Security" in text or not hasattr(message, "text"):
        found.append(text)


@pytest.fixture(scope="module")
async def browser():
    async with a_browser() as found:
        yield found


PICTURES = ("image", "media", "font")
MOST_REQUESTS, MOST_KB = 6, {"document": 40, "stylesheet": 15, "script": 30}


async def weight(page, address: str) -> list[str]:
    """Open a page with an empty cache, as somebody who comes for the first time would; says where it is over budget."""
    asked, sizes = [], dict.fromkeys(MOST_KB, 0)

    def ask(request) -> None:
        asked.append(request)

    page.on("request", ask)
    opened = await page.goto(address, wait_until="load")
    page.remove_listener("request", ask)
    assert opened is not None
    assert opened.status in (200, 404), address
    before_pictures = [one for one in asked if one.resource_type not in PICTURES]
    for one in before_pictures:
        if one.resource_type in sizes and (came := await one.response()) is not None:
            sizes[one.resource_type] += len(gzip.compress(await came.body(), 9))
    over = [f"{kind} {size} B" for kind, size in sizes.items() if size > MOST_KB[kind] * 1000]
    if len(before_pictures) > MOST_REQUESTS:
        over.append(f"asks for {[one.url.rpartition('/')[2] for one in before_pictures]}")
    over += [f"asks elsewhere for {one.url}" for one in asked if not one.url.startswith(address.partition("/dash")[0])]
    return [f"{address}: {one}" for one in over]


async def cut(page, width: int) -> list[str]:
    """Is the page, or a table on it, wider than the window, on a phone also with the spacing of WCAG 1.4.12?

    Which stands for a wider font too: what fits by the width of one font's letters fits by luck.
    """
    await page.set_viewport_size({"width": width, "height": 860})
    found = [f"{page.url} at {width} px: {one}" for one in await page.evaluate(CUT)]
    if width == PHONE:
        await page.evaluate(SPACED, True)
        found += [f"{page.url} at {width} px, spaced: {one}" for one in await page.evaluate(CUT)]
        await page.evaluate(SPACED, False)
    return found


async def two_in_review(plumbing, account, ana) -> list[str]:
    """The pages of two cases in this person's hands: one to be answered blind, one that was."""
    blind, whole = await waiting_for_review(plumbing, account, 2, faces=True)
    async with plumbing.database.account(account.account_id) as connection:
        own = account.account_id, ana.actor
        await queue.take(connection, *own, blind)
        lease = await queue.take(connection, *own, whole)
        asked = Question.DOCUMENT_AND_LIVE_FACE
        await answer(connection, *own, whole, lease.version, asked, Answer.SAME, Confidence.HIGH, blind=True)
    return [f"/dashboard/review/{blind}", f"/dashboard/review/{whole}"]


async def test_every_page_is_clean_in_light_and_dark_and_fits_a_phone(browser, live_server, plumbing, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN}, name="Ana")
    customer_id = await a_customer(plumbing, an_account)
    hook = {"webhook": {"url": "https://hooks.example.com/x"}}
    transaction_id = await a_transaction(plumbing, an_account, customer_id, config=hook)
    await submitted(plumbing, an_account, transaction_id)
    await a_case(plumbing, an_account, customer_id=customer_id, pictures=False)
    await a_case(plumbing, an_account, pictures=False)  # the same document: a link
    await history(plumbing, an_account, count=300, days=20)
    in_review = await two_in_review(plumbing, an_account, ana)
    await waiting_for_review(plumbing, an_account, 60)
    async with plumbing.database.account(an_account.account_id) as connection:
        policy = DefaultPolicy.model_validate({"biometric_policy": {"liveness_min_score": 0.9}})
        await draft_policy(connection, an_account.account_id, policy, "Try", actor="operator:x")
    listed = [*every_page(customer_id, transaction_id), *in_review, NOBODY]
    found: list[str] = []
    assert len(listed) > 17
    context = await browser.new_context(viewport={"width": 1280, "height": 860}, reduced_motion="reduce")
    await sign_in_browser(context, live_server, plumbing, ana)
    page = await context.new_page()
    devtools = await context.new_cdp_session(page)
    await devtools.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.on("console", partial(_heard, found))
    page.on("pageerror", partial(_heard, found))
    for path in listed:
        found += await weight(page, live_server + path)
        found += await faults_in_light_and_dark(page)
        found += await cut(page, PHONE)
        found += await cut(page, 1280)
    await context.close()
    assert not found, "\n".join(found)


CHOSEN = """() => {
  const look = (one) => { const { color, backgroundColor } = getComputedStyle(one); return color + backgroundColor; };
  return [".side a", ".chip"].map((kind) => [
    ...new Set([...document.querySelectorAll(`${kind}[aria-current]`)].map(look)),
    ...new Set([...document.querySelectorAll(`${kind}:not([aria-current])`)].map(look))]);
}"""
OVERLAPPING = "() => [...document.querySelectorAll('.side a')].filter((one) => one.scrollWidth > one.clientWidth)"


async def test_in_forced_colours_the_page_and_the_range_that_are_chosen_stand_out(
    browser, live_server, plumbing, an_account
):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN}, name="Ana")
    await history(plumbing, an_account, count=30, days=20)
    context = await browser.new_context(forced_colors="active")
    await sign_in_browser(context, live_server, plumbing, ana)
    page = await context.new_page()
    await page.goto(f"{live_server}/dashboard")
    for looks in await page.evaluate(CHOSEN):
        assert len(looks) == 2, "one look of what is chosen, one of the rest"
        assert looks[0] != looks[1]
    await context.close()


async def test_the_words_of_the_menu_stay_apart_on_the_narrowest_screen(browser, live_server, plumbing, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN}, name="Ana")
    context = await browser.new_context(viewport={"width": PHONE, "height": 600})
    await sign_in_browser(context, live_server, plumbing, ana)
    page = await context.new_page()
    await page.goto(f"{live_server}/dashboard/review/numbers")
    assert await page.evaluate(f"({OVERLAPPING})().map((one) => one.textContent)") == []
    await context.close()


async def test_a_passkey_is_added_and_then_signs_in_alone(browser, live_server, plumbing, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    address = live_server.replace("127.0.0.1", "localhost")  # a passkey belongs to a name
    context = await browser.new_context()
    page = await context.new_page()
    devtools = await context.new_cdp_session(page)
    await devtools.send("WebAuthn.enable")
    await devtools.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    await page.goto(f"{address}/dashboard/me/security")
    await page.fill("input[name=email]", ana.email)
    await page.fill("input[name=password]", PASSWORD)
    await page.get_by_role("button", name="Sign in", exact=True).click()
    form = page.locator("form[data-passkey=add]")
    await form.locator("input[name=name]").fill("My laptop")
    await form.locator("input[name=password]").fill(PASSWORD)
    await form.get_by_role("button", name="Add a passkey").click()
    await page.get_by_text("Your second factor is on.").wait_for()
    assert await page.get_by_role("cell", name="My laptop").is_visible()
    await page.locator("details.person summary").click()
    await page.get_by_role("button", name="Sign out").click()
    await page.get_by_text("You are signed out.").wait_for()
    await page.get_by_role("button", name="Sign in with a passkey").click()
    await page.locator("header .account").wait_for()
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(
            "SELECT second_factor FROM operator_sessions WHERE operator_id = %s AND ended_at IS NULL",
            (ana.operator_id,),
        )
        assert [row["second_factor"] for row in await cursor.fetchall()] == [True]
    await context.close()


async def test_keys_lead_somewhere_and_can_be_switched_off(browser, live_server, plumbing, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    first, second = [await a_customer(plumbing, an_account) for _ in range(2)]
    context = await browser.new_context()
    await sign_in_browser(context, live_server, plumbing, ana)
    page = await context.new_page()
    await page.goto(f"{live_server}/dashboard/me/security")
    await page.keyboard.press("g")
    await page.keyboard.press("c")
    await page.wait_for_url("**/dashboard/customers")
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await page.wait_for_url(f"**/dashboard/customers/{first}")
    await page.keyboard.press("/")
    await page.keyboard.type(f"{second}")
    await page.keyboard.press("Enter")
    await page.wait_for_url(f"**/dashboard/customers/{second}")
    await page.keyboard.press("?")
    await page.get_by_role("dialog", name="Keyboard").wait_for()
    await page.keyboard.press("Escape")
    await page.goto(f"{live_server}/dashboard/me/security")
    await page.get_by_label("Single keys work").uncheck()
    await page.get_by_role("button", name="Save").click()
    await page.get_by_text("Saved.").wait_for()
    await page.keyboard.press("?")
    assert not await page.locator("#keys").is_visible()
    await context.close()


async def test_rows_change_in_place_and_new_ones_wait(browser, live_server, plumbing, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.VIEWER})
    customer_id = await a_customer(plumbing, an_account)
    shown = await a_transaction(plumbing, an_account, customer_id)
    context = await browser.new_context()
    await sign_in_browser(context, live_server, plumbing, ana)
    page = await context.new_page()
    await page.goto(f"{live_server}/dashboard/transactions")
    row = page.locator(f'tr[data-id="{shown}"]')
    assert "Created" in await row.inner_text()
    await page.get_by_text("Live", exact=True).wait_for()
    await submitted(plumbing, an_account, shown)
    await row.get_by_text("Processing").wait_for()
    second = await a_transaction(plumbing, an_account, customer_id)
    await page.get_by_role("link", name="1 new: show").click()
    await page.wait_for_function("document.querySelectorAll('#rows tbody tr').length === 2")
    await page.get_by_text("Live", exact=True).wait_for()
    await page.evaluate(HIDE, True)
    await submitted(plumbing, an_account, second)
    row = page.locator(f'tr[data-id="{second}"]')
    await row.get_by_role("link").first.focus()
    async with page.expect_response(lambda answer: answer.url.endswith("/transactions/rows")):
        await page.evaluate(HIDE, False)
    assert "Created" in await row.inner_text(), "nothing moves where somebody is"
    await page.locator("#search").focus()
    await row.get_by_text("Processing").wait_for()
    tab = await context.new_page()
    await tab.goto(f"{live_server}/dashboard/transactions")
    await tab.get_by_text("Live", exact=True).wait_for()
    await context.close()


async def test_a_session_warns_before_its_end_and_keeps_what_was_typed(browser, live_server, plumbing, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    customer_id = await a_customer(plumbing, an_account)
    context = await browser.new_context()
    await context.clock.set_fixed_time(datetime.now(UTC) + timedelta(hours=13))  # a browser whose clock is wrong
    await sign_in_browser(context, live_server, plumbing, ana)
    async with plumbing.database.system() as connection:
        await connection.execute(
            "UPDATE operator_sessions SET created_at = now() - interval '12 hours' + interval '90 seconds' "
            "WHERE operator_id = %s",
            (ana.operator_id,),
        )
    page = await context.new_page()
    await page.goto(f"{live_server}/dashboard/customers/{customer_id}")
    await page.get_by_role("dialog", name="Your session ends").get_by_text("1 min").wait_for()
    await page.keyboard.press("Escape")
    typed, other = (page.locator(f"form[action$='{act}'] textarea") for act in ("/status", "/blocklist"))
    await typed.fill("A note that took an hour")
    async with plumbing.database.system() as connection:
        await connection.execute(
            "UPDATE operator_sessions SET ended_at = now() WHERE operator_id = %s", (ana.operator_id,)
        )
    await page.reload()
    await page.fill("input[name=email]", ana.email)
    await page.fill("input[name=password]", PASSWORD)
    await page.get_by_role("button", name="Sign in", exact=True).click()
    await page.wait_for_url(f"**/dashboard/customers/{customer_id}")
    assert await typed.input_value() == "A note that took an hour"
    assert await other.input_value() == "", "in its own form and in no other"
    await page.get_by_text("Your last sign-in").wait_for()
    await context.close()


async def test_counts_follow_the_rows_chosen_ones_stay_and_new_ones_wait(browser, live_server, plumbing, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    first, second = await waiting_for_review(plumbing, an_account, 2)
    context = await browser.new_context()
    await sign_in_browser(context, live_server, plumbing, ana)
    page = await context.new_page()
    await page.goto(f"{live_server}/dashboard/transactions?status=IN_REVIEW")
    await page.locator('[data-count="here"]', has_text="2").wait_for()
    await page.locator('[data-count="status=IN_REVIEW&sort=oldest"]', has_text="2").wait_for()
    await page.locator("[data-live-state]", has_text="Live").wait_for()
    assert await page.get_by_role("button", name="Put back").is_disabled()
    await page.keyboard.press("j")
    await page.keyboard.press("x")
    await page.get_by_text("1 chosen").wait_for()
    await page.get_by_role("button", name="Hand to this person").click()
    await page.get_by_text("Handed on: 1.").wait_for()
    await page.locator("[data-live-state]", has_text="Live").wait_for()
    await page.locator(f'tr[data-id="{first}"] input').check()
    rows = await page.locator("#rows tbody tr").count()
    await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))  # does not fit the filter
    await waiting_for_review(plumbing, an_account, 1)
    await page.locator("[data-news]", has_text="1 new: show").wait_for(timeout=30_000)
    assert await page.locator("#rows tbody tr").count() == rows, "new rows wait"
    assert await page.locator(f'tr[data-id="{first}"] input').is_checked()
    assert await page.locator(f'tr[data-id="{second}"]').is_visible()
    await context.close()
