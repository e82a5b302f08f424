"""Each trouble has a screen of its own with a way out; none is a blank page.

The faults are real: states of the real service, a network that breaks, cameras that are missing, refused, black or
cannot be started.
"""

from collections.abc import AsyncIterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.async_api import Browser, FilePayload

from tests.support.browser import DESKTOP, PHONE, a_browser
from tests.support.camera import Lens
from tests.support.faulty_network import Cut, FaultyNetwork, Says, Shortened
from tests.support.links import PASSPORT_ONLY, Link
from tests.support.sdk import a_passport_photo
from tests.support.visits import FOLLOW, Films, NewLink, Open
from tests.support.waiting import until
from truename.capture_page.assets import release
from truename.vision.images import encode_jpeg

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
async def without_camera() -> AsyncIterator[Browser]:
    async with a_browser(None) as browser:
        yield browser


@pytest.fixture(scope="module")
async def refusing(films: Films) -> AsyncIterator[Browser]:
    async with a_browser(films["desk"], permission="deny") as browser:
        yield browser


@pytest.fixture
async def passport_link(new_link: NewLink) -> Link:
    """A person who has agreed and is to photograph a passport."""
    return await (await new_link(document_policy=PASSPORT_ONLY)).agreed()


async def test_a_link_that_does_not_work_says_why(visit: Open, new_link: NewLink) -> None:
    one = await visit()
    await one.page.goto(f"{one.address}/verify/")
    await one.heading("The link is incomplete")
    await one.accessible("no link")
    await one.open("t=a.b.c")
    await one.heading("This link does not work")
    await one.accessible("not authenticated")
    for happened, words in (
        (Link.expire, "This link has expired"),
        (Link.cancel, "This verification was cancelled"),
        (Link.submit_elsewhere, "All done"),
    ):
        link = await new_link()
        await happened(link)
        await one.page.goto("about:blank")
        await one.open(link)
        await one.heading(words)
        await one.accessible(words)


async def test_what_ends_meanwhile_is_noticed_at_the_next_step(visit: Open, new_link: NewLink) -> None:
    link = await new_link(return_url="https://shop.example/back")
    one = await visit()
    await one.open(link)
    await one.heading("Let’s confirm it’s you")
    await link.cancel()
    await one.press("Agree and continue")
    await one.heading("This verification was cancelled")
    name = (await one.page.inner_text(".actions button")).strip()
    assert name.startswith("Return to"), name
    async with one.page.expect_request("https://shop.example/back**") as going:
        await one.press(name)
    asked = parse_qs(urlsplit((await going.value).url).query)
    one.hosts.discard("shop.example")  # here the page is meant to go elsewhere
    assert (asked["status"], asked["code"]) == (["error"], ["transaction_cancelled"])


async def test_a_link_that_expires_before_ones_eyes_says_so(visit: Open, new_link: NewLink) -> None:
    link = await new_link()
    await link.expire(8)
    one = await visit()
    await one.open(link)
    shown = one.page.get_by_role("timer")
    await shown.wait_for()
    await one.accessible("expires soon")
    said = one.page.get_by_role("status")
    first = await said.inner_text()
    assert first.startswith("This link expires in")

    async def a_second_passed() -> bool:
        return await shown.inner_text() != first

    await until(a_second_passed, 10)
    assert await said.inner_text() == first, "a screen reader that hears every second hears nothing else"
    await one.heading("This link has expired")


async def test_a_network_that_fails_is_named_and_can_be_tried_again(
    visit: Open, new_link: NewLink, network: FaultyNetwork
) -> None:
    one = await visit(address=network.address)
    link = await new_link()
    seen: set[str] = set()
    # No two screens that follow each other are alike.
    for fault, words in (
        (Cut(), "No connection"),
        (Says(500), "The service is busy"),
        (Says(418, '{"code": "something_new"}', "application/problem+json"), "Something went wrong"),
        (Says(503, '{"code": "not_ready"}', "application/problem+json"), "The service is busy"),
        (Cut(), "No connection"),
        (Says(429, retry_after=3), "The service is busy"),
    ):
        network.faults["/api/sdk/session"] = fault
        await (one.press("Try again") if seen else one.open(link))
        await one.heading(words)
        if words not in seen:
            await one.accessible(words)
        seen.add(words)
    network.faults.clear()
    await one.press("Try again")
    await one.heading("Let’s confirm it’s you")


