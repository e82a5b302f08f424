"""What goes into an examination and what comes out."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from truename.rules.evidence import Evidence

Picture = NDArray[np.uint8]
"""Height × width × 3, RGB, upright."""
Decode = Callable[[bytes], Picture]
"""From a file to its pixels; raises ImageRefused."""


class Side(StrEnum):
    """A side of a document."""

    FRONT = "front"
    BACK = "back"


class Step(StrEnum):
    """One step of the liveness challenge, in the person's own left and right.

    The four that turn or move without saying how far were asked for until 2026-11; what was captured then is still
    judged by them. Under a light the person looks straight while the screen shows this colour.
    """

    LOOK_STRAIGHT = "LOOK_STRAIGHT"
    LIGHT_RED = "LIGHT_RED"
    LIGHT_GREEN = "LIGHT_GREEN"
    LIGHT_BLUE = "LIGHT_BLUE"
    LIGHT_YELLOW = "LIGHT_YELLOW"
    LIGHT_CYAN = "LIGHT_CYAN"
    LIGHT_MAGENTA = "LIGHT_MAGENTA"
    AIM_NEAR_UP = "AIM_NEAR_UP"
    AIM_NEAR_UP_LEFT = "AIM_NEAR_UP_LEFT"
    AIM_NEAR_LEFT = "AIM_NEAR_LEFT"
    AIM_NEAR_DOWN_LEFT = "AIM_NEAR_DOWN_LEFT"
    AIM_NEAR_DOWN = "AIM_NEAR_DOWN"
    AIM_NEAR_DOWN_RIGHT = "AIM_NEAR_DOWN_RIGHT"
    AIM_NEAR_RIGHT = "AIM_NEAR_RIGHT"
    AIM_NEAR_UP_RIGHT = "AIM_NEAR_UP_RIGHT"
    AIM_FAR_UP = "AIM_FAR_UP"
    AIM_FAR_UP_LEFT = "AIM_FAR_UP_LEFT"
    AIM_FAR_LEFT = "AIM_FAR_LEFT"
    AIM_FAR_DOWN_LEFT = "AIM_FAR_DOWN_LEFT"
    AIM_FAR_DOWN = "AIM_FAR_DOWN"
    AIM_FAR_DOWN_RIGHT = "AIM_FAR_DOWN_RIGHT"
    AIM_FAR_RIGHT = "AIM_FAR_RIGHT"
    AIM_FAR_UP_RIGHT = "AIM_FAR_UP_RIGHT"
    MOVE_CLOSER_A_LITTLE = "MOVE_CLOSER_A_LITTLE"
    MOVE_CLOSER_A_LOT = "MOVE_CLOSER_A_LOT"
    MOVE_AWAY_A_LITTLE = "MOVE_AWAY_A_LITTLE"
    MOVE_AWAY_A_LOT = "MOVE_AWAY_A_LOT"
    TURN_LEFT = "TURN_LEFT"
    TURN_RIGHT = "TURN_RIGHT"
    MOVE_CLOSER = "MOVE_CLOSER"
    MOVE_AWAY = "MOVE_AWAY"


@dataclass(frozen=True)
class Frame:
    """One picture of the live face, with the step it was taken for and its time since the challenge began.

    Frames are as the camera saw the person (not mirrored).
    """

    image: bytes
    step: Step = Step.LOOK_STRAIGHT
    at_ms: int = 0


@dataclass(frozen=True)
class FaceTemplate:
    """An embedding and the model that made it; templates of different models are never compared."""

    vector: tuple[float, ...]
    model_sha256: str


@dataclass(frozen=True)
class ReferenceFace:
    """The identity reference: its picture, its template, or both (the template is used when its model is ours)."""

    image: bytes | None = None
    template: FaceTemplate | None = None


@dataclass(frozen=True)
class Captures:
    """The pictures of one transaction, as uploaded (already safely re-encoded)."""

    document_front: bytes | None = None
    document_back: bytes | None = None
    frames: tuple[Frame, ...] = ()
    challenge: tuple[Step, ...] = ()
    """The steps that the server asked for, in order; empty when there was no challenge (a still selfie)."""
    wants_document: bool = True
    wants_liveness: bool = True
    compares_faces: bool = True
    """False when no face may be compared: none is then embedded for it, and no template is made."""


@dataclass(frozen=True)
class Examination:
    """Evidence, and the by-products that are stored beside it: face templates, and JPEGs worth keeping.

    A by-product is None when its picture was not sent, or when nothing of the kind was found in it.
    """

    evidence: Evidence
    document_template: FaceTemplate | None = None
    liveness_template: FaceTemplate | None = None
    portrait: bytes | None = None
    """The portrait as printed on the document."""
    document_front_rectified: bytes | None = None
    """The front side, cut out of its photograph and laid flat."""
    liveness_face: bytes | None = None
    """The frame that shows the live face best."""
