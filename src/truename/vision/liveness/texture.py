"""What the pixels of a face tell of their origin: skin before a lens, or a picture of a picture.

Each measurement is one number, in its own unit; what the numbers weigh stands in `calibration/liveness.toml`.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Picture
from truename.vision.face.detect import Face
from truename.vision.images import averaged, halve, median_of, strengths_of_waves

Grey = NDArray[np.float32]

SPECTRUM_SIDE: Final = 256
MIN_SPECTRUM_SIDE: Final = 64
RINGS: Final = (0.08, 0.48)
"""Frequencies in cycles per pixel: below them lies the face itself, above them the sampling of the picture."""
SENSOR_NOISE: Final = 1.0
"""Grey levels."""
FACE_SIDE: Final = 128
LIGHT_SIDE: Final = 96
BRIGHT: Final = 245
ROOM: Final = 3.5
"""Surroundings: this many face heights."""
NEEDS_ROOM: Final = 0.75
"""A face wider than this share of the picture leaves no surroundings to judge by."""


def around(picture: Picture, face: Face, scale: float) -> Picture:
    """A square around the face, `scale` times its longer side, cut off at the picture's edges."""
    left, top, wide, tall = face.box
    half = max(wide, tall) * scale / 2
    x, y = left + wide / 2, top + tall / 2
    height, width = picture.shape[:2]
    rows = slice(max(0, int(y - half)), max(1, min(height, int(y + half))))
    columns = slice(max(0, int(x - half)), max(1, min(width, int(x + half))))
    return picture[rows, columns]


def has_room(picture: Picture, face: Face) -> bool:
    """Is there enough of the surroundings in the picture?"""
    return bool(face.box[2] < NEEDS_ROOM * picture.shape[1])


def moire(picture: Picture, face: Face) -> float:
    """How far the strongest regular pattern stands out of its ring of the spectrum (logarithm); 0 when too small.

    Skin, cloth and hair have broad spectra; the beat between a screen's pixels and the sensor's is a sharp peak.
    """
    grey = cv2.cvtColor(around(picture, face, 1.0), cv2.COLOR_RGB2GRAY).astype(np.float32)
    side = min(*grey.shape, SPECTRUM_SIDE) // 2 * 2
    if side < MIN_SPECTRUM_SIDE:
        return 0.0
    top, left = (grey.shape[0] - side) // 2, (grey.shape[1] - side) // 2
    part = grey[top : top + side, left : left + side]
    plan = _spectrum(side)
    power = _power((part - part.mean()) * plan.window)
    profile = np.bincount(plan.ring.ravel(), power.ravel()) / plan.counts
    # A picture without noise has next to nothing up there: a pattern must stand out of what any sensor adds as well.
    floor = SENSOR_NOISE**2 * float((plan.window**2).sum())
    level = cv2.GaussianBlur((power / (profile + floor)[plan.ring]).astype(np.float32), (0, 0), 1.0)
    strongest = np.partition(level[plan.judged], -4)[-4:]
    return float(np.log(max(float(strongest.mean()), 1e-3)))


def _power(part: NDArray[np.float64]) -> NDArray[np.float64]:
    """The strength of every wave in a square part of even size, the longest in the middle.

    Of real numbers each wave is there twice, as itself and mirrored: half of them are worked out.
    """
    half = strengths_of_waves(part) ** 2
    power = np.empty(part.shape)
    middle = len(part) // 2
    power[:, middle:], power[:, 0] = half[:, :middle], half[:, middle]
    power[0, 1:middle], power[1:, 1:middle] = power[0, :middle:-1], power[:0:-1, :middle:-1]
    return np.fft.fftshift(power, axes=0)


@dataclass(frozen=True)
class _Spectrum:
    """What is the same for every square part of one size."""

    window: NDArray[np.float64]
    ring: NDArray[np.int64]
    """Which ring of the spectrum each of its places lies in."""
    counts: NDArray[np.int64]
    """Places in each ring."""
    judged: NDArray[np.bool_]


@lru_cache(maxsize=8)
def _spectrum(side: int) -> _Spectrum:
    y, x = np.mgrid[:side, :side] - side // 2
    radius = np.hypot(y, x)
    ring = radius.astype(np.int64)
    # The axes carry the edges of the cut and the grid of JPEG blocks.
    judged = (radius > RINGS[0] * side) & (radius < RINGS[1] * side) & (np.abs(x) > 1) & (np.abs(y) > 1)
    window = np.outer(np.hanning(side), np.hanning(side))
    return _Spectrum(window, ring, np.maximum(np.bincount(ring.ravel()), 1), judged)


def grain(picture: Picture, face: Face) -> float:
    """Finest detail of the face against the detail one octave coarser (logarithm); re-captured faces have lost it."""
    grey = np.asarray(cv2.cvtColor(around(picture, face, 1.0), cv2.COLOR_RGB2GRAY), np.uint8)
    small = averaged(grey, (FACE_SIDE, FACE_SIDE)).astype(np.float32)
    smooth = cv2.GaussianBlur(small, (0, 0), 1.0)
    fine, coarse = float((small - smooth).std()), float((smooth - cv2.GaussianBlur(small, (0, 0), 3.0)).std())
    return float(np.log((fine + 1e-3) / (coarse + 1e-3)))


def highlights(picture: Picture, face: Face) -> float:
    """Share of the face that shines at the sensor's limit (logarithm); paper and screens reach it less."""
    red, green, blue = cv2.split(around(picture, face, 1.0))
    brightest = cv2.max(cv2.max(red, green), blue)
    return float(np.log(float((brightest > BRIGHT).mean()) + 1e-3))


def glow(picture: Picture, face: Face) -> float:
    """How much lighter the face is than its surroundings, in L* of CIELAB; a screen lights itself, not its room."""
    own, room = _lightness(around(picture, face, 1.0)), _lightness(around(picture, face, ROOM))
    return float(own.mean() - median_of(room))


def _lightness(part: Picture) -> Grey:
    while min(part.shape[:2]) >= 4 * LIGHT_SIDE:
        part = halve(part)
    small = averaged(part, (LIGHT_SIDE, LIGHT_SIDE)).astype(np.float32) / 255
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2LAB)[..., 0], np.float32)
