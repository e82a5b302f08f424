"""What happens to honest recordings: in one frame, from one frame on, or in all of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sin
from random import Random
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.rules.evidence import QualityReason
from truename.vision.captures import Picture, Step
from truename.vision.decoding.pixels import decode
from truename.vision.images import encode_jpeg
from truename.vision.liveness.light import COLOURS
from truename.vision.liveness.targets import AIMS
from truename.vision.liveness.views import View


@dataclass(frozen=True)
class Shot:
    """A frame before it is encoded; `seen` is what was found in it, None once it was disturbed."""

    step: Step
    at_ms: int
    picture: Picture
    seen: View | QualityReason | None


Shots = Sequence[Shot]
Disturbance = Callable[[Shots, Random], list[Shot]]
Change = Callable[[Shot, Random], Picture]
EYES = (
    (33, 7, 163, 144, 145, 153, 154, 155, 133, 173, 157, 158, 159, 160, 161, 246),
    (263, 249, 390, 373, 374, 380, 381, 382, 362, 398, 384, 385, 386, 387, 388, 466),
)
"""Mesh points around each eye."""


# ── one frame ──────────────────────────────────────────────────────────────────────────────────────────────


def blurred_by_motion(shot: Shot, random: Random) -> Picture:
    """As by a head that moves by 5 % of the picture's width while the shutter is open."""
    side = max(3, round(0.05 * shot.picture.shape[1])) | 1
    kernel = np.zeros((side, side), np.float32)
    kernel[side // 2] = 1
    turn = cv2.getRotationMatrix2D((side // 2, side // 2), random.uniform(0, 180), 1)
    kernel = np.asarray(cv2.warpAffine(kernel, turn, (side, side)), np.float32)
    return np.asarray(cv2.filter2D(shot.picture, -1, kernel / kernel.sum()), np.uint8)


def out_of_focus(shot: Shot, random: Random) -> Picture:
    """As by a lens that looks for its focus."""
    return np.asarray(cv2.GaussianBlur(shot.picture, (0, 0), 0.012 * shot.picture.shape[1]), np.uint8)


def eyes_closed(shot: Shot, random: Random) -> Picture:
    """Lids of the colour of the skin below, with a dark line where they meet."""
    made = shot.picture.copy()
    if not isinstance(shot.seen, View):
        return made
    for eye in EYES:
        around = shot.seen.mesh.points[list(eye), :2]
        middle = around.mean(0)
        outline = (middle + 1.25 * (around - middle)).astype(np.int32)
        below = middle + np.array([0, 0.9 * np.ptp(around[:, 0])])
        low = np.clip(np.rint(below).astype(int), 2, np.array(made.shape[1::-1]) - 3)
        skin = made[low[1] - 2 : low[1] + 3, low[0] - 2 : low[0] + 3].reshape(-1, 3).mean(0)
        cv2.fillPoly(made, [outline], tuple(float(value) for value in skin))
        lower = np.rint(around[:9]).astype(np.int32)
        cv2.polylines(made, [lower], False, tuple(float(0.4 * value) for value in skin), 2)
    return np.asarray(cv2.GaussianBlur(made, (0, 0), 0.6), np.uint8)


def brighter(shot: Shot, random: Random) -> Picture:
    """Exposed half as long again, or two thirds as long."""
    return _gained(shot.picture, random.choice((1.5, 1 / 1.5)))


def hand_on_face(shot: Shot, random: Random) -> Picture:
    """A hand at the chin, a cheek or the mouth: an ellipse and four fingers of the skin's colour."""
    made = shot.picture.copy()
    if not isinstance(shot.seen, View):
        return made
    left, top, wide, tall = shot.seen.face.box
    forehead = np.rint(shot.seen.mesh.points[9, :2]).astype(int)
    skin = 0.9 * made[forehead[1] - 3 : forehead[1] + 4, forehead[0] - 3 : forehead[0] + 4].reshape(-1, 3).mean(0)
    across, down = random.choice(((0.1, 0.75), (0.9, 0.75), (0.5, 0.95), (0.5, 0.8)))
    x, y = left + across * wide, top + down * tall
    cv2.ellipse(made, (int(x), int(y + 0.2 * tall)), (int(0.22 * wide), int(0.2 * tall)), 0, 0, 360, _colour(skin), -1)
    for finger in range(4):
        at = int(x + (finger - 1.5) * 0.1 * wide)
        shade = _colour(skin * (0.92 + 0.04 * (finger % 2)))
        cv2.line(made, (at, int(y + 0.15 * tall)), (at, int(y - 0.08 * tall)), shade, int(0.09 * wide))
    return np.asarray(cv2.GaussianBlur(made, (0, 0), 1.0), np.uint8)


def at_the_edge(shot: Shot, random: Random) -> Picture:
    """The camera swings aside: half of the face leaves the picture."""
    if not isinstance(shot.seen, View):
        return shot.picture
    left, _, wide, _ = shot.seen.face.box
    width = shot.picture.shape[1]
    by = -(left + 0.5 * wide) if random.random() < 0.5 else width - (left + 0.5 * wide)
    return _moved(shot.picture, np.array([[1, 0, by], [0, 1, 0]], np.float64), cv2.BORDER_REPLICATE)


def swung(shot: Shot, random: Random) -> Picture:
    """The camera swings by 6 % of its width, and turns by 4°."""
    height, width = shot.picture.shape[:2]
    move = cv2.getRotationMatrix2D((width / 2, height / 2), random.choice((-4, 4)), 1)
    move[0, 2] += random.choice((-1, 1)) * 0.06 * width
    return _moved(shot.picture, move)


def coarse(shot: Shot, random: Random) -> Picture:
    """A frame for which the encoder had little left: JPEG of quality 15."""
    return decode(encode_jpeg(shot.picture, 15))


def before_the_lens(shot: Shot, random: Random) -> Picture:
    """A finger over a third of the lens."""
    made = shot.picture.copy()
    third = made.shape[1] // 3
    place = slice(0, third) if random.random() < 0.5 else slice(-third, None)
    made[:, place] = (0.25 * made[:, place] + (90, 45, 35)).astype(np.uint8)
    return made


def half_written(shot: Shot, random: Random) -> Picture:
    """The lower third is grey: a frame that was read before it was whole."""
    made = shot.picture.copy()
    made[-made.shape[0] // 3 :] = 128
    return made


def face_behind(shot: Shot, random: Random) -> Picture:
    """Somebody looks into the picture from behind: their face as large as this one's, or three quarters of it."""
    return _with_face(shot, random, random.choice((0.75, 1.0)))


def _with_face(shot: Shot, random: Random, share: float) -> Picture:
    made = shot.picture.copy()
    if not isinstance(shot.seen, View):
        return made
    left, top, wide, tall = (int(value) for value in shot.seen.face.box)
    cut = shot.picture[max(0, top) : top + tall, max(0, left) : left + wide]
    small = cv2.resize(cut, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    small = small[: made.shape[0], : made.shape[1]]
    x = 0 if left + wide / 2 > made.shape[1] / 2 else made.shape[1] - small.shape[1]
    made[: small.shape[0], x : x + small.shape[1]] = small
    return made


# ── the camera's clock and driver ──────────────────────────────────────────────────────────────────────────


def given_twice(shots: Shots, random: Random) -> list[Shot]:
    """The driver gives the picture before once more, at the next time."""
    at = random.randrange(1, len(shots))
    made = list(shots)
    made[at] = replace(shots[at], picture=shots[at - 1].picture, seen=shots[at - 1].seen)
    return made


def frozen(shots: Shots, random: Random) -> list[Shot]:
    """The camera stands still for three frames: over a second."""
    at = random.randrange(2, len(shots))
    made = list(shots)
    for later in (at - 1, at):
        made[later] = replace(shots[later], picture=shots[at - 2].picture, seen=shots[at - 2].seen)
    return made


def dropped(shots: Shots, random: Random) -> list[Shot]:
    """One frame never came."""
    at = random.randrange(len(shots))
    return [shot for number, shot in enumerate(shots) if number != at]


def way_dropped(shots: Shots, random: Random) -> list[Shot]:
    """The first frame of a target never came: the head is on its way in it."""
    return _without(shots, random, [at for at in _firsts(shots) if shots[at].step in AIMS])


def way_smeared(shots: Shots, random: Random) -> list[Shot]:
    """The same frame is smeared instead."""
    at = random.choice([at for at in _firsts(shots) if shots[at].step in AIMS])
    return [_changed(shot, blurred_by_motion(shot, random)) if at == own else shot for own, shot in enumerate(shots)]


def colour_dropped(shots: Shots, random: Random) -> list[Shot]:
    """One frame under a colour never came; nothing happens where the screen shows none."""
    return _without(shots, random, [at for at, shot in enumerate(shots) if shot.step in COLOURS])


def _firsts(shots: Shots) -> list[int]:
    return [at for at in range(1, len(shots)) if shots[at].step is not shots[at - 1].step]


def _without(shots: Shots, random: Random, chosen: Sequence[int]) -> list[Shot]:
    lost = random.choice(chosen) if chosen else None
    return [shot for at, shot in enumerate(shots) if at != lost]


def clock_is_off(shots: Shots, random: Random) -> list[Shot]:
    """Each time is off by up to a sixth of a second, one by a third; the order stays."""
    late = random.randrange(len(shots))
    times = [shot.at_ms + random.randint(-80, 80) + 200 * (at == late) for at, shot in enumerate(shots)]
    # Frames on a long way are less far apart than that; no clock gives two of them one time.
    forwards = [max(0, at_ms) + at for at, at_ms in enumerate(sorted(times))]
    return [replace(shot, at_ms=at_ms) for shot, at_ms in zip(shots, forwards, strict=True)]


# ── from one frame on, and in all of them ──────────────────────────────────────────────────────────────────


def exposure_steps(shots: Shots, random: Random) -> list[Shot]:
    """The camera exposes anew, by a third more or less, three times in a recording."""
    marks = sorted(random.sample(range(1, len(shots)), 3))
    gains = [random.choice((0.75, 1.0, 1.33)) for _ in range(4)]
    return [
        _changed(shot, _gained(shot.picture, gains[sum(at >= mark for mark in marks)])) for at, shot in enumerate(shots)
    ]


def white_steps(shots: Shots, random: Random) -> list[Shot]:
    """The camera takes another white from one frame on."""
    mark, warm = random.randrange(2, len(shots) - 2), random.choice((1.12, 1 / 1.12))
    gains = np.array([warm, 1.0, 1 / warm], np.float32)
    return [_changed(shot, _gained(shot.picture, gains)) if at >= mark else shot for at, shot in enumerate(shots)]


def lamp_goes_on(shots: Shots, random: Random) -> list[Shot]:
    """A lamp at one side is switched on: warm light, most of it at that side; the camera then exposes less."""
    mark, side, strength = random.randrange(2, len(shots) - 2), random.choice((0, 1)), random.uniform(0.4, 1.2)
    return [
        _changed(shot, under_lamp(shot.picture, side, strength)) if at >= mark else shot
        for at, shot in enumerate(shots)
    ]


def under_lamp(picture: Picture, side: int, strength: float) -> Picture:
    """The picture with a lamp beside it, on the left (0) or the right (1), that adds so much of the light there."""
    fall = np.abs(np.linspace(0, 1, picture.shape[1], dtype=np.float32) - side)
    light = 1 + strength * np.exp(-2 * fall)[None, :, None] * np.array([1.0, 0.85, 0.6], np.float32)
    linear = (picture.astype(np.float32) / 255) ** 2.2
    lit = linear * light
    lit *= (linear.mean() / lit.mean()) ** 0.8
    return np.clip(255 * np.clip(lit, 0, 1) ** (1 / 2.2), 0, 255).astype(np.uint8)


def somebody_passes(shots: Shots, random: Random) -> list[Shot]:
    """A dark figure goes through the room behind in four frames, from one side to the other."""
    first, dark = random.randrange(1, len(shots) - 5), random.randint(20, 90)
    made = list(shots)
    for place in range(4):
        made[first + place] = _changed(
            shots[first + place], _with_figure(shots[first + place], (place + 0.5) / 4, dark)
        )
    return made


def _with_figure(shot: Shot, across: float, dark: int) -> Picture:
    if not isinstance(shot.seen, View):
        return shot.picture
    height, width = shot.picture.shape[:2]
    left, top, wide, tall = shot.seen.face.box
    behind = shot.picture.copy()
    x, head = int(across * width), int(0.35 * wide)
    cv2.rectangle(behind, (x - head, int(top + 0.3 * tall)), (x + head, height), (dark, dark, dark + 15), -1)
    cv2.circle(behind, (x, int(top + 0.1 * tall)), int(0.7 * head), (150, 115, 95), -1)
    mask = np.zeros((height, width), np.uint8)
    cv2.ellipse(
        mask, (int(left + wide / 2), int(top + 0.4 * tall)), (int(0.85 * wide), int(0.85 * tall)), 0, 0, 360, 1, -1
    )
    mask[int(top + tall) :] = 1
    return np.where(mask[..., None] > 0, shot.picture, behind).astype(np.uint8)


def focus_breathes(shots: Shots, random: Random) -> list[Shot]:
    """The lens looks for its focus: each picture is up to 3 % larger or smaller."""
    start = random.uniform(0, 6)
    return [_changed(shot, _enlarged(shot.picture, 1.03 + 0.03 * sin(start + at))) for at, shot in enumerate(shots)]


def hand_shakes(shots: Shots, random: Random) -> list[Shot]:
    """Each picture is shifted by up to 2 % of its width and turned by up to 2°."""
    made = []
    for shot in shots:
        height, width = shot.picture.shape[:2]
        move = cv2.getRotationMatrix2D((width / 2, height / 2), random.uniform(-2, 2), 1.0)
        move[:, 2] += [random.uniform(-0.02, 0.02) * width for _ in range(2)]
        made.append(_changed(shot, _moved(shot.picture, move)))
    return made


def all_coarse(shots: Shots, random: Random) -> list[Shot]:
    """All frames as JPEG of quality 40."""
    return [_changed(shot, decode(encode_jpeg(shot.picture, 40))) for shot in shots]


def lamps_flicker(shots: Shots, random: Random) -> list[Shot]:
    """Bands of 8 % across each picture, as lamps on alternating current leave them."""
    made = []
    for shot in shots:
        rows = np.arange(shot.picture.shape[0], dtype=np.float32)
        bands = 1 + 0.08 * np.sin(rows / shot.picture.shape[0] * 4 * np.pi + random.uniform(0, 6))
        made.append(_changed(shot, np.clip(shot.picture * bands[:, None, None], 0, 255).astype(np.uint8)))
    return made


# ── the table ──────────────────────────────────────────────────────────────────────────────────────────────


def _changed(shot: Shot, picture: Picture) -> Shot:
    return replace(shot, picture=np.ascontiguousarray(picture), seen=None)


def _colour(values: NDArray[np.floating]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _gained(picture: Picture, gain: float | NDArray[np.float32]) -> Picture:
    """More or less light, in linear light."""
    linear = (picture.astype(np.float32) / 255) ** 2.2 * gain
    return np.asarray(np.clip(255 * np.clip(linear, 0, 1) ** (1 / 2.2), 0, 255), np.uint8)


def _moved(picture: Picture, move: NDArray[Any], beyond: int = cv2.BORDER_REFLECT) -> Picture:
    size = picture.shape[1], picture.shape[0]
    return np.asarray(cv2.warpAffine(picture, move, size, borderMode=beyond), np.uint8)


def _enlarged(picture: Picture, by: float) -> Picture:
    height, width = picture.shape[:2]
    return _moved(picture, cv2.getRotationMatrix2D((width / 2, height / 2), 0, by))


def in_frames(change: Change, count: int) -> Disturbance:
    """The same change to so many frames, of any steps, no two of them neighbours."""

    def disturb(shots: Shots, random: Random) -> list[Shot]:
        chosen: list[int] = []
        while len(chosen) < count:
            at = random.randrange(len(shots))
            if all(abs(at - other) > 1 for other in chosen):
                chosen.append(at)
        return [_changed(shot, change(shot, random)) if at in chosen else shot for at, shot in enumerate(shots)]

    return disturb


DISTURBANCES: Mapping[str, Disturbance] = {
    "one frame blurred by motion": in_frames(blurred_by_motion, 1),
    "two frames blurred by motion": in_frames(blurred_by_motion, 2),
    "one frame out of focus": in_frames(out_of_focus, 1),
    "eyes closed in one frame": in_frames(eyes_closed, 1),
    "one frame brighter or darker": in_frames(brighter, 1),
    "a hand on the face in one frame": in_frames(hand_on_face, 1),
    "half of the face outside in one frame": in_frames(at_the_edge, 1),
    "the camera swings in one frame": in_frames(swung, 1),
    "one frame of quality 15": in_frames(coarse, 1),
    "a finger over a third of the lens in one frame": in_frames(before_the_lens, 1),
    "one frame half written": in_frames(half_written, 1),
    "somebody's face beside in one frame": in_frames(face_behind, 1),
    "one frame given twice": given_twice,
    "frozen for three frames": frozen,
    "one frame dropped": dropped,
    "a frame on the way dropped": way_dropped,
    "a frame on the way blurred by motion": way_smeared,
    "a frame under a colour dropped": colour_dropped,
    "times a little off": clock_is_off,
    "exposure steps": exposure_steps,
    "white balance steps": white_steps,
    "a lamp is switched on": lamp_goes_on,
    "somebody passes behind": somebody_passes,
    "focus breathes": focus_breathes,
    "the hand shakes": hand_shakes,
    "all frames of quality 40": all_coarse,
    "lamps flicker": lamps_flicker,
}
