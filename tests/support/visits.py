"""A person's visit to the capture page in a real browser, under watch, and the films that the camera may see."""

import asyncio
import contextlib
import fcntl
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Error, Page

from tests.support import camera
from tests.support.axe import faults
from tests.support.links import Link
from truename.sandbox.drawing import documents
from truename.vision.captures import Step
from truename.vision.liveness.light import COLOURS

FOLLOW = "Follow the dot with your nose"
"""The heading while the challenge runs."""


class Films:
    """Films by name, each made when it is first wanted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __getitem__(self, name: str) -> Path:
        path = self.folder / f"{name}.y4m"
        with (self.folder / "lock").open("w") as lock:
            # One xdist worker makes a film for all of them.
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                MAKERS[name](path.with_suffix(".making")).replace(path)
        return path


def _document(page: Any) -> Callable[[Path], Path]:
    return lambda path: camera.steady_film(path, camera.held_page(page(), size=camera.PORTRAIT))


MAKERS: dict[str, Callable[[Path], Path]] = {
    "passport": _document(lambda: documents.passport().front),
    "id front": _document(lambda: documents.id_card().front),
    "id back": _document(lambda: documents.id_card().back),
    "desk": camera.empty_desk_film,
    "black": camera.black_film,
    "dead": camera.dead_film,
    "tiny": camera.tiny_film,
    "person": lambda path: camera.PersonFilm(path).path,
}


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

    async def open(self, link: Link | str, query: str = "") -> None:
        """Open a person's link, or any other fragment."""
        fragment = link if isinstance(link, str) else link.fragment
        await self.page.goto(f"{self.address}/verify/{query}#{fragment}")

    async def heading(self, words: str) -> None:
        await self.page.get_by_role("heading", level=1, name=words).wait_for(timeout=20_000)

    async def press(self, words: str) -> None:
        await self.page.get_by_role("button", name=words, exact=True).click()

    async def accessible(self, what: str) -> None:
        """axe finds nothing to complain of. Where motion is welcome a screen fades in, with less contrast meanwhile."""
        assert await faults(self.page) == [], what

    def clean(self) -> None:
        assert self.faults == []
        assert {host for host in self.hosts if host} == {urlsplit(self.address).netloc}


Open = Callable[..., Awaitable[Visit]]
NewLink = Callable[..., Awaitable[Link]]


async def photograph_document(one: Visit, lens: camera.Lens, film: Path, country: str, kind: str) -> None:
    """Choose a document and let it be photographed by itself."""
    lens.see(film)
    await one.heading("Choose your document")
    await one.page.select_option("tn-choose select", country)
    await one.page.locator(".choice", has_text=kind).click()
    await one.press("Start camera")
    await one.heading("Is everything readable?")
    await one.press("Use this photo")


ASKED = """() => {
  const guidance = document.querySelector('tn-face-live')?.guidance;
  return guidance && !guidance.done ? [guidance.step, guidance.index, guidance.progress, guidance.hint] : null;
}"""


class Person:
    """Somebody before the camera who does what the page asks for, at the pace at which the page sees it."""

    def __init__(self, page: Page, lens: camera.Lens) -> None:
        self.page, self.lens = page, lens
        self.film = lens.meet()
        loop = asyncio.get_running_loop()
        self.tasks = loop.create_task(self._live()), loop.create_task(self._stay_filmed())

    @property
    def came_round(self) -> bool:
        """Was the machine too busy to write the film, so that the camera has shown pictures twice?"""
        return self.film.came_round

    def again(self) -> None:
        """Look straight again, before the camera is opened once more."""
        self.film = self.lens.meet()

    async def _stay_filmed(self) -> None:
        """Go on before the camera while the next movement is thought out, which takes seconds on busy cores."""
        while not self.page.is_closed():
            await asyncio.to_thread(self.film.go_on)
            await asyncio.sleep(0.2)

    async def _live(self) -> None:
        at, before = 0, self.film.pose
        while not self.page.is_closed():
            asked, film = await self._asked(), self.film
            missed = asked is not None and asked[1] == at and asked[3] == "again_slower"  # a busy machine saw no way
            if missed and asked is not None:
                film.pose = before
                await self._move(film, Step(asked[0]), at)
                continue
            if asked is None or asked[1] in (0, at) or Step(asked[0]) in COLOURS:
                at = asked[1] if asked else 0
                await asyncio.sleep(0.3)
                continue
            at, before = asked[1], film.pose
            await self._move(film, Step(asked[0]), at)

    async def _move(self, film: camera.PersonFilm, step: Step, at: int) -> None:
        before = film.pose
        goal = await asyncio.to_thread(camera.goal_of, step, before.closer)
        poses = [camera.way_between(before, goal, part) for part in (0.35, 0.65, 1.0, 1.02)]
        on_the_way, farther, *held = await asyncio.to_thread(lambda: [camera.person_at(pose) for pose in poses])
        for picture, seen in ((on_the_way, 0.2), (farther, 0.5)):
            await asyncio.to_thread(film.hold, [picture])
            for _ in range(20):
                await asyncio.sleep(0.2)
                asked = await self._asked()
                if asked is None or asked[1] != at or asked[2] >= seen:
                    break
            await asyncio.sleep(0.3)
        await asyncio.to_thread(film.hold, held)
        film.pose = goal

    async def _asked(self) -> tuple[str, int, float, str | None] | None:
        """The step that the page shows, its number, how far it is and what helps; None while it shows none."""
        for frame in self.page.frames:
            with contextlib.suppress(Error):
                if (asked := await frame.evaluate(ASKED)) is not None:
                    return asked[0], asked[1], asked[2], asked[3]
        return None
