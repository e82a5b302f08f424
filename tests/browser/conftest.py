"""One Chromium for all, a camera that can be pointed anywhere, and pages that must not call other hosts."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page

from tests.support import camera, documents
from tests.support.browser import PHONE, a_browser
from tests.support.page_site import page_only, served
from tests.support.scripted_sdk import ScriptedSdk

pytestmark = pytest.mark.browser


class Films:
    """Films by name, each made when it is first wanted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __getitem__(self, name: str) -> Path:
        path = self.folder / f"{name}.y4m"
        if not path.exists():
            MAKERS[name](path)
        return path


def _document(page: Any) -> Callable[[Path], Path]:
    return lambda path: camera.steady_film(path, camera.held_page(page(), size=camera.PORTRAIT))


MAKERS: dict[str, Callable[[Path], Path]] = {
    "passport": _document(lambda: documents.passport().front),
    "id front": _document(lambda: documents.id_card().front),
    "id back": _document(lambda: documents.id_card().back),
    "desk": camera.empty_desk_film,
    "black": camera.black_film,
    "tiny": camera.tiny_film,
    "person": camera.obliging_person_film,
}


@pytest.fixture(scope="session")
def films(tmp_path_factory: pytest.TempPathFactory) -> Films:
    return Films(tmp_path_factory.mktemp("films"))


@pytest.fixture(scope="session")
def lens(films: Films) -> camera.Lens:
    lens = camera.Lens(films.folder)
    lens.see(films["desk"])
    return lens


@pytest.fixture(scope="session")
async def browser(lens: camera.Lens) -> AsyncIterator[Browser]:
    async with a_browser(lens.link) as browser:
        yield browser


@pytest.fixture(scope="session")
async def site() -> AsyncIterator[str]:
    """The page's files alone; the service's answers come from a script."""
    async with served(page_only()) as address:
        yield address


class Visit:
    """A page under watch: errors, refusals of the policy and calls to other hosts fail the test."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.faults: list[str] = []
        self.hosts: set[str] = set()
        self.sizes: dict[str, int] = {}
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("console", self._heard)
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))

    def _heard(self, message: Any) -> None:
        if "Content Security Policy" in message.text or "Refused to" in message.text:
            self.faults.append(message.text)

    async def open(self, fragment: str = "t=a.b.c", query: str = "") -> None:
        await self.page.goto(f"{self.address}/verify/{query}#{fragment}")

    async def heading(self, words: str) -> None:
        await self.page.get_by_role("heading", level=1, name=words).wait_for(timeout=20_000)

    async def press(self, words: str) -> None:
        await self.page.get_by_role("button", name=words, exact=True).click()

    async def accessible(self, what: str) -> None:
        """axe finds nothing to complain of."""
        await self.page.wait_for_timeout(350)  # the screen fades in; half-faded text has less contrast
        found = await Axe().run(
            self.page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]}
        )
        assert found.violations_count == 0, f"{what}: {found.generate_report()}"

    def clean(self) -> None:
        assert self.faults == []
        assert {host for host in self.hosts if host} == {urlsplit(self.address).netloc}


Open = Callable[..., Awaitable[Visit]]


@pytest.fixture
async def visit(browser: Browser, site: str) -> AsyncIterator[Open]:
    """Opens a page in a fresh context, with a scripted service when one is given."""
    visits: list[Visit] = []
    contexts = []

    async def begin(
        sdk: ScriptedSdk | None = None, *, address: str = site, inside: Browser | None = None, **context: Any
    ) -> Visit:
        made = await (inside or browser).new_context(**(context or PHONE))
        contexts.append(made)
        page = await made.new_page()
        if sdk is not None:
            await sdk.serve(page)
        visits.append(Visit(page, address))
        return visits[-1]

    yield begin
    for one in visits:
        one.clean()
    for context in contexts:
        await context.close()
