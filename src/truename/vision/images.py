"""Pictures as pixels: made smaller, and encoded for keeping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

import cv2
import cv2.typing
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from truename.vision.captures import Picture

Float = TypeVar("Float", np.float32, np.float64)

BAND: Final = 128
"""Rows that are worked on at a time, where a second copy of the whole would double the memory."""


@dataclass(frozen=True)
class CleanImage:
    """A re-encoded copy: an upright JPEG with no metadata."""

    data: bytes
    width: int
    height: int


def clean(picture: Picture, quality: int = 92) -> CleanImage:
    """Make the copy that is safe to keep."""
    height, width = picture.shape[:2]
    return CleanImage(encode_jpeg(picture, quality), width, height)


def encode_jpeg(picture: Picture, quality: int = 92) -> bytes:
    """Encode RGB pixels as a JPEG without metadata.

    Raises MemoryError.
    """
    try:
        return _encoded(cv2.cvtColor(picture, cv2.COLOR_RGB2BGR), quality)
    except cv2.error as fault:
        raise MemoryError from fault


def encode_jpeg_in_place(picture: Picture, quality: int = 92) -> bytes:
    """The same bytes with half of the memory, for a picture that nobody needs afterwards: its colours are swapped.

    Raises MemoryError.
    """
    for top in range(0, picture.shape[0], BAND):
        band = picture[top : top + BAND]
        band[...] = band[..., ::-1].copy()
    try:
        return _encoded(picture, quality)
    except cv2.error as fault:
        raise MemoryError from fault


def _encoded(blue_green_red: cv2.typing.MatLike, quality: int) -> bytes:
    return cv2.imencode(".jpg", blue_green_red, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()


def shrink(picture: Picture, largest_side: int) -> Picture:
    """Scale down, never up, so that no side is longer than asked."""
    height, width = picture.shape[:2]
    scale = largest_side / max(height, width)
    if scale >= 1:
        return picture
    return fitted(picture, (max(1, round(width * scale)), max(1, round(height * scale))))


def fitted(picture: Picture, size: tuple[int, int], exactly: bool = False) -> Picture:
    """The picture at this width and height: halved as often as that can be done, then averaged or enlarged.

    Averaging a large picture by an odd factor at once takes several times as long. To sample what is left between its
    pixels would be quicker still, but networks see small letters break up then: of 58 documents one was turned wrongly.

    `exactly`: to the last level, for what places an outline: one that is rounded the other way (`averaged`) can move
    it by a third of a pixel.
    """
    width, height = size
    while picture.shape[1] >= 2 * width and picture.shape[0] >= 2 * height:
        picture = halve(picture)
    if picture.shape[1::-1] == size:
        return picture
    if picture.shape[1] > width or picture.shape[0] > height:
        if not exactly:
            return averaged(picture, size)
        return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def averaged(picture: Picture, size: tuple[int, int]) -> Picture:
    """The picture at a smaller width and height, each pixel the mean of what it covers, whole pixels or parts of them.

    By Intel's library, where OpenCV has it, in a sixth to a half of the time. OpenCV calls it inexact because of means
    that lie in the middle of two levels: of those some are rounded the other way.
    """
    cv2.ipp.setUseIPP_NotExact(True)  # of this thread alone
    try:
        return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    finally:
        cv2.ipp.setUseIPP_NotExact(False)


def halve(picture: Picture) -> Picture:
    """Each two by two pixels as one; an odd last row or column is left out, because half pixels cost eight times."""
    half = picture.shape[1] // 2, picture.shape[0] // 2
    even = picture[: 2 * half[1], : 2 * half[0]]
    return np.asarray(cv2.resize(even, half, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def median_of(values: cv2.typing.MatLike) -> float:
    """What `np.median` says of floats: to sort all of them, many at a time, is quicker than to look for the middle."""
    ordered, half = np.sort(values, axis=None), values.size // 2
    return float(ordered[half] if values.size % 2 else (ordered[half - 1] + ordered[half]) / 2)


def strengths_of_waves(values: NDArray[Float]) -> NDArray[Float]:
    """What `np.abs(np.fft.rfft2(values))` says of an even number of rows and of columns, in a quarter of the time.

    OpenCV packs what it works out: real and imaginary parts stand side by side, in the first and last column one below
    the other, because the waves there are mirrored in themselves.
    """
    rows, columns = values.shape
    packed, half = cv2.dft(values), np.empty((rows, columns // 2 + 1), values.dtype)
    half[:, 1:-1] = cv2.magnitude(np.ascontiguousarray(packed[:, 1:-1:2]), np.ascontiguousarray(packed[:, 2:-1:2]))
    for column, edge in ((0, packed[:, 0]), (-1, packed[:, -1])):
        own = np.abs(edge[[0, -1]])
        between = np.hypot(edge[1:-1:2], edge[2:-1:2])
        half[:, column] = np.concatenate((own[:1], between, own[1:], between[::-1]))
    return half


def percentile_of_bytes(values: cv2.typing.MatLike, percent: float) -> float:
    """What `np.percentile` says of bytes, by counting them: sorting a page's million takes ten times as long."""
    return percentiles_of_bytes(values, percent)[0]


def percentiles_of_bytes(values: cv2.typing.MatLike, *percents: float) -> list[float]:
    """The same of several percents, in their order; the bytes are counted once."""
    below = np.cumsum(cv2.calcHist([values], [0], None, [256], [0, 256])[:, 0].astype(np.int64))
    return [_percentile(below, percent) for percent in percents]


def _percentile(below: NDArray[np.int64], percent: float) -> float:
    """The same, where it is known how many bytes are up to each value."""
    place = percent / 100 * (int(below[-1]) - 1)
    low, high = (int(np.searchsorted(below, np.floor(place) + more, side="right")) for more in (0, 1))
    return low + (min(high, 255) - low) * (place - float(np.floor(place)))
