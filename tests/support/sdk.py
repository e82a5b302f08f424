"""A person with a phone: walks through the SDK interface as the capture page would, over real HTTP."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import aiohttp
import cv2
import numpy as np

from tests.support import faces
from tests.support.once import once
from truename.sandbox.drawing import documents
from truename.sandbox.drawing.photography import photograph
from truename.vision.captures import Frame, Picture, Step
from truename.vision.images import encode_jpeg

Answer = tuple[int, Any]

CLEAN_PHONE = {
    "platform": "ANDROID",
    "rooted": False,
    "debugger": False,
    "developer_mode": False,
    "emulator": False,
}


@dataclass
class Phone:
    """One SDK token and what can be done with it."""

    http: aiohttp.ClientSession
    token: str
    service: str = ""
    """The address of the service, where the session has none of its own."""

    async def call(self, method: str, path: str, **more: Any) -> Answer:
        headers = {"Authorization": f"Bearer {self.token}", **more.pop("headers", {})}
        async with self.http.request(method, f"{self.service}/api/sdk{path}", headers=headers, **more) as answer:
            content = await answer.read()
            return answer.status, (await answer.json(content_type=None)) if content else None

    async def session(self) -> Answer:
        return await self.call("GET", "/session")

    async def status(self) -> Answer:
        return await self.call("GET", "/status")

    async def consent(self, given: bool = True) -> Answer:
        return await self.call("POST", "/consent", json={"given": given, "text_version": "2026-11", "language": "en"})

    async def device(self, **signals: Any) -> Answer:
        return await self.call("POST", "/device", json={**CLEAN_PHONE, **signals})

    async def document(self, side: str, picture: Picture | bytes, **more: Any) -> Answer:
        data = picture if isinstance(picture, bytes) else encode_jpeg(picture)
        headers = {"Content-Type": "image/jpeg", **more.pop("headers", {})}
        return await self.call("POST", f"/document/{side}", data=data, headers=headers, **more)

    async def challenge(self) -> Answer:
        return await self.call("POST", "/liveness/challenge", json={})

    async def liveness(self, nonce: str, frames: Sequence[Frame], **more: Any) -> Answer:
        return await self.call("POST", "/liveness", json=liveness_body(nonce, frames), **more)

    async def submit(self) -> Answer:
        return await self.call("POST", "/submit", json={})

    async def show_face(self, frames_for: Callable[[Sequence[Step]], list[Frame]] | None = None) -> Answer:
        """Ask for a challenge and answer it, by default with frames that show no movement."""
        status, challenge = await self.challenge()
        assert status == 201, challenge
        steps = [Step(step) for step in challenge["steps"]]
        return await self.liveness(challenge["nonce"], (frames_for or plain_frames)(steps))


def plain_frames(steps: Sequence[Step], seed: int = 0, each: int = 2, quality: int = 92) -> list[Frame]:
    """Frames that are well-formed but show no movement: the upload takes them, the analysis would not."""
    asked = [step for step in steps for _ in range(each)]
    images = _plain_images(len(asked), seed, quality)
    return [Frame(image, step, number * 100) for number, (image, step) in enumerate(zip(images, asked, strict=True))]


@cache
def _plain_images(count: int, seed: int, quality: int) -> list[bytes]:
    return once(f"plain frames {count} {seed} {quality}", lambda: _drawn_plain_images(count, seed, quality))


def _drawn_plain_images(count: int, seed: int, quality: int) -> list[bytes]:
    still, random = faces.framed_still(), np.random.default_rng(seed)
    images = []
    for _ in range(count):
        moved = np.roll(still, tuple(random.integers(-40, 40, 2)), axis=(0, 1)).astype(np.int16)
        noisy = np.clip(moved + random.normal(0, 4, moved.shape), 0, 255).astype(np.uint8)
        images.append(encode_jpeg(noisy, quality))
    return images


def faceless_frames(steps: Sequence[Step]) -> list[Frame]:
    """Frames of a desk with nobody before it, never the same twice: the upload takes them and finds no face."""
    random = np.random.default_rng()
    frames = []
    for number, step in enumerate(step for step in steps for _ in range(2)):
        blots = random.integers(0, 255, (8, 6, 3)).astype(np.uint8)
        desk = np.asarray(cv2.resize(blots, (480, 640)), np.uint8)
        frames.append(Frame(encode_jpeg(desk), step, number * 100))
    return frames


def code_of(answer: tuple[int, dict[str, Any]]) -> tuple[int, str]:
    """Status and code of a refusal."""
    status, problem = answer
    return status, problem["code"]


def liveness_body(nonce: str, frames: Sequence[Frame]) -> dict[str, Any]:
    return {
        "nonce": nonce,
        "frames": [
            {"step": frame.step, "at_ms": frame.at_ms, "image": base64.b64encode(frame.image).decode()}
            for frame in frames
        ],
    }


def photographed(page: Picture, seed: int = 3, **how: Any) -> Picture:
    """A good photograph of a page."""
    return photograph(page, seed=seed, perspective=0.15, background="dark", **how)[0]


@cache
def a_passport_photo() -> Picture:
    """The same to everyone, because it takes half a second: nobody draws on it."""
    photo = once("a passport photo", lambda: photographed(documents.passport().front))
    photo.setflags(write=False)
    return photo
