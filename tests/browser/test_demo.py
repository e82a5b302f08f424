"""A developer tries it: a fresh transaction, the capture, and then what their server would receive."""

import pytest

from tests.support.camera import Lens
from tests.support.visits import Films, Open, photograph_document
from truename.accounts.model import NewAccount
from truename.plumbing.jobs.worker import run_pending
from truename.plumbing.resources import Plumbing
from truename.wiring import load_jobs

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


async def test_the_demo_shows_what_the_integrator_would_receive(
    visit: Open, lens: Lens, films: Films, live_server: str, plumbing: Plumbing, an_account: NewAccount
) -> None:
    assert an_account  # it may send webhooks to loopback, which makes it a trial account
    one = await visit()
    await one.page.goto(f"{live_server}/demo")
    await one.heading("Try Truename")
    await one.accessible("demo")
    await one.page.get_by_role("button", name="Document only").click()
    await one.heading("Let’s confirm it’s you")
    assert one.page.url == f"{live_server}/verify/"
    await one.press("Agree and continue")
    await photograph_document(one, lens, films["passport"], "DE", "Passport")
    await one.heading("All done")
    await one.page.get_by_role("link", name="See what your server receives").click()
    await one.heading("What your server receives")
    await one.page.get_by_text("PROCESSING", exact=True).wait_for()
    load_jobs()
    await run_pending(plumbing)
    decided = one.page.locator(".verdict .badge:is(.good, .bad)")
    await decided.wait_for(timeout=20_000)
    words = await one.page.inner_text("main")
    assert "MUSTERMANN" in words
    assert "transaction.approved" in words or "transaction.rejected" in words
    assert "webhook-signature" in words
    await one.accessible("demo result")
    assert one.page.url == f"{live_server}/verify/demo-result"
    await one.page.set_viewport_size({"width": 390, "height": 844})
    wide, seen = await one.page.locator(".scroll").evaluate("table => [table.scrollWidth, table.clientWidth]")
    assert wide <= seen, "on a phone the checks are cut off"
