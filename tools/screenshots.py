"""Pictures of every screen of the capture page, light and dark, phone and desktop, into screenshots/.

The service's answers come from a script (tests/support/scripted_sdk.py), so that rare screens are pictured too.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.async_api import Browser, Page  # noqa: E402
from tests.support import camera, documents  # noqa: E402
from tests.support.browser import DESKTOP, PHONE, a_browser  # noqa: E402
from tests.support.page_site import page_only, served  # noqa: E402
from tests.support.scripted_sdk import ScriptedSdk, a_session  # noqa: E402

OUT = ROOT / "screenshots"
AGREED = {"given": True, "text_version": "2026-11", "retention_days": 90, "privacy_url": None}
CARD = [{"country": "ES", "type": "NATIONAL_ID", "sides": ["front", "back"]}]
PASSPORT = [{"country": "DE", "type": "PASSPORT", "sides": ["front"]}]
FACE = ["CONSENT", "LIVENESS"]
TAKEN = {"usable": True, "reasons": [], "takes_left": 7}
LINK_TROUBLES = {
    "expired": (401, "transaction_expired"),
    "invalid-link": (401, "not_authenticated"),
    "cancelled": (409, "transaction_cancelled"),
    "service-busy": (503, "unavailable"),
    "unknown-trouble": (418, "unheard_of"),
}
A_RESULT = {
    "transaction": {
        "transaction_id": "0198a3c2-7d1e-7a44-9b1f-2f6f5f0c1a11",
        "status": "REJECTED",
        "issues": [
            {
                "code": "EMULATOR_DETECTED",
                "severity": "REJECTION",
                "group": "Device",
                "policy": "/config/device_policy/on_emulator",
                "details": {},
            }
        ],
        "checks": [
            {"check": "LIVENESS", "result": "PASSED", "score": 0.951, "threshold": 0.85},
            {"check": "GPS_IP_LOCATION", "result": "NOT_RUN", "score": None, "threshold": None},
        ],
    },
    "issue_codes": {"EMULATOR_DETECTED": "The capture was made on an emulator or simulator."},
    "events": [
        {
            "type": "transaction.rejected",
            "timestamp": "2026-11-15T12:00:00Z",
            "body": {"type": "transaction.rejected", "data": {"status": "REJECTED"}},
            "headers": {"webhook-id": "evt_0198", "webhook-signature": "v1,K5oZ…"},
        }
    ],
}
CAMERA_TROUBLES = {"refused": "NotAllowedError", "no-camera": "NotFoundError", "in-use": "NotReadableError"}


class Photographer:
    """Opens a screen in one look (a device and a colour scheme) and keeps its picture."""

    def __init__(self, browser: Browser, address: str, lens: camera.Lens, films: Path, look: str) -> None:
        self.browser, self.address, self.lens, self.films, self.look = browser, address, lens, films, look
        device, scheme = look.split("-")
        self.handheld = device == "phone"
        self.context: dict[str, Any] = {**(PHONE if self.handheld else DESKTOP), "color_scheme": scheme}

    async def keep(self, page: Page, name: str) -> None:
        await page.wait_for_timeout(450)
        await page.screenshot(path=OUT / f"{name}.{self.look}.png", full_page=True)
        print(f"{name}.{self.look}.png", flush=True)

    async def screen(
        self,
        name: str,
        sdk: ScriptedSdk,
        steps: Callable[[Page], Awaitable[Any]] | None = None,
        *,
        film: str = "card",
        fragment: str = "t=a.b.c",
        query: str = "",
        script: str = "",
        address: str = "",
    ) -> None:
        # A film in the shape that this device's camera has.
        shaped = self.films / f"{film}-{'phone' if self.handheld else 'desktop'}.y4m"
        self.lens.see(shaped if shaped.exists() else self.films / f"{film}.y4m")
        context = await self.browser.new_context(**self.context)
        page = await context.new_page()
        if script:
            await page.add_init_script(script)
        await sdk.serve(page)
        try:
            await page.goto(f"{address or self.address}/verify/{query}#{fragment}")
            await page.locator("h1").first.wait_for()
            if not self.handheld and "tn-handoff" in await page.inner_html("main") and name != "handoff":
                await page.get_by_role("button", name="Continue on this computer").click()
                await page.locator("tn-handoff").wait_for(state="detached")
                await page.locator("h1").first.wait_for()
            if steps is not None:
                await steps(page)
            await self.keep(page, name)
        finally:
            await context.close()


def press(*names: str) -> Callable[[Page], Awaitable[None]]:
    async def steps(page: Page) -> None:
        for name in names:
            await page.get_by_role("button", name=name, exact=True).click(timeout=60_000)

    return steps


def then(*steps: Callable[[Page], Awaitable[Any]]) -> Callable[[Page], Awaitable[None]]:
    async def run(page: Page) -> None:
        for step in steps:
            await step(page)

    return run


def heading(words: str, seconds: float = 60) -> Callable[[Page], Awaitable[None]]:
    async def steps(page: Page) -> None:
        await page.get_by_role("heading", level=1, name=words).wait_for(timeout=seconds * 1000)

    return steps


def shown(selector: str, seconds: float = 30) -> Callable[[Page], Awaitable[Any]]:
    return lambda page: page.locator(selector).first.wait_for(timeout=seconds * 1000)


async def before_capture(take: Photographer) -> None:
    await take.screen("consent", ScriptedSdk())
    await take.screen("consent-arabic", ScriptedSdk(), query="?lang=ar")
    await take.screen("consent-decline", ScriptedSdk(), press("Decline"))
    declined = then(press("Decline"), lambda page: page.locator("dialog .danger").click(), heading("You declined"))
    await take.screen("declined", ScriptedSdk(), declined)
    choose = then(shown("tn-choose"), lambda page: page.select_option("tn-choose select", "ES"))
    await take.screen("choose", ScriptedSdk(consent=AGREED), choose)
    if not take.handheld:
        await take.screen("handoff", ScriptedSdk(consent=AGREED))
        for state, words in (("OPENED", "Your phone has opened the link"), ("CONNECTED", "Your phone is connected")):
            sdk = ScriptedSdk(consent=AGREED)
            sdk.answers["GET /handoff"] |= {"state": state}
            await take.screen("handoff", sdk, heading(words))
            (OUT / f"handoff.{take.look}.png").rename(OUT / f"handoff-{state.lower()}.{take.look}.png")
        await take.screen("handoff", ScriptedSdk(consent=AGREED))
    else:
        await take.screen("handoff-confirm", ScriptedSdk(), fragment="h=code")


async def document(take: Photographer) -> None:
    card = {"consent": AGREED, "documents": CARD, "steps": ["CONSENT", "DOCUMENT"]}
    await take.screen("document", ScriptedSdk(**card))
    searching = then(press("Start camera"), shown(".overlay"), shown(".shutter"))
    await take.screen("document-live", ScriptedSdk(**card), searching, film="desk")
    # Never still enough to be taken, so that the matched edges can be pictured.
    held = "(page) => { document.querySelector('tn-document').auto.hold = 1e9 }"
    matched = then(press("Start camera"), shown(".overlay"), lambda page: page.evaluate(held), shown(".hint.ready"))
    await take.screen("document-matched", ScriptedSdk(**card), matched)
    preview = then(press("Start camera"), heading("Is everything readable?"))
    await take.screen("document-preview", ScriptedSdk(**card), preview)
    refused = ScriptedSdk(**card)
    refused.refused_take("BLURRED", "GLARE", takes_left=5)
    use = press("Use this photo")
    await take.screen("document-refused", refused, then(preview, use, heading("That photo is hard to use")))
    waiting = ScriptedSdk(**card)
    waiting.answers["POST /document/front"] = "offline"
    await take.screen("document-waiting", waiting, then(preview, use, shown("text=nothing is lost")))
    back = ScriptedSdk(**card)
    back.answers["POST /document/front"] |= {"back_needed": True}
    await take.screen("document-back", back, then(preview, use, heading("Now turn it over")))
    done = then(preview, use, heading("All done"))
    await take.screen("done", ScriptedSdk(**card, **{"return": {"origins": [], "url": "https://a.example/"}}), done)
    if take.handheld:
        await take.screen(
            "document-passport", ScriptedSdk(consent=AGREED, documents=PASSPORT), matched, film="passport"
        )


async def face(take: Photographer) -> None:
    only = {"consent": AGREED, "steps": FACE, "documents": []}
    await take.screen("face", ScriptedSdk(**only), film="person")
    empty = then(press("I’m ready"), shown("text=Show your face", 60))
    await take.screen("face-none", ScriptedSdk(**only), empty, film="desk")
    follow = then(press("I’m ready"), heading("Follow the movements"))
    turning = ScriptedSdk(**only)
    turning.answers["POST /liveness/challenge"]["steps"] = ["LOOK_STRAIGHT", "TURN_LEFT", "MOVE_CLOSER", "TURN_RIGHT"]
    await take.screen("face-turn", turning, then(follow, shown(".arrow", 60)), film="person")
    again = ScriptedSdk(**only)
    again.answers["POST /liveness"] = {"usable": False, "reasons": ["TOO_DARK"], "attempts_left": 2}
    again.answers["POST /liveness/challenge"]["steps"] = ["LOOK_STRAIGHT"]
    await take.screen("face-again", again, then(press("I’m ready"), heading("Let’s try that again")), film="person")


async def troubles(take: Photographer) -> None:
    for name, (status, code) in LINK_TROUBLES.items():
        sdk = ScriptedSdk()
        sdk.refuse("GET /session", status, code)
        await take.screen(f"trouble-{name}", sdk)
    offline = ScriptedSdk()
    offline.answers["GET /session"] = "offline"
    await take.screen("trouble-offline", offline)
    used = ScriptedSdk()
    used.refuse("POST /handoff/claim", 409, "handoff_used")
    await take.screen("trouble-phone-code", used, fragment="h=old")
    start = press("Start camera")
    for name, error in CAMERA_TROUBLES.items():
        script = f"navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', '{error}'))"
        sdk = ScriptedSdk(consent=AGREED, documents=PASSPORT)
        await take.screen(f"trouble-{name}", sdk, then(start, shown(".trouble")), script=script)
    for film in ("black", "tiny"):
        sdk = ScriptedSdk(consent=AGREED, documents=PASSPORT)
        await take.screen(f"trouble-camera-{film}", sdk, then(start, shown(".trouble")), film=film)
    insecure = ScriptedSdk(consent=AGREED, documents=PASSPORT)
    address = take.address.replace("127.0.0.1", "insecure.test")
    await take.screen("trouble-insecure", insecure, then(start, shown(".trouble")), address=address)
    capped = ScriptedSdk(consent=AGREED, steps=FACE, progress=a_session()["progress"])
    capped.refuse("POST /liveness/challenge", 429, "too_many_attempts")
    await take.screen("trouble-attempts", capped, then(press("I’m ready"), heading("Too many attempts")), film="person")


async def developers(take: Photographer) -> None:
    """The demo's first page and its result, which the service would give."""
    context = await take.browser.new_context(**take.context)
    page = await context.new_page()
    await page.route("**/demo/result", lambda route: route.fulfill(json=A_RESULT))
    try:
        await page.goto(f"{take.address}/demo")
        await page.locator("h1").wait_for()
        await take.keep(page, "demo")
        await page.goto(f"{take.address}/verify/demo-result#d=key")
        await page.locator(".verdict").wait_for()
        await take.keep(page, "demo-result")
    finally:
        await context.close()


