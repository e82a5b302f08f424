"""What the SDK may send. The answers are described in docs/reference/sdk-interface.md."""

import re
from typing import Annotated, Final

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from truename.capture.challenge import FRAMES_MAX, FRAMES_MIN
from truename.plumbing.http.bodies import Sent
from truename.vision.captures import Step

_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


NO_CONTROLS = r"\A[^\x00-\x1f\x7f]+\z"
"""PostgreSQL keeps no NUL, and nobody reads the others."""


CONSENT_VERSIONS: Final = ("2026-11",)
"""Every version of the consent text that was ever shown, the newest last: a page that was opened before an update sends
an older one."""


def _shown_version(text: str) -> str:
    if text not in CONSENT_VERSIONS:
        raise PydanticCustomError("consent_text_unknown", "This version of the text was never shown to anybody.")
    return text


class NewConsent(Sent):
    given: bool
    text_version: Annotated[
        str, AfterValidator(_shown_version), Field(json_schema_extra={"enum": list(CONSENT_VERSIONS)})
    ]
    language: Annotated[str, Field(min_length=2, max_length=20, pattern=r"\A[A-Za-z0-9-]+\z")]


def _base64(text: str) -> str:
    if len(text) % 4 or not _BASE64.fullmatch(text):
        raise PydanticCustomError("image_not_base64", "The image must be plain base64, padded, without line breaks.")
    return text


class SentFrame(Sent):
    step: Annotated[Step, Field(strict=False)]
    at_ms: Annotated[int, Field(ge=0, le=600_000)]
    image: Annotated[str, Field(min_length=4, max_length=2 * 1024 * 1024), AfterValidator(_base64)]


class SentFrames(Sent):
    nonce: Annotated[str, Field(min_length=1, max_length=200)]
    frames: Annotated[tuple[SentFrame, ...], Field(strict=False, min_length=FRAMES_MIN, max_length=FRAMES_MAX)]


class NewHandoff(Sent):
    device: Annotated[str, Field(min_length=1, max_length=120, pattern=NO_CONTROLS)]


class ClaimedHandoff(Sent):
    code: Annotated[str, Field(min_length=1, max_length=200)]


class ConfirmedNumber(Sent):
    number: Annotated[str, Field(min_length=1, max_length=4)]
