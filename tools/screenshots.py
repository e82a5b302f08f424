"""Pictures of every screen of the capture page, light and dark, phone and desktop, into screenshots/.

Everything is real: a `truename serve` of its own with its worker, links of a real account, Chromium with a film before
its camera, and a network that is broken on purpose where a screen tells of that. The last part goes through a whole
demo and lays the README's picture (docs/images/overview.png) out of it.

    python tools/screenshots.py [PART or LOOK …]      parts: before document face troubles overview; looks: phone-dark …
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import aiohttp  # noqa: E402
from PIL import Image  # noqa: E402
from playwright.async_api import Error as PlaywrightError  # noqa: E402
from playwright.async_api import Page  # noqa: E402
from tests.support import camera  # noqa: E402
from tests.support.browser import a_browser  # noqa: E402
from tests.support.faulty_network import Cut, Says, a_faulty_network  # noqa: E402
from tests.support.links import CARD_ONLY, PASSPORT_ONLY  # noqa: E402
from tests.support.sdk import Phone, faceless_frames, photographed  # noqa: E402
from tests.support.served import served, truename  # noqa: E402
from tests.support.shop import Shop  # noqa: E402
from tests.support.visits import FOLLOW, Person  # noqa: E402
from tests.support.waiting import until  # noqa: E402

from tools.screenshot_studio import LOOKS, OUT, Photographer, Step, Studio, file, heading, press, shown  # noqa: E402
from truename.sandbox.drawing import documents  # noqa: E402
from truename.vision.images import encode_jpeg  # noqa: E402

START, USE, READY = press("Start camera"), press("Use this photo"), press("I’m ready")
PREVIEW = (START, heading("Is everything readable?"))
# Never still enough to be taken, so that the matched edges can be pictured.
HELD: Step = lambda page: page.evaluate("document.querySelector('tn-document-live').auto.hold = 1e9")  # noqa: E731
MATCHED = (START, shown(".overlay"), HELD, shown(".hint.ready"))


async def insist(take: Photographer, name: str, link: Callable[[], Awaitable[Phone]], *steps: Step, film: str) -> None:
    """Try up to three times, each with a fresh link: the film goes on by itself, and on a busy machine the moment that
    is to be pictured may be over before it is seen."""
    for _ in range(3):
        if await take.screen(name, await link(), *steps, film=film):
            return


async def before_capture(take: Photographer) -> None:
    shop = take.studio.shop
    await take.screen("consent", await shop.link())
    await take.screen("consent-arabic", await shop.link(), query="?lang=ar")
    await take.screen("consent-decline", await shop.link(), press("Decline"))
    decline = shown("dialog .danger"), lambda page: page.locator("dialog .danger").click()
    await take.screen("declined", await shop.link(), press("Decline"), *decline, heading("You declined"))
    choose = shown("tn-choose"), lambda page: page.select_option("tn-choose select", "ES")
    await take.screen("choose", await shop.agreed(), *choose)
    phone = await shop.agreed()
    if take.handheld:
        _, offer = await phone.call("POST", "/handoff", json={"device": "Chrome · Windows"})
        await take.screen("handoff-confirm", offer["url"].partition("#")[2])
        return
    await take.screen("handoff", phone)
    other = Phone(phone.http, "")

    async def claim(page: Page) -> None:
        code = (await page.input_value("#handoff-link")).partition("#h=")[2]
        _, claimed = await other.call("POST", "/handoff/claim", json={"code": code})
        other.token = claimed["sdk_token"]

    async def confirm(page: Page) -> None:
        number = await page.inner_text("p.number")
        await other.call("POST", "/handoff/confirm", json={"number": number})

    opened = claim, heading("Your phone has opened the link")
    await take.screen("handoff-opened", phone, *opened)
    await take.screen("handoff-connected", phone, *opened, confirm, heading("Your phone is connected"))


async def document(take: Photographer) -> None:
    shop, network = take.studio.shop, take.studio.network

    async def card(kind: str = "DOCUMENT_AND_BIOMETRIC") -> Phone:
        return await shop.agreed(kind, document_policy=CARD_ONLY)

    await take.screen("document", await card())
    await take.screen("document-live", await card(), START, shown(".overlay"), shown(".shutter"), film="desk")
    await insist(take, "document-matched", card, *MATCHED, film="card")
    await take.screen("document-preview", await card(), *PREVIEW)
    blurred = encode_jpeg(photographed(documents.id_card().front, blur=3.2))
    refused = file(blurred), heading("Is everything readable?"), USE, heading("That photo is hard to use")
    await take.screen("document-refused", await card(), *refused)
    network.faults["/api/sdk/document/"] = Cut()
    await take.screen("document-waiting", await card(), *PREVIEW, USE, shown("text=nothing is lost"))
    await take.screen("document-back", await card(), *PREVIEW, USE, heading("Now turn it over"))

    async def passport() -> Phone:
        return await shop.agreed("DOCUMENT_ONLY", document_policy=PASSPORT_ONLY)

    if take.handheld:
        await insist(take, "document-passport", passport, *MATCHED, film="passport")
    await take.screen("done", await passport(), *PREVIEW, USE, heading("All done"), film="passport")


async def face(take: Photographer) -> None:
    shop, network = take.studio.shop, take.studio.network
    await take.screen("face", await shop.agreed("BIOMETRIC_ONLY"), film="person")
    await take.screen(
        "face-none", await shop.agreed("BIOMETRIC_ONLY"), READY, shown("text=Show your face"), film="desk"
    )
    follow = READY, heading(FOLLOW)
    await insist(take, "face-turn", lambda: shop.agreed("BIOMETRIC_ONLY"), *follow, shown(".target"), film="person")
    # Without the model the steps go by the clock, and the service finds no face on a desk.
    network.faults["/verify/model/"] = Cut()
    again = heading("Let’s try that again")
    await take.screen("face-again", await shop.agreed("BIOMETRIC_ONLY"), *follow, again, film="desk")


async def troubles(take: Photographer) -> None:
    studio = take.studio
    shop, network = studio.shop, studio.network
    await take.screen("trouble-invalid-link", "t=a.b.c")
    await take.screen("trouble-phone-code", "h=given-out-by-nobody")
    await take.screen("trouble-cancelled", await shop.cancelled())
    faults: dict[str, Cut | Says] = {
        "service-busy": Says(503),
        "unknown-trouble": Says(418, '{"code": "unheard_of"}', "application/problem+json"),
        "offline": Cut(),
    }
    for name, fault in faults.items():
        network.faults["/api/sdk/session"] = fault
        await take.screen(f"trouble-{name}", await shop.link())
    network.faults["/api/sdk/submit"] = Says(409, '{"code": "capture_missing"}', "application/problem+json")
    whole = await shop.with_passport()
    await take.screen("trouble-incomplete", whole, heading("Something is still missing"))
    for name, browser, film in (
        ("refused", "refusing", "card"),
        ("no-camera", "without camera", "card"),
        ("in-use", "plain", "dead"),
        ("camera-black", "plain", "black"),
        ("camera-tiny", "plain", "tiny"),
    ):
        link = await shop.agreed(document_policy=PASSPORT_ONLY)
        await take.screen(f"trouble-{name}", link, START, shown(".trouble"), browser=browser, film=film)
    link = await shop.agreed(document_policy=PASSPORT_ONLY)
    await take.screen("trouble-insecure", link, START, shown(".trouble"), host="insecure.test")
    tired = await shop.agreed("BIOMETRIC_ONLY")
    while (await tired.show_face(faceless_frames))[1]["attempts_left"]:
        pass
    await take.screen("trouble-attempts", tired, READY, heading("Too many attempts"), film="person")
    if studio.expiring:
        await until(studio.expired, 90)
        await take.screen("trouble-expired", studio.expiring)


async def overview(take: Photographer) -> None:
    """The demo from its first page to what the integrator's server receives; the README's picture is made of it."""
    if take.look == "phone-light":
        context = await take.studio.browsers["plain"].new_context(**take.context)
        # A driven browser says so and is refused for it; a person's does not.
        await context.add_init_script("Object.defineProperty(navigator, 'webdriver', { get: () => false })")
        page = await context.new_page()
        await page.goto(f"{take.studio.network.address}/demo")
        await take.keep(page, "demo")
        await page.get_by_role("button", name="Document and face").click()
        await press("Agree and continue")(page)
        await page.select_option("tn-choose select", "DE")
        take.sees("passport")
        await page.locator(".choice", has_text="Passport").click()
        for step in (*PREVIEW, USE, heading("Now your face")):
            await step(page)
        person = Person(page, take.studio.lens)
        for attempt in (READY, press("Try again"), press("Try again")):
            await attempt(page)
            await page.locator(".screen.done, .screen.face.again").wait_for(timeout=240_000)
            if await page.locator(".screen.done").count():
                break
            person.again()
        result = await page.get_by_role("link", name="See what your server receives").get_attribute("href")
        take.studio.demo_result = result
        await context.close()
    if take.studio.demo_result:
        context = await take.studio.browsers["plain"].new_context(**take.context)
        page = await context.new_page()
        await page.goto(take.studio.network.address + take.studio.demo_result)
        await page.locator(".verdict .badge:is(.good, .bad)").wait_for(timeout=240_000)
        await page.get_by_text("webhook-signature").first.wait_for(timeout=60_000)
        await take.keep(page, "demo-result")
        await context.close()


def lay_out_overview() -> None:
    """Five pictures side by side, as the README shows them."""
    names = ["consent", "document-matched", "face-turn", "done"]
    phones = [Image.open(OUT / f"{name}.phone-light.png").convert("RGB").crop((0, 0, 390, 844)) for name in names]
    result = Image.open(OUT / "demo-result.desktop-light.png").convert("RGB")
    result = result.crop((130, 0, 1150, min(result.height, 1290)))
    tall, gap = 570, 18
    tiles = [
        one.resize((round(one.width * tall / one.height), tall), Image.Resampling.LANCZOS) for one in (*phones, result)
    ]
    sheet = Image.new("RGB", (sum(tile.width for tile in tiles) + gap * (len(tiles) + 1), tall + 2 * gap), "#ecedf3")
    at = gap
    for tile in tiles:
        sheet.paste(tile, (at, gap))
        at += tile.width + gap
    sheet.quantize(256).save(ROOT / "docs" / "images" / "overview.png", optimize=True)
    print("docs/images/overview.png")


def make_films(films: Path) -> None:
    films.mkdir(parents=True, exist_ok=True)
    pages = {"card": documents.id_card().front, "passport": documents.passport().front}
    for name, page in pages.items():
        for device, size in (("phone", camera.PORTRAIT), ("desktop", camera.SIZE)):
            camera.steady_film(films / f"{name}-{device}.y4m", camera.held_page(page, size=size))
    camera.empty_desk_film(films / "desk.y4m")
    camera.black_film(films / "black.y4m")
    camera.tiny_film(films / "tiny.y4m")
    camera.dead_film(films / "dead.y4m")
    if not (films / "person.y4m").exists():
        camera.PersonFilm(films / "person.y4m")


PARTS = {"before": before_capture, "document": document, "face": face, "troubles": troubles, "overview": overview}


async def photograph_all(url: str, credentials: dict[str, str], wanted: set[str]) -> dict[str, str]:
    """Take every wanted picture; those that were missed, and why, in answer."""
    films = OUT / "films"
    make_films(films)
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(aiohttp.ClientSession(url))
        network = await stack.enter_async_context(a_faulty_network(url))
        shop = await Shop.signed_in(http, credentials["client_id"], credentials["client_secret"])
        studio = Studio(shop, network, {}, films)
        studio.lens.see(films / "desk.y4m")
        studio.expiring = await shop.link(transaction_ttl_minutes=1)
        await open_browsers(stack, studio)
        for look in LOOKS:
            if wanted & set(LOOKS) and look not in wanted:
                continue
            for name, part in PARTS.items():
                if wanted & set(PARTS) and name not in wanted:
                    continue
                if not await photograph(studio, name, part, look):
                    await open_browsers(stack, studio)
                    if not await photograph(studio, name, part, look):
                        studio.missed[f"{name} ({look})"] = "A browser died of it twice."
                        await open_browsers(stack, studio)
        return studio.missed


async def open_browsers(stack: AsyncExitStack, studio: Studio) -> None:
    """Open a browser for each kind of camera, in place of those that died."""
    desk = studio.films / "desk.y4m"
    cameras = {"plain": (studio.lens.link, "allow"), "refusing": (desk, "deny"), "without camera": (None, "allow")}
    for name, (film, permission) in cameras.items():
        if name not in studio.browsers or not studio.browsers[name].is_connected():
            studio.browsers[name] = await stack.enter_async_context(a_browser(film, permission=permission))


async def photograph(studio: Studio, name: str, part: Callable[[Photographer], Awaitable[None]], look: str) -> bool:
    """Take the pictures of one part; False when a browser died of it, as Chromium may of a film without pictures."""
    before = dict(studio.missed)
    try:
        await part(Photographer(studio, look))
    except PlaywrightError as fault:
        studio.missed[f"{name} ({look})"] = fault.message.splitlines()[0]
    if all(browser.is_connected() for browser in studio.browsers.values()):
        return True
    studio.missed = before
    return False


def command(data: Path, *arguments: str) -> str:
    ran = truename(data, *arguments)
    if ran.returncode:
        sys.exit(ran.stderr)
    return ran.stdout


def main(wanted: set[str]) -> None:
    if unknown := wanted - set(PARTS) - set(LOOKS):
        sys.exit(f"There is no part or look {', '.join(sorted(unknown))}.")
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as service:
        made = command(service.data, "account", "create", "Acme Bank", "--json")
        command(service.data, "account", "set", "Acme Bank", "retention_days=90")
        missed = asyncio.run(photograph_all(service.url, json.loads(made), wanted))
    if missed:
        sys.exit("\n".join(["Missed:", *(f"  {name}: {why}" for name, why in missed.items())]))
    if not wanted or "overview" in wanted:
        lay_out_overview()


if __name__ == "__main__":
    main(set(sys.argv[1:]))
