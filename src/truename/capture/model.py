"""What the SDK may send; what it is answered stands in answers.py."""

import re
from typing import Annotated, ClassVar, Final

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from truename.capture.challenge import FRAMES_MAX, FRAMES_MIN
from truename.plumbing.http.bodies import Sent
from truename.rules.config_values import whole_number
from truename.rules.faults import at_most
from truename.vision.captures import Step

_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")

NO_CONTROLS = r"^[^\x00-\x1f\x7f]+$"
"""PostgreSQL keeps no NUL, and nobody reads the others. (In this dialect `$` is the very end of the text.)"""

CONSENT_VERSIONS: Final = ("2026-11",)
"""Every version of the consent text that was ever shown, the newest last: a page that was opened before an update sends
an older one."""


def _shown_version(text: str) -> str:
    if text not in CONSENT_VERSIONS:
        raise PydanticCustomError("consent_text_unknown", "This version of the text was never shown to anybody.")
    return text


class NewConsent(Sent):
    """The person's answer to the consent text that was shown to them."""

    given: bool
    """The person agrees; false records the refusal and leaves the transaction open."""
    text_version: Annotated[
        str, AfterValidator(_shown_version), Field(json_schema_extra={"enum": list(CONSENT_VERSIONS)})
    ]
    """`consent.text_version` of the session."""
    language: Annotated[str, Field(min_length=2, max_length=20, pattern=r"^[A-Za-z0-9-]+$")]
    """In which the text was read (BCP 47)."""


def _base64(text: str) -> str:
    if len(text) % 4 or not _BASE64.fullmatch(text):
        raise PydanticCustomError("image_not_base64", "The image must be plain base64, padded, without line breaks.")
    return text


class WantedChallenge(Sent):
    """Asks for a liveness challenge."""

    light: bool = False
    """The screen can show colours while the person looks straight, and the person does not mind."""


class SentFrame(Sent):
    """One frame of the live face, with the step of the challenge that it shows."""

    step: Annotated[Step, Field(strict=False)]
    """The step of the challenge that it belongs to, or leads to."""
    at_ms: Annotated[int, Field(ge=0, le=600_000), BeforeValidator(whole_number)]
    """Milliseconds since the challenge was received; each later than the one before."""
    image: Annotated[
        str,
        Field(min_length=4, max_length=2 * 1024 * 1024, json_schema_extra={"contentEncoding": "base64"}),
        AfterValidator(_base64),
    ]
    """Plain base64 of a JPEG or PNG, as the camera saw the person, never mirrored."""


class SentFrames(Sent):
    """The frames that answer one liveness challenge."""

    pictures: ClassVar[frozenset[str]] = frozenset({"image"})

    nonce: Annotated[str, Field(min_length=1, max_length=200)]
    """Of the challenge that is answered; it works once."""
    frames: Annotated[
        tuple[SentFrame, ...],
        Field(strict=False, min_length=FRAMES_MIN, max_length=FRAMES_MAX),
        at_most(FRAMES_MAX),
    ]
    """In the order of the challenge, each step at least once."""


class NewHandoff(Sent):
    """Asks for a link with which a phone takes over."""

    device: Annotated[str, Field(min_length=1, max_length=120, pattern=NO_CONTROLS)]
    """What the phone will show as the device that asks, for example Chrome on Windows."""


class ClaimedHandoff(Sent):
    """Opens the link on the phone."""

    code: Annotated[str, Field(min_length=1, max_length=200)]
    """From the link that the computer shows; it works once."""


class ConfirmedNumber(Sent):
    """Names the number that stands on the computer."""

    number: Annotated[str, Field(min_length=1, max_length=4)]
    """The number that the computer shows; one guess."""
