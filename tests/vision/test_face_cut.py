"""A face cut out for the eye: the same two points for the eyes, whatever the size, the tilt and the place."""

import cv2
import numpy as np
import pytest

from tests.support.faces import framed_still
from truename.vision.face.cut import EYES, HEIGHT, WIDTH, cut_face, cut_jpeg, eyes_of
from truename.vision.face.detect import detect_faces
from truename.vision.images import encode_jpeg


def turned(picture, degrees, scale, shift):
    height, width = picture.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, scale)
    matrix[:, 2] += shift
    return np.asarray(cv2.warpAffine(picture, matrix, (width, height), borderValue=(90, 90, 90)), np.uint8)


@pytest.mark.parametrize(("degrees", "scale", "shift"), [(0, 1, (0, 0)), (18, 0.7, (30, -20)), (-25, 0.5, (-60, 40))])
def test_the_eyes_lie_on_the_same_two_points(degrees, scale, shift):
    cut = cut_face(turned(framed_still(), degrees, scale, shift))
    assert cut is not None
    assert cut.shape == (HEIGHT, WIDTH, 3)
    (face, *_) = detect_faces(cut)
    assert np.abs(eyes_of(cut, face) - EYES).max() < 4, "to within what the mesh itself is sure of"


def test_a_picture_without_a_face_is_shown_as_it_is():
    empty = encode_jpeg(np.full((200, 300, 3), 128, np.uint8))
    assert cut_jpeg(empty) == empty
