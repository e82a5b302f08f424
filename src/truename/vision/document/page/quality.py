"""Is the picture of the document good enough, and if not, what should the person do?"""

from dataclasses import dataclass
from typing import Final

import cv2
import cv2.typing
import numpy as np
from numpy.typing import NDArray

from truename.rules.authenticity_signs import LIMITS, AuthenticitySign
from truename.rules.evidence import Quality, QualityReason
from truename.vision.captures import Picture
from truename.vision.document.page.locate import Located, Page
from truename.vision.document.page.screen import hues_in_one_direction
from truename.vision.images import averaged, fitted, percentile_of_bytes

Grey = NDArray[np.uint8]

MEASURED_WIDTH: Final = 1000
"""All pages are brought to this width, so that sharpness means the same for every camera."""
BLURRED_BELOW: Final = 0.22
"""Scans of real documents measure 0.28 and more; the same blurred by 1.5 pixels at most 0.22."""
GLARE_FROM: Final = 0.012
"""Share of the page that is burnt out."""
DARK_BELOW: Final = 0.28
SMALLEST_SIDE: Final = 480
"""Pixels along the document's longer side: below, a character of the machine-readable zone is under 10 wide."""
COPY: Final = LIMITS[AuthenticitySign.PHOTOCOPY]
"""Chroma (CIELAB, for its brightness) of the most colourful twentieth of a page; real documents start at 8."""
SCREEN: Final = LIMITS[AuthenticitySign.SCREEN]
"""No scan, drawn print or specimen of 141 pictures reached it; three of four simulated screens do."""


WHITE: Final = 250
LEAST_PATCH: Final = 400
"""A patch of fewer pixels is no glare."""
_RING: Final = 10
"""Pixels around a burnt-out patch in which its glow is looked for."""


@dataclass(frozen=True)
class Measured:
    """Numbers of one page, before they are judged."""

    sharpness: float
    glare: float
    brightness: float
    chroma: float
    hues_in_one_direction: float | None
    """None where the page shows too little of itself."""

    @property
    def colour(self) -> float:
        """How colourful the page is, for its brightness."""
        return self.chroma / max(self.brightness, 0.1)


def measure_quality(
    picture: Picture, page: Page | None, expects_colour: bool = True, measured: Measured | None = None
) -> Quality:
    """What is wrong with this photo of a document, and its measurements; backs may well be printed in black alone.

    `measured`: the numbers of the page, where they are known already.
    """
    height, width = picture.shape[:2]
    if page is None:
        return Quality(reasons=(QualityReason.NO_DOCUMENT,), width=width, height=height)
    measured = measured or measure(picture, page)
    reasons = [reason for reason, holds in _findings(measured, page.located, (width, height)) if holds]
    if not expects_colour:
        reasons = [reason for reason in reasons if reason is not QualityReason.PHOTOCOPY]
    if QualityReason.TOO_SMALL in reasons:
        # Enlarged pixels look blurred, and bear no pattern of their own: coming closer is the one thing to do.
        unseen = (QualityReason.BLURRED, QualityReason.SCREEN)
        reasons = [reason for reason in reasons if reason not in unseen]
    return Quality(
        reasons=tuple(reasons),
        sharpness=round(measured.sharpness, 3),
        glare=round(measured.glare, 4),
        brightness=round(measured.brightness, 3),
        width=width,
        height=height,
    )


