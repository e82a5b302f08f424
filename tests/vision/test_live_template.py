"""Several pictures of one person make one template, and never one that resembles two people."""

import numpy as np
import pytest
import skimage.data

from truename.rules.strangers import ANCHOR_SCORE
from truename.vision.captures import FaceTemplate, Frame, Picture
from truename.vision.face.compare import compare
from truename.vision.face.detect import detect_faces
from truename.vision.face.embed import cosine, mean_template, template_of
from truename.vision.images import shrink
from truename.vision.liveness.score import score_liveness


@pytest.fixture(scope="module")
def astronaut() -> Picture:
    return skimage.data.astronaut()


@pytest.fixture(scope="module")
def stranger() -> Picture:
    import cv2

    face = (skimage.data.lfw_subset()[1] * 255).astype(np.uint8)
    large = np.dstack([cv2.resize(face, (250, 250), interpolation=cv2.INTER_CUBIC)] * 3)
    return np.pad(large, ((60, 60), (60, 60), (0, 0)), mode="edge").astype(np.uint8)


def template(picture: Picture) -> FaceTemplate:
    return template_of(picture, detect_faces(picture)[0])


def test_the_mean_of_several_pictures_keeps_each_networks_share(astronaut: Picture):
    one = template(astronaut)
    other = template(np.clip(astronaut * 0.6 + 20, 0, 255).astype(np.uint8))
    both = mean_template([one, other])
    assert both.model_sha256 == one.model_sha256
    for part in (slice(0, 128), slice(128, None)):
        assert np.linalg.norm(both.vector[part]) == pytest.approx(np.linalg.norm(one.vector[part]), abs=1e-5)
    assert min(cosine(both, one), cosine(both, other)) > cosine(one, other)
    assert np.allclose(mean_template([one]).vector, one.vector, atol=1e-6)


def test_a_mean_of_nothing_or_of_two_recipes_is_refused(astronaut: Picture):
    with pytest.raises(ValueError, match="one recipe"):
        mean_template([])
    one = template(astronaut)
    with pytest.raises(ValueError, match="one recipe"):
        mean_template([one, FaceTemplate(one.vector, "other")])


def test_the_live_template_is_made_of_several_frames_of_one_person(astronaut: Picture):
    pictures = [astronaut, np.clip(astronaut * 0.8 + 10, 0, 255).astype(np.uint8), shrink(astronaut, 420)]
    judged = score_liveness([Frame(b"", at_ms=at) for at in range(3)], pictures)
    live = judged.template()
    assert live is not None
    assert judged.view is not None
    assert not np.allclose(live.vector, judged.view.template.vector, atol=1e-4)
    assert cosine(live, judged.view.template) > 0.95


@pytest.mark.slow
def test_frames_of_two_people_never_make_a_template_that_resembles_both(astronaut: Picture, stranger: Picture):
    judged = score_liveness([Frame(b"", at_ms=at) for at in range(4)], [astronaut, stranger, astronaut, stranger])
    live = judged.template()
    passes = [(compare(live, template(person)).score or 0.0) >= ANCHOR_SCORE for person in (astronaut, stranger)]
    assert sorted(passes) == [False, True]


def test_without_a_face_there_is_no_live_template():
    wall = np.full((200, 200, 3), 128, np.uint8)
    assert score_liveness([Frame(b"")], [wall]).template() is None
