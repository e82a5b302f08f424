"""A developer comes to the service's own pages: the way in, the reference with search and try-it, the error codes."""

import re
from itertools import pairwise

import pytest

from tests.support.browser import DESKTOP
from tests.support.visits import Open
from truename.accounts.model import NewAccount

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


async def test_the_way_in_leads_on(visit: Open, live_server: str, an_account: NewAccount) -> None:
    assert an_account  # a trial account, so that there is a demo
    one = await visit(**DESKTOP)
    await one.page.goto(live_server)
    await one.heading("Truename")
    await one.accessible("landing")
    rows = [await row.bounding_box() for row in await one.page.locator(".rows > li").all()]
    for above, below in pairwise(row for row in rows if row):
        assert above["y"] + above["height"] < below["y"], "cards must not touch"
    for name, address in (("API reference", "/docs"), ("Error codes", "/docs/errors"), ("Demo", "/demo")):
        assert await one.page.get_by_role("link", name=name, exact=True).get_attribute("href") == address
    await one.page.get_by_role("link", name="Error codes").click()
    await one.heading("Error codes")
    await one.accessible("error codes")
    await one.page.get_by_role("link", name="customer_not_found").click()
    await one.heading("customer_not_found")
    await one.accessible("one error code")


async def test_the_reference_shows_every_call_finds_and_tries_one(visit: Open, live_server: str) -> None:
    one = await visit(**DESKTOP)
    await one.page.goto(f"{live_server}/docs#tag/service/GET/healthz")
    await one.page.get_by_role("heading", name="Truename").first.wait_for(timeout=60_000)
    await one.page.get_by_role("button", name="Search").first.click()
    await one.page.get_by_role("dialog").get_by_role("combobox").fill("redeliver")
    found = one.page.get_by_role("dialog").get_by_role("option", name="Deliver an event again").first
    await found.wait_for(timeout=20_000)
    await found.click()
    await one.page.get_by_role("heading", name="Deliver an event again").first.wait_for(timeout=20_000)
    await one.page.goto(f"{live_server}/docs#tag/service/GET/healthz")
    await one.page.get_by_role("button", name="Test Request (get /healthz)").click()
    async with one.page.expect_response(f"{live_server}/healthz") as sent:
        await one.page.get_by_role("button", name=re.compile("^Send")).last.click()
    assert (await sent.value).status == 200
    # `visit` itself fails on an error, a refusal of the policy, or a call to another host.
