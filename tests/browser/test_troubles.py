"""Each trouble has a screen of its own with a way out; none is a blank page."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.async_api import Browser

from tests.browser.conftest import Films, Open
from tests.browser.test_screens import AGREED, PASSPORT_ONLY
from tests.support.browser import DESKTOP, a_browser
from tests.support.camera import Lens
from tests.support.scripted_sdk import ScriptedSdk

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
async def without_camera() -> AsyncIterator[Browser]:
    async with a_browser(None) as browser:
        yield browser


@pytest.fixture(scope="module")
async def refusing(films: Films) -> AsyncIterator[Browser]:
    async with a_browser(films["desk"], permission="deny") as browser:
        yield browser


def passport() -> ScriptedSdk:
    return ScriptedSdk(consent=AGREED, documents=PASSPORT_ONLY)


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (401, "not_authenticated", "This link does not work"),
        (401, "transaction_expired", "This link has expired"),
        (409, "transaction_cancelled", "This verification was cancelled"),
        (409, "already_submitted", "All done"),
        (503, "unavailable", "The service is busy"),
        (500, "defect", "The service is busy"),
        (429, "too_many_requests", "The service is busy"),
        (418, "something_new", "Something went wrong"),
    ],
)
async def test_a_link_that_does_not_open_says_why(visit: Open, status: int, code: str, words: str) -> None:
    sdk = ScriptedSdk()
    sdk.refuse("GET /session", status, code)
    one = await visit(sdk)
    await one.open()
    await one.heading(words)
    await one.accessible(code)


async def test_a_page_without_a_link_says_so(visit: Open) -> None:
    one = await visit(ScriptedSdk())
    await one.page.goto(f"{one.address}/verify/")
    await one.heading("The link is incomplete")
    await one.accessible("no link")


async def test_a_lost_network_can_be_tried_again(visit: Open) -> None:
    sdk = ScriptedSdk()
    session = sdk.answers["GET /session"]
    sdk.answers["GET /session"] = "offline"
    one = await visit(sdk)
    await one.open()
    await one.heading("No connection")
    await one.accessible("offline")
    sdk.answers["GET /session"] = session
    await one.press("Try again")
    await one.heading("Let’s confirm it’s you")


async def test_an_upload_is_repeated_without_taking_the_picture_again(visit: Open, lens: Lens, films: Films) -> None:
    lens.see(films["passport"])
    sdk = passport()
    taken = sdk.answers["POST /document/front"]
    sdk.answers["POST /document/front"] = "offline"
    one = await visit(sdk)
    await one.open()
    await one.press("Start camera")
    await one.heading("Is everything readable?")
    await one.press("Use this photo")
    await one.page.get_by_text("nothing is lost").wait_for()
    await one.accessible("waiting for the network")
    sdk.answers["POST /document/front"] = taken
    await one.page.evaluate("dispatchEvent(new Event('online'))")
    await one.heading("Now your face")


@pytest.mark.parametrize(
    ("film", "words"), [("black", "The picture is black"), ("tiny", "The camera is too weak")], ids=["black", "low"]
)
async def test_a_poor_camera_is_named(visit: Open, lens: Lens, films: Films, film: str, words: str) -> None:
    lens.see(films[film])
    one = await visit(passport())
    await one.open()
    await one.press("Start camera")
    await one.heading(words)
    await one.accessible(film)
    lens.see(films["passport"])
    await one.press("Try again")
    await one.heading("Is everything readable?")


async def test_a_camera_in_use_is_named(visit: Open) -> None:
    one = await visit(passport())
    await one.page.add_init_script(
        "navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('in use', 'NotReadableError'))"
    )
    await one.open()
    await one.press("Start camera")
    await one.heading("The camera is in use")
    await one.accessible("in use")


async def test_a_computer_without_a_camera_goes_on_with_a_phone_or_a_file(visit: Open, without_camera: Browser) -> None:
    one = await visit(passport(), inside=without_camera, **DESKTOP)
    await one.open()
    await one.press("Continue on this computer")
    await one.press("Start camera")
    await one.heading("No camera found")
    await one.accessible("no camera")
    await one.press("Continue on a phone")
    await one.heading("Continue on your phone")
    await one.press("Continue on this computer")
    await one.press("Start camera")
    await one.heading("No camera found")
    await one.press("Upload a photo instead")
    await one.heading("Passport: page with your photo")
    assert await one.page.get_by_role("button", name="Start camera").count() == 0


async def test_a_refused_permission_shows_how_to_give_it(visit: Open, refusing: Browser) -> None:
    one = await visit(passport(), inside=refusing, **DESKTOP)
    await one.open()
    await one.press("Continue on this computer")
    await one.press("Start camera")
    await one.heading("The camera is not allowed")
    assert await one.page.locator("ol.steps li").count() == 3
    await one.accessible("refused")


async def test_an_insecure_origin_is_explained(visit: Open, site: str) -> None:
    one = await visit(passport(), address=site.replace("127.0.0.1", "insecure.test"))
    await one.open()
    await one.press("Start camera")
    await one.heading("The camera is blocked here")
    await one.accessible("insecure")


async def test_too_many_attempts_are_stopped_kindly(visit: Open, lens: Lens, films: Films) -> None:
    lens.see(films["person"])
    sdk = ScriptedSdk(consent=AGREED, steps=["CONSENT", "LIVENESS"])
    sdk.refuse("POST /liveness/challenge", 429, "too_many_attempts")
    one = await visit(sdk)
    await one.open()
    await one.press("I’m ready")
    await one.page.get_by_role("heading", name="Too many attempts").wait_for(timeout=60_000)
    await one.accessible("too many attempts")


async def test_without_the_face_model_the_steps_go_by_the_clock(visit: Open, lens: Lens, films: Films) -> None:
    lens.see(films["person"])
    sdk = ScriptedSdk(consent=AGREED, steps=["CONSENT", "LIVENESS"])
    sdk.answers["POST /liveness/challenge"]["steps"] = ["LOOK_STRAIGHT", "TURN_LEFT"]
    sdk.answers["POST /liveness"] = {"usable": False, "reasons": ["TOO_DARK"], "attempts_left": 2}
    one = await visit(sdk)
    await one.page.route("**/face_landmarker.task", lambda route: route.abort())
    await one.open()
    await one.press("I’m ready")
    await one.page.get_by_role("heading", name="Follow the movements").wait_for(timeout=30_000)
    await one.page.get_by_role("heading", name="Let’s try that again").wait_for(timeout=30_000)
    assert "too dark" in await one.page.inner_text(".reasons")
    await one.accessible("try again")


@pytest.mark.parametrize("code", ["handoff_unknown", "handoff_used", "handoff_expired"])
async def test_a_phone_link_that_was_used_says_so(visit: Open, code: str) -> None:
    sdk = ScriptedSdk()
    sdk.refuse("POST /handoff/claim", 404 if code == "handoff_unknown" else 409, code)
    one = await visit(sdk)
    await one.open("h=old")
    await one.heading("This code no longer works")
    await one.accessible(code)


async def test_a_link_that_expires_meanwhile_says_so(visit: Open) -> None:
    soon = (datetime.now(UTC) + timedelta(seconds=8)).isoformat().replace("+00:00", "Z")
    one = await visit(ScriptedSdk(expires_at=soon))
    await one.open()
    await one.page.get_by_text("This link expires in").wait_for()
    await one.accessible("expires soon")
    await one.heading("This link has expired")
