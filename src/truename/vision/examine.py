"""The whole look at one transaction: captures in, evidence out."""

from dataclasses import dataclass
from datetime import date

from truename.rules.authenticity_signs import AuthenticitySign
from truename.rules.evidence import (
    DocumentEvidence,
    Evidence,
    FaceComparison,
    FacePair,
    LivenessEvidence,
    ModelUsed,
    Quality,
    QualityReason,
    SelfieEstimate,
    SideEvidence,
)
from truename.vision import runtime
from truename.vision.captures import Captures, Decode, Examination, FaceTemplate, Frame, Picture, ReferenceFace
from truename.vision.decoding.header import ImageRefused
from truename.vision.decoding.pixels import decode as decode_here
from truename.vision.document.layouts.load import digest_of_own
from truename.vision.document.read import read_document
from truename.vision.face.attributes import estimate
from truename.vision.face.compare import compare
from truename.vision.face.detect import detect_faces
from truename.vision.face.embed import template_of
from truename.vision.face.reference import template_of_reference
from truename.vision.images import encode_jpeg
from truename.vision.liveness.score import score_liveness

UNREADABLE = SideEvidence(quality=Quality(reasons=(QualityReason.UNREADABLE,)))


def examine(
    captures: Captures, reference: ReferenceFace | None = None, *, today: date, decode: Decode = decode_here
) -> Examination:
    """Look at everything that was captured, and say what was seen. `today` is the day of the capture.

    `decode` makes pixels of a file; whoever examines what strangers sent gives one that works in another process.
    """
    with runtime.models_used() as used:
        document = _document(captures, today, decode) if captures.wants_document else None
        live = _live(captures, decode) if captures.wants_liveness else None
        pairs: dict[FacePair, FaceComparison] = {}
        if live and captures.compares_faces:
            known = template_of_reference(reference, decode) if reference else None
            if document:
                pairs[FacePair.DOCUMENT_AND_LIVENESS] = compare(document.template, live.template)
            if reference:
                pairs[FacePair.LIVENESS_AND_REFERENCE] = compare(live.template, known)
            if document and reference:
                pairs[FacePair.DOCUMENT_AND_REFERENCE] = compare(document.template, known)

        evidence = Evidence(
            document=document.evidence if document else None,
            liveness=live.evidence if live else None,
            face_similarity=pairs,
            selfie=live.estimate if live else None,
            engine=tuple(used[name] for name in sorted(used)),
        )
    return Examination(
        evidence=evidence,
        document_template=document.template if document else None,
        liveness_template=live.template if live else None,
        portrait=_encoded(document.portrait) if document else None,
        document_front_rectified=_encoded(document.rectified) if document else None,
        liveness_face=_encoded(live.best) if live else None,
    )


# ── the document ───────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Document:
    evidence: DocumentEvidence
    portrait: Picture | None
    rectified: Picture | None
    template: FaceTemplate | None


def _document(captures: Captures, today: date, decode: Decode) -> _Document:
    front, back = _decoded(captures.document_front, decode), _decoded(captures.document_back, decode)
    reading = read_document(front, back, today)
    evidence = reading.evidence
    if digest := digest_of_own(evidence.country):
        runtime.note_used(ModelUsed(name=f"layouts/{evidence.country}", version="own", sha256=digest))
    unreadable = {
        side: UNREADABLE
        for side, sent, picture in [
            ("front", captures.document_front, front),
            ("back", captures.document_back, back),
        ]
        if sent is not None and picture is None
    }
    if unreadable:
        reason = evidence.reason if evidence.recognised else QualityReason.UNREADABLE.value
        evidence = evidence.model_copy(update={**unreadable, "reason": reason})
    # A document alone is compared with nothing: its consent names no face, so that none is embedded.
    compared = captures.compares_faces and captures.wants_liveness
    template = _portrait_template(reading.portrait) if compared else None
    if compared and reading.second_portrait is not None:
        # The second portrait tells whether the first was swapped. It is too small to make the template better.
        alike = compare(template, _portrait_template(reading.second_portrait)).score
        if alike is not None:
            signs = {**(evidence.authenticity or {}), AuthenticitySign.SECOND_PORTRAIT: round(alike, 3)}
            evidence = evidence.model_copy(update={"authenticity": signs})
    return _Document(evidence, reading.portrait, reading.front_rectified, template)


def _portrait_template(portrait: Picture | None) -> FaceTemplate | None:
    # The largest face counts: many documents repeat the portrait as a small ghost image.
    faces = detect_faces(portrait) if portrait is not None else []
    return template_of(portrait, faces[0]) if portrait is not None and faces else None


# ── the live face ──────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Live:
    evidence: LivenessEvidence
    best: Picture | None = None
    template: FaceTemplate | None = None
    estimate: SelfieEstimate | None = None


def _live(captures: Captures, decode: Decode) -> _Live:
    seen = [(frame, picture) for frame in captures.frames if (picture := _decoded(frame.image, decode)) is not None]
    if captures.frames and not seen:
        reason = QualityReason.UNREADABLE
        return _Live(LivenessEvidence(score=0.0, reason=reason.value, quality=Quality(reasons=(reason,))))
    frames: list[Frame] = [frame for frame, _ in seen]
    judgement = score_liveness(frames, [picture for _, picture in seen], captures.challenge)
    best = judgement.view
    if best is None:
        return _Live(judgement.evidence)
    template = judgement.template() if captures.compares_faces else None
    return _Live(judgement.evidence, best.picture, template, estimate(best.picture, best.mesh))


def _encoded(picture: Picture | None) -> bytes | None:
    return None if picture is None else encode_jpeg(picture)


def _decoded(data: bytes | None, decode: Decode) -> Picture | None:
    """The picture, or nothing when it was not sent or cannot be decoded (which the evidence then says)."""
    if data is None:
        return None
    try:
        return decode(data)
    except ImageRefused:
        return None
