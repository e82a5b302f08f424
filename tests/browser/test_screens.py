"""Every screen on the way, by a scripted service: words, focus, axe, narrow and zoomed, right to left."""

import re

import pytest

from tests.browser.conftest import Films, Open
from tests.support.browser import DESKTOP, PHONE, SMALLEST
from tests.support.camera import Lens
from tests.support.scripted_sdk import ScriptedSdk, a_session

pytestmark = pytest.mark.browser

PASSPORT_ONLY = [{"country": "DE", "type": "PASSPORT", "sides": ["front"]}]
CARD_ONLY = [{"country": "ES", "type": "NATIONAL_ID", "sides": ["front", "back"]}]
AGREED = {"given": True, "text_version": "2026-11", "retention_days": 90, "privacy_url": None}


async def test_the_token_leaves_the_address_bar_and_survives_a_reload(visit: Open) -> None:
    one = await visit(ScriptedSdk())
    await one.open("t=secret.to.ken&d=demo-key")
    await one.heading("Let’s confirm it’s you")
    assert one.page.url == f"{one.address}/verify/"
    await one.page.reload()
    await one.heading("Let’s confirm it’s you")


async def test_consent_says_who_what_and_how_long(visit: Open) -> None:
    sdk = ScriptedSdk()
    one = await visit(sdk)
    await one.open()
    await one.heading("Let’s confirm it’s you")
    words = await one.page.inner_text("main")
    assert "Acme Bank" in words
    assert "90 days" in words
    assert "biometric" in words
    assert await one.page.evaluate("document.activeElement.tagName") == "H1"
    await one.accessible("consent")


async def test_consent_to_a_face_alone_speaks_of_no_document(visit: Open) -> None:
    one = await visit(ScriptedSdk(steps=["CONSENT", "LIVENESS"], transaction_type="BIOMETRIC_ONLY", documents=[]))
    await one.open()
    await one.heading("Let’s confirm it’s you")
    words = await one.page.inner_text("main")
    assert "document" not in words
    assert "earlier picture of you" in words


async def test_declining_asks_once_more_and_is_reported(visit: Open) -> None:
    sdk = ScriptedSdk(**{"return": {"origins": [], "url": "https://shop.example/back"}})
    one = await visit(sdk)
    await one.open()
    await one.press("Decline")
    dialog = one.page.get_by_role("alertdialog")
    await dialog.wait_for()
    await one.accessible("decline dialog")
    await one.page.keyboard.press("Escape")
    await dialog.wait_for(state="detached")
    assert "POST /consent" not in [call for call, _ in sdk.calls]
    await one.press("Decline")
    await dialog.get_by_role("button", name="Decline").click()
    await one.heading("You declined")
    assert "POST /consent" in [call for call, _ in sdk.calls]
    await one.accessible("declined")
    await one.press("I changed my mind")
    await one.heading("Let’s confirm it’s you")


async def test_only_accepted_documents_are_offered(visit: Open) -> None:
    documents = [
        {"country": "ES", "type": "PASSPORT", "sides": ["front"]},
        {"country": "DE", "type": "NATIONAL_ID", "sides": ["front", "back"]},
    ]
    one = await visit(ScriptedSdk(documents=documents, consent=AGREED))
    await one.open()
    await one.heading("Choose your document")
    countries = await one.page.locator("tn-choose option:not([disabled])").all_inner_texts()
    assert countries == ["Germany", "Spain"]
    await one.page.select_option("tn-choose select", "DE")
    assert [name.split("\n")[0] for name in await one.page.locator(".choice").all_inner_texts()] == ["Identity card"]
    await one.accessible("choose")


async def test_a_document_is_photographed_by_itself_and_retaken_when_refused(
    visit: Open, lens: Lens, films: Films
) -> None:
    lens.see(films["passport"])
    sdk = ScriptedSdk(consent=AGREED, documents=PASSPORT_ONLY)
    sdk.refused_take("BLURRED", "GLARE")
    one = await visit(sdk)
    await one.open()
    await one.heading("Passport: page with your photo")
    await one.accessible("document how-to")
    await one.press("Start camera")
    await one.heading("Is everything readable?")
    await one.accessible("document preview")
    await one.press("Use this photo")
    await one.heading("That photo is hard to use")
    assert "blurred" in await one.page.inner_text(".reasons")
    await one.accessible("document refused")
    await one.press("Use it anyway")
    await one.heading("Now your face")


async def test_live_document_screen_offers_the_shutter_after_eight_seconds(
    visit: Open, lens: Lens, films: Films
) -> None:
    lens.see(films["desk"])
    one = await visit(ScriptedSdk(consent=AGREED, documents=CARD_ONLY))
    await one.open()
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


async def test_the_back_is_asked_for_only_when_needed(visit: Open, lens: Lens, films: Films) -> None:
    lens.see(films["id front"])
    sdk = ScriptedSdk(consent=AGREED, documents=CARD_ONLY, steps=["CONSENT", "DOCUMENT"])
    sdk.answers["POST /document/front"] |= {"back_needed": True, "reasons": ["BACK_NEEDED"]}
    one = await visit(sdk)
    await one.open()
    await one.press("Start camera")
    await one.heading("Is everything readable?")
    await one.press("Use this photo")
    await one.heading("Now turn it over")
    await one.accessible("turn over")
    lens.see(films["id back"])
    await one.press("Start camera")
    await one.heading("Is everything readable?")
    await one.press("Use this photo")
    await one.heading("All done")
    await one.accessible("done")


