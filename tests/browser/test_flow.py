"""From consent to a decision in a real browser, against the real service and its real analysis: nothing is scripted."""

import asyncio

import pytest
from playwright.async_api import Request

from tests.support.camera import Lens
from tests.support.visits import Films, NewLink, Open, Visit, photograph_document, show_face

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]


def weigh(one: Visit) -> dict[str, int]:
    """How many bytes each file of the page took on the wire, filled while it loads."""
    sizes: dict[str, int] = {}

    async def note(request: Request) -> None:
        found = await request.sizes()
        sizes[request.url] = found["responseBodySize"] + found["responseHeadersSize"]

    one.page.on("requestfinished", lambda request: asyncio.ensure_future(note(request)))
    return sizes


async def test_a_document_and_a_face_are_captured_and_decided(
    visit: Open, lens: Lens, films: Films, new_link: NewLink
) -> None:
    link = await new_link("DOCUMENT_AND_BIOMETRIC")
    one = await visit()
    sizes = weigh(one)
    await one.open(link)
    await one.heading("Let’s confirm it’s you")
    await one.press("Agree and continue")
    await photograph_document(one, lens, films["passport"], "DE", "Passport")
    await show_face(one, lens)
    result = await link.result()
    print(result["status"], [(issue["code"], issue["details"]) for issue in result["issues"]], result["biometrics"])
    assert result["document"]["fields"]["surnames"]["value"] == "MUSTERMANN"
    assert "DOCUMENT_VS_LIVENESS_FACE_MISMATCH" not in [issue["code"] for issue in result["issues"]]
    assert "LIVENESS_LOW_CONFIDENCE" not in [issue["code"] for issue in result["issues"]]
    assert result["status"] == "APPROVED"

    # What a person's phone had to fetch for all of this.
    files = {url: size for url, size in sizes.items() if "/api/" not in url}
    guidance = sum(size for url, size in files.items() if "tasks-vision" in url or "/model/" in url)
    print(f"{sum(files.values()) / 1e6:.2f} MB in {len(files)} files, {guidance / 1e6:.2f} MB of it face guidance")
    assert sum(files.values()) - guidance < 150_000
    assert sum(files.values()) < 7_500_000


async def test_both_sides_of_a_document_are_captured_and_decided(
    visit: Open, lens: Lens, films: Films, new_link: NewLink
) -> None:
    link = await new_link("DOCUMENT_ONLY")
    one = await visit()
    await one.open(link)
    await one.press("Agree and continue")
    await photograph_document(one, lens, films["id front"], "DE", "Identity card")
    await one.heading("Now turn it over")
    await one.accessible("turn over")
    lens.see(films["id back"])
    await one.press("Start camera")
    await one.heading("Is everything readable?")
    await one.press("Use this photo")
    await one.heading("All done")
    result = await link.result()
    print(result["status"], [(issue["code"], issue["details"]) for issue in result["issues"]])
    assert result["status"] == "APPROVED"
    assert result["document"]["type"] == "NATIONAL_ID"


async def test_a_face_alone_is_captured_and_decided(visit: Open, lens: Lens, films: Films, new_link: NewLink) -> None:
    link = await new_link("BIOMETRIC_ONLY")
    one = await visit()
    await one.open(link)
    await one.press("Agree and continue")
    await show_face(one, lens)
    result = await link.result()
    print(result["status"], [(issue["code"], issue["details"]) for issue in result["issues"]], result["biometrics"])
    assert result["status"] == "APPROVED"
    assert result["biometrics"]["liveness"]["score"] >= 0.85
