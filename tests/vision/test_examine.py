"""One look at a whole transaction: everything that was called for stands in the evidence, and nothing else."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
import skimage.data

from tests.support.faces import CHALLENGE, a_live_sequence
from truename.rules.evidence import FacePair, FieldName, QualityReason, SelfieGender
from truename.sandbox.drawing.documents import passport
from truename.sandbox.drawing.photography import photograph
from truename.vision import models
from truename.vision.captures import Captures, Examination, Frame, ReferenceFace
from truename.vision.decoding.pixels import decode
from truename.vision.examine import examine
from truename.vision.face.embed import is_ours
from truename.vision.images import encode_jpeg

TODAY = date(2026, 11, 15)
NO_PICTURE = encode_jpeg(np.full((400, 600, 3), 90, np.uint8))


@pytest.fixture(scope="module")
def captures() -> Captures:
    """A passport of somebody who does not exist, with the astronaut's portrait, and the astronaut before the camera."""
    page, _ = photograph(passport().front, seed=2, rotation=3, background="wood", size=(1600, 1200))
    return Captures(document_front=encode_jpeg(page), frames=a_live_sequence(), challenge=CHALLENGE)


@pytest.fixture(scope="module")
def examination(captures: Captures) -> Examination:
    return examine(captures, ReferenceFace(image=encode_jpeg(skimage.data.astronaut())), today=TODAY)


@pytest.mark.slow
def test_document_face_and_reference_are_seen_in_one_look(examination: Examination):
    evidence = examination.evidence
    assert evidence.document is not None
    assert evidence.document.recognised
    assert evidence.document.country == "DE"
    assert evidence.document.value(FieldName.SURNAMES) == "MUSTERMANN"
    assert evidence.liveness is not None
    assert evidence.liveness.score >= 0.85
    assert set(evidence.face_similarity) == set(FacePair)
    assert all((compared.score or 0.0) >= 0.85 for compared in evidence.face_similarity.values())
    assert evidence.selfie is not None
    assert evidence.selfie.gender is SelfieGender.FEMALE
    assert evidence.device.compromised is None


def test_the_evidence_names_every_model_that_took_part(examination: Examination):
    engine = {used.name: used for used in examination.evidence.engine}
    assert {"yunet", "sface", "face_landmarker", "age", "gender", "text_detector"} <= set(engine)
    assert all(used.sha256 == models.model(name).sha256 for name, used in engine.items())


def test_templates_and_pictures_are_handed_over_to_be_kept(examination: Examination):
    for template in (examination.document_template, examination.liveness_template):
        assert template is not None
        assert is_ours(template)
    for data in (examination.portrait, examination.document_front_rectified, examination.liveness_face):
        assert data is not None
        assert min(decode(data).shape[:2]) > 50


def test_evidence_survives_being_stored(examination: Examination):
    evidence = examination.evidence
    assert type(evidence).model_validate_json(evidence.model_dump_json()) == evidence


def test_what_was_not_called_for_is_not_there(captures: Captures):
    evidence = examine(
        replace(captures, wants_document=False, document_front=None, frames=captures.frames[:1]), today=TODAY
    ).evidence
    assert evidence.document is None
    assert evidence.face_similarity == {}
    assert evidence.liveness is not None


def test_where_no_face_may_be_compared_none_is_embedded(captures: Captures):
    few = replace(captures, frames=captures.frames[:1], compares_faces=False)
    seen = examine(few, ReferenceFace(image=encode_jpeg(skimage.data.astronaut())), today=TODAY)
    assert seen.evidence.face_similarity == {}
    assert seen.document_template is seen.liveness_template is None


def test_a_document_alone_leaves_no_face_template(captures: Captures):
    alone = replace(captures, frames=(), challenge=(), wants_liveness=False)
    seen = examine(alone, ReferenceFace(image=encode_jpeg(skimage.data.astronaut())), today=TODAY)
    assert seen.evidence.face_similarity == {}
    assert seen.document_template is None
    assert seen.portrait is not None


def test_a_missing_face_fails_its_comparisons_and_is_never_left_out(captures: Captures):
    faceless = replace(captures, frames=(Frame(NO_PICTURE),), challenge=())
    evidence = examine(faceless, ReferenceFace(), today=TODAY).evidence
    assert set(evidence.face_similarity) == set(FacePair)
    for compared in evidence.face_similarity.values():
        assert compared.score is None
        assert compared.reason == "NO_FACE"
    assert evidence.liveness is not None
    assert evidence.liveness.score == 0
    assert evidence.selfie is None


@pytest.mark.slow
def test_a_selfie_that_was_called_for_but_not_sent_is_no_live_face(captures: Captures):
    evidence = examine(replace(captures, frames=(), challenge=()), today=TODAY).evidence
    assert evidence.liveness is not None
    assert evidence.liveness.score == 0
    assert evidence.face_similarity[FacePair.DOCUMENT_AND_LIVENESS].reason == "NO_FACE"


@pytest.mark.parametrize("data", [b"", b"no picture", b"\xff\xd8\xff\xe0junk"])
def test_an_undecodable_capture_is_evidence_and_no_crash(data: bytes):
    broken = Captures(document_front=data, frames=(Frame(data), Frame(data)), challenge=CHALLENGE)
    evidence = examine(broken, today=TODAY).evidence
    assert evidence.document is not None
    assert not evidence.document.recognised
    assert evidence.document.reason == "UNREADABLE"
    assert evidence.document.front is not None
    assert evidence.document.front.quality.reasons == (QualityReason.UNREADABLE,)
    assert evidence.liveness is not None
    assert evidence.liveness.score == 0
    assert evidence.liveness.reason == "UNREADABLE"
