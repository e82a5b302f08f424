"""Where pictures of the capture page are taken: service, network, browsers, films, and a photographer for each look."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page
from playwright.async_api import Error as PlaywrightError
from tests.support import camera
from tests.support.browser import DESKTOP, PHONE
from tests.support.faulty_network import FaultyNetwork
from tests.support.sdk import Phone
from tests.support.shop import Shop

OUT = Path(__file__).resolve().parent.parent / "screenshots"
LOOKS = ("phone-light", "phone-dark", "desktop-light", "desktop-dark")
Step = Callable[[Page], Awaitable[Any]]


class Studio:
    """The service, the ways to it, and the browsers: made once for all pictures."""

    def __init__(self, shop: Shop, network: FaultyNetwork, browsers: dict[str, Browser], films: Path) -> None:
        self.shop, self.network, self.browsers, self.films = shop, network, browsers, films
        self.lens = camera.Lens(films)
        self.expiring: Phone | None = None
        self.demo_result: str | None = None
        self.missed: dict[str, str] = {}
        """Pictures that could not be taken, and why: one that fails must not cost the others."""

    async def expired(self) -> bool:
        """Has the link's minute passed?"""
        return self.expiring is not None and (await self.expiring.session())[0] == 401


class Photographer:
    """Opens a link in one look (a device and a colour scheme) and keeps pictures of where that leads."""

    def __init__(self, studio: Studio, look: str) -> None:
        self.studio, self.look = studio, look
        device, scheme = look.split("-")
        self.handheld = device == "phone"
        self.context: dict[str, Any] = {**(PHONE if self.handheld else DESKTOP), "color_scheme": scheme}

    async def keep(self, page: Page, name: str) -> None:
        await page.wait_for_timeout(450)  # the screen fades in
        await page.screenshot(path=OUT / f"{name}.{self.look}.png", full_page=True)
        print(f"{name}.{self.look}.png", flush=True)

    def sees(self, film: str) -> None:
        """Point the camera at a film, in the shape that this device's camera has."""
        shaped = self.studio.films / f"{film}-{'phone' if self.handheld else 'desktop'}.y4m"
        self.studio.lens.see(shaped if shaped.exists() else self.studio.films / f"{film}.y4m")

    async def screen(
        self,
        name: str,
        link: Phone | str,
        *steps: Step,
        film: str = "card",
        query: str = "",
        browser: str = "plain",
        host: str = "127.0.0.1",
    ) -> bool:
        """Open the link, take the steps and keep a picture; False, and noted as missed, when a step cannot be taken."""
        self.sees(film)
        fragment = link if isinstance(link, str) else f"t={link.token}"
        context = await self.studio.browsers[browser].new_context(**self.context)
        try:
            page = await context.new_page()
            address = self.studio.network.address.replace("127.0.0.1", host)
            await page.goto(f"{address}/verify/{query}#{fragment}")
            await page.locator("h1").first.wait_for()
            if not name.startswith("handoff") and await page.locator("tn-handoff").count():
                await page.get_by_role("button", name="Continue on this computer").click()
                await page.locator("tn-handoff").wait_for(state="detached")
                await page.locator("h1").first.wait_for()
            for step in steps:
                await step(page)
            await self.keep(page, name)
            self.studio.missed.pop(f"{name}.{self.look}", None)
            return True
        except PlaywrightError as fault:
            self.studio.missed[f"{name}.{self.look}"] = fault.message.splitlines()[0]
            print(f"{name}.{self.look} missed: {fault.message.splitlines()[0]}", flush=True)
            return False
        finally:
            self.studio.network.faults.clear()
            await context.close()


def press(*names: str) -> Step:
    async def steps(page: Page) -> None:
        for name in names:
            await page.get_by_role("button", name=name, exact=True).click(timeout=120_000)

    return steps


def heading(words: str) -> Step:
    return lambda page: page.get_by_role("heading", level=1, name=words).wait_for(timeout=120_000)


def shown(selector: str) -> Step:
    return lambda page: page.locator(selector).first.wait_for(timeout=120_000)


def file(picture: bytes) -> Step:
    given: Any = {"name": "a.jpg", "mimeType": "image/jpeg", "buffer": picture}
    return lambda page: page.set_input_files("input[type=file]", given)
