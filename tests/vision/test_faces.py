"""Faces are found, aligned, told apart and estimated; what cannot be seen is said."""

import cv2
import numpy as np
import pytest
import skimage.data
from hypothesis import given
from hypothesis import strategies as st

from truename.rules.evidence import FaceComparison, QualityReason, SelfieGender
from truename.rules.strangers import ANCHOR_SCORE
from truename.vision.captures import FaceTemplate, Picture, ReferenceFace
from truename.vision.configuration import FaceRecipe, VisionConfiguration, configured
from truename.vision.face import embed as embedding
from truename.vision.face.align import SFACE_POINTS, align, similarity
from truename.vision.face.attributes import estimate
from truename.vision.face.compare import Curve, compare, curve
from truename.vision.face.detect import detect_faces, find_single_face
from truename.vision.face.embed import aligned, cosine, embed, template_of, template_sha256
from truename.vision.face.mesh import mesh
from truename.vision.face.reference import find_reference_face, read_reference, template_of_reference
from truename.vision.images import encode_jpeg, shrink


@pytest.fixture(scope="module")
def astronaut() -> Picture:
    return skimage.data.astronaut()


@pytest.fixture(scope="module")
def strangers() -> list[Picture]:
    """Small grey faces of other people, enlarged until they can be found."""
    faces = (skimage.data.lfw_subset()[:12] * 255).astype(np.uint8)
    large = [cv2.resize(face, (250, 250), interpolation=cv2.INTER_CUBIC) for face in faces]
    return [np.pad(np.dstack([face] * 3), ((60, 60), (60, 60), (0, 0)), mode="edge").astype(np.uint8) for face in large]


def template(picture: Picture) -> FaceTemplate:
    return template_of(picture, detect_faces(picture)[0])


# ── finding ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_face_is_found_with_its_points_in_place(astronaut: Picture):
    (face,) = detect_faces(astronaut)
    right_eye, left_eye, nose, right_mouth, left_mouth = face.points
    assert right_eye[0] < nose[0] < left_eye[0]
    assert right_eye[1] < nose[1] < right_mouth[1]
    assert abs(right_mouth[1] - left_mouth[1]) < 10
    assert face.score > 0.9
    left, top, width, height = face.box
    assert all(left < x < left + width and top < y < top + height for x, y in face.points)


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_face_in_a_turned_photograph_is_found_in_the_photographs_own_pixels(astronaut: Picture, turns: int):
    upright = detect_faces(astronaut)[0]
    turned = detect_faces(np.ascontiguousarray(np.rot90(astronaut, turns)))[0]
    x, y = upright.points[2]
    size = astronaut.shape[0]
    expected = {1: (y, size - x), 2: (size - x, size - y), 3: (size - y, x)}[turns]
    assert np.abs(turned.points[2] - expected).max() < 3
    assert np.isclose(turned.eye_distance, upright.eye_distance, atol=2)


def test_a_picture_that_is_known_to_stand_upright_is_not_turned(astronaut: Picture):
    """A face that lies on its side in it, in a photograph that somebody holds, say, is not the one it is about."""
    lying = np.ascontiguousarray(np.rot90(astronaut))
    assert detect_faces(lying)[0].score > max((face.score for face in detect_faces(lying, is_upright=True)), default=0)
    assert detect_faces(astronaut, is_upright=True)[0].score == detect_faces(astronaut)[0].score


def test_a_large_photograph_is_searched_small_and_answered_in_its_own_pixels(astronaut: Picture):
    large = np.repeat(np.repeat(astronaut, 5, 0), 5, 1)
    assert np.abs(detect_faces(large)[0].points / 5 - detect_faces(astronaut)[0].points).mean() < 4


def test_no_face_is_said():
    sought = find_single_face(np.full((400, 300, 3), 128, np.uint8))
    assert sought.face is None
    assert sought.reasons == (QualityReason.NO_FACE,)
    assert find_single_face(skimage.data.coffee()).face is None


@pytest.mark.slow
def test_a_cat_is_nobodys_reference_and_a_person_is_whatever_the_picture():
    assert find_single_face(skimage.data.chelsea()).face is not None, "the detector alone takes it for a face"
    assert find_reference_face(skimage.data.chelsea()).reason is QualityReason.NO_FACE
    astronaut = skimage.data.astronaut()
    dark_and_soft = cv2.GaussianBlur((astronaut * 0.15).astype(np.uint8), (0, 0), 3)
    for picture in (astronaut, dark_and_soft, np.ascontiguousarray(np.rot90(astronaut))):
        assert find_reference_face(picture).usable


def test_several_faces_are_said_and_not_chosen_from(astronaut: Picture):
    sought = find_single_face(np.hstack([astronaut, astronaut]))
    assert sought.face is None
    assert sought.reasons == (QualityReason.SEVERAL_FACES,)
    assert len(sought.faces) == 2


def test_a_small_bystander_does_not_disturb(astronaut: Picture):
    scene = astronaut.copy()
    scene[:128, :128] = shrink(astronaut, 128)
    assert find_single_face(scene).face is not None


