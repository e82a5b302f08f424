"""How much a person's phone must fetch, and how quickly the page guides them. The figures are printed."""

import asyncio
import itertools
from statistics import median

import pytest
from playwright.async_api import Request

from tests.browser.conftest import Films, Open, Visit
from tests.browser.test_screens import AGREED, CARD_ONLY
from tests.support.camera import Lens
from tests.support.scripted_sdk import ScriptedSdk

pytestmark = pytest.mark.browser


def weigh(one: Visit) -> dict[str, int]:
    sizes: dict[str, int] = {}

    async def note(request: Request) -> None:
        found = await request.sizes()
        sizes[request.url] = found["responseBodySize"] + found["responseHeadersSize"]

    one.page.on("requestfinished", lambda request: asyncio.ensure_future(note(request)))
    return sizes


async def rate(one: Visit, what: str) -> tuple[float, float]:
    """Looks per second in the steady state, and the median milliseconds of one look."""
    entries = await one.page.evaluate(
        "(name) => performance.getEntriesByName(name).map((entry) => [entry.startTime, entry.duration])", what
    )
    starts = [start for start, _ in entries]
    gaps = [later - earlier for earlier, later in itertools.pairwise(starts)]
    return 1000 / median(gaps), median(duration for _, duration in entries)


async def test_the_page_is_light_and_guides_quickly(visit: Open, lens: Lens, films: Films) -> None:
    lens.see(films["desk"])
    sdk = ScriptedSdk(consent=AGREED, documents=CARD_ONLY)
    one = await visit(sdk)
    sizes = weigh(one)
    await one.open()
    await one.press("Start camera")
    await one.page.get_by_role("button", name="Take photo").wait_for(timeout=20_000)
    document = await rate(one, "truename.document")
    page = sum(sizes.values())
    await one.press("Take photo")
    await one.press("Use this photo")
    lens.see(films["person"])
    await one.heading("Now your face")
    await one.press("I’m ready")
    await one.page.get_by_role("heading", name="All done").wait_for(timeout=120_000)
    face = await rate(one, "truename.face")
    everything = sum(sizes.values())
    guidance = sum(size for url, size in sizes.items() if "tasks-vision" in url or "/model/" in url)
    print(f"page {page / 1000:.0f} kB, without face guidance {(everything - guidance) / 1000:.0f} kB")
    print(f"in all {everything / 1e6:.2f} MB in {len(sizes)} files")
    print(f"document guidance {document[0]:.1f} fps, {document[1]:.1f} ms a look")
    print(f"face guidance {face[0]:.1f} fps, {face[1]:.1f} ms a look")
    assert everything - guidance < 150_000
    assert everything < 7_500_000
    assert document[0] >= 10
    assert face[0] >= 10
