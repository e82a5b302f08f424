"""What single pictures tell, measured on pictures made so that the answer is known."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
import skimage.data

from tests.support.antispoofing import a_network, bring_networks
from tests.support.faces import framed_still
from truename.rules.evidence import QualityReason
from truename.rules.liveness_signs import LivenessSign
from truename.vision import configuration, models
from truename.vision.captures import Frame, Picture, Step
from truename.vision.configuration import VisionConfiguration
from truename.vision.face.detect import detect_faces
from truename.vision.images import encode_jpeg
from truename.vision.liveness import passive
from truename.vision.liveness.border import framing
from truename.vision.liveness.frame_quality import measure_frame
from truename.vision.liveness.passive import Measured, measure, score_picture
from truename.vision.liveness.score import score_liveness
from truename.vision.liveness.texture import glow, grain, moire
from truename.vision.liveness.views import View, shows_another_person, view


def face_of(picture: Picture):
    return detect_faces(picture)[0]


def on_a_screen(picture: Picture) -> Picture:
    """Photographed from a screen: its pixels beat with the sensor's."""
    y, x = np.mgrid[: picture.shape[0], : picture.shape[1]]
    beat = 1 + 0.10 * np.sin(2 * np.pi * (x * 0.21 + y * 0.17)) + 0.10 * np.sin(2 * np.pi * (x * 0.19 - y * 0.2))
    return np.clip(cv2.GaussianBlur(picture, (0, 0), 0.8) * beat[..., None], 0, 255).astype(np.uint8)


def in_a_frame(picture: Picture) -> Picture:
    """A telephone that shows the picture, held before a dark room."""
    room = np.full_like(picture, 40)
    height, width = picture.shape[:2]
    small = cv2.resize(picture, None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA)
    top, left = (height - small.shape[0]) // 2, (width - small.shape[1]) // 2
    room[top - 14 : top + small.shape[0] + 14, left - 14 : left + small.shape[1] + 14] = 8
    room[top : top + small.shape[0], left : left + small.shape[1]] = small
    return room


def test_a_screens_beat_stands_out_of_the_spectrum():
    still = framed_still()
    assert moire(on_a_screen(still), face_of(still)) > moire(still, face_of(still)) + 0.5
    assert LivenessSign.MOIRE in score_picture(on_a_screen(still), face_of(still)).signs
    assert LivenessSign.MOIRE not in score_picture(still, face_of(still)).signs


def test_straight_edges_on_all_sides_are_a_frame():
    framed = in_a_frame(framed_still())
    judged = score_picture(framed, face_of(framed))
    assert framing(framed, face_of(framed)) > 3.5
    assert LivenessSign.BORDER in judged.signs
    assert judged.score < 0.85


def test_a_face_lit_by_itself_glows():
    framed = in_a_frame(framed_still())
    assert glow(framed, face_of(framed)) > glow(framed_still(), face_of(framed_still())) + 10


def test_a_picture_of_a_blurred_picture_has_lost_its_grain():
    still = framed_still(share=0.5)
    blurred = np.asarray(cv2.GaussianBlur(still, (0, 0), 6), np.uint8)
    assert grain(blurred, face_of(still)) < grain(still, face_of(still)) - 0.3
    assert score_picture(blurred, face_of(still)).score < score_picture(still, face_of(still)).score


def test_what_leaves_no_room_around_the_face_is_not_guessed():
    x, y, wide, tall = map(int, face_of(skimage.data.astronaut()).box)
    tight = np.ascontiguousarray(skimage.data.astronaut()[y : y + tall, x : x + wide])
    measured = measure(tight, face_of(tight))
    assert measured.border is None
    assert measured.glow is None


def test_a_still_selfie_rests_on_single_pictures_and_says_so():
    still = framed_still()
    evidence = score_liveness([Frame(encode_jpeg(still))], [still], ()).evidence
    assert evidence.score == evidence.passive_score
    assert evidence.challenge_score is None
    assert LivenessSign.NO_CHALLENGE in evidence.signs