async def test_a_call_that_is_never_answered_is_a_connection_that_is_away_and_no_spinner_for_ever(
    visit: Open, new_link: NewLink, network: FaultyNetwork
) -> None:
    one = await visit(address=network.address, **PHONE, locale="en-IE")  # a clock is all of a context's
    await one.page.clock.install()
    link = await new_link()
    answered = network.hold("/api/sdk/session")

    async def give_up_on(call: str, then: str) -> None:
        async def is_under_way() -> bool:
            return call in network.passed

        await until(is_under_way, 20)
        await one.page.clock.fast_forward(31_000)
        await one.heading("No connection")
        answered.set()
        await one.press("Try again")
        await one.heading(then)

    await one.open(link)
    await give_up_on("GET /api/sdk/session", "Let’s confirm it’s you")
    answered = network.hold("/api/sdk/consent")
    await one.press("Agree and continue")
    await give_up_on("POST /api/sdk/consent", "Choose your document")  # the service had heard it


ONLINE = "dispatchEvent(new Event('online'))"


async def test_what_the_network_loses_is_sent_again_without_taking_the_picture_again(
    visit: Open, lens: Lens, films: Films, new_link: NewLink, network: FaultyNetwork
) -> None:
    """A picture that is lost, whose answer is lost, that somebody on the way refuses; then the device's report."""
    lens.see(films["passport"])
    link = await new_link("DOCUMENT_ONLY", document_policy=PASSPORT_ONLY)
    network.faults["/api/sdk/device"] = Cut()
    upload = "/api/sdk/document/"
    network.once = [(upload, Cut()), (upload, Cut(after_the_service=True)), (upload, Says(502))]
    one = await visit(address=network.address)
    await one.open(link)
    await one.press("Agree and continue")
    await one.press("Start camera")
    await one.heading("Is everything readable?")
    await one.press("Use this photo")
    waiting = one.page.get_by_text("nothing is lost")
    await waiting.wait_for()
    await one.accessible("waiting for the network")

    async def sent_four_times() -> bool:
        await one.page.evaluate(ONLINE)
        return sum(call.startswith(f"POST {upload}") for call in network.passed) == 4

    await until(sent_four_times, 20)
    await waiting.wait_for()  # now for the report
    progress = (await link.phone.session())[1]["progress"]
    assert progress["document"]["front"]["takes_left"] == 7, "one picture is one take, however often it was sent"
    assert progress["device"] is False
    assert "POST /api/sdk/submit" not in network.passed
    network.faults["/api/sdk/device"] = Says(503)
    await one.page.evaluate(ONLINE)
    await one.page.get_by_text("The service is busy. We try again").wait_for()
    network.faults.clear()
    await one.page.evaluate(ONLINE)
    await one.heading("All done")
    reported, submitted = (
        max(at for at, call in enumerate(network.passed) if call == f"POST /api/sdk/{name}")
        for name in ("device", "submit")
    )
    assert reported < submitted


async def test_what_is_no_answer_of_ours_or_half_of_one_is_sent_again(
    visit: Open, new_link: NewLink, network: FaultyNetwork
) -> None:
    """A café's Wi-Fi answers 200 with its own page until one has signed in; a connection breaks off in mid-answer."""
    one = await visit(address=network.address)
    link = await (await new_link("DOCUMENT_ONLY", document_policy=PASSPORT_ONLY)).agreed()
    network.once = [("/api/sdk/session", Shortened())]
    await one.open(link)
    await one.heading("No connection")
    network.once = [("/api/sdk/session", Says(200))]
    await one.press("Try again")
    await one.heading("No connection")
    await one.press("Try again")
    await one.heading("Passport: page with your photo")
    await one.page.set_input_files("input[type=file]", a_file(encode_jpeg(a_passport_photo())))
    network.once = [("/api/sdk/document/", Says(200)), ("/api/sdk/submit", Shortened())]
    await one.press("Use this photo")
    await one.page.get_by_text("nothing is lost").wait_for()
    await one.page.evaluate(ONLINE)
    await one.heading("All done")