def make_films(films: Path) -> None:
    films.mkdir(parents=True, exist_ok=True)
    pages = {"card": documents.id_card().front, "passport": documents.passport().front}
    for name, page in pages.items():
        for device, size in (("phone", camera.PORTRAIT), ("desktop", camera.SIZE)):
            camera.steady_film(films / f"{name}-{device}.y4m", camera.held_page(page, size=size))
    camera.empty_desk_film(films / "desk.y4m")
    camera.black_film(films / "black.y4m")
    camera.tiny_film(films / "tiny.y4m")
    if not (films / "person.y4m").exists():
        camera.obliging_person_film(films / "person.y4m")


async def main(wanted: list[str]) -> None:
    OUT.mkdir(exist_ok=True)
    films = OUT / "films"
    make_films(films)
    lens = camera.Lens(films)
    lens.see(films / "card-phone.y4m")
    parts = {
        "before": before_capture,
        "document": document,
        "face": face,
        "troubles": troubles,
        "developers": developers,
    }
    async with served(page_only()) as address, a_browser(lens.link) as browser:
        for look in ("phone-light", "phone-dark", "desktop-light", "desktop-dark"):
            for name, part in parts.items():
                if not wanted or name in wanted or look in wanted:
                    await part(Photographer(browser, address, lens, films, look))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
