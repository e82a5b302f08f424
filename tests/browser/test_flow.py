"""From consent to a decision in a real browser, against the real service and its real analysis: nothing is scripted.

A face is captured with a document, in the example shop's frame: test_shop_example.py.
"""

import pytest

from tests.support.camera import Lens
from tests.support.visits import Films, NewLink, Open, photograph_document

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]


async def test_both_sides_of_a_document_are_captured_over_a_reload_and_decided(
    visit: Open, lens: Lens, films: Films, new_link: NewLink
) -> None:
    link = await new_link("DOCUMENT_ONLY")
    one = await visit()
    await one.open(link)
    await one.press("Agree and continue")
    await photograph_document(one, lens, films["id front"], "DE", "Identity card")
    await one.heading("Now turn it over")
    await one.accessible("turn over")
    await one.page.reload()  # the session resumes where it was
    await one.heading("Now turn it over")
    lens.see(films["id back"])
    await one.press("Start camera")
    await one.heading("Is everything readable?")
    await one.press("Use this photo")
    await one.heading("All done")
    result = await link.result()
    print(result["status"], [(issue["code"], issue["details"]) for issue in result["issues"]])
    assert result["status"] == "APPROVED"
    assert result["document"]["type"] == "NATIONAL_ID"
    assert result["document"]["fields"]["surnames"]["value"] == "MUSTERMANN"