async def test_words_and_screens_that_do_not_come_are_asked_for_again(
    visit: Open, new_link: NewLink, network: FaultyNetwork
) -> None:
    """Both are loaded after the page itself: the words at once, a screen when it is needed."""
    static = f"/verify/static/{release()}"
    network.faults[f"{static}/locales/"] = Cut()
    one = await visit(address=network.address)
    await one.open(await new_link("DOCUMENT_ONLY", document_policy=PASSPORT_ONLY))

    async def asked() -> bool:
        return any("/locales/" in call for call in network.passed)

    await until(asked, 20)
    network.faults = {f"{static}/screens/document_live.js": Cut()}
    await one.page.evaluate(ONLINE)
    await one.heading("Let’s confirm it’s you")
    await one.press("Agree and continue")
    await one.heading("No connection")
    network.faults.clear()
    await one.press("Try again")
    await one.heading("Passport: page with your photo")


def a_file(picture: bytes, kind: str = "image/jpeg") -> FilePayload:
    return {"name": "chosen", "mimeType": kind, "buffer": picture}


async def test_a_poor_camera_is_named(visit: Open, lens: Lens, films: Films, passport_link: Link) -> None:
    one = await visit()
    for film, words in (
        ("black", "The picture is black"),
        ("tiny", "The camera is too weak"),
        ("dead", "The camera is in use"),
    ):
        lens.see(films[film])
        if film == "black":
            await one.open(passport_link)
        await one.press("Start camera" if film == "black" else "Try again")
        await one.heading(words)
        await one.accessible(film)
    lens.see(films["passport"])
    await one.press("Try again")
    await one.heading("Is everything readable?")


async def test_a_computer_without_a_camera_goes_on_with_a_phone_or_a_file(
    visit: Open, without_camera: Browser, passport_link: Link
) -> None:
    one = await visit(inside=without_camera, **DESKTOP)
    await one.open(passport_link)
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


async def test_a_second_press_on_switch_camera_opens_no_second_one(visit: Open, passport_link: Link) -> None:
    async with a_browser(cameras=2) as with_two:
        one = await visit(inside=with_two, **PHONE)
        await one.page.add_init_script(OPENED)
        await one.open(passport_link)
        await one.press("Start camera")
        await one.page.get_by_role("button", name="Switch camera").wait_for()
        await one.page.evaluate("for (let press = 0; press < 3; press += 1) document.querySelector('.round').click()")

        async def switched() -> bool:
            return bool(
                await one.page.evaluate(
                    "new Set(opened.map((track) => track.getSettings().deviceId)).size === 2"
                    " && document.querySelector('.stage video')?.srcObject?.getVideoTracks()[0] === opened.at(-1)"
                )
            )

        await until(switched, 20)
        assert await one.page.evaluate("opened.map((track) => track.readyState)") == ["ended", "live"]


OPENED = """
window.opened = [];
const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
navigator.mediaDevices.getUserMedia = async (wish) => {
  const stream = await open(wish);
  window.opened.push(...stream.getTracks());
  return stream;
};
"""
"""Remembers every camera that the page opens."""


async def test_a_refused_permission_shows_how_to_give_it(visit: Open, refusing: Browser, passport_link: Link) -> None:
    one = await visit(inside=refusing, **DESKTOP)
    await one.open(passport_link)
    await one.press("Continue on this computer")
    await one.press("Start camera")
    await one.heading("The camera is not allowed")
    assert await one.page.locator("ol.steps li").count() == 3
    await one.accessible("refused")


async def test_an_insecure_origin_is_explained(visit: Open, live_server: str, passport_link: Link) -> None:
    one = await visit(address=live_server.replace("127.0.0.1", "insecure.test"))
    await one.open(passport_link)
    await one.press("Start camera")
    await one.heading("The camera is blocked here")
    await one.accessible("insecure")


async def test_without_the_face_model_the_steps_go_by_the_clock_and_too_many_attempts_are_stopped_kindly(
    visit: Open, lens: Lens, films: Films, new_link: NewLink, network: FaultyNetwork
) -> None:
    lens.see(films["desk"])
    network.faults["/verify/model/"] = Cut()
    one = await visit(address=network.address)
    link = await (await new_link("BIOMETRIC_ONLY")).agreed()
    await one.open(link)
    await one.press("I’m ready")
    await one.page.get_by_role("heading", name=FOLLOW).wait_for(timeout=30_000)
    await one.page.get_by_role("heading", name="Let’s try that again").wait_for(timeout=45_000)
    assert "face" in await one.page.inner_text(".reasons"), "the service saw a desk, and says so"
    await one.accessible("try again")
    await link.try_face((await link.phone.session())[1]["progress"]["liveness"]["attempts_left"])
    await one.press("Try again")
    await one.heading("Too many attempts")
    await one.accessible("too many attempts")
