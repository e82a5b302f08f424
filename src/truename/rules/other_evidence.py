"""What would have had to be seen to spare one rejection: a higher score, a valid document, a device without the sign.

Where only another document or another person would help, there is no such change.
"""

from collections.abc import Mapping
from datetime import date
from typing import Final

from truename.rules.dossier import CustomerStatus, Dossier
from truename.rules.evidence import (
    DocumentField,
    FaceComparison,
    FacePair,
    FieldName,
    LivenessEvidence,
    SelfieEstimate,
    Source,
)
from truename.rules.issues import Issue, IssueCode
from truename.rules.remedies import OF_THE_PERSON, Change, DossierChange, Remedy, with_field
from truename.rules.score_words import shown_limit, shown_score, shown_years

SIGNS: Final[Mapping[IssueCode, str]] = {
    IssueCode.COMPROMISED_DEVICE: "compromised",
    IssueCode.DEVELOPER_MODE_ENABLED: "developer_mode",
    IssueCode.EMULATOR_DETECTED: "emulator",
    IssueCode.VPN_OR_PROXY_DETECTED: "vpn_or_proxy",
    IssueCode.MOCK_LOCATION_DETECTED: "mock_location",
}
PAIRS: Final[Mapping[IssueCode, FacePair]] = {
    IssueCode.DOCUMENT_VS_LIVENESS_FACE_MISMATCH: FacePair.DOCUMENT_AND_LIVENESS,
    IssueCode.LIVENESS_VS_IDENTITY_REF_FACE_MISMATCH: FacePair.LIVENESS_AND_REFERENCE,
    IssueCode.DOCUMENT_VS_IDENTITY_REF_FACE_MISMATCH: FacePair.DOCUMENT_AND_REFERENCE,
}
READ: Final[Mapping[IssueCode, FieldName]] = {
    IssueCode.NAME_MISMATCH: FieldName.GIVEN_NAMES,
    IssueCode.SURNAME_MISMATCH: FieldName.SURNAMES,
    IssueCode.GENDER_MISMATCH: FieldName.GENDER,
    IssueCode.DOCUMENT_NUMBER_MISMATCH: FieldName.DOCUMENT_NUMBER,
    IssueCode.DATE_OF_BIRTH_MISMATCH: FieldName.DATE_OF_BIRTH,
}


def evidence_remedy(dossier: Dossier, issue: Issue) -> Remedy | None:
    """The change of what was seen that spares this issue; None where there is none that means anything."""
    code = issue.code
    if code in SIGNS:
        pointer = f"/evidence/device/{SIGNS[code]}"
        return _open(pointer, "true", "false", lambda judged: with_field(judged, pointer, False))
    if code is IssueCode.GEO_IP_MISMATCH:
        gps = dossier.evidence.device.gps_country
        pointer = "/evidence/device/ip_country"
        return _hidden(
            pointer, dossier.evidence.device.ip_country, gps, "the country of the location",
            lambda judged: with_field(judged, pointer, gps),
        )  # fmt: skip
    if code is IssueCode.LIVENESS_LOW_CONFIDENCE or code in PAIRS:
        return _score(issue)
    if code is IssueCode.CUSTOMER_BLOCKED:
        status = CustomerStatus.ACTIVE
        return _open(
            "/customer_status", "BLOCKED", status.value, lambda judged: with_field(judged, "customer_status", status)
        )
    if code in (IssueCode.LIVENESS_AGE_OUT_OF_RANGE, IssueCode.LIVENESS_GENDER_MISMATCH_EXPECTED):
        return _selfie(dossier, issue)
    return _document(dossier, issue)


def _open(pointer: str, was: str, to: str, apply: DossierChange) -> Remedy:
    change = Change(pointer, was, to)
    return Remedy(change, change, apply)


def _hidden(pointer: str, was: object, to: object, blind_to: str, apply: DossierChange) -> Remedy:
    return Remedy(Change(pointer, str(was), str(to)), Change(pointer, OF_THE_PERSON, blind_to), apply)


def _score(issue: Issue) -> Remedy:
    score, needed = issue.details.get("score"), float(issue.details["threshold"])
    was, to = ("none" if score is None else shown_score(score, needed)), f"{shown_limit(needed)} or more"
    if issue.code is IssueCode.LIVENESS_LOW_CONFIDENCE:
        live = LivenessEvidence(score=needed)
        return _open("/evidence/liveness/score", was, to, lambda judged: with_field(judged, "evidence/liveness", live))
    pair, compared = PAIRS[issue.code], FaceComparison(score=needed)

    def alike(judged: Dossier) -> Dossier:
        return with_field(judged, "evidence/face_similarity", {**judged.evidence.face_similarity, pair: compared})

    return _open(f"/evidence/face_similarity/{pair.value}/score", was, to, alike)


def _selfie(dossier: Dossier, issue: Issue) -> Remedy:
    policy, selfie = dossier.config.biometric_policy, dossier.evidence.selfie
    seen = selfie or SelfieEstimate(age=0.0, age_margin=0.0, gender=None, gender_confidence=1.0)
    if issue.code is IssueCode.LIVENESS_GENDER_MISMATCH_EXPECTED:
        other = seen.model_copy(update={"gender": policy.expected_gender})
        pointer, blind = "/evidence/selfie/gender", "the gender expected"
        was, to = str((selfie and selfie.gender) or "none"), str(policy.expected_gender)
    else:
        above = issue.details.get("reason") == "ABOVE_RANGE"
        to_age = policy.expected_max_age if above or policy.expected_min_age is None else policy.expected_min_age
        other = seen.model_copy(update={"age": float(to_age or 0)})
        pointer, blind = "/evidence/selfie/age", "an age within the range"
        was, to = (shown_years(selfie.age) if selfie else "none"), str(to_age)
    return _hidden(pointer, was, to, blind, lambda judged: with_field(judged, "evidence/selfie", other))


def _document(dossier: Dossier, issue: Issue) -> Remedy | None:
    document = dossier.evidence.document
    if document is None or not document.recognised:
        return None
    name: FieldName | None = READ.get(issue.code)
    if issue.code is IssueCode.EXPIRED_DOCUMENT:
        name, wanted = FieldName.DATE_OF_EXPIRY, dossier.today.isoformat()
        blind = "the day of the capture or later"
    elif name is None:
        return None  # the kind of document itself is wrong: only another one would have helped
    else:
        wanted, blind = _wanted(dossier, issue, name), "the value expected"
    field = DocumentField(value=wanted, source=Source.VISUAL, confidence=1.0)
    changed = document.model_copy(update={"fields": {**document.fields, name: field}})
    return _hidden(
        f"/evidence/document/fields/{name.value}", document.value(name) or "not read", wanted, blind,
        lambda judged: with_field(judged, "evidence/document", changed),
    )  # fmt: skip


def _wanted(dossier: Dossier, issue: Issue, name: FieldName) -> str:
    """What the field was compared with: the customer's earlier document, or what the config expects."""
    of_record = issue.details.get("compared_with") == "CUSTOMER_RECORD"
    source = dossier.earlier_record if of_record else dossier.config.document_policy.data_matching
    value = getattr(source, name.value)
    value = getattr(value, "value", value)
    return value.isoformat() if isinstance(value, date) else str(value)
