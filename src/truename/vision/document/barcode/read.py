"""Read the PDF417 or QR code of a document, even in a tilted or soft photo.

A ladder, each rung only climbed when the one before it failed: the page as it is, then each patch that is dense with
upright strokes, levelled, enlarged and sharpened.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import cv2
import cv2.typing
import numpy as np
import zxingcpp
from numpy.typing import NDArray

from truename.vision.captures import Picture
from truename.vision.document.barcode import content as barcode_bytes
from truename.vision.images import shrink

Grey = NDArray[np.uint8]
Quad = NDArray[np.float32]

FORMATS: Final = zxingcpp.BarcodeFormats((zxingcpp.BarcodeFormat.PDF417, zxingcpp.BarcodeFormat.QRCode))
BLOB_SIDE: Final = 800
PATCHES: Final = 3
ENLARGED: Final = (2.0, 3.0)
WIDEST: Final = 3600


@dataclass(frozen=True)
class Barcode:
    """The bytes of one code, exactly as they were printed."""

    payload: bytes
    symbology: str
    rung: str
    """Which rung of the ladder read it: page, sharpened, levelled, enlarged."""


def read_barcode(page: Picture, persistent: bool = True, zone: Quad | None = None) -> Barcode | None:
    """The first code that can be read; None when there is none, or none that can be read.

    `persistent`: climb the whole ladder only where a code is likely, because searching costs time. `zone`: where a
    machine-readable zone was read with right check digits. Its lines are no code although they stand as dense, and
    beside it a code is a second witness: the patches are still tried, the costly rungs of the whole page are not.
    """
    grey = np.asarray(cv2.cvtColor(page, cv2.COLOR_RGB2GRAY) if page.ndim == 3 else page, np.uint8)
    if found := _read(grey, "page"):
        return found
    patches = list(_patches(grey, zone))
    if not persistent and not patches:
        return None
    for image, rung in _ladder(grey, patches, whole=zone is None):
        if found := _read(image, rung):
            return found
    return None


def _ladder(grey: Grey, patches: list[Grey], whole: bool) -> Iterator[tuple[Grey, str]]:
    for patch in patches:
        yield _framed(patch), "levelled"
        for factor in ENLARGED:
            if max(patch.shape) * factor <= WIDEST:
                large = _enlarged(patch, factor)
                yield _framed(large), "enlarged"
                yield _framed(_sharpened(large)), "enlarged"
                yield _framed(_binary(large)), "enlarged"
    if not whole:
        return
    yield _sharpened(grey), "sharpened"
    for factor in ENLARGED:
        if max(grey.shape) * factor <= WIDEST:
            large = _enlarged(grey, factor)
            yield _framed(_sharpened(large)), "enlarged"
            yield _framed(cv2.medianBlur(large, 3)), "enlarged"


def _read(image: Grey, rung: str) -> Barcode | None:
    mode = zxingcpp.TextMode.HexECI
    # No document prints its code in white on black: looking for one takes as long again.
    found = zxingcpp.read_barcodes(np.ascontiguousarray(image), formats=FORMATS, text_mode=mode, try_invert=False)
    valid = [code for code in found if code.valid and code.bytes]
    if not valid:
        return None
    first = valid[0]
    file = _file_id(first)
    parts = [code for code in valid if file and _file_id(code) == file] or [first]
    parts.sort(key=lambda code: (code.position.top_left.y // 40, code.position.top_left.x))
    symbology = "PDF417" if "PDF" in str(first.format) else "QR"
    return Barcode(barcode_bytes.join([code.text for code in parts]), symbology, rung)


def _file_id(code: zxingcpp.Barcode) -> str | None:
    """What symbols that continue one another have in common."""
    return code.extra.get("FileId") if isinstance(code.extra, dict) else None


def _patches(grey: Grey, zone: Quad | None = None) -> Iterator[Grey]:
    """Where strokes of one direction stand dense: the code, levelled by the rectangle that encloses it."""
    small = shrink(grey, BLOB_SIDE)
    scale = small.shape[1] / grey.shape[1]
    window = max(5, round(0.02 * max(small.shape)) | 1)
    upright, level = (
        cv2.blur(np.abs(cv2.Sobel(small, cv2.CV_32F, *way, ksize=3)), (window, window)) for way in ((1, 0), (0, 1))
    )
    candidates: list[tuple[float, Quad]] = []
    for dense in (upright, level, (upright + level) / 1.6):
        mask = (dense > max(60.0, 0.45 * float(dense.max()))).astype(np.uint8)
        mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((window, window), np.uint8)), np.uint8)
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            area = cv2.contourArea(contour)
            rectangle = cv2.minAreaRect(contour)
            if area > 0.008 * mask.size and area > 0.6 * rectangle[1][0] * rectangle[1][1]:
                candidates.append((area, _grown_quad(rectangle)))
    seen: list[Quad] = []
    for _, quad in sorted(candidates, key=lambda candidate: -candidate[0]):
        if len(seen) < PATCHES and all(np.linalg.norm(quad.mean(0) - other.mean(0)) > 20 for other in seen):
            seen.append(quad)
            if zone is not None and _within(quad / scale, zone):
                continue
            patch = _cut(grey, quad / scale)
            if _is_even(patch):
                yield patch


def _within(quad: Quad, zone: Quad) -> bool:
    """Does most of the patch lie in the zone?"""
    common = cv2.intersectConvexConvex(quad.astype(np.float32), zone.astype(np.float32))[0]
    return float(common) > 0.6 * cv2.contourArea(quad.astype(np.float32))


def _is_even(patch: Grey) -> bool:
    """Strokes everywhere: print has gaps between its lines, a portrait has calm parts, a code has neither."""
    small = np.asarray(cv2.resize(patch, (240, 96), interpolation=cv2.INTER_AREA), np.float32)
    strokes = np.abs(np.diff(small, axis=1))[10:-10, 16:-16]
    rows, columns = strokes.mean(1), cv2.blur(strokes.mean(0)[None], (9, 1))[0]
    mean = max(float(strokes.mean()), 1e-6)
    return mean > 6 and float(np.percentile(rows, 5)) > 0.45 * mean and float(np.percentile(columns, 5)) > 0.35 * mean


def _grown_quad(rectangle: cv2.typing.RotatedRect) -> Quad:
    (centre, (width, height), angle) = rectangle
    return cv2.boxPoints((centre, (width * 1.08 + 8, height * 1.08 + 8), angle)).astype(np.float32)


def _cut(grey: Grey, quad: Quad) -> Grey:
    """The patch lying on its longer side."""
    width, height = float(np.linalg.norm(quad[1] - quad[0])), float(np.linalg.norm(quad[2] - quad[1]))
    if width < height:
        quad, width, height = np.roll(quad, -1, 0), height, width
    size = (max(8, round(width)), max(8, round(height)))
    corners = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float32)
    matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), corners)
    flat = cv2.warpPerspective(grey, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, np.uint8)


def _enlarged(grey: Grey, factor: float) -> Grey:
    return np.asarray(cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC), np.uint8)


def _sharpened(grey: Grey) -> Grey:
    soft = cv2.GaussianBlur(grey, (0, 0), 2.0)
    return np.asarray(cv2.addWeighted(grey, 2.2, soft, -1.2, 0), np.uint8)


def _binary(grey: Grey) -> Grey:
    return np.asarray(cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)[1], np.uint8)


def _framed(grey: cv2.typing.MatLike) -> Grey:
    """Add the quiet zone that a tight cut took away."""
    return np.asarray(cv2.copyMakeBorder(grey, 24, 24, 24, 24, cv2.BORDER_CONSTANT, value=255), np.uint8)
