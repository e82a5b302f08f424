"""Judge dossiers under another policy and count what becomes of their decisions. Pure: no database, no clock."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from truename.backtest.again import Prepared
from truename.backtest.policy import OtherPolicy
from truename.rules.dossier import Dossier
from truename.rules.issues import Severity
from truename.rules.results import CheckName, Outcome
from truename.rules.verdict import Decision, evaluate

MOST_FLIPS: Final = 1000
"""So many flipped transactions are named; all of them are counted."""


@dataclass(frozen=True, slots=True)
class JudgedThen:
    """A stored transaction: what the engine judged, and on what."""

    transaction_id: UUID
    judgement: Decision
    rejected_by: tuple[str, ...]
    """The codes that rejected it."""
    by_engine: bool
    """The engine's judgement is the decision; otherwise a person decided, or has yet to."""
    dossier: Dossier
    prepared: Prepared | None = None
    """Where the same transaction is judged again and again."""

    def judged_under(self, policy: OtherPolicy) -> "JudgedNow":
        """What it comes to under another policy."""
        applied = policy.applied(self.dossier)
        if self.prepared is not None:
            return JudgedNow(self.prepared.rejected_by(applied), self.prepared.doubtful)
        verdict = evaluate(applied)
        rejecting = [issue.code.name for issue in verdict.issues if issue.severity is Severity.REJECTION]
        return JudgedNow(rejecting, verdict.outcome(CheckName.DOCUMENT_AUTHENTICITY) is Outcome.FAILED)


@dataclass(frozen=True, slots=True)
class JudgedNow:
    """A stored transaction under another policy."""

    rejecting: list[str]
    """The codes that reject it; empty when it is approved."""
    doubtful: bool
    """The check of the document's authenticity fails: never a rejection, and a case for people where they review."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A transaction that would have been decided otherwise, and the codes that make the difference."""

    transaction_id: UUID
    was: Decision
    now: Decision
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Counted:
    """How judgements came out then and under the other policy."""

    judged: int = 0
    approved_then: int = 0
    approved_now: int = 0
    to_approved: int = 0
    to_rejected: int = 0


@dataclass(frozen=True, slots=True)
class BacktestResult:
    """What another policy would have done."""

    decisions: Counted
    """Transactions that the engine decided: here a flip is another decision."""
    reviewed: Counted
    """Transactions that a person decided, or has yet to: here a flip is only another judgement of the engine's, which
    would have sent it to a person, or would not."""
    to_approved_by_code: Mapping[str, int]
    """By code that rejected then and would not any more: flips to APPROVED of what the engine decided."""
    to_rejected_by_code: Mapping[str, int]
    """By code that would reject now: flips to REJECTED of what the engine decided."""
    flips: tuple[Flip, ...]
    """The first of them, of what the engine decided."""
    flips_left_out: int
    cannot_be_judged: int
    """Their evidence was redacted or erased."""
    changed_rules: int
    """Judged otherwise by this version of the rules even under their own config: not a matter of the policy, and in no
    other count."""
    doubtful: int
    """Would be approved although the check of the document's authenticity fails: where manual review is on, a person
    sees them first. The policy does not change it."""


class Tally:
    """Counts as dossiers come by."""

    def __init__(self, policy: OtherPolicy) -> None:
        self._policy = policy
        self._decisions: Counter[str] = Counter()
        self._reviewed: Counter[str] = Counter()
        self._to_approved: Counter[str] = Counter()
        self._to_rejected: Counter[str] = Counter()
        self._flips: list[Flip] = []
        self._flipped = self._changed_rules = self._doubtful = 0
        self.cannot_be_judged = 0

    def add(self, transactions: Iterable[JudgedThen]) -> None:
        """Judge each of them under the other policy."""
        for then in transactions:
            self._judge(then)

    def result(self) -> BacktestResult:
        """What was counted so far."""
        return BacktestResult(
            decisions=_counted(self._decisions),
            reviewed=_counted(self._reviewed),
            to_approved_by_code=_most_first(self._to_approved),
            to_rejected_by_code=_most_first(self._to_rejected),
            flips=tuple(self._flips),
            flips_left_out=self._flipped - len(self._flips),
            cannot_be_judged=self.cannot_be_judged,
            changed_rules=self._changed_rules,
            doubtful=self._doubtful,
        )

    def _judge(self, then: JudgedThen) -> None:
        now = then.judged_under(self._policy)
        rejecting = now.rejecting
        decision = Decision.REJECTED if rejecting else Decision.APPROVED
        flipped = decision is not then.judgement
        if flipped and evaluate(then.dossier).decision is not then.judgement:
            self._changed_rules += 1
            return
        counts = self._decisions if then.by_engine else self._reviewed
        counts["judged"] += 1
        counts["approved_then"] += then.judgement is Decision.APPROVED
        counts["approved_now"] += decision is Decision.APPROVED
        self._doubtful += now.doubtful and decision is Decision.APPROVED
        if not flipped:
            return
        counts["to_approved" if decision is Decision.APPROVED else "to_rejected"] += 1
        if not then.by_engine:
            return
        codes = tuple(dict.fromkeys(rejecting if decision is Decision.REJECTED else then.rejected_by))
        (self._to_rejected if decision is Decision.REJECTED else self._to_approved).update(codes)
        self._flipped += 1
        if len(self._flips) < MOST_FLIPS:
            self._flips.append(Flip(then.transaction_id, then.judgement, decision, codes))


def _counted(counts: Counter[str]) -> Counted:
    return Counted(**{name: int(number) for name, number in counts.items()})


def _most_first(counts: Counter[str]) -> dict[str, int]:
    return dict(counts.most_common())
