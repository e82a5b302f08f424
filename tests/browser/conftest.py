"""One Chromium and one real service for all, a camera that can be pointed anywhere, pages that are watched."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from playwright.async_api import Browser, BrowserContext

from tests.support import camera
from tests.support.browser import PHONE, a_browser
from tests.support.faulty_network import FaultyNetwork, a_faulty_network
from tests.support.links import Link, a_link
from tests.support.visits import Films, NewLink, Open, Visit
from truename.plumbing.resources import Plumbing


@pytest.fixture(scope="session")
def films(shared_folder: Path) -> Films:
    folder = shared_folder / "films"
    folder.mkdir(exist_ok=True)
    return Films(folder)


@pytest.fixture(scope="session")
def lens(films: Films, tmp_path_factory: pytest.TempPathFactory) -> camera.Lens:
    lens = camera.Lens(tmp_path_factory.mktemp("lens"))
    lens.see(films["desk"])
    return lens


@pytest.fixture(scope="session")
async def browser(lens: camera.Lens) -> AsyncIterator[Browser]:
    async with a_browser(lens.link) as browser:
        yield browser


@pytest.fixture(scope="session")
async def http(live_server: str) -> AsyncIterator[aiohttp.ClientSession]:
    """Calls the service beside the browser: the person's other device."""
    async with aiohttp.ClientSession(live_server) as session:
        yield session


@pytest.fixture
def new_link(plumbing: Plumbing, http: aiohttp.ClientSession) -> NewLink:
    """Makes a link of a fresh account and a fresh customer; see `a_link`."""

    async def make(kind: str = "DOCUMENT_AND_BIOMETRIC", **what: Any) -> Link:
        return await a_link(plumbing, http, kind, **what)

    return make


@pytest.fixture
async def network(live_server: str) -> AsyncIterator[FaultyNetwork]:
    """A way to the service that can be broken."""
    async with a_faulty_network(live_server) as network:
        yield network


@pytest.fixture(scope="session")
def contexts() -> dict[tuple[Browser, str], BrowserContext]:
    """Those that were opened, by browser and kind of device."""
    return {}


@pytest.fixture
async def visit(
    browser: Browser, live_server: str, contexts: dict[tuple[Browser, str], BrowserContext]
) -> AsyncIterator[Open]:
    """Opens a page in a tab of its own: on a phone, unless said otherwise. Screens do not fade in.

    Devices of one kind share a context, and so what it has loaded already: the page keeps everything with the tab.
    """
    visits: list[Visit] = []

    async def begin(*, address: str = live_server, inside: Browser | None = None, **device: Any) -> Visit:
        kind = inside or browser, repr(device)
        if kind not in contexts:
            contexts[kind] = await kind[0].new_context(**(device or PHONE), reduced_motion="reduce")
        visits.append(Visit(await contexts[kind].new_page(), address))
        return visits[-1]

    yield begin
    for one in visits:
        await one.page.close()
    for one in visits:
        one.clean()
