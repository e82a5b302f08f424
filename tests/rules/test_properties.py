"""What holds for every dossier, not only for those that somebody thought of."""

from datetime import date
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.dossiers import IN_ORDER, a_device, a_document, a_dossier, a_zone
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
from truename.rules.issues import IssueCode, Severity
from truename.rules.liveness_signs import LivenessSign
from truename.rules.results import CheckName, Outcome
from truename.rules.verdict import Decision, evaluate

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
zones = st.builds(
    lambda wrong, agree: a_zone(readers_agree=agree, **dict.fromkeys(wrong, False)),
    st.lists(st.sampled_from(["document_number", "date_of_birth", "date_of_expiry", "composite"]), max_size=2),
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
dossiers = st.builds(
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

GRAVER = {Action.IGNORE: [Action.WARN, Action.REJECT], Action.WARN: [Action.REJECT], Action.REJECT: [Action.REJECT]}


@settings(max_examples=100, deadline=None)
@given(dossiers)
def test_a_transaction_is_rejected_if_and_only_if_an_issue_is_a_rejection(dossier: Dossier) -> None:
    verdict = evaluate(dossier)
    rejections = [issue for issue in verdict.issues if issue.severity is Severity.REJECTION]
    assert (verdict.decision is Decision.REJECTED) is bool(rejections)


@settings(max_examples=100, deadline=None)
@given(dossiers, st.data())
def test_more_severe_actions_never_make_a_decision_milder(dossier: Dossier, data: st.DataObject) -> None:
    graver: dict[str, Any] = {}
    for part in ("device_policy", "blacklist_policy"):
        policy = getattr(dossier.config, part)
        graver[part] = policy.model_copy(
            update={
                field: data.draw(st.sampled_from(GRAVER[getattr(policy, field)])) for field in type(policy).model_fields
            }
        )
    before = evaluate(dossier)
    after = evaluate(dossier.model_copy(update={"config": dossier.config.model_copy(update=graver)}))
    assert not (before.decision is Decision.REJECTED and after.decision is Decision.APPROVED)
    assert [issue.code for issue in before.issues] == [issue.code for issue in after.issues]


@settings(max_examples=100, deadline=None)
@given(dossiers)
def test_a_warning_never_changes_the_decision(dossier: Dossier) -> None:
    """Whoever ignores all that he was only warned of comes to the same decision."""
    ignored: dict[str, Any] = {}
    for part in ("device_policy", "blacklist_policy"):
        policy = getattr(dossier.config, part)
        warned = [field for field in type(policy).model_fields if getattr(policy, field) is Action.WARN]
        ignored[part] = policy.model_copy(update=dict.fromkeys(warned, Action.IGNORE))
    calm = dossier.model_copy(
        update={
            "config": dossier.config.model_copy(update=ignored),
            "customer_status": CustomerStatus.BLOCKED
            if dossier.customer_status is CustomerStatus.BLOCKED
            else CustomerStatus.ACTIVE,
        }
    )
    assert evaluate(calm).decision is evaluate(dossier).decision


@settings(max_examples=100, deadline=None)
@given(dossiers)
def test_the_order_of_evidence_does_not_matter(dossier: Dossier) -> None:
    seen = dossier.evidence
    turned: dict[str, Any] = {"face_similarity": dict(reversed(seen.face_similarity.items()))}
    if seen.document:
        fields = dict(reversed(seen.document.fields.items()))
        turned["document"] = seen.document.model_copy(update={"fields": fields})
    if seen.liveness:
        turned["liveness"] = seen.liveness.model_copy(update={"signs": seen.liveness.signs[::-1]})
    assert evaluate(dossier.model_copy(update={"evidence": seen.model_copy(update=turned)})) == evaluate(dossier)


@settings(max_examples=100, deadline=None)
@given(dossiers)
def test_a_stored_dossier_is_judged_the_same(dossier: Dossier) -> None:
    assert evaluate(Dossier.model_validate_json(dossier.model_dump_json())) == evaluate(dossier)


@settings(max_examples=100, deadline=None)
@given(dossiers, st.data())
def test_unknown_is_never_a_pass(dossier: Dossier, data: st.DataObject) -> None:
    """What is forgotten from the evidence never turns a check into one that passed."""
    before, after = evaluate(dossier), evaluate(_forgetting(dossier, data))
    passed_before = {answer.check for answer in before.checks if answer.outcome is Outcome.PASSED}
    passed_after = {answer.check for answer in after.checks if answer.outcome is Outcome.PASSED}
    assert passed_after <= passed_before


def _forgetting(dossier: Dossier, data: st.DataObject) -> Dossier:
    seen = dossier.evidence
    forgotten: dict[str, Any] = {}
    for part in (
        "document",
        "liveness",
        "selfie",
        "repeated_face",
        "internal_blocklist_match",
        "global_blocklist_match",
    ):
        if data.draw(st.booleans()):
            forgotten[part] = None
    if seen.document and "document" not in forgotten:
        kept = {name: field for name, field in seen.document.fields.items() if data.draw(st.booleans())}
        recognised = seen.document.recognised and data.draw(st.booleans())
        less: dict[str, Any] = {"fields": kept, "recognised": recognised}
        parts = ("barcode_kind", "front", "back")
        less |= {part: None for part in parts if data.draw(st.booleans())}
        forgotten["document"] = seen.document.model_copy(update=less)
    forgotten["face_similarity"] = {pair: it for pair, it in seen.face_similarity.items() if data.draw(st.booleans())}
    unknown = [field for field in DeviceEvidence.model_fields if field != "details" and data.draw(st.booleans())]
    forgotten["device"] = seen.device.model_copy(update=dict.fromkeys(unknown))
    return dossier.model_copy(update={"evidence": seen.model_copy(update=forgotten)})


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(TransactionType), configs)
def test_nothing_at_all_is_never_approved(kind: TransactionType, config: Config) -> None:
    empty = Dossier(transaction_type=kind, config=config, today=date(2026, 3, 14))
    assert evaluate(empty).decision is Decision.REJECTED


@settings(max_examples=100, deadline=None)
@given(dossiers)
def test_nothing_but_its_kind_read_is_never_approved(dossier: Dossier) -> None:
    """Whatever is to be matched, a document that says neither a number nor a name nor a date decides nothing."""
    if dossier.evidence.document and dossier.transaction_type.has_document:
        blank = dossier.evidence.document.model_copy(update={"fields": {}})
        evidence = dossier.evidence.model_copy(update={"document": blank})
        assert evaluate(dossier.model_copy(update={"evidence": evidence})).decision is Decision.REJECTED


@settings(max_examples=100, deadline=None)
@given(dossiers)
def test_authenticity_is_no_issue_and_never_passes_over_what_speaks_against_it(dossier: Dossier) -> None:
    verdict = evaluate(dossier)
    answer = next(answer for answer in verdict.checks if answer.check is CheckName.DOCUMENT_AUTHENTICITY)
    assert answer.finding is None
    document = dossier.evidence.document
    if answer.outcome is Outcome.PASSED:
        assert document is not None
        assert document.front is not None
        assert not {QualityReason.SCREEN, QualityReason.PHOTOCOPY} & set(document.front.quality.reasons)
        assert document.mrz is None or document.mrz.valid


@settings(max_examples=100, deadline=None)
@given(dossiers)
def test_what_a_zone_says_against_its_check_digits_satisfies_no_rule(dossier: Dossier) -> None:
    document = dossier.evidence.document
    if document is None:
        return
    verdict = evaluate(dossier)
    matched = {
        CheckName.DATE_OF_BIRTH_MATCH: FieldName.DATE_OF_BIRTH,
        CheckName.DOCUMENT_NUMBER_MATCH: FieldName.DOCUMENT_NUMBER,
    }
    for check, field in matched.items():
        if document.check_digit_fails(field):
            assert verdict.outcome(check) is not Outcome.PASSED


@settings(max_examples=100, deadline=None)
@given(dossiers)
def test_blocklist_codes_are_never_emitted_unless_enforced(dossier: Dossier) -> None:
    codes = {issue.code for issue in evaluate(dossier).issues}
    if dossier.face_search is not FaceSearch.ENFORCE:
        assert not codes & {IssueCode.INTERNAL_FACE_BLACKLIST_MATCH, IssueCode.GLOBAL_FACE_BLACKLIST_MATCH}
    assert all(dossier.transaction_type in code.applies_to for code in codes)


def test_the_dossiers_drawn_here_include_the_one_that_is_in_order() -> None:
    assert set(VALUES) == set(IN_ORDER)
    assert evaluate(a_dossier(document=a_document(), device=a_device())).decision is Decision.APPROVED
