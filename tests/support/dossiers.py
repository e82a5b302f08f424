"""Builders: a dossier in which everything is in order, less what a test says."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from truename.rules.config import Config, TransactionType
from truename.rules.dossier import CustomerStatus, Dossier, EarlierRecord, FaceSearch
from truename.rules.evidence import (
    DeviceEvidence,
    DocumentEvidence,
    DocumentField,
    DocumentType,
    Evidence,
    FaceComparison,
    FacePair,
    FieldName,
    LivenessEvidence,
    MrzFormat,
    MrzReading,
    SelfieEstimate,
    SelfieGender,
    SideEvidence,
    Source,
)
from truename.rules.issues import Issue, IssueCode
from truename.rules.verdict import evaluate

TODAY = date(2026, 3, 14)

IN_ORDER = {
    FieldName.GIVEN_NAMES: "ANA MARIA",
    FieldName.SURNAMES: "PEREZ O'NEILL",
    FieldName.GENDER: "F",
    FieldName.DOCUMENT_NUMBER: "AB-123.456",
    FieldName.DATE_OF_BIRTH: "1990-04-23",
    FieldName.DATE_OF_EXPIRY: "2030-01-31",
}
"""What an invented passport says."""


def a_document(
    *,
    country: str | None = "AR",
    type: DocumentType | None = DocumentType.PASSPORT,
    recognised: bool = True,
    reason: str | None = None,
    **fields: str | None,
) -> DocumentEvidence:
    """A document; name a field to change it, or give None when it could not be read."""
    said = {**IN_ORDER, **{FieldName(name): value for name, value in fields.items()}}
    return DocumentEvidence(
        recognised=recognised,
        reason=reason,
        country=country,
        type=type,
        type_confidence=0.99,
        fields={
            name: DocumentField(value=value, source=Source.MRZ, confidence=0.99)
            for name, value in said.items()
            if value is not None
        },
        mrz=a_zone(),
        front=SideEvidence(),
        has_portrait=True,
    )


def a_zone(*, readers_agree: bool = True, confidence: float = 0.99, **check_digits: bool) -> MrzReading:
    """The zone of the invented passport; name a check digit to make it wrong."""
    right = dict.fromkeys(("document_number", "date_of_birth", "date_of_expiry", "personal_number", "composite"), True)
    digits = right | check_digits
    return MrzReading(
        format=MrzFormat.TD3,
        lines=("P<ARG", "AB123456"),
        check_digits=digits,
        valid=all(digits.values()),
        readers_agree=readers_agree,
        confidence=confidence,
    )


def a_device(**changes: Any) -> DeviceEvidence:
    clean = {
        "compromised": False,
        "developer_mode": False,
        "emulator": False,
        "vpn_or_proxy": False,
        "mock_location": False,
        "gps_country": "AR",
        "ip_country": "AR",
    }
    return DeviceEvidence.model_validate({**clean, **changes})


def a_selfie(age: float = 35.0, gender: SelfieGender | None = SelfieGender.FEMALE) -> SelfieEstimate:
    return SelfieEstimate(age=age, age_margin=5.0, gender=gender, gender_confidence=0.98)


A_PASSPORT, A_CLEAN_DEVICE, A_SELFIE = a_document(), a_device(), a_selfie()
EVERY_FACE_ALIKE: Mapping[FacePair, float] = dict.fromkeys(FacePair, 0.95)


def a_dossier(
    *,
    transaction_type: TransactionType = TransactionType.DOCUMENT_AND_BIOMETRIC,
    config: Config | Mapping[str, Any] | None = None,
    document: DocumentEvidence | None = A_PASSPORT,
    liveness: LivenessEvidence | float | None = 0.97,
    face_similarity: Mapping[FacePair, float | FaceComparison] = EVERY_FACE_ALIKE,
    selfie: SelfieEstimate | None = A_SELFIE,
    device: DeviceEvidence = A_CLEAN_DEVICE,
    customer_status: CustomerStatus = CustomerStatus.ACTIVE,
    earlier_record: EarlierRecord | None = None,
    has_reference_face: bool = False,
    face_search: FaceSearch = FaceSearch.OFF,
    today: date = TODAY,
    **found: Any,
) -> Dossier:
    """A dossier that is approved with no issue, less the changes given."""
    return Dossier(
        transaction_type=transaction_type,
        config=config if isinstance(config, Config) else Config.model_validate(config or {}),
        evidence=Evidence(
            document=document,
            liveness=LivenessEvidence(score=liveness) if isinstance(liveness, (int, float)) else liveness,
            face_similarity={
                pair: score if isinstance(score, FaceComparison) else FaceComparison(score=score)
                for pair, score in face_similarity.items()
            },
            selfie=selfie,
            device=device,
            **found,
        ),
        customer_status=customer_status,
        earlier_record=earlier_record,
        has_reference_face=has_reference_face,
        today=today,
        face_search=face_search,
    )


THE_SAME_PERSON = EarlierRecord(
    given_names="Ana María", surnames="Pérez O'Neill", gender="F", date_of_birth=date(1990, 4, 23)
)
"""A record with which the document in order agrees."""

EVERYTHING_EXPECTED: Mapping[str, object] = {
    "given_names": {"value": "María Ana", "similarity_min_score": 1.0},
    "surnames": {"value": "o’neill-pérez", "similarity_min_score": 1.0},
    "gender": "F",
    "document_type": "PASSPORT",
    "document_issuing_country": "AR",
    "document_number": "ab123456",
    "date_of_birth": "1990-04-23",
}
"""Data matching that the document in order satisfies."""

EVERYTHING_WRONG: Mapping[str, Any] = {
    "document": None,
    "liveness": None,
    "face_similarity": {},
    "has_reference_face": True,
    "selfie": None,
    "customer_status": CustomerStatus.BLOCKED,
    "earlier_record": THE_SAME_PERSON,
    "face_search": FaceSearch.ENFORCE,
    "device": a_device(
        compromised=True, developer_mode=True, emulator=True, vpn_or_proxy=True, mock_location=True, gps_country="CL"
    ),
    "config": {
        "document_policy": {"data_matching": EVERYTHING_EXPECTED},
        "biometric_policy": {"expected_gender": "MALE", "expected_min_age": 18},
    },
    "repeated_face": True,
    "internal_blocklist_match": True,
    "global_blocklist_match": True,
}
"""The changes that make a dossier fail wherever it can."""


def issues_of(dossier: Dossier) -> dict[str, Issue]:
    """The issues of a dossier, by code."""
    return {issue.code.name: issue for issue in evaluate(dossier).issues}


def the_only_issue(dossier: Dossier, code: IssueCode) -> Issue:
    """The issue of a dossier that has this one and no other."""
    found = evaluate(dossier).issues
    assert [issue.code for issue in found] == [code]
    return found[0]
