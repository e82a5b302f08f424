"""Any dossier there can be, as strategies of hypothesis.

Half of them are drawn part by part, and hardly ever in order anywhere; the others are in order but for a few parts, so
that every check comes to each of its outcomes.
"""

from datetime import date
from typing import Any

from hypothesis import strategies as st

from tests.support.dossiers import (
    EVERY_FACE_ALIKE,
    EVERYTHING_EXPECTED,
    IN_ORDER,
    THE_SAME_PERSON,
    a_device,
    a_selfie,
    a_zone,
)
from truename.rules.config import Action, BlacklistPolicy, Config, DevicePolicy, TransactionType
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
    Quality,
    QualityReason,
    ReadValue,
    SelfieEstimate,
    SelfieGender,
    SideEvidence,
    Source,
)
from truename.rules.liveness_signs import LivenessSign
from truename.rules.searched_faces import FaceHit, SearchedFaces, SearchedList

scores = st.floats(0, 1)
maybe = st.none() | st.booleans()
countries = st.sampled_from(["AR", "RU", "US", "XK", "TH"])
names = st.sampled_from(["Ana", "ANA MARIA", "Иван", "---", "Pérez"])
dates = st.sampled_from(["1990-04-23", "1999-12-31", "2026-03-13", "2026-03-14", "2040-01-01", "not a date"])
genders = st.sampled_from(["M", "F", "X"])
VALUES = {
    FieldName.GIVEN_NAMES: names,
    FieldName.SURNAMES: names,
    FieldName.GENDER: genders,
    FieldName.DOCUMENT_NUMBER: st.sampled_from(["AB-1", "12.3", ""]),
    FieldName.DATE_OF_BIRTH: dates,
    FieldName.DATE_OF_EXPIRY: dates,
}

lists = st.none() | st.builds(
    SearchedList,
    searched=st.integers(0, 10),
    chance_score=scores,
    hits=st.lists(st.builds(FaceHit, id=st.just("a face"), score=scores), max_size=2).map(tuple),
)
confidences = st.sampled_from([0.3, 0.6, 0.9])
sources = st.sampled_from(Source)


def _field(values: st.SearchStrategy[str]) -> st.SearchStrategy[DocumentField]:
    others = st.builds(ReadValue, value=values, source=sources, confidence=confidences, repaired=st.just(False))
    return st.builds(
        DocumentField,
        value=values,
        source=sources,
        confidence=confidences,
        repaired=st.just(False),
        others=st.lists(others, max_size=1).map(tuple),
    )


read_values = st.fixed_dictionaries({}, optional={name: _field(values) for name, values in VALUES.items()})
check_digits = st.sampled_from(["document_number", "date_of_birth", "date_of_expiry", "composite"])
zones = st.builds(
    lambda wrong, agree: a_zone(readers_agree=agree, **dict.fromkeys(wrong, False)),
    st.lists(check_digits, max_size=2),
    st.booleans(),
)
pictures = st.lists(st.sampled_from([QualityReason.SCREEN, QualityReason.PHOTOCOPY, QualityReason.GLARE]), max_size=1)
sides = pictures.map(lambda reasons: SideEvidence(quality=Quality(reasons=tuple(reasons))))
documents = st.builds(
    DocumentEvidence,
    recognised=st.booleans(),
    country=st.none() | countries,
    type=st.none() | st.sampled_from(DocumentType),
    fields=read_values,
    mrz=st.none() | zones,
    barcode_kind=st.none() | st.just("AAMVA"),
    front=st.none() | sides,
    back=st.none() | sides,
)
signs = st.lists(st.sampled_from(LivenessSign), max_size=3).map(tuple)
evidence = st.builds(
    Evidence,
    document=st.none() | documents,
    liveness=st.none() | st.builds(LivenessEvidence, score=scores, signs=signs),
    face_similarity=st.dictionaries(
        st.sampled_from(FacePair), st.builds(FaceComparison, score=st.none() | scores, reason=st.none())
    ),
    selfie=st.none()
    | st.builds(
        SelfieEstimate,
        age=st.floats(0, 100),
        age_margin=st.just(5.0),
        gender=st.none() | st.sampled_from(SelfieGender),
        gender_confidence=scores,
    ),
    device=st.builds(
        DeviceEvidence,
        compromised=maybe,
        developer_mode=maybe,
        emulator=maybe,
        vpn_or_proxy=maybe,
        mock_location=maybe,
        gps_country=st.none() | countries,
        ip_country=st.none() | countries,
        details=st.just({}),
    ),
    searched_faces=st.none() | st.builds(SearchedFaces, **dict.fromkeys(SearchedFaces.model_fields, lists)),
    repeated_face=maybe,
    internal_blocklist_match=maybe,
    global_blocklist_match=maybe,
    engine=st.just(()),
)
actions = st.sampled_from(Action)
thresholds = st.floats(0.1, 1.0)
wanted_names = st.fixed_dictionaries({"value": names, "similarity_min_score": thresholds})
configs = st.fixed_dictionaries(
    {},
    optional={
        "device_policy": st.fixed_dictionaries({}, optional=dict.fromkeys(DevicePolicy.model_fields, actions)),
        "blacklist_policy": st.fixed_dictionaries({}, optional=dict.fromkeys(BlacklistPolicy.model_fields, actions)),
        "document_policy": st.fixed_dictionaries(
            {},
            optional={
                "data_matching": st.fixed_dictionaries(
                    {},
                    optional={
                        "given_names": wanted_names,
                        "surnames": wanted_names,
                        "gender": genders,
                        "document_type": st.sampled_from([kind.value for kind in DocumentType]),
                        "document_issuing_country": st.sampled_from(["AR", "RU"]),
                        "document_number": st.sampled_from(["AB1", "123"]),
                        "date_of_birth": st.sampled_from(["1990-04-23", "1999-12-31"]),
                    },
                ),
                "document_eligibility": st.fixed_dictionaries(
                    {
                        "filter_mode": st.sampled_from(["ALLOW", "REJECT"]),
                        "target_documents": st.lists(
                            st.fixed_dictionaries(
                                {
                                    "country": st.sampled_from(["AR", "RU"]),
                                    "type": st.sampled_from([kind.value for kind in DocumentType]),
                                    "allow_expired": st.just(True),
                                }
                            ),
                            max_size=3,
                        ),
                    }
                ),
            },
        ),
        "biometric_policy": st.fixed_dictionaries(
            {},
            optional={
                "liveness_min_score": thresholds,
                "face_comparison_min_score": thresholds,
                "require_face_comparison": st.booleans(),
                "expected_gender": st.sampled_from(["MALE", "FEMALE", None]),
                "expected_min_age": st.integers(0, 40),
                "expected_max_age": st.integers(40, 200),
            },
        ),
    },
).map(Config.model_validate)
records = st.builds(
    EarlierRecord,
    given_names=st.none() | names,
    surnames=st.none() | names,
    gender=st.none() | genders,
    date_of_birth=st.none() | st.just(date(1990, 4, 23)),
)
drawn_apart = st.builds(
    Dossier,
    transaction_type=st.sampled_from(TransactionType),
    config=configs,
    evidence=evidence,
    customer_status=st.sampled_from(CustomerStatus),
    earlier_record=st.none() | records,
    has_reference_face=st.booleans(),
    today=st.just(date(2026, 3, 14)),
    face_search=st.sampled_from(FaceSearch),
)


