"""Was a colour laid over the whole picture, face and room alike?

A screen lights the face before it and hardly the room behind: the face changes beyond whatever the camera does to all
of the picture. A picture that is tinted as a whole, or that a program fades into a colour, has one rule from old values
to new ones, a factor and a sum for each primary, that holds for face and room together. A camera has factors of its own
(exposure, white balance) and adds nothing.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from truename.vision.liveness.skin_and_room import FEWEST

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]

MOST_OF_THE_ROOM: Final = 4000
"""Pixels; more of them say nothing more."""


@dataclass(frozen=True)
class OneRule:
    """What is left when one rule for each frame and primary is laid through face and room; grey levels.

    Rows are frames; columns are red and blue, each less green, so that what is done to all primaries plays no part.
    """

    room: Array
    """How the room changed."""
    added: Array
    """What the rule adds to every pixel, however dark."""
    beyond: Array
    """How the face changed beyond the rule."""


def one_rule(faces: Pixels, rooms: Pixels, darkest: float, brightest: float) -> OneRule | None:
    """Of the same points of the face and the same pixels of the room in all frames (frame, pixel, primary).

    Points that are dark or clipped in any frame are left out; None where too few are left of either.
    """
    step = max(1, rooms.shape[1] // MOST_OF_THE_ROOM)
    face, room = (_usable(np.asarray(one, np.float64), darkest, brightest) for one in (faces, rooms[:, ::step]))
    count, others = face.shape[1], room.shape[1]
    if min(count, others) < FEWEST:
        return None
    values = np.concatenate((face, room), axis=1)
    usual = values.mean(0)
    changes = values - usual
    on_face = np.repeat((1.0, 0.0), (count, others))
    weight = np.repeat((count**-0.5, others**-0.5), (count, others))
    added, beyond = np.empty((len(values), 3)), np.empty((len(values), 3))
    for primary in range(3):
        known = np.column_stack((usual[:, primary] / 255, np.ones_like(on_face), on_face)) * weight[:, None]
        found = np.linalg.pinv(known) @ (changes[:, :, primary] * weight).T
        added[:, primary], beyond[:, primary] = found[1], found[2]
    return OneRule(_less_green(changes[:, count:].mean(1)), _less_green(added), _less_green(beyond))


def _usable(pixels: Array, darkest: float, brightest: float) -> Array:
    good = ((pixels.min(2) >= darkest) & (pixels.max(2) <= brightest)).all(0)
    return pixels[:, good]


def _less_green(values: Array) -> Array:
    return np.asarray(values[:, [0, 2]] - values[:, 1:2], np.float64)