def measure(photo: Picture, located: Page) -> Measured:
    """Sharpness, burnt-out area, brightness and colour of a rectified page, and a screen's pattern in its photo."""
    page = located.picture
    whole = np.asarray(cv2.cvtColor(page, cv2.COLOR_RGB2GRAY), np.uint8)
    grey = _at_measured_width(whole)
    small = fitted(page, (max(1, grey.shape[1] // 4), max(1, grey.shape[0] // 4))).astype(np.float32) / 255
    lab = cv2.cvtColor(small, cv2.COLOR_RGB2LAB)
    chroma = np.hypot(lab[..., 1], lab[..., 2])
    return Measured(
        sharpness=_sharpness(grey),
        glare=_glare(page, whole, grey),
        brightness=percentile_of_bytes(grey[::4, ::4], 70) / 255,
        chroma=float(np.percentile(chroma, 95)),
        hues_in_one_direction=hues_in_one_direction(photo, located.located.quad),
    )


def _at_measured_width(page: Picture) -> Picture:
    """Averaged, not sampled: how steep edges are afterwards is what the limits were set by."""
    scale = MEASURED_WIDTH / max(page.shape[:2])
    size = round(page.shape[1] * scale), round(page.shape[0] * scale)
    return averaged(page, size) if scale < 1 else np.asarray(cv2.resize(page, size), np.uint8)


def _findings(measured: Measured, located: Located, size: tuple[int, int]) -> list[tuple[QualityReason, bool]]:
    return [
        (QualityReason.TOO_SMALL, is_too_small(located)),
        (QualityReason.CROPPED, _is_cropped(located, size)),
        (QualityReason.TOO_DARK, measured.brightness < DARK_BELOW),
        (QualityReason.BLURRED, measured.sharpness < BLURRED_BELOW),
        (QualityReason.GLARE, measured.glare >= GLARE_FROM),
        (QualityReason.SCREEN, _is_screen(measured)),
        (QualityReason.PHOTOCOPY, COPY.speaks(measured.colour)),
    ]


def _is_screen(measured: Measured) -> bool:
    return measured.hues_in_one_direction is not None and SCREEN.speaks(measured.hues_in_one_direction)


def _sharpness(grey: Grey) -> float:
    """How steep the steepest edges are, relative to the contrast around them: 0 for fog, 1 for crisp print."""
    smooth = cv2.GaussianBlur(grey, (0, 0), 0.8)
    laplacian = cv2.Laplacian(smooth, cv2.CV_16S)
    window = np.ones((9, 9), np.uint8)
    contrast = cv2.subtract(cv2.dilate(smooth, window), cv2.erode(smooth, window))
    # Only where there is something to be sharp: print and edges, the strongest tenth of local contrast.
    limit = max(12.0, percentile_of_bytes(contrast[::3, ::3], 85))
    where = np.flatnonzero(contrast >= limit)
    if len(where) < 200:
        return 0.0
    steep = np.abs(laplacian.ravel()[where]).astype(np.float32) / contrast.ravel()[where]
    ratio = float(np.percentile(steep, 90))
    return float(np.clip((ratio - 0.05) / 0.45, 0, 1))


def _glare(page: Picture, whole: Grey, grey: Grey) -> float:
    """Share of the page in burnt-out patches: white in every channel, printless, and brightening towards the middle.

    `whole` is the page without its colours, `grey` the same at the measured width.
    """
    usual = percentile_of_bytes(grey[::4, ::4], 50)
    if usual > 236:
        return 0.0  # a white page under even light: nothing stands out
    # What is white in every channel is white in grey, which is looked at in a tenth of the time.
    if cv2.countNonZero(cv2.inRange(whole, (WHITE,), (255,))) < LEAST_PATCH:
        return 0.0
    # Nor is there a patch where grey alone has none: means of grey and of colours may be rounded apart by a level.
    if not _patches(cv2.inRange(grey, (WHITE - 1,), (255,))).any():
        return 0.0
    if cv2.countNonZero(cv2.inRange(page, (WHITE,) * 3, (255,) * 3)) < LEAST_PATCH:
        return 0.0
    red, green, blue = cv2.split(_at_measured_width(page))
    white = (cv2.min(cv2.min(red, green), blue) >= WHITE).astype(np.uint8)
    burnt = _patches(white)
    if not burnt.any():
        return 0.0
    count, labels, stats, _ = cv2.connectedComponentsWithStats(burnt)
    total = 0
    for index in range(1, count):
        left, top, width, height, area = (int(value) for value in stats[index])
        if area <= LEAST_PATCH:
            continue
        near = (
            slice(max(0, top - _RING), top + height + _RING),
            slice(max(0, left - _RING), left + width + _RING),
        )
        if _glow(grey[near], labels[near] == index) > usual + 0.25 * (252 - usual):
            total += area
    return total / grey.size


def _patches(white: cv2.typing.MatLike) -> cv2.typing.MatLike:
    """What is white wherever nine pixels by nine are."""
    return cv2.morphologyEx(white, cv2.MORPH_OPEN, np.ones((9, 9), np.uint8))


def _glow(grey: Grey, patch: NDArray[np.bool_]) -> float:
    """Brightness just outside a patch: light fades away, printed white ends at an edge."""
    mask = patch.astype(np.uint8)
    ring = cv2.dilate(mask, np.ones((19, 19), np.uint8)) - cv2.dilate(mask, np.ones((11, 11), np.uint8))
    around = grey[ring > 0]
    return float(np.percentile(around, 60)) if around.size else 0.0


def is_too_small(located: Located) -> bool:
    """Has the page too few pixels to be read and judged?"""
    return float(np.linalg.norm(located.quad - np.roll(located.quad, -1, 0), axis=1).max()) < SMALLEST_SIDE


def _is_cropped(located: Located, size: tuple[int, int]) -> bool:
    """A corner beyond the picture's rim, or text that runs into it."""
    if located.text_cut:
        return True
    if located.method == "frame":
        return False
    width, height = size
    beyond = 0.012 * max(width, height)
    x, y = located.quad[:, 0], located.quad[:, 1]
    return bool((x < -beyond).any() or (y < -beyond).any() or (x > width + beyond).any() or (y > height + beyond).any())