def test_two_people_in_a_still_are_not_a_live_face():
    pair = np.ascontiguousarray(np.concatenate([framed_still(), framed_still()], axis=1))
    judgement = score_liveness([Frame(encode_jpeg(pair))], [pair], ())
    assert judgement.evidence.score == 0
    assert judgement.evidence.reason == "SEVERAL_FACES"
    assert judgement.best is None


def with_somebody_at_the_edge() -> Picture:
    """Two fifths of a second face: enough for the detector, nothing to the mesh network."""
    still = framed_still()
    left, _, wide, _ = face_of(still).box
    return np.ascontiguousarray(np.concatenate([still, still[:, : int(left + 0.4 * wide)]], axis=1))


def test_what_the_detector_alone_takes_for_a_face_in_one_frame_is_not_another_person():
    """Of some 600 drawn people one was refused for a fold of her coat, in one frame of 18."""
    alone, beside = view(framed_still()), view(with_somebody_at_the_edge())
    assert isinstance(alone, View)
    assert isinstance(beside, View)
    assert (alone.maybe_another, beside.maybe_another) == (False, True)
    assert not shows_another_person([alone, beside, alone])
    assert shows_another_person([alone, beside, beside]), "who stands at the edge does so in several frames"
    assert shows_another_person([beside]), "a still has one frame only"
    assert shows_another_person([alone, QualityReason.SEVERAL_FACES, alone]), "for sure, once"
    assert measure_frame(beside.picture).reasons == (QualityReason.SEVERAL_FACES,), "asked for again at once"


def told_by_the_network(chance: float) -> passive.PassiveScore:
    """A picture in which the classical signs see neither this nor that, and what the shipped network says of them."""
    measured = Measured(2.6, -0.6, 0.1, 3.0, 6.0, chance)
    return passive.PassiveScore(
        passive.score(measured), passive.score(measured, after_challenge=True), passive.signs(measured), measured
    )


def test_a_passed_challenge_lifts_doubtful_pictures_but_not_clear_attacks():
    doubtful, clear = told_by_the_network(0.4), told_by_the_network(0.002)
    assert doubtful.score < 0.85 <= doubtful.after_challenge
    assert clear.after_challenge < 0.85


# ── the shipped network ────────────────────────────────────────────────────────────────────────────────────


def on_a_phone(picture: Picture) -> Picture:
    """The picture small, soft and bluish, with a black rim around it, before a grey wall."""
    small = cv2.resize(
        picture, None, fx=420 / picture.shape[1], fy=420 / picture.shape[1], interpolation=cv2.INTER_AREA
    )
    lit = 255 * (small / 255) ** 0.8 * np.array([0.85, 0.95, 1.1]) + 25
    shown = np.asarray(np.clip(cv2.GaussianBlur(lit, (0, 0), 1.0), 0, 255), np.uint8)
    wall = np.full((shown.shape[0] + 480, 1200, 3), 70, np.uint8)
    wall[200:-200, 380:840] = 10
    wall[240:-240, 400:820] = shown
    return wall


def test_the_shipped_network_doubts_what_a_phone_shows_and_not_the_face_itself():
    still = framed_still()
    live, attack = (measure(one, face_of(one)).network for one in (still, on_a_phone(still)))
    assert live > 0.9
    assert attack / (1 - attack) < 0.1 * live / (1 - live)


def test_the_shipped_network_weighs_most_where_the_classical_signs_see_nothing():
    assert told_by_the_network(0.99).score >= 0.85
    assert told_by_the_network(0.05).score < 0.85
    assert LivenessSign.PASSIVE_NETWORK in told_by_the_network(0.05).signs
    assert told_by_the_network(0.3).signs == ()


def test_a_picture_and_its_mirror_image_say_the_same():
    still = framed_still()
    left, top, wide, tall = face_of(still).box
    mirrored = replace(face_of(still), box=(still.shape[1] - left - wide, top, wide, tall))
    assert measure(np.ascontiguousarray(still[:, ::-1]), mirrored).network == pytest.approx(
        measure(still, face_of(still)).network, abs=0.01
    )


# ── the operator's networks ────────────────────────────────────────────────────────────────────────────────


