"""Does the face have relief, or does it move like a picture on a sheet?

Two views of a flat picture, however it is tilted, are related by one homography. A head that turns is not flat: its
nose moves against its eyes, and no homography brings one view onto the other. Four measurements say how far the best
plane is from explaining what was seen. The mesh network knows what faces look like and could imagine relief, so only
its places in the picture are used, never its depths; the second measurement comes from another network (the detector's
five points) and the third from the pixels alone. The fourth is the width that a face loses: a bent sheet loses more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.face.mesh import FOREHEAD, LEFT_EYE_OUTER, RIGHT_EYE_OUTER
from truename.vision.liveness.best_plane import best_plane
from truename.vision.liveness.camera_movement import camera_movement
from truename.vision.liveness.shifted import compare
from truename.vision.liveness.views import View

Points = NDArray[np.float64]
Grey = NDArray[np.float32]

FIRM_POINTS: Final = np.array(
    [
        *(1, 2, 4, 5, 6, 8, 9, 10, 21, 33, 50, 54, 67, 93, 98, 101, 103, 109, 116, 117, 118, 122, 123, 127, 129, 132),
        *(133, 147, 151, 162, 168, 195, 197, 234, 251, 263, 280, 284, 297, 323, 327, 330, 332, 338, 345, 346, 347, 351),
        *(352, 356, 358, 361, 362, 376, 389, 454),
    ]
)
"""Mesh points on bone: nose, eye corners, cheekbones, forehead; nothing that speech, smiles or blinks move."""
UNDER_NOSE, RIGHT_CHEEK, LEFT_CHEEK = 2, 234, 454
EYES_AND_MOUTH: Final = [0, 1, 3, 4]
NOSE: Final = 2
COMPARED_WIDTH: Final = 96
"""Pixels across the face when the pixels of two views are compared."""
MIN_BULGE: Final = 0.25
MIN_NOSE: Final = 0.15
"""Of all turns of one recording together: the detector's five points are unsteady where a head also nods (0.11 to 0.2
for a simulated head that looks down to one side and 0.6 to the other), and a face has one relief only."""
MAX_LIKENESS: Final = 0.972
WIDTH_LOSS: Final = 0.075
"""The limits of relief, set between what heads and what sheets of paper showed (dev half; attacks tried since:
`docs/explanation/liveness-attacks.md`):

                                                   bulge      nose        likeness     width less cosine
    90 real turns of 17–42°, 53 people (LFW)       0.25–0.5   0.02–0.9    0.0–0.85     −0.09 and up
    14 real turns on video, 8 people (pad_phone)   0.36–0.57  0.30–1.09   0.12–0.88    −0.04 and up
    simulated heads                                0.29–0.41  0.39–1.09   0.77–0.964   −0.04 and up
    flat pictures, tilted by 25–55°                (read as turned by 14° at most)     0.994–1.000
    sheets bent by 120–180°, read as 15° or more   0.23–0.5   0.2–1.1     0.8–0.97     −0.10 to −0.23
"""
SHEETS_TURN: Final = 22.0
STEEPER_LOSS: Final = 0.01
"""No bent sheet read as turned by more than 22°; each degree beyond allows a head this much more loss of width."""
LOSS_BY_NOD: Final = 0.0037
"""A head that looks down shows more of its forehead, so that its face is slenderer by this much for each degree. Fitted
to pairs of photographs of LFW; in five folds by people 0.0035 to 0.0040 (`benchmarks/turned_photographs.py`)."""
MAX_STILL: Final = 0.985
"""What is around a face moves when a head turns. Its likeness (`Relief.around`) in 10 turns on video of six real people
is 0.88 at most and of drawn heads 0.88; where a program turns the face alone on a still head it is 0.999 and more."""
AROUND: Final = (0.7, 0.5)
"""How far around the face is looked at, across and up, in its own size."""
BESIDE_FACE, RING = 7, 25
"""Pixels, of the compared width: so near to the face nothing is compared, and so wide is what is compared around it."""
SHAKEN: Final = 2
"""Pixels by which a hand may have shaken the camera."""
SHIFTS: Final = tuple(product(range(-SHAKEN, SHAKEN + 1), range(-SHAKEN, SHAKEN + 1)))
BY_A_GLANCE: Final = 0.05
"""What is less alike than a still head by more than this, in every fourth pixel, is not looked at more closely: the
likeness of a still head is known to a hundredth by so many of them."""
GREW: Final = 0.04
GROWN: Final = (0.96, 0.98, 1.0, 1.02, 1.04)
"""Where the face's size changed by more than this (logarithm), the whole picture may have been enlarged about its
middle by as much, within what a face's size is measured to."""
FEWEST_AROUND: Final = 400
LEAST_CONTRAST: Final = 4.0
"""Grey levels: where all around a face is as plain as this, nothing can be said."""


