"""Text of twice the size, as whoever needs it sets it in the browser: nothing is cut off, nothing is covered."""

import pytest

from tests.support.camera import Lens
from tests.support.links import PASSPORT_ONLY
from tests.support.visits import Films, NewLink, Open, Visit

pytestmark = pytest.mark.browser

NARROWEST = {"width": 320, "height": 640}
TWICE = "document.documentElement.style.fontSize = '200%'"
FREE_AND_SEEN = """([guide, upright]) => {
  const [hint, place] = ['.hint', guide].map((one) => document.querySelector(one).getBoundingClientRect());
  const beside = hint.left >= place.right || hint.right <= place.left;
  return [hint.top >= place.bottom || hint.bottom <= place.top || beside, !upright || hint.bottom <= innerHeight];
}"""
"""Is nothing of the guide under the hint, and the hint on the screen?"""


@pytest.mark.parametrize("words", ["de", "ar"])
async def test_text_of_twice_the_size_fits_the_narrowest_phone(visit: Open, new_link: NewLink, words: str) -> None:
    """German words are long."""
    one = await visit(viewport=NARROWEST, locale=words)
    await one.open((await new_link()).fragment)
    await one.page.locator("h1").first.wait_for()
    await one.page.evaluate(TWICE)
    assert await one.page.evaluate("[document.documentElement.lang, document.documentElement.scrollWidth]") == [
        words,
        320,
    ]
    await one.page.locator(".button.primary").click()
    await one.page.locator("tn-consent").wait_for(state="detached")
    await one.page.locator("h1").first.wait_for()
    assert await one.page.evaluate("document.documentElement.scrollWidth") == 320


@pytest.mark.parametrize(("width", "height"), [(320, 640), (640, 360)])
async def test_hints_of_twice_the_size_cover_neither_the_document_nor_the_face(
    visit: Open, lens: Lens, films: Films, new_link: NewLink, width: int, height: int
) -> None:
    """They lay on the picture, over half of the document's frame and over the eyes."""
    lens.see(films["desk"])
    for guide, what in (
        (".guide", {"kind": "DOCUMENT_ONLY", "document_policy": PASSPORT_ONLY}),
        (".oval", {"kind": "BIOMETRIC_ONLY"}),
    ):
        one = await visit(viewport={"width": width, "height": height}, locale="de")
        await one.open(await (await new_link(**what, handoff=False)).agreed())
        await one.page.locator(".actions .button.primary").wait_for()
        await one.page.evaluate(TWICE)
        await one.page.locator(".actions .button.primary").click()
        await one.page.locator(guide).wait_for()
        await _widest_hint(one)
        assert await one.page.evaluate(FREE_AND_SEEN, [guide, width < height]) == [True, True], guide
        assert await one.page.evaluate("document.documentElement.scrollWidth") == width


async def _widest_hint(one: Visit) -> None:
    """Whatever is seen just now, the words are those that take the most room."""
    await one.page.wait_for_function("document.querySelector('.hint')?.innerText")
    await one.page.evaluate("document.querySelector('.hint').innerText = 'Dokument in den Rahmen legen'")
