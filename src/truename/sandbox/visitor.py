"""Walks through the SDK interface over HTTP as a person with a phone would, with pictures that nobody has seen."""

import asyncio
import base64
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

import aiohttp
import orjson
from pydantic import BaseModel

from truename.capture.answers import Challenge, DocumentTaken, FramesTaken, Session
from truename.plumbing.http.answers import encode
from truename.rules.evidence import DocumentType
from truename.sandbox.performance import Performance
from truename.vision.captures import Frame, Step

SDK: Final = "/api/sdk"
JSON: Final = {"Content-Type": "application/json"}
CHALLENGES: Final = 3
"""As often a challenge is asked for where a busy machine draws longer than one lasts."""
Say = Callable[[str], None]
"""Is told each step, in a few words."""
Model = TypeVar("Model", bound=BaseModel)


class Refused(Exception):
    """The service said no; the sentence has its status and words, `status` is HTTP's, `code` the problem's."""

    def __init__(self, sentence: str, status: int, code: str = "") -> None:
        super().__init__(sentence)
        self.status, self.code = status, code


class NotASandbox(Exception):
    """The transaction belongs to a live account: nothing is simulated there."""


class Visitor:
    """One SDK token and what is done with it."""

    def __init__(self, http: aiohttp.ClientSession, sdk_token: str, say: Say) -> None:
        self._http, self._say = http, say
        self._bearer = {"Authorization": f"Bearer {sdk_token}"}

    async def session(self) -> Session:
        """What is to be captured; raises NotASandbox for a live account, Refused for a token that is not good."""
        session = Session.model_validate_json(await self._call("GET", "/session"))
        if session.livemode is not False:
            raise NotASandbox("The transaction belongs to a live account; simulate in a sandbox account.")
        return session

    async def go_through(self, session: Session, performance: Performance) -> bool:
        """The whole capture, to its submission; says whether it was submitted. Raises Refused."""
        await self._post("/consent", {"given": True, "text_version": session.consent.text_version, "language": "en"})
        self._say("consent given")
        await self._post("/device", performance.signals)
        if performance.act.ends_early:
            self._say("went away")
            return False
        if "DOCUMENT" in session.steps:
            await self._show_document(performance)
        if "LIVENESS" in session.steps:
            await self._show_face(performance)
        await self._post("/submit", {})
        self._say("submitted")
        return True

    async def _show_document(self, performance: Performance) -> None:
        front, back = await asyncio.to_thread(performance.photographs)
        chosen = {"country": performance.document.country, "type": performance.document.type.value}
        for side, picture in (("front", front), ("back", back)):
            if picture is None:
                continue
            told = await self._call(
                "POST", f"/document/{side}", data=picture, headers={"Content-Type": "image/jpeg"}, params=chosen
            )
            taken = DocumentTaken.model_validate_json(told)
            self._say(f"{side} of the document: {'usable' if taken.usable else ', '.join(taken.reasons)}")

    async def _show_face(self, performance: Performance) -> None:
        steps: list[Step] = []
        frames: list[Frame] = []
        for left in reversed(range(CHALLENGES)):
            challenge = Challenge.model_validate_json(await self._post("/liveness/challenge", {}))
            began = time.monotonic()
            if steps != challenge.steps:  # after one that ran out mostly the same is asked for
                steps = [Step(step) for step in challenge.steps]
                frames = await asyncio.to_thread(performance.frames, steps)
            # A recording cannot be sent before it was made: the service knows when it gave the challenge.
            await asyncio.sleep(max(0.0, began + frames[-1].at_ms / 1000 - time.monotonic()))
            sent = {"nonce": challenge.nonce, "frames": [_sent(frame) for frame in frames]}
            try:
                taken = FramesTaken.model_validate_json(await self._post("/liveness", sent))
            except Refused as refused:
                if refused.code != "challenge_expired" or not left:
                    raise
                self._say("drawing the head took longer than the challenge lasts: asked for another")
                continue
            self._say(f"{' '.join(steps)}: {'usable' if taken.usable else ', '.join(taken.reasons)}")
            return

    async def _post(self, path: str, body: Mapping[str, object]) -> bytes:
        return await self._call("POST", path, data=encode(body), headers=JSON)

    async def _call(
        self,
        method: str,
        path: str,
        *,
        data: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
    ) -> bytes:
        asked = {**self._bearer, **(headers or {})}
        async with self._http.request(method, SDK + path, data=data, headers=asked, params=params) as answer:
            told = await answer.read()
            if answer.status >= 400:
                words = f"{method} {SDK}{path} was answered {answer.status}: {told.decode(errors='replace')}"
                raise Refused(words, answer.status, _code(told))
            return told


def accepted(session: Session) -> Sequence[tuple[str, DocumentType]]:
    """The documents that the transaction takes; where it wants none, any."""
    if "DOCUMENT" not in session.steps:
        return [("ES", DocumentType.NATIONAL_ID)]
    return [(one.country, one.type) for one in session.documents]


def _code(told: bytes) -> str:
    """The code of a problem; empty where the answer is none, as that of a proxy."""
    try:
        return str(orjson.loads(told)["code"])
    except (ValueError, KeyError, TypeError):
        return ""


def _sent(frame: Frame) -> dict[str, object]:
    return {"step": frame.step.value, "at_ms": frame.at_ms, "image": base64.b64encode(frame.image).decode()}
