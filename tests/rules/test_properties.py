"""What holds for every dossier, not only for those that somebody thought of."""

from datetime import date
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.any_dossier import VALUES, configs, dossiers, nearly_in_order
from tests.support.dossiers import IN_ORDER
from truename.rules.config import Action, Config, TransactionType
from truename.rules.dossier import CustomerStatus, Dossier, FaceSearch
from truename.rules.evidence import (
    DeviceEvidence,
    FieldName,
    QualityReason,
    Source,
)
from truename.rules.issues import IssueCode, Severity
from truename.rules.results import CheckName, Outcome
from truename.rules.verdict import Decision, evaluate

GRAVER = {Action.IGNORE: [Action.WARN, Action.REJECT], Action.WARN: [Action.REJECT], Action.REJECT: [Action.REJECT]}


@given(dossiers)
def test_a_transaction_is_rejected_if_and_only_if_an_issue_is_a_rejection(dossier: Dossier) -> None:
    verdict = evaluate(dossier)
    rejections = [issue for issue in verdict.issues if issue.severity is Severity.REJECTION]
    assert (verdict.decision is Decision.REJECTED) is bool(rejections)


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


@given(dossiers)
def test_a_stored_dossier_is_judged_the_same(dossier: Dossier) -> None:
    assert evaluate(Dossier.model_validate_json(dossier.model_dump_json())) == evaluate(dossier)


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


@given(st.sampled_from(TransactionType), configs)
def test_nothing_at_all_is_never_approved(kind: TransactionType, config: Config) -> None:
    empty = Dossier(transaction_type=kind, config=config, today=date(2026, 3, 14))
    assert evaluate(empty).decision is Decision.REJECTED


@given(dossiers)
def test_nothing_but_its_kind_read_is_never_approved(dossier: Dossier) -> None:
    """Whatever is to be matched, a document that says neither a number nor a name nor a date decides nothing."""
    if dossier.evidence.document and dossier.transaction_type.has_document:
        blank = dossier.evidence.document.model_copy(update={"fields": {}})
        evidence = dossier.evidence.model_copy(update={"document": blank})
        assert evaluate(dossier.model_copy(update={"evidence": evidence})).decision is Decision.REJECTED


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


@given(nearly_in_order)
def test_what_a_zone_says_against_its_check_digits_satisfies_no_rule(dossier: Dossier) -> None:
    document = dossier.evidence.document
    if document is None or document.mrz is None:
        return
    verdict = evaluate(dossier)
    matched = {
        CheckName.DATE_OF_BIRTH_MATCH: FieldName.DATE_OF_BIRTH,
        CheckName.DOCUMENT_NUMBER_MATCH: FieldName.DOCUMENT_NUMBER,
    }
    for check, name in matched.items():
        field = document.fields.get(name)
        if field and field.source is Source.MRZ and not document.mrz.check_digits[name]:
            assert verdict.outcome(check) is not Outcome.PASSED


@given(dossiers)
def test_blocklist_codes_are_never_emitted_unless_enforced(dossier: Dossier) -> None:
    codes = {issue.code for issue in evaluate(dossier).issues}
    if dossier.face_search is not FaceSearch.ENFORCE:
        assert not codes & {IssueCode.INTERNAL_FACE_BLACKLIST_MATCH, IssueCode.GLOBAL_FACE_BLACKLIST_MATCH}
        assert IssueCode.ANOTHER_CUSTOMER_REPEATED_FACE not in codes
    assert all(dossier.transaction_type in code.applies_to for code in codes)


def test_the_dossiers_drawn_here_come_to_every_decision_and_pass_every_check() -> None:
    """What is said above of checks that passed would otherwise hold of dossiers that nobody draws."""
    seen: set[object] = set()

    @settings(derandomize=True, database=None, max_examples=250)
    @given(nearly_in_order)
    def look(dossier: Dossier) -> None:
        verdict = evaluate(dossier)
        seen.add(verdict.decision)
        seen.update(answer.check for answer in verdict.checks if answer.outcome is Outcome.PASSED)
        document = dossier.evidence.document
        if document and document.mrz and not document.mrz.check_digits["date_of_birth"]:
            seen.add((document.value(FieldName.DATE_OF_BIRTH), verdict.outcome(CheckName.DATE_OF_BIRTH_MATCH)))

    look()
    assert {*Decision, *CheckName, (IN_ORDER[FieldName.DATE_OF_BIRTH], Outcome.FAILED)} <= seen
    assert set(VALUES) == set(IN_ORDER)