def test_a_tiny_face_is_said(astronaut: Picture):
    assert QualityReason.FACE_TOO_SMALL in find_single_face(shrink(astronaut, 140)).reasons


@pytest.mark.parametrize("shape", [(1, 1), (5, 900), (31, 33)])
def test_odd_sizes_are_no_faces(shape: tuple[int, int]):
    assert detect_faces(np.zeros((*shape, 3), np.uint8)) == []


# ── aligning ───────────────────────────────────────────────────────────────────────────────────────────────


def test_aligning_brings_the_points_to_their_places(astronaut: Picture):
    face = detect_faces(astronaut)[0]
    matrix = similarity(face.points, SFACE_POINTS)
    moved = face.points @ matrix[:, :2].T + matrix[:, 2]
    assert np.abs(moved - SFACE_POINTS).max() < 6
    assert align(astronaut, face.points).shape == (112, 112, 3)


@given(st.floats(-3.1, 3.1), st.floats(0.2, 4), st.floats(-50, 50), st.floats(-50, 50))
def test_a_turned_scaled_and_shifted_face_is_brought_back_exactly(angle: float, scale: float, x: float, y: float):
    turn = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    seen = (SFACE_POINTS @ turn.T + [x, y]).astype(np.float32)
    matrix = similarity(seen, SFACE_POINTS)
    assert np.allclose(seen @ matrix[:, :2].T + matrix[:, 2], SFACE_POINTS, atol=0.01)


def test_a_large_face_is_averaged_down_and_looks_like_the_small_one(astronaut: Picture):
    large = np.repeat(np.repeat(astronaut, 6, 0), 6, 1)
    face = detect_faces(astronaut)[0]
    small_crop, large_crop = align(astronaut, face.points), align(large, face.points * 6 + 2.5)
    assert np.abs(small_crop.astype(int) - large_crop).mean() < 4


# ── comparing ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_same_person_is_recognised_in_worse_pictures(astronaut: Picture):
    one = template(astronaut)
    rng = np.random.default_rng(3)
    noisy = np.clip(astronaut + rng.normal(0, 12, astronaut.shape), 0, 255).astype(np.uint8)
    for other in (astronaut[:, ::-1].copy(), shrink(astronaut, 260), noisy, np.rot90(astronaut).copy()):
        score = compare(one, template(other)).score
        assert score is not None
        assert score > 0.95


@pytest.mark.parametrize("people", [3, pytest.param(12, marks=pytest.mark.slow)])
def test_other_people_are_not_taken_for_the_same(astronaut: Picture, strangers: list[Picture], people: int):
    found = [(picture, detect_faces(picture)) for picture in strangers[:people]]
    templates = [template_of(picture, seen[0]) for picture, seen in found if seen]
    assert len(templates) >= 2 * people / 3
    one = template(astronaut)
    assert all((compare(one, other).score or 0.0) < ANCHOR_SCORE for other in templates)


def test_a_template_is_of_length_one_and_says_which_model_made_it(astronaut: Picture):
    one = template(astronaut)
    assert np.isclose(np.linalg.norm(one.vector), 1, atol=1e-5)
    assert len(one.model_sha256) == 64


def test_templates_of_different_models_are_never_compared(astronaut: Picture):
    one = template(astronaut)
    with pytest.raises(ValueError, match="different models"):
        cosine(one, FaceTemplate(one.vector, "0" * 64))


def test_a_missing_face_is_never_scored(astronaut: Picture):
    one = template(astronaut)
    for pair in ((None, one), (one, None), (None, None)):
        compared = compare(*pair)
        assert compared.score is None
        assert compared.reason == "NO_FACE"


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_a_more_alike_pair_never_scores_less(one: float, other: float):
    fitted = curve()
    low, high = sorted((one, other))
    assert 0 <= fitted.score(low) <= fitted.score(high) <= 1


def test_the_anchor_stands_where_the_calibration_says():
    fitted = curve()
    assert np.isclose(fitted.score(fitted.cosine_at(ANCHOR_SCORE)), ANCHOR_SCORE)
    assert 0.3 < fitted.cosine_at(ANCHOR_SCORE) < 0.6
    assert (fitted.score(-1), fitted.score(1)) == (0, 1)


@pytest.mark.parametrize(
    ("cosines", "scores"),
    [((0, 0), (0, 1)), ((0, 1), (1, 0)), ((0.0,), (0.0,)), ((0, 1), (0, 1.2)), ((0, 1, 2), (0, 1))],
)
def test_a_curve_that_does_not_rise_from_0_to_1_is_refused(cosines: tuple[float, ...], scores: tuple[float, ...]):
    with pytest.raises(ValueError):
        Curve(cosines, scores)


