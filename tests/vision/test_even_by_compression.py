"""A photograph that was strongly compressed is even in blocks, and was seen by a camera all the same."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from truename.rules.authenticity_signs import LIMITS, AuthenticitySign
from truename.vision.captures import Picture
from truename.vision.document.authenticity.pixels import even_share, is_even_by_blocks

LIMIT = LIMITS[AuthenticitySign.NO_CAMERA_NOISE]
QUAD = np.array([[43, 61], [860, 70], [850, 590], [30, 580]], np.float32)


def a_plain_page() -> NDArray[np.float64]:
    """As a program makes it: print upon one colour."""
    page = np.full((640, 900, 3), 205, np.uint8)
    for y in range(100, 600, 60):
        cv2.putText(page, "SPECIMEN 12345", (80, y), cv2.FONT_HERSHEY_SIMPLEX, 1, (30, 30, 30), 2)
    return page.astype(np.float64)


def with_a_pattern(page: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fine waves, as documents are printed upon."""
    y, x = np.mgrid[: page.shape[0], : page.shape[1]]
    return page - 5 * (np.sin((y + 3 * np.sin(x / 40)) * 2 * np.pi / 13) > 0.7)[..., None]


def seen_by_a_camera(page: NDArray[np.float64]) -> NDArray[np.float64]:
    random = np.random.default_rng(3)
    light = (
        np.linspace(0.93, 1.04, page.shape[1])[None, :, None] * np.linspace(0.97, 1.02, page.shape[0])[:, None, None]
    )
    return cv2.GaussianBlur(page, (0, 0), 0.8) * light + random.normal(0, 3, page.shape)


def saved(picture: NDArray[np.float64], quality: int) -> Picture:
    data = cv2.imencode(".jpg", np.clip(picture, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


@pytest.mark.parametrize("quality", [20, 30, 60])
def test_what_compression_has_made_even_ends_at_its_blocks(quality: int) -> None:
    """An honest licence, sent at quality 30 as messengers do, was accused: a third of it was even."""
    photo = saved(seen_by_a_camera(with_a_pattern(a_plain_page())), quality)
    assert is_even_by_blocks(photo, QUAD)
    if quality <= 30:
        assert LIMIT.speaks(even_share(photo[61:590, 30:860]))


@pytest.mark.parametrize("quality", [10, 30, 60, 95])
def test_what_a_program_has_made_even_goes_on_across_them(quality: int) -> None:
    page = saved(a_plain_page(), quality)
    assert not is_even_by_blocks(page, QUAD)
    assert LIMIT.speaks(even_share(page))


def test_what_was_never_compressed_has_no_blocks() -> None:
    page = a_plain_page().astype(np.uint8)
    assert not is_even_by_blocks(page, QUAD)
    assert not is_even_by_blocks(page[:12, :12], (QUAD / 80).astype(np.float32))
