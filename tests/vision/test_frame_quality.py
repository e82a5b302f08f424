"""The quick look at an uploaded frame says at once what to do."""

import cv2
import numpy as np
import pytest

from tests.support.faces import framed_still
from truename.rules.evidence import QualityReason
from truename.vision.captures import Picture
from truename.vision.liveness.frame_quality import measure_frame


def dark(picture: Picture) -> Picture:
    return np.asarray(picture * 0.12, np.uint8)


def blurred(picture: Picture) -> Picture:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 6), np.uint8)


def far_away(picture: Picture) -> Picture:
    room = np.full_like(picture, 120)
    small = cv2.resize(picture, None, fx=0.3, fy=0.3, interpolation=cv2.INTER_AREA)
    room[100 : 100 + small.shape[0], 100 : 100 + small.shape[1]] = small
    return room


def cut_off(picture: Picture) -> Picture:
    return np.ascontiguousarray(picture[:, 225:])


def doubled(picture: Picture) -> Picture:
    return np.ascontiguousarray(np.concatenate([picture, picture], axis=1))


def empty(picture: Picture) -> Picture:
    return np.full_like(picture, 90)


def test_a_good_frame_is_usable():
    look = measure_frame(framed_still())
    assert look.usable
    assert look.reasons == ()


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (dark, QualityReason.TOO_DARK),
        (blurred, QualityReason.BLURRED),
        (far_away, QualityReason.FACE_TOO_SMALL),
        (cut_off, QualityReason.CROPPED),
        (doubled, QualityReason.SEVERAL_FACES),
        (empty, QualityReason.NO_FACE),
    ],
)
def test_a_bad_frame_says_what_is_wrong(spoil, reason: QualityReason):
    look = measure_frame(spoil(framed_still()))
    assert not look.usable
    assert reason in look.reasons