@dataclass(frozen=True)
class Relief:
    """How far two views of a face are from those of a flat picture."""

    turned: float
    """Degrees between the two views; positive to the person's own left."""
    bulge: float
    """What the best plane leaves unexplained of the mesh points' places, in eye distances per full turn (its sine)."""
    nose: float
    """How far the nose tip moved against the plane of eyes and mouth, likewise; positive when with the turn."""
    width: float
    """How wide the face has become against its height, of 1 before; a head loses far less of it than a sheet does."""
    likeness: float
    """Correlation of the two faces' pixels once the best plane has brought one onto the other; 1 for a flat picture.
    Known as well as it takes to tell on which side of the limit it is."""
    nodded: float = 0.0
    """Degrees between the two views; positive when looking up."""
    around: float = 0.0
    """Correlation of what is around the face in the two views, where it was: 1 when hair and ears stood still."""


def relief(straight: View, turned: View) -> Relief:
    """Compare a turned view with a straight one."""
    before, after = _firm(straight), _firm(turned)
    degrees = turned.yaw - straight.yaw
    turn = max(abs(float(np.sin(np.radians(degrees)))), 0.1)
    eyes = straight.face.eye_distance
    fitted, _ = cv2.findHomography(after, before, 0)
    if fitted is None:
        return Relief(degrees, 0.0, 0.0, 1.0, 1.0)
    plane = np.asarray(fitted, np.float64)
    left_over = _moved(plane, after) - before
    bulge = float(np.sqrt((left_over**2).sum(1).mean())) / eyes / turn
    return Relief(
        turned=degrees,
        bulge=bulge,
        nose=_nose_shift(straight, turned) * float(np.sign(degrees)) / turn,
        width=slenderness(turned) / slenderness(straight),
        likeness=_likeness(straight, turned, plane),
        nodded=turned.mesh.pose.pitch - straight.mesh.pose.pitch,
        around=_likeness_around(straight, turned),
    )


def has_relief(found: Relief) -> bool:
    """Can no flat or bent picture have looked like this? Whether the nose moved enough is for `noses_stand_out`."""
    allowed = WIDTH_LOSS + STEEPER_LOSS * max(0.0, abs(found.turned) - SHEETS_TURN)
    allowed += LOSS_BY_NOD * max(0.0, -found.nodded)
    return (
        found.bulge >= MIN_BULGE
        and found.nose >= 0
        and found.likeness <= MAX_LIKENESS
        and found.width >= float(np.cos(np.radians(found.turned))) - allowed
    )


def noses_stand_out(found: Sequence[Relief]) -> bool:
    """Did the nose move against eyes and mouth, over all turns of a recording? False where there is no turn."""
    return bool(found) and float(np.mean([one.nose for one in found])) >= MIN_NOSE


def head_stands_still(found: Sequence[Relief]) -> bool:
    """Did the face turn, and the head around it not at all?"""
    return any(one.around > MAX_STILL for one in found)


def _firm(seen: View) -> Points:
    return seen.mesh.points[FIRM_POINTS, :2].astype(np.float64)