def _mostly(usual: Any, other: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """What is usual, in five draws of six."""
    return st.integers(0, 5).flatmap(lambda one: other if one == 5 else st.just(usual))


def _optional(parts: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=parts)


nearly_read = st.fixed_dictionaries(
    {
        name: _mostly(DocumentField(value=value, source=Source.MRZ, confidence=0.99), st.none() | _field(VALUES[name]))
        for name, value in IN_ORDER.items()
    }
).map(lambda read: {name: field for name, field in read.items() if field is not None})
nearly_a_passport = st.builds(
    DocumentEvidence,
    recognised=_mostly(True, st.booleans()),
    country=_mostly("AR", st.none() | countries),
    type=_mostly(DocumentType.PASSPORT, st.none() | st.sampled_from(DocumentType)),
    fields=nearly_read,
    mrz=st.just(a_zone()) | check_digits.map(lambda wrong: a_zone(**{wrong: False})),
    front=_mostly(SideEvidence(), st.none() | sides),
)
nearly_seen = st.builds(
    Evidence,
    document=nearly_a_passport,
    liveness=_mostly(LivenessEvidence(score=0.97), st.none()),
    face_similarity=_mostly(
        {pair: FaceComparison(score=score) for pair, score in EVERY_FACE_ALIKE.items()}, st.just({})
    ),
    selfie=_mostly(a_selfie(), st.none()),
    device=_mostly(a_device(), st.just(a_device(compromised=True, ip_country=None))),
    searched_faces=_mostly(None, st.builds(SearchedFaces, **dict.fromkeys(SearchedFaces.model_fields, lists))),
    repeated_face=_mostly(False, maybe),
    internal_blocklist_match=_mostly(False, maybe),
    global_blocklist_match=_mostly(False, maybe),
    engine=st.just(()),
)
nearly_expected = st.fixed_dictionaries(
    {
        "document_policy": st.fixed_dictionaries(
            {"data_matching": _optional({name: st.just(value) for name, value in EVERYTHING_EXPECTED.items()})}
        ),
        "biometric_policy": _optional(
            {"expected_gender": st.just("FEMALE"), "expected_min_age": st.just(18), "expected_max_age": st.just(99)}
        ),
    }
).map(Config.model_validate)
nearly_in_order = st.builds(
    Dossier,
    transaction_type=st.sampled_from(TransactionType),
    config=nearly_expected,
    evidence=nearly_seen,
    customer_status=_mostly(CustomerStatus.ACTIVE, st.sampled_from(CustomerStatus)),
    earlier_record=st.none() | _mostly(THE_SAME_PERSON, records),
    has_reference_face=st.booleans(),
    today=st.just(date(2026, 3, 14)),
    face_search=st.sampled_from(FaceSearch),
)
dossiers = drawn_apart | nearly_in_order
