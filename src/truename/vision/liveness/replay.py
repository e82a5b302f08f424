"""Are these frames a recording that was sent before, cut or shifted a little so that it looks new?

A person who tries again never holds the head exactly as before. A recording does, whatever was cut off its edges: laid
over each other as well as they can be, the frames of both differ by no more than compression.
"""

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Picture

Grey = NDArray[np.float32]

SIDE: Final = 128
BLURS: Final = (5.0, 2.5)
"""First roughly, then exactly: frames that were cut are found over each other from afar only when they are soft."""
MARGIN: Final = 0.15
"""The edges are not compared: they are what an attacker cuts."""
PATCH: Final = 7
SHADES: Final = np.linspace(0, 1, 33)
"""From the darkest to the brightest, at so many steps one frame's shades are given those of the other."""
BENT: Final = 2.0
"""Grey levels by which shades must have been bent, brightness and contrast apart, to be straightened."""
COMPARED: Final = 8
NEAREST: Final = 3
SAME: Final = 1.7
"""Grey levels by which two frames differ where they differ most, once laid over each other.

Measured by `tests/vision/test_replay.py` on the head of `tests/support/faces.py` before a background that never moves:
copies that were cut, shifted, turned, resized, softened and compressed again differ by 0.2 to 1.3 (the middle of eight
frames), other takes by 2.4 to 4.8.
"""

FAR: Final = 3 * SAME
"""Frames that differ by more are not even of the same place: they are nobody's other take, nor a copy laid straight."""


def small_grey(picture: Picture) -> Grey:
    """A frame as it is compared: grey, its long side 128 pixels."""
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    height, width = grey.shape
    scale = SIDE / max(height, width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.float32)


def is_replay(new: Sequence[Grey], earlier: Sequence[Grey]) -> bool:
    """Do most of the earlier frames (some of them are looked at) come again among the new ones, perhaps mirrored?"""
    if not new or not earlier:
        return False
    step = max(1, len(earlier) // COMPARED)
    looked_at = earlier[::step][:COMPARED]
    mirrored = [np.ascontiguousarray(grey[:, ::-1]) for grey in new]
    return any(_come_again(looked_at, way) for way in (new, mirrored))


def _come_again(looked_at: Sequence[Grey], new: Sequence[Grey]) -> bool:
    found: list[float] = []
    for old in looked_at:
        found.append(_nearest_difference(old, new))
        if len(found) == 2 and min(found) > FAR:
            return False
    return float(np.median(found)) < SAME


def _nearest_difference(old: Grey, new: Sequence[Grey]) -> float:
    tiny = _tiny(old)
    order = sorted(range(len(new)), key=lambda number: float(np.abs(_tiny(new[number]) - tiny).mean()))
    best = np.inf
    for number in order[:NEAREST]:
        best = min(best, difference(old, new[number]))
        if best < SAME / 2:
            break
    if best > FAR:
        back = (_rolled_back(old, grey) for grey in new)
        best = min(best, difference(old, min(back, key=lambda grey: float(np.abs(_tiny(grey) - tiny).mean()))))
    return float(best)


def _rolled_back(old: Grey, new: Grey) -> Grey:
    """The new frame pushed to where it fits the old one best, what leaves at one edge coming in at the other.

    A recording that was shifted that way is whole again, which no shift that replicates its edges could make it.
    """
    new = np.asarray(cv2.resize(new, old.shape[::-1], interpolation=cv2.INTER_LINEAR), np.float32)
    (across, down), _ = cv2.phaseCorrelate(old, new)
    return np.roll(new, (-round(down), -round(across)), axis=(0, 1))


def difference(old: Grey, new: Grey) -> float:
    """By how many grey levels two frames differ where they differ most, laid over each other as well as possible.

    Brightness and contrast are taken from the other. Where that is not enough, because the shades between were bent,
    each shade is, and the frames are laid over each other once more.
    """
    if min(*old.shape, *new.shape) < 16:
        return float("inf")
    new = np.asarray(cv2.resize(new, old.shape[::-1], interpolation=cv2.INTER_LINEAR), np.float32)
    warp = np.eye(2, 3, dtype=np.float32)
    try:
        for blur in BLURS:
            warp = _warp(old, new, warp, blur)
        laid = _laid(new, warp)
        ours, theirs = np.quantile(_inner(laid), SHADES), np.quantile(_inner(old), SHADES)
        scale = theirs.std() / max(float(ours.std()), 1e-6)
        apart = _apart(old, (laid - ours.mean()) * scale + theirs.mean())
        bent = np.abs((ours - ours.mean()) * scale + theirs.mean() - theirs).max()
        if apart < SAME or bent < BENT:
            return apart
        new = np.interp(new, ours, theirs).astype(np.float32)
        laid = _laid(new, _warp(old, new, warp, BLURS[-1]))
    except cv2.error:  # nothing in common
        return float("inf")
    return min(apart, _apart(old, np.interp(laid, np.quantile(_inner(laid), SHADES), theirs).astype(np.float32)))


def _warp(old: Grey, new: Grey, start: NDArray[np.float32], blur: float) -> NDArray[np.float32]:
    enough = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 50, 1e-6)
    soft_old, soft_new = cv2.GaussianBlur(old, (0, 0), blur), cv2.GaussianBlur(new, (0, 0), blur)
    _, found = cv2.findTransformECC(soft_old, soft_new, start.copy(), cv2.MOTION_AFFINE, enough)
    return np.asarray(found, np.float32)


def _laid(new: Grey, warp: NDArray[np.float32]) -> Grey:
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    laid = cv2.warpAffine(new, warp, new.shape[::-1], flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(laid, np.float32)


def _apart(old: Grey, laid: Grey) -> float:
    # Softened after it was scaled: else the one would be softer than the other.
    soft_old, soft = (np.asarray(cv2.GaussianBlur(one, (0, 0), BLURS[-1]), np.float32) for one in (old, laid))
    return float(np.percentile(cv2.blur(np.abs(_inner(soft - soft_old)), (PATCH, PATCH)), 98))


def _inner(grey: Grey) -> Grey:
    down, across = int(MARGIN * grey.shape[0]), int(MARGIN * grey.shape[1])
    return grey[down:-down, across:-across]


def _tiny(grey: Grey) -> Grey:
    tiny = cv2.resize(grey, (24, 32), interpolation=cv2.INTER_AREA)
    return np.asarray(tiny - tiny.mean(), np.float32)