@pytest.mark.slow
def test_a_tinted_or_grey_portrait_still_shows_the_same_person(astronaut: Picture):
    one = template(astronaut)
    grey = np.repeat(astronaut.mean(2, keepdims=True), 3, 2)
    tints = {
        "grey": grey,
        "dark and flat": grey * 0.25 + 20,
        "red": astronaut * [0.9, 0.35, 0.35] + [25, 0, 0],
        "blue print": grey * [0.6, 0.75, 0.95],
    }
    for name, picture in tints.items():
        other = np.clip(picture, 0, 255).astype(np.uint8)
        crop = aligned(other, detect_faces(other)[0], mesh(other, detect_faces(other)[0]))
        assert not embedding._has_natural_colours(crop), name
        assert (compare(one, template(other)).score or 0.0) > 0.95, name


@pytest.mark.slow
def test_without_the_second_network_sface_judges_alone_with_its_own_curve(astronaut: Picture, strangers: list[Picture]):
    both, made_by_both = template(astronaut), template_sha256()
    with configured(VisionConfiguration(face_recipe=FaceRecipe.SFACE)):
        _sface_alone_tells_people_apart(astronaut, strangers, both, made_by_both)


def _sface_alone_tells_people_apart(
    astronaut: Picture, strangers: list[Picture], both: FaceTemplate, made_by_both: str
):
    alone = template(astronaut)
    assert len(alone.vector) == 128
    assert alone.model_sha256 != made_by_both
    with pytest.raises(ValueError, match="different models"):
        cosine(alone, both)
    assert compare(alone, both) == FaceComparison(score=None, reason="OTHER_FACE_MODEL")
    assert (compare(alone, template(shrink(astronaut, 260))).score or 0.0) > 0.95
    others = [template(picture) for picture in strangers if detect_faces(picture)]
    assert all((compare(alone, other).score or 0.0) < ANCHOR_SCORE for other in others)


def test_an_embedding_has_length_one_whatever_is_shown():
    for level in (0, 128, 255):
        assert np.isclose(np.linalg.norm(embed(np.full((112, 112, 3), level, np.uint8))), 1, atol=1e-4)


# ── the reference ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_reference_picture_is_usable_or_says_why_not(astronaut: Picture):
    assert read_reference(encode_jpeg(astronaut)).usable
    for picture, reason in [
        (np.zeros((200, 200, 3), np.uint8), QualityReason.NO_FACE),
        (np.hstack([astronaut, astronaut]), QualityReason.SEVERAL_FACES),
        (shrink(astronaut, 140), QualityReason.FACE_TOO_SMALL),
    ]:
        reading = read_reference(encode_jpeg(picture))
        assert not reading.usable
        assert reading.reason is reason
    assert read_reference(b"no picture").reason is QualityReason.UNREADABLE


def test_a_template_of_another_model_is_made_anew_from_the_picture(astronaut: Picture):
    ours = template(astronaut)
    foreign = FaceTemplate((1.0, 0.0), "0" * 64)
    assert template_of_reference(ReferenceFace(template=ours)) is ours
    kept = template_of_reference(ReferenceFace(template=foreign))
    assert compare(ours, kept) == FaceComparison(score=None, reason="OTHER_FACE_MODEL")
    anew = template_of_reference(ReferenceFace(image=encode_jpeg(astronaut, 98), template=foreign))
    assert anew is not None
    assert cosine(anew, ours) > 0.98


# ── mesh, pose, attributes ─────────────────────────────────────────────────────────────────────────────────


def test_the_mesh_lies_on_the_face(astronaut: Picture):
    face = detect_faces(astronaut)[0]
    found = mesh(astronaut, face)
    assert found.points.shape == (478, 3)
    assert found.presence > 0.99
    assert np.linalg.norm(found.points[468:473, :2].mean(0) - face.points[0]) < 5  # iris of the right eye
    assert np.linalg.norm(found.points[473:478, :2].mean(0) - face.points[1]) < 5
    assert found.points[4, 2] < found.points[234, 2]  # the nose is nearer than the ear


def test_pose_is_told_in_the_persons_own_left_and_right(astronaut: Picture):
    def pose(picture: Picture) -> tuple[float, float, float]:
        found = mesh(picture, detect_faces(picture)[0]).pose
        return found.yaw, found.pitch, found.roll

    import cv2

    straight = pose(astronaut)
    assert abs(straight[0]) < 10
    for angle in (-20, 20):
        matrix = cv2.getRotationMatrix2D((225, 120), angle, 1)
        tilted = np.asarray(cv2.warpAffine(astronaut, matrix, (512, 512)), np.uint8)
        # OpenCV turns counter-clockwise: the head then leans to the left of the picture, the person's right shoulder.
        assert abs(pose(tilted)[2] - straight[2] + angle) < 4
        assert abs(pose(tilted)[0] - straight[0]) < 5
    assert abs(abs(pose(np.rot90(astronaut).copy())[2]) - 90) < 8


def test_age_and_gender_are_estimates_with_a_margin(astronaut: Picture):
    seen = estimate(astronaut, mesh(astronaut, detect_faces(astronaut)[0]))
    assert 25 < seen.age < 55
    assert 3 < seen.age_margin < 10
    assert seen.gender is SelfieGender.FEMALE
    assert seen.gender_confidence > 0.5
