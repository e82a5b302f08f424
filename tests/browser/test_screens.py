"""Every screen on the way: words, focus, axe, narrow and zoomed, right to left. The service is the real one."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from PIL import Image
from playwright.async_api import FilePayload

from tests.support.axe import faults_in_light_and_dark
from tests.support.bombs import saved
from tests.support.browser import DESKTOP, PHONE, SMALLEST
from tests.support.camera import Lens
from tests.support.faulty_network import FaultyNetwork, Says
from tests.support.links import PASSPORT_ONLY, only
from tests.support.sdk import a_passport_photo, photographed
from tests.support.visits import Films, NewLink, Open
from truename.accounts.model import NewAccount
from truename.sandbox.drawing import documents
from truename.vision.images import encode_jpeg

pytestmark = pytest.mark.browser

FITS = "document.documentElement.scrollWidth <= innerWidth"


async def test_consent_says_who_what_and_how_long_also_in_the_dark_and_after_a_reload(
    visit: Open, new_link: NewLink
) -> None:
    one = await visit()
    await one.open(f"{(await new_link()).fragment}&d=demo-key")
    await one.heading("Let’s confirm it’s you")
    assert one.page.url == f"{one.address}/verify/", "the token leaves the address bar"
    words = await one.page.inner_text("main")
    assert "Acme Bank" in words
    assert "90 days" in words
    assert "biometric" in words
    assert await one.page.evaluate("document.activeElement.tagName") == "H1"
    assert await faults_in_light_and_dark(one.page) == []
    await one.page.emulate_media(color_scheme="dark")
    background = await one.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(int(part) for part in re.findall(r"\d+", background)[:3]) < 120
    await one.page.reload()
    await one.heading("Let’s confirm it’s you")


async def test_consent_to_a_face_alone_speaks_of_no_document_and_declining_asks_once_more_and_is_recorded(
    visit: Open, new_link: NewLink
) -> None:
    link = await new_link("BIOMETRIC_ONLY", return_url="https://shop.example/back")
    one = await visit()
    await one.open(link)
    await one.heading("Let’s confirm it’s you")
    words = await one.page.inner_text("main")
    assert "document" not in words
    assert "earlier picture of you" in words
    await one.press("Decline")
    dialog = one.page.get_by_role("alertdialog")
    await dialog.wait_for()
    await one.accessible("decline dialog")
    await one.page.keyboard.press("Escape")
    await dialog.wait_for(state="detached")
    assert await one.page.evaluate("document.activeElement.innerText") == "Decline", "a keyboard goes on where it was"
    assert (await link.phone.session())[1]["consent"]["given"] is None
    await one.press("Decline")
    await dialog.get_by_role("button", name="Decline").click()
    await one.heading("You declined")
    assert (await link.phone.session())[1]["consent"]["given"] is False
    await one.accessible("declined")
    await one.press("I changed my mind")
    await one.heading("Let’s confirm it’s you")


async def test_the_way_back_is_known_after_a_reload_at_the_end_and_to_nobody_elses_page(
    visit: Open, new_link: NewLink
) -> None:
    link = await (await new_link(return_url="https://shop.example/back")).agreed()
    one = await visit()
    await one.page.route("https://shop.example/**", lambda route: route.fulfill(body="<h1>Welcome back</h1>"))
    await one.open(link)
    await one.heading("Choose your document")
    await link.submit_elsewhere()
    async with one.page.expect_request("https://shop.example/back**") as going:
        await one.page.reload()
        await one.heading("All done")
        assert (await one.page.inner_text(".actions button")).startswith("Return to Acme Bank")
    asked = parse_qs(urlsplit((await going.value).url).query)
    assert asked == {"transaction_id": [str(link.transaction_id)], "status": ["done"]}
    await one.heading("Welcome back")
    await one.page.go_back()
    await one.heading("All done")
    await one.page.wait_for_timeout(5000)
    await one.heading("All done")  # who went back is not sent off once more
    assert await one.page.locator(".actions button").count() == 1

    forged = "JSON.stringify(JSON.parse(sessionStorage.truename, (name, value) => (name === 'url' ? ADDRESS : value)))"
    await one.page.evaluate(f"sessionStorage.truename = {forged.replace('ADDRESS', repr('javascript:alert(1)'))}")
    await one.page.reload()
    await one.heading("All done")
    assert await one.page.locator(".actions button").count() == 0

    other = await new_link()
    await other.submit_elsewhere()
    await one.page.goto("about:blank")
    await one.open(other)
    await one.heading("All done")
    assert await one.page.locator(".actions button").count() == 0
    one.hosts.discard("shop.example")


async def test_only_accepted_documents_are_offered_by_targets_large_enough_for_a_thumb(
    visit: Open, new_link: NewLink
) -> None:
    policy = only(("ES", "PASSPORT"), ("DE", "NATIONAL_ID"))
    one = await visit()
    await one.open(await (await new_link(document_policy=policy)).agreed())
    await one.heading("Choose your document")
    countries = await one.page.locator("tn-choose option:not([disabled])").all_inner_texts()
    assert countries == ["Germany", "Spain"]
    await one.page.select_option("tn-choose select", "DE")
    assert [name.split("\n")[0] for name in await one.page.locator(".choice").all_inner_texts()] == ["Identity card"]
    await one.accessible("choose")
    boxes = await one.page.locator("button, select, a").evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert min(boxes) >= 48


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
    await one.accessible("face how-to")
    assert (await link.phone.session())[1]["progress"]["document"]["front"]["usable"] is False


async def test_a_photo_of_more_pixels_than_the_service_unpacks_is_made_smaller(visit: Open, new_link: NewLink) -> None:
    """As phones take them: of 48 megapixels, and yet few bytes."""
    one = await visit()
    await one.open(await (await new_link(document_policy=PASSPORT_ONLY)).agreed())
    await one.heading("Passport: page with your photo")
    await one.page.set_input_files("input[type=file]", jpeg(saved(Image.new("L", (8064, 6048), 128), "JPEG")))
    await one.press("Use this photo")
    await one.heading("That photo is hard to use")


async def test_a_picture_too_large_to_be_sent_that_cannot_be_made_smaller_is_refused_in_words(
    visit: Open, new_link: NewLink, network: FaultyNetwork
) -> None:
    one = await visit(address=network.address)
    await one.open(await (await new_link(document_policy=PASSPORT_ONLY)).agreed())
    await one.heading("Passport: page with your photo")
    network.faults["/api/sdk/document/"] = Says(413, '{"code": "too_large"}', "application/problem+json")
    await one.page.set_input_files("input[type=file]", jpeg(b"no picture"))
    await one.press("Use this photo")
    await one.page.get_by_role("alert").wait_for()
    await one.heading("Passport: page with your photo")


def jpeg(content: bytes) -> FilePayload:
    return {"name": "a.jpg", "mimeType": "image/jpeg", "buffer": content}


async def test_in_forced_colours_the_progress_can_still_be_seen(visit: Open, new_link: NewLink) -> None:
    one = await visit(forced_colors="active")
    await one.open((await new_link()).fragment)
    await one.page.locator(".progress .current").wait_for()
    look = "one => getComputedStyle(one).backgroundColor"
    now, later = [
        await one.page.locator(f".progress {part}").first.evaluate(look) for part in (".current", ":not(.current)")
    ]
    assert now != later
    assert await one.page.locator(".progress span").last.evaluate("one => getComputedStyle(one).borderStyle") == "solid"


async def test_live_document_screen_fits_at_four_hundred_per_cent_and_offers_the_shutter_after_eight_seconds(
    visit: Open, lens: Lens, films: Films, new_link: NewLink
) -> None:
    """1280 × 1024 at 400 % is 320 × 256: nothing may be cut off sideways."""
    lens.see(films["desk"])
    one = await visit(viewport={"width": 320, "height": 256})
    await one.open(await (await new_link(handoff=False)).agreed())
    await one.heading("Choose your document")
    assert await one.page.evaluate(FITS)
    await one.page.select_option("tn-choose select", "DE")
    await one.page.locator(".choice", has_text="Identity card").click()
    await one.press("Start camera")
    await one.page.locator(".overlay").wait_for()
    assert await one.page.evaluate(FITS)
    await one.accessible("live document, zoomed")
    shutter = one.page.get_by_role("button", name="Take photo")
    assert await shutter.count() == 0
    await one.page.set_viewport_size(PHONE["viewport"])
    await one.page.locator(".hint").wait_for()
    await one.accessible("live document")
    await shutter.wait_for(timeout=15_000)
    await one.accessible("live document with shutter")
    target = await shutter.bounding_box()
    assert target is not None
    assert target["height"] >= 48
    await one.press("Take photo")
    await one.heading("Is everything readable?")
    await one.press("Take again")
    await one.page.locator(".stage video").wait_for()


async def test_a_file_can_stand_in_for_the_camera_and_a_call_at_the_wrong_moment_ends_in_a_screen_not_in_a_circle(
    visit: Open, new_link: NewLink, network: FaultyNetwork
) -> None:
    link = await (await new_link("DOCUMENT_ONLY", document_policy=PASSPORT_ONLY)).agreed()
    one = await visit(address=network.address)
    await one.open(link)
    await one.heading("Passport: page with your photo")
    await one.page.set_input_files(
        "input[type=file]", {"name": "a.txt", "mimeType": "text/plain", "buffer": b"no picture"}
    )
    await one.page.get_by_role("alert").wait_for()
    await one.accessible("wrong file")
    picture = encode_jpeg(a_passport_photo())
    await one.page.set_input_files("input[type=file]", {"name": "a.jpg", "mimeType": "image/jpeg", "buffer": picture})
    await one.heading("Is everything readable?")
    network.faults["/api/sdk/submit"] = Says(409, '{"code": "capture_missing"}', "application/problem+json")
    await one.press("Use this photo")
    await one.heading("Something is still missing")
    await one.accessible("incomplete")
    assert network.passed.count("POST /api/sdk/submit") <= 3
    network.faults.clear()
    await one.press("Try again")
    await one.heading("All done")
    await one.accessible("done")
    assert any("/document/front" in call and "source=FILE" in call for call in network.passed)
    # The link is used up: opening it again says so and offers nothing to capture.
    await one.open(link)
    await one.heading("All done")


async def test_the_page_speaks_the_accounts_language_or_the_one_chosen_and_each_fits_the_smallest_screen(
    visit: Open, new_link: NewLink
) -> None:
    link = await new_link(language="de")
    one = await visit(**SMALLEST)
    await one.open(link)
    await one.page.get_by_role("button", name="Zustimmen").wait_for()
    for language in ("de", "es", "pt", "fr", "ar"):
        await one.page.select_option(".language select", language)
        await one.page.locator(f"html[lang={language}] tn-consent h1").wait_for()
        assert await one.page.get_attribute("html", "dir") == ("rtl" if language == "ar" else "ltr")
        assert await one.page.evaluate(FITS)
        await one.accessible(f"consent in {language}")
    await one.open(link, query="?lang=fr")
    await one.page.locator("html[lang=fr] tn-consent h1").wait_for()


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
