"""The names of everything that speaks against a living person before the camera, and which of them mean an attack."""

from enum import StrEnum
from typing import Final


class LivenessSign(StrEnum):
    """What speaks against a living person, or against the capture; what each rests on stands in `vision/liveness/`."""

    REPEATED_FRAMES = "REPEATED_FRAMES"
    """Frames that are copies of one another, as they are or re-encoded."""
    TOO_FEW_FRAMES = "TOO_FEW_FRAMES"
    """There is too little of the sequence to judge it."""
    WRONG_ORDER = "WRONG_ORDER"
    """Steps are missing, foreign or in another order than asked for, or times run backwards."""
    STEP_NOT_DONE = "STEP_NOT_DONE"
    """A step was not followed."""
    WRONG_SIDE = "WRONG_SIDE"
    """The head was turned to the other side."""
    FLAT_MOTION = "FLAT_MOTION"
    """The face moved like a picture on a sheet, or turned on a head that stood still."""
    SCENE_MOVES_ALONG = "SCENE_MOVES_ALONG"
    """What is around the face grew with it, as in a picture that is brought closer."""
    JUMP = "JUMP"
    """The head moved faster, or to and fro more, than heads do, or was not seen on its way between two targets."""
    CUT = "CUT"
    """The room changed from one frame to the next: the frames were cut together."""
    WRONG_LIGHT = "WRONG_LIGHT"
    """The skin changed its colour from frame to frame, but not as the screen did, or the whole picture did."""
    IDENTITY_CHANGE = "IDENTITY_CHANGE"
    """Not all frames show the same person."""
    SEVERAL_FACES = "SEVERAL_FACES"
    """Somebody else was in the picture."""
    FACE_LOST = "FACE_LOST"
    """Too many frames show no face."""
    MOIRE = "MOIRE"
    """A fine regular pattern lies over the face, as on a photographed screen."""
    BORDER = "BORDER"
    """Straight edges frame the face, like those of a screen or a sheet of paper."""
    FLAT_TEXTURE = "FLAT_TEXTURE"
    """The skin has the softness and colours of a picture that was taken of a picture."""
    PASSIVE_NETWORK = "PASSIVE_NETWORK"
    """The anti-spoofing network takes the face for a picture."""
    NO_CHALLENGE = "NO_CHALLENGE"
    """Not an attack: no challenge was part of the capture, so the score rests on single pictures."""

    @property
    def is_attack(self) -> bool:
        """Does a living person before the camera never cause it? A step not done or a lost face proves nothing."""
        return self in _ATTACKS


_ATTACKS: Final = frozenset(
    {
        LivenessSign.REPEATED_FRAMES,
        LivenessSign.FLAT_MOTION,
        LivenessSign.SCENE_MOVES_ALONG,
        LivenessSign.CUT,
        LivenessSign.WRONG_LIGHT,
        LivenessSign.IDENTITY_CHANGE,
        LivenessSign.MOIRE,
        LivenessSign.BORDER,
        LivenessSign.FLAT_TEXTURE,
        LivenessSign.PASSIVE_NETWORK,
    }
)
