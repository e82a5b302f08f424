"""Every screen on the way: words, focus, axe, narrow and zoomed, right to left. The service is the real one."""

import re

import pytest

from tests.support.browser import DESKTOP, PHONE, SMALLEST
from tests.support.camera import Lens
from tests.support.faulty_network import FaultyNetwork
from tests.support.links import CARD_ONLY, PASSPORT_ONLY, only
from tests.support.sdk import photographed
from tests.support.visits import Films, NewLink, Open
from truename.accounts.model import NewAccount
from truename.sandbox.drawing import documents
from truename.vision.images import encode_jpeg

pytestmark = pytest.mark.browser


async def test_the_token_leaves_the_address_bar_and_survives_a_reload(visit: Open, new_link: NewLink) -> None:
    one = await visit()
    await one.open(f"{(await new_link()).fragment}&d=demo-key")
    await one.heading("Let’s confirm it’s you")
    assert one.page.url == f"{one.address}/verify/"
    await one.page.reload()
    await one.heading("Let’s confirm it’s you")


async def test_consent_says_who_what_and_how_long(visit: Open, new_link: NewLink) -> None:
    link = await new_link()
    one = await visit()
    await one.open(link)
    await one.heading("Let’s confirm it’s you")
    words = await one.page.inner_text("main")
    assert "Acme Bank" in words
    assert "90 days" in words
    assert "biometric" in words
    assert await one.page.evaluate("document.activeElement.tagName") == "H1"
    await one.accessible("consent")


async def test_consent_to_a_face_alone_speaks_of_no_document(visit: Open, new_link: NewLink) -> None:
    one = await visit()
    await one.open(await new_link("BIOMETRIC_ONLY"))
    await one.heading("Let’s confirm it’s you")
    words = await one.page.inner_text("main")
    assert "document" not in words
    assert "earlier picture of you" in words


async def test_declining_asks_once_more_and_is_recorded(visit: Open, new_link: NewLink) -> None:
    link = await new_link(return_url="https://shop.example/back")
    one = await visit()
    await one.open(link)
    await one.press("Decline")
    dialog = one.page.get_by_role("alertdialog")
    await dialog.wait_for()
    await one.accessible("decline dialog")
    await one.page.keyboard.press("Escape")
    await dialog.wait_for(state="detached")
    assert (await link.phone.session())[1]["consent"]["given"] is None
    await one.press("Decline")
    await dialog.get_by_role("button", name="Decline").click()
    await one.heading("You declined")
    assert (await link.phone.session())[1]["consent"]["given"] is False
    await one.accessible("declined")
    await one.press("I changed my mind")
    await one.heading("Let’s confirm it’s you")


async def test_only_accepted_documents_are_offered(visit: Open, new_link: NewLink) -> None:
    policy = only(("ES", "PASSPORT"), ("DE", "NATIONAL_ID"))
    one = await visit()
    await one.open(await (await new_link(document_policy=policy)).agreed())
    await one.heading("Choose your document")
    countries = await one.page.locator("tn-choose option:not([disabled])").all_inner_texts()
    assert countries == ["Germany", "Spain"]
    await one.page.select_option("tn-choose select", "DE")
    assert [name.split("\n")[0] for name in await one.page.locator(".choice").all_inner_texts()] == ["Identity card"]
    await one.accessible("choose")


async def test_a_photo_that_cannot_be_read_is_refused_with_reasons_and_may_be_used_once(
    visit: Open, new_link: NewLink
) -> None:
    link = await (await new_link(document_policy=PASSPORT_ONLY)).agreed()
    one = await visit()
    await one.open(link)
    await one.heading("Passport: page with your photo")
    await one.accessible("document how-to")
    blurred = encode_jpeg(photographed(documents.passport().front, blur=3.2))
    await one.page.set_input_files("input[type=file]", {"name": "a.jpg", "mimeType": "image/jpeg", "buffer": blurred})
    await one.heading("Is everything readable?")
    await one.accessible("document preview")
    await one.press("Use this photo")
    await one.heading("That photo is hard to use")
    assert "blurred" in await one.page.inner_text(".reasons")
    await one.accessible("document refused")
    await one.press("Use it anyway")
    await one.heading("Now your face")
    assert (await link.phone.session())[1]["progress"]["document"]["front"]["usable"] is False


async def test_live_document_screen_offers_the_shutter_after_eight_seconds(
    visit: Open, lens: Lens, films: Films, new_link: NewLink
) -> None:
    lens.see(films["desk"])
    one = await visit()
    await one.open(await (await new_link(document_policy=CARD_ONLY)).agreed())
    await one.press("Start camera")
    await one.page.locator(".hint").wait_for()
    await one.page.locator(".overlay").wait_for()
    await one.accessible("live document")
    assert await one.page.get_by_role("button", name="Take photo").count() == 0
    await one.page.get_by_role("button", name="Take photo").wait_for(timeout=15_000)
    await one.accessible("live document with shutter")
    target = await one.page.get_by_role("button", name="Take photo").bounding_box()
    assert target is not None
    assert target["height"] >= 48
    await one.press("Take photo")
    await one.heading("Is everything readable?")
    await one.press("Take again")
    await one.page.locator(".stage video").wait_for()


