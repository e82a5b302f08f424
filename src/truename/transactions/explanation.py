"""Why was a stored transaction decided so? Its verdict in sentences, and what would have changed it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString
from uuid import UUID

from psycopg.rows import DictRow

from truename.plumbing.errors import TransactionNotFound
from truename.plumbing.resources import Plumbing
from truename.rules.config import TransactionType
from truename.rules.dossier import Dossier
from truename.rules.explain import Explanation, explain
from truename.rules.issues import Issue, Severity
from truename.rules.results import CheckResult
from truename.rules.verdict import Decision, Verdict, evaluate
from truename.transactions.lifecycle import STATUS, Status
from truename.transactions.read import opened_dossier

JUDGED: Final[LiteralString] = f"""
SELECT t.transaction_id, t.account_id, t.customer_id, t.transaction_type, {STATUS} AS status, t.outcome, t.decided_by,
       t.decided_at, t.issues, t.checks, c.data_key, e.sealed_dossier
FROM transactions t
JOIN customers c ON c.customer_id = t.customer_id AND c.account_id = t.account_id
LEFT JOIN examinations e ON e.transaction_id = t.transaction_id AND e.account_id = t.account_id
WHERE t.account_id = %(account_id)s AND t.transaction_id = %(transaction_id)s
"""  # noqa: S608 - every part that is put together here is a constant of this house

UNDECIDED: Final = {
    Status.CREATED: "Not decided: the capture has not begun.",
    Status.IN_PROGRESS: "Not decided: the capture is under way.",
    Status.PROCESSING: "Not decided: the analysis is at work.",
    Status.EXPIRED: "Not decided: the time for the capture ran out.",
    Status.CANCELLED: "Not decided: it was cancelled before it was submitted.",
    Status.FAILED: "Not decided: the analysis could not be finished.",
}


@dataclass(frozen=True, slots=True)
class ExplainedTransaction:
    """A transaction's decision, or why there is none."""

    transaction_id: UUID
    transaction_type: TransactionType
    status: Status
    sentence: str
    decided_by: str | None
    decided_at: datetime | None
    evidence_kept: bool
    """Whether the evidence is still there, so that it can be judged again."""
    explanation: Explanation | None
    """What the engine judged; None when it did not."""


async def explain_transaction(
    plumbing: Plumbing, account_id: UUID, transaction_id: UUID, *, blind: bool
) -> ExplainedTransaction:
    """The explanation of one transaction; raises TransactionNotFound. `blind` shows no value of the person."""
    own = {"account_id": account_id, "transaction_id": transaction_id}
    rows = await plumbing.database.statement(account_id, JUDGED, own)
    if not rows:
        raise TransactionNotFound
    row = rows[0]
    key = await plumbing.keys.open(row["data_key"], account_id, row["customer_id"])
    sealed = None if row["sealed_dossier"] is None else bytes(row["sealed_dossier"])
    return explained_row(row, opened_dossier(key, sealed, transaction_id), blind=blind)


def explained_row(row: DictRow, dossier: Dossier | None, *, blind: bool) -> ExplainedTransaction:
    """The explanation of a row as `JUDGED` reads it."""
    status, explanation = Status(row["status"]), None
    if row["checks"] and status not in UNDECIDED:
        verdict = _stored_verdict(row)
        # Rules may have changed since: what this version would have judged otherwise it does not explain away.
        agrees = dossier is not None and evaluate(dossier).decision is verdict.decision
        explanation = explain(verdict, dossier if agrees else None, blind=blind)
    return ExplainedTransaction(
        transaction_id=row["transaction_id"],
        transaction_type=TransactionType(row["transaction_type"]),
        status=status,
        sentence=_sentence(status, row["outcome"], row["decided_by"], explanation),
        decided_by=row["decided_by"],
        decided_at=row["decided_at"],
        evidence_kept=dossier is not None,
        explanation=explanation,
    )


def _stored_verdict(row: DictRow) -> Verdict:
    issues = tuple(Issue.from_dict(issue) for issue in row["issues"])
    rejects = any(issue.severity is Severity.REJECTION for issue in issues)
    checks = tuple(CheckResult.from_dict(check) for check in row["checks"])
    return Verdict(Decision.REJECTED if rejects else Decision.APPROVED, issues, checks)


def _sentence(status: Status, outcome: str | None, decided_by: str | None, explanation: Explanation | None) -> str:
    if explanation is None:
        return UNDECIDED.get(status, f"{(outcome or status.value).capitalize()}.")
    if status is Status.IN_REVIEW:
        return f"Waiting for a person. The engine says {explanation.decision.value}: {explanation.reason}."
    if decided_by == "REVIEWER" and outcome is not None:
        words = f"The engine had said {explanation.decision.value}: {explanation.reason}."
        return f"{outcome.capitalize()} by a reviewer. {words}"
    return explanation.sentence