def _moved(matrix: Points, points: Points) -> Points:
    lifted = np.column_stack((points, np.ones(len(points)))) @ matrix.T
    return np.asarray(lifted[:, :2] / lifted[:, 2:])


def _nose_shift(straight: View, turned: View) -> float:
    """How far to the right the nose lies from where eyes and mouth say a flat one would be, in eye distances."""
    before, after = straight.face.points.astype(np.float64), turned.face.points.astype(np.float64)
    corners = np.column_stack((after[EYES_AND_MOUTH], np.ones(4)))
    # An affine map of four points instead of an exact homography: it halves what their own unsteadiness adds.
    flat, *_ = np.linalg.lstsq(corners, before[EYES_AND_MOUTH], rcond=None)
    expected = np.array([*after[NOSE], 1.0]) @ flat
    return float((expected - before[NOSE])[0]) / straight.face.eye_distance


def slenderness(seen: View) -> float:
    """The face's width at eyes and cheeks against its height from forehead to nose, which no open mouth changes."""
    points = seen.mesh.points[:, :2].astype(np.float64)
    eyes = float(np.linalg.norm(points[RIGHT_EYE_OUTER] - points[LEFT_EYE_OUTER]))
    cheeks = float(np.linalg.norm(points[RIGHT_CHEEK] - points[LEFT_CHEEK]))
    return float(np.sqrt(eyes * cheeks)) / max(float(np.linalg.norm(points[FOREHEAD] - points[UNDER_NOSE])), 1.0)


def _likeness(straight: View, turned: View, plane: Points) -> float:
    """Bring the turned face onto the straight one by the best plane there is, and correlate the pixels."""
    outline = straight.mesh.points[:468, :2].astype(np.float64)
    low, high = outline.min(0), outline.max(0)
    scale = COMPARED_WIDTH / max(high[0] - low[0], 1.0)
    size = (COMPARED_WIDTH, max(8, round((high[1] - low[1]) * scale)))
    crop = np.array([[scale, 0, -scale * low[0]], [0, scale, -scale * low[1]], [0, 0, 1.0]])
    first = _grey(straight, crop, size)
    second = _grey(turned, crop @ plane, size)
    mask = np.zeros(size[::-1], np.uint8)
    cv2.fillConvexPoly(mask, cv2.convexHull(_moved(crop, outline).astype(np.int32)), 1)
    return max(best_plane(first, second, mask, MAX_LIKENESS), _correlation(first, second, mask))


@dataclass(frozen=True)
class _Surroundings:
    """What is around a straight face, at the compared width."""

    grey: Grey
    crop: Points
    """From the picture to this part of it."""
    face: NDArray[np.uint8]
    """1 where the face is."""
    inside: NDArray[np.bool_]
    """What lies in the picture."""

    @property
    def size(self) -> tuple[int, int]:
        return self.grey.shape[1], self.grey.shape[0]


def _likeness_around(straight: View, turned: View) -> float:
    """How alike two views are around the face; 0 where it is plain.

    Compared is where it was, where enlarging the picture put it, and where a camera in a hand has moved it.
    """
    height, width = straight.picture.shape[:2]
    grown = turned.size / straight.size
    around, shaken = _surroundings(straight), camera_movement(straight, turned)
    ways = [
        np.array([[by, 0, (1 - by) * width / 2], [0, by, (1 - by) * height / 2], [0, 0, 1]])
        for by in (1.0, *((grown * off for off in GROWN) if abs(np.log(grown)) > GREW else ()))
    ]
    return max(_likeness_where(around, turned, way) for way in (*ways, *(() if shaken is None else (shaken,))))