async def test_a_session_resumes_where_it_was(visit: Open) -> None:
    progress = a_session()["progress"]
    taken = {"usable": True, "reasons": [], "takes_left": 7}
    progress["document"] |= {"country": "DE", "type": "PASSPORT", "front": taken, "back_needed": False}
    one = await visit(ScriptedSdk(consent=AGREED, progress=progress))
    await one.open()
    await one.heading("Now your face")
    await one.accessible("face how-to")


async def test_a_file_can_stand_in_for_the_camera(visit: Open) -> None:
    sdk = ScriptedSdk(
        consent=AGREED,
        documents=PASSPORT_ONLY,
        steps=["CONSENT", "DOCUMENT"],
    )
    one = await visit(sdk)
    await one.open()
    await one.heading("Passport: page with your photo")
    await one.page.set_input_files(
        "input[type=file]", {"name": "a.txt", "mimeType": "text/plain", "buffer": b"no picture"}
    )
    await one.page.get_by_role("alert").wait_for()
    await one.accessible("wrong file")
    picture = await one.page.screenshot(type="jpeg")
    await one.page.set_input_files("input[type=file]", {"name": "a.jpg", "mimeType": "image/jpeg", "buffer": picture})
    await one.heading("Is everything readable?")
    await one.press("Use this photo")
    await one.heading("All done")
    assert any("source=FILE" in address for call, address in sdk.calls if call == "POST /document/front")


async def test_the_computer_hands_over_and_follows_the_phone(visit: Open) -> None:
    sdk = ScriptedSdk(consent=AGREED)
    one = await visit(sdk, **DESKTOP)
    await one.open()
    await one.heading("Continue on your phone")
    assert await one.page.locator(".qr img").evaluate("(image) => image.decode().then(() => image.naturalWidth > 0)")
    await one.accessible("hand-off")
    for state, words in (
        ("OPENED", "Your phone has opened the link"),
        ("CONNECTED", "Your phone is connected"),
        ("EXPIRED", "The code has expired"),
    ):
        sdk.answers["GET /handoff"] = {"state": state, "expires_at": sdk.answers["GET /handoff"]["expires_at"]}
        await one.heading(words)
        await one.accessible(f"hand-off {state}")
    await one.press("New code")
    sdk.answers["GET /handoff"] = {"state": "FINISHED", "expires_at": sdk.answers["GET /handoff"]["expires_at"]}
    await one.heading("All done")


async def test_the_phone_asks_who_started_it(visit: Open) -> None:
    sdk = ScriptedSdk(consent=AGREED)
    one = await visit(sdk)
    await one.open("h=code")
    await one.heading("Did you start this?")
    words = await one.page.inner_text("main")
    assert "Chrome · Windows" in words
    assert "Madrid, Spain" in words
    await one.accessible("confirm hand-off")
    await one.press("I did not start this")
    await one.heading("Stopped")
    assert sdk.calls[-1][0] == "POST /handoff/refuse"


@pytest.mark.parametrize("language", ["es", "pt", "fr", "de", "ar"])
async def test_every_language_fits_the_smallest_screen(visit: Open, language: str) -> None:
    one = await visit(ScriptedSdk(), **SMALLEST)
    await one.open(query=f"?lang={language}")
    await one.page.locator("tn-consent h1").wait_for()
    assert await one.page.get_attribute("html", "lang") == language
    assert await one.page.get_attribute("html", "dir") == ("rtl" if language == "ar" else "ltr")
    assert await one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await one.accessible(f"consent in {language}")


async def test_everything_works_at_four_hundred_per_cent(visit: Open, lens: Lens, films: Films) -> None:
    """1280 × 1024 at 400 % is 320 × 256: nothing may be cut off sideways."""
    lens.see(films["desk"])
    small = {"viewport": {"width": 320, "height": 256}}
    one = await visit(ScriptedSdk(consent=AGREED, handoff=False), **small)
    await one.open()
    await one.heading("Choose your document")
    assert await one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await one.page.select_option("tn-choose select", "DE")
    await one.page.locator(".choice").first.click()
    await one.press("Start camera")
    await one.page.locator(".overlay").wait_for()
    assert await one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await one.accessible("live document, zoomed")


async def test_dark_mode_keeps_its_contrast(visit: Open) -> None:
    one = await visit(ScriptedSdk(), **PHONE, color_scheme="dark")
    await one.open()
    await one.heading("Let’s confirm it’s you")
    await one.accessible("consent, dark")
    background = await one.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(int(part) for part in re.findall(r"\d+", background)[:3]) < 120


async def test_targets_are_large_enough_for_a_thumb(visit: Open) -> None:
    one = await visit(ScriptedSdk(consent=AGREED))
    await one.open()
    await one.page.select_option("tn-choose select", "DE")
    boxes = await one.page.locator("button, select, a").evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert min(boxes) >= 48
