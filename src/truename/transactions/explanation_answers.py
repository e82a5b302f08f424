"""What is answered about why a transaction was decided so: no value of the person stands in it."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from truename.plumbing.http.bodies import Marked, Shown, named
from truename.rules.config import TransactionType
from truename.rules.explain import Explanation
from truename.rules.issues import Severity
from truename.rules.results import CheckName, Outcome
from truename.rules.verdict import Decision
from truename.rules.what_if import WhatIfKind
from truename.transactions.explanation import ExplainedTransaction
from truename.transactions.lifecycle import Status


class ExplainedIssue(Shown):
    """One issue, explained."""

    code: Annotated[str, named("IssueCode")]
    """What was found."""
    severity: Severity
    """How grave it is under this transaction's config."""
    sentence: str
    """The same in words."""
    measured: str | None
    """What was measured, where it is a score."""
    limit: str | None
    """What was needed."""
    limit_set_by: str | None
    """JSON pointer of the config field that sets the limit; null where none does."""
    severity_set_by: str | None
    """JSON pointer of the config field that sets the severity; null where it is always the same."""
    reason: Annotated[str, named("Reason")] | None
    """Why, where the code alone does not say it."""
    strangers: str | None
    """For two faces: how many pairs of strangers score as high."""


class ExplainedCheck(Shown):
    """One check, explained."""

    check: CheckName
    """Which question was asked."""
    result: Outcome
    """What it came to. A check that could not run is never shown as passed."""
    question: str
    """The question in words."""
    sentence: str
    """The result in words."""


class ExplainedChange(Shown):
    """One field that would have been different."""

    pointer: str
    """JSON pointer: of the config, or of the stored evidence."""
    was: str
    """What it was; values of the person are not shown."""
    to: str
    """What it would have been."""


class ExplainedWhatIf(Shown):
    """Changes that together would have led to the other decision: found by judging again."""

    kind: WhatIfKind
    """A change of the config, or of what was seen."""
    decision: Decision
    """What would have been decided."""
    changes: list[ExplainedChange]
    """All of them together."""
    sentence: str
    """The same in words."""


class ShownExplanation(Marked):
    """Why a transaction was decided so."""

    transaction_id: UUID
    """Identifier of the transaction."""
    transaction_type: TransactionType
    """What is captured."""
    status: Status
    """The status at this very moment."""
    sentence: str
    """The decision and its reason in one sentence, or why there is none."""
    judgement: Decision | None
    """What the engine judged; null when it did not. A reviewer may have decided otherwise."""
    decided_by: Literal["ENGINE", "REVIEWER"] | None
    """The analysis, or a person."""
    decided_at: datetime | None
    """When."""
    evidence_kept: bool
    """Whether the evidence is still stored; without it nothing can be judged again."""
    issues: list[ExplainedIssue]
    """What was found, in the order of the catalogue."""
    checks: list[ExplainedCheck]
    """Every question, with its answer; those that did not run are named as such."""
    what_if: list[ExplainedWhatIf]
    """What would have changed the decision; each entry alone suffices."""
    unchangeable: list[Annotated[str, named("IssueCode")]]
    """Rejections that no config would have spared."""


def shown_explanation(found: ExplainedTransaction, *, livemode: bool) -> ShownExplanation:
    """The explanation as it is answered."""
    explanation = found.explanation
    return ShownExplanation(
        livemode=None if livemode else False,
        transaction_id=found.transaction_id,
        transaction_type=found.transaction_type,
        status=found.status,
        sentence=found.sentence,
        judgement=explanation.decision if explanation else None,
        decided_by=found.decided_by,  # type: ignore[arg-type]  # the column allows only these words
        decided_at=found.decided_at,
        evidence_kept=found.evidence_kept,
        issues=_issues(explanation) if explanation else [],
        checks=_checks(explanation) if explanation else [],
        what_if=_what_if(explanation) if explanation else [],
        unchangeable=[code.name for code in explanation.unchangeable] if explanation else [],
    )


def _issues(explanation: Explanation) -> list[ExplainedIssue]:
    return [
        ExplainedIssue(
            code=issue.code.name,
            severity=issue.severity,
            sentence=issue.sentence,
            measured=issue.measured,
            limit=issue.limit,
            limit_set_by=issue.limit_set_by,
            severity_set_by=issue.severity_set_by,
            reason=issue.reason,
            strangers=issue.strangers,
        )
        for issue in explanation.issues
    ]


def _checks(explanation: Explanation) -> list[ExplainedCheck]:
    return [
        ExplainedCheck(check=check.check, result=check.outcome, question=check.question, sentence=check.sentence)
        for check in explanation.checks
    ]


def _what_if(explanation: Explanation) -> list[ExplainedWhatIf]:
    return [
        ExplainedWhatIf(
            kind=found.kind,
            decision=found.decision,
            changes=[ExplainedChange(pointer=one.pointer, was=one.was, to=one.to) for one in found.changes],
            sentence=found.sentence,
        )
        for found in explanation.what_if
    ]