async def test_a_session_resumes_where_it_was(visit: Open, new_link: NewLink) -> None:
    link = await (await (await new_link()).agreed()).with_passport()
    one = await visit()
    await one.open(link)
    await one.heading("Now your face")
    await one.accessible("face how-to")


async def test_a_file_can_stand_in_for_the_camera(visit: Open, new_link: NewLink, network: FaultyNetwork) -> None:
    link = await (await new_link("DOCUMENT_ONLY", document_policy=PASSPORT_ONLY)).agreed()
    one = await visit(address=network.address)
    await one.open(link)
    await one.heading("Passport: page with your photo")
    await one.page.set_input_files(
        "input[type=file]", {"name": "a.txt", "mimeType": "text/plain", "buffer": b"no picture"}
    )
    await one.page.get_by_role("alert").wait_for()
    await one.accessible("wrong file")
    picture = encode_jpeg(photographed(documents.passport().front))
    await one.page.set_input_files("input[type=file]", {"name": "a.jpg", "mimeType": "image/jpeg", "buffer": picture})
    await one.heading("Is everything readable?")
    await one.press("Use this photo")
    await one.heading("All done")
    await one.accessible("done")
    assert any("/document/front" in call and "source=FILE" in call for call in network.passed)
    # The link is used up: opening it again says so and offers nothing to capture.
    await one.open(link)
    await one.heading("All done")


@pytest.mark.parametrize("language", ["es", "pt", "fr", "de", "ar"])
async def test_every_language_fits_the_smallest_screen(visit: Open, new_link: NewLink, language: str) -> None:
    one = await visit(**SMALLEST)
    await one.open(await new_link(), query=f"?lang={language}")
    await one.page.locator("tn-consent h1").wait_for()
    assert await one.page.get_attribute("html", "lang") == language
    assert await one.page.get_attribute("html", "dir") == ("rtl" if language == "ar" else "ltr")
    assert await one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await one.accessible(f"consent in {language}")


async def test_the_page_speaks_the_accounts_language_unless_the_person_chooses(visit: Open, new_link: NewLink) -> None:
    link = await new_link(language="de")
    one = await visit()
    await one.open(link)
    await one.page.get_by_role("button", name="Zustimmen").wait_for()
    assert await one.page.get_attribute("html", "lang") == "de"
    await one.page.select_option(".language select", "es")
    await one.page.locator("html[lang=es]").wait_for()
    other = await visit()
    await other.open(link, query="?lang=fr")
    await other.page.locator("html[lang=fr] tn-consent h1").wait_for()


async def test_everything_works_at_four_hundred_per_cent(
    visit: Open, lens: Lens, films: Films, new_link: NewLink
) -> None:
    """1280 × 1024 at 400 % is 320 × 256: nothing may be cut off sideways."""
    lens.see(films["desk"])
    one = await visit(viewport={"width": 320, "height": 256})
    await one.open(await (await new_link(handoff=False)).agreed())
    await one.heading("Choose your document")
    assert await one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await one.page.select_option("tn-choose select", "DE")
    await one.page.locator(".choice").first.click()
    await one.press("Start camera")
    await one.page.locator(".overlay").wait_for()
    assert await one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await one.accessible("live document, zoomed")


async def test_dark_mode_keeps_its_contrast(visit: Open, new_link: NewLink) -> None:
    one = await visit(**PHONE, color_scheme="dark")
    await one.open(await new_link())
    await one.heading("Let’s confirm it’s you")
    await one.accessible("consent, dark")
    background = await one.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(int(part) for part in re.findall(r"\d+", background)[:3]) < 120


async def test_targets_are_large_enough_for_a_thumb(visit: Open, new_link: NewLink) -> None:
    one = await visit()
    await one.open(await (await new_link()).agreed())
    await one.page.select_option("tn-choose select", "DE")
    boxes = await one.page.locator("button, select, a").evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert min(boxes) >= 48


async def test_an_account_that_wants_neither_files_nor_phones_is_obeyed(visit: Open, new_link: NewLink) -> None:
    one = await visit(**DESKTOP)
    await one.open(await (await new_link(document_policy=PASSPORT_ONLY, handoff=False, file_upload=False)).agreed())
    await one.heading("Passport: page with your photo")
    assert await one.page.locator("input[type=file]").count() == 0
    assert await one.page.get_by_role("button", name="Continue on a phone").count() == 0


async def test_a_sandbox_says_on_every_screen_that_nothing_is_real_and_a_live_account_never(
    visit: Open, new_link: NewLink, a_sandbox: NewAccount
) -> None:
    words = "Test mode: nothing here is a real verification."
    one = await visit(**PHONE, color_scheme="dark")
    await one.open(await new_link(account=a_sandbox))
    await one.heading("Let’s confirm it’s you")
    assert await one.page.inner_text(".test-mode") == words
    await one.accessible("consent of a sandbox, dark")
    await one.press("Agree and continue")
    await one.heading("Choose your document")
    assert await one.page.inner_text(".test-mode") == words
    await one.open(await new_link())
    await one.heading("Let’s confirm it’s you")
    assert await one.page.locator(".test-mode").count() == 0