def test_the_operators_networks_judge_only_where_both_were_brought(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert not passive.both_were_brought()
    bring_networks(tmp_path, monkeypatch, 6.0)
    assert passive.both_were_brought()
    rows = (tmp_path / "models.toml").read_text().split("[[model]]")
    (tmp_path / "one.toml").write_text("[[model]]" + rows[1])
    monkeypatch.setattr(configuration, "_current", VisionConfiguration(models_file=tmp_path / "one.toml"))
    assert not passive.both_were_brought()
    assert measure(framed_still(), face_of(framed_still())).operators is None


@pytest.mark.parametrize(("logit", "accepted"), [(6.0, True), (-6.0, False)])
def test_an_operators_networks_join_in_with_their_own_calibration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logit: float, accepted: bool
):
    bring_networks(tmp_path, monkeypatch, logit)
    judged = score_picture(framed_still(), face_of(framed_still()))
    assert judged.measured.operators == pytest.approx(np.exp(logit) / (np.exp(logit) + 2), abs=1e-4)
    assert (judged.score >= 0.85) is accepted
    assert (LivenessSign.PASSIVE_NETWORK in judged.signs) is not accepted


def test_the_shipped_network_has_its_say_beside_an_operators(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """They refused four adults of ten in other people's close portraits, of whom the shipped one refuses one in 77."""
    still, doubtful = framed_still(), -1.0
    face = face_of(still)
    bring_networks(tmp_path, monkeypatch, doubtful)
    alone = score_picture(still, face)
    assert alone.measured.network > 0.9
    bring_networks(tmp_path, monkeypatch, doubtful, shipped=1.0)
    together = score_picture(still, face)
    assert together.measured == alone.measured
    assert alone.score < 0.85 < together.score
    assert LivenessSign.PASSIVE_NETWORK in alone.signs
    assert LivenessSign.PASSIVE_NETWORK not in together.signs


def test_a_calibration_that_lacks_the_section_of_its_networks_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    bring_networks(tmp_path, monkeypatch, 6.0)
    own = tmp_path / "own.toml"
    own.write_text(own.read_text().replace("[with_network]", "[as_shipped]"))
    with pytest.raises(models.ModelUnavailable, match=r"has no section \[with_network\]"):
        score_picture(framed_still(), face_of(framed_still()))


def test_networks_that_were_never_measured_are_refused_rather_than_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    bring_networks(tmp_path, monkeypatch, 6.0, calibration=False)
    with pytest.raises(models.ModelUnavailable, match="calibration"):
        score_picture(framed_still(), face_of(framed_still()))


def test_a_shipped_network_that_an_operator_replaced_needs_a_calibration_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    digest = a_network(tmp_path / "own.onnx", 6.0, side=128)
    (tmp_path / "models.toml").write_text(f'[[model]]\nname = "passive_face"\npath = "own.onnx"\nsha256 = "{digest}"')
    monkeypatch.setattr(configuration, "_current", VisionConfiguration(models_file=tmp_path / "models.toml"))
    with pytest.raises(models.ModelUnavailable, match="passive_face: these weights were never measured"):
        score_picture(framed_still(), face_of(framed_still()))


def test_a_network_whose_file_was_changed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    bring_networks(tmp_path, monkeypatch, 5.0)
    a_network(tmp_path / "passive_v2.onnx", 9.0)
    with pytest.raises(models.ModelUnavailable, match="sha256"):
        score_picture(framed_still(), face_of(framed_still()))


def test_networks_see_the_context_that_they_were_trained_with():
    """The crop is shifted, never shrunk, to stay inside the picture; and shrunk only when the picture is too small."""
    picture = np.zeros((200, 300, 3), np.uint8)
    picture[:, :150] = 255
    left = passive._crop(picture, (0.0, 80.0, 40.0, 40.0), passive.OPERATORS[0])
    assert left.shape == (80, 80, 3)
    assert left.min() == 255
    everything = passive._crop(picture, (100.0, 50.0, 100.0, 100.0), passive.OPERATORS[1])
    assert everything.max() == 255
    assert everything.min() == 0


def test_steps_and_signs_have_one_name_each():
    assert len({sign.value for sign in LivenessSign}) == len(LivenessSign)
    assert Step("TURN_LEFT") is Step.TURN_LEFT
