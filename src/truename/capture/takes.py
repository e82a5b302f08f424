"""What was taken so far in one capture: the last take of each side of the document and of the live face."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from truename.rules.documents import needs_back
from truename.rules.evidence import DocumentType, QualityReason
from truename.vision.captures import Step


class Slot(StrEnum):
    """What a take is of; a new take replaces the one before in its slot."""

    DOCUMENT_FRONT = "DOCUMENT_FRONT"
    DOCUMENT_BACK = "DOCUMENT_BACK"
    LIVENESS = "LIVENESS"


@dataclass(frozen=True)
class Choice:
    """What the person said the document is (both None: nothing), and where the picture came from."""

    country: str | None = None
    type: DocumentType | None = None
    source: str = "CAMERA"

    @property
    def document(self) -> tuple[str | None, DocumentType | None]:
        """Country and type, to tell whether another document was chosen."""
        return self.country, self.type


@dataclass(frozen=True)
class TakenPicture:
    """One picture of a take; a frame of the live face also says which step it answers, and when."""

    media_id: UUID
    step: Step | None = None
    at_ms: int | None = None

    def as_json(self) -> dict[str, str | int]:
        """As it is kept in the column `captures.media`."""
        if self.step is None or self.at_ms is None:
            return {"media_id": str(self.media_id)}
        return {"media_id": str(self.media_id), "step": self.step, "at_ms": self.at_ms}


@dataclass(frozen=True, kw_only=True)
class NewTake:
    """A take to be kept in its slot: its pictures, and what the first look at them found."""

    slot: Slot
    reasons: Sequence[QualityReason]
    """What is wrong with it, worst first."""
    usable: bool
    """Good enough for the analysis."""
    pictures: Sequence[TakenPicture]
    choice: Choice = Choice()
    """What the person said the document is."""
    challenge: Sequence[Step] = ()
    """The steps that the frames of a live face answer."""
    back_needed: bool | None = None
    """Whether the document's back is needed too; None while it cannot be told."""


@dataclass(frozen=True)
class Take:
    """The last take of a slot, as far as the calls after it need to know."""

    slot: Slot
    takes: int
    """How often the slot was taken, this one included."""
    usable: bool
    reasons: tuple[QualityReason, ...]
    choice: Choice
    back_needed: bool | None

    @property
    def document_needs_back(self) -> bool:
        """Is the back of the document needed, going by what was seen, or else by what was chosen?"""
        if self.back_needed is not None:
            return self.back_needed
        country, kind = self.choice.document
        return country is not None and kind is not None and needs_back(country, kind)


@dataclass(frozen=True)
class Takes:
    """The last take of each slot; None where there is none, or where it was dropped."""

    front: Take | None = None
    back: Take | None = None
    live: Take | None = None