def _surroundings(straight: View) -> _Surroundings:
    face = straight.mesh.points[:468, :2].astype(np.float64)
    low, high = face.min(0), face.max(0)
    wide, tall = (float(value) for value in high - low)
    scale = COMPARED_WIDTH / max(wide, 1.0)
    left, top = low[0] - AROUND[0] * wide, low[1] - AROUND[1] * tall
    size = round((1 + 2 * AROUND[0]) * wide * scale), max(8, round((0.95 + AROUND[1]) * tall * scale))
    crop = np.array([[scale, 0, -scale * left], [0, scale, -scale * top], [0, 0, 1.0]])
    covered = np.zeros(size[::-1], np.uint8)
    _cover(covered, crop, face)
    return _Surroundings(_grey(straight, crop, size), crop, covered, _inside(straight, crop, size))


def _likeness_where(around: _Surroundings, turned: View, enlarged: Points) -> float:
    """The same, if the whole picture was enlarged or moved in this way between the two views."""
    back: Points = np.linalg.inv(enlarged).astype(np.float64)
    covered = around.face.copy()
    _cover(covered, around.crop, _moved(back, turned.mesh.points[:468, :2].astype(np.float64)))
    near = cv2.dilate(covered, np.ones((BESIDE_FACE, BESIDE_FACE), np.uint8))
    ring = (cv2.dilate(near, np.ones((RING, RING), np.uint8)) > 0) & (near == 0)
    ring &= around.inside & _inside(turned, around.crop @ back, around.size)
    rim = [*range(SHAKEN), *range(-SHAKEN, 0)]
    ring[rim] = ring[:, rim] = False
    if int(ring.sum()) < FEWEST_AROUND or float(around.grey[ring].std()) < LEAST_CONTRAST:
        return 0.0
    second = _grey(turned, around.crop @ back, around.size)
    few = np.zeros_like(ring)
    few[::2, ::2] = ring[::2, ::2]
    glance = float(compare(around.grey, few, second, SHIFTS).likeness.max())
    if glance < MAX_STILL - BY_A_GLANCE:
        return glance
    return float(compare(around.grey, ring, second, SHIFTS).likeness.max())


def _cover(mask: NDArray[np.uint8], crop: Points, face: Points) -> None:
    cv2.fillConvexPoly(mask, cv2.convexHull(_moved(crop, face).astype(np.int32)), 1)


def _inside(seen: View, matrix: Points, size: tuple[int, int]) -> NDArray[np.bool_]:
    """Where the part that this matrix cuts out shows the picture, and not what is repeated beyond its rim.

    Where it scales and shifts, and does nothing else, columns and rows are looked at by themselves.
    """
    if matrix[0, 1] or matrix[1, 0]:
        shown = cv2.warpAffine(np.ones_like(seen.grey), matrix[:2], size, flags=cv2.INTER_NEAREST)
        return np.asarray(cv2.erode(shown, np.ones((5, 5), np.uint8)) > 0)
    columns, rows = (
        _inside_line(seen.picture.shape[1 - axis], matrix[axis, axis], matrix[axis, 2], size[axis]) for axis in (0, 1)
    )
    return np.logical_and(rows[:, None], columns)


def _inside_line(length: int, scale: float, shift: float, size: int) -> NDArray[np.bool_]:
    """The same along one side: of so many pixels, those that show a line of this length, two at its ends left out."""
    places = np.rint((np.arange(size) - shift) / scale)
    shown = np.asarray((places >= 0) & (places < length), np.uint8)
    return np.asarray(cv2.erode(shown[None], np.ones((1, 5), np.uint8))[0] > 0)


def _grey(seen: View, matrix: Points, size: tuple[int, int]) -> Grey:
    shrinking = 1 / max(float(np.sqrt(abs(np.linalg.det(matrix[:2, :2])))), 1e-3)
    # To a twentieth of a pixel, so that one blurred picture serves several sizes that are nearly the same.
    grey = seen.softened(round(8 * shrinking) / 20) if shrinking > 1.5 else seen.grey
    warped = cv2.warpPerspective(grey, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.GaussianBlur(warped, (0, 0), 1.0), np.float32)


def _correlation(first: Grey, second: Grey, mask: NDArray[np.uint8]) -> float:
    a, b = first[mask > 0], second[mask > 0]
    if a.std() < 1e-3 or b.std() < 1e-3:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])
