"""Facts go in, checks find issues, the config sets each severity, the decision comes out.

A transaction is REJECTED if and only if at least one of its issues is a rejection.
"""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any, Final, NamedTuple

from truename.rules.answers import Answer, CheckName, Finding, Outcome, not_run
from truename.rules.checks import CHECKS, Check
from truename.rules.config import Config, TransactionType
from truename.rules.dossier import Dossier
from truename.rules.issues import AGAINST_THE_RECORD, Issue, Severity


class Decision(StrEnum):
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"


class Verdict(NamedTuple):
    decision: Decision
    issues: tuple[Issue, ...]
    """In the order of the catalogue."""
    checks: tuple[Answer, ...]
    """Every check there is, in the order of the files that ask."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "decision": self.decision.value,
            "issues": [issue.as_dict() for issue in self.issues],
            "checks": [answer.as_dict() for answer in self.checks],
        }

    def outcome(self, check: CheckName) -> Outcome:
        return next(answer.outcome for answer in self.checks if answer.check is check)


def _asked(check: Check, kind: TransactionType) -> Callable[[Dossier], Iterable[Answer]]:
    """The check itself, or the answer that it is not part of this type of transaction."""
    if kind in check.APPLIES_TO:
        return check.check
    answers = tuple(not_run(name, "NOT_PART_OF_THIS_TRANSACTION_TYPE") for name in check.ASKS)
    return lambda dossier: answers


_QUESTIONS: Final = {kind: tuple(_asked(check, kind) for check in CHECKS) for kind in TransactionType}


def evaluate(dossier: Dossier) -> Verdict:
    """Judge one transaction."""
    answers: list[Answer] = []
    for ask in _QUESTIONS[dossier.transaction_type]:
        answers += ask(dossier)
    findings = [answer.finding for answer in answers if answer.finding]
    findings.sort(key=_place)
    issues = tuple([_issue(finding, dossier.config) for finding in findings])
    rejected = Severity.REJECTION in [issue.severity for issue in issues]
    return Verdict(Decision.REJECTED if rejected else Decision.APPROVED, issues, tuple(answers))


def _place(finding: Finding) -> tuple[int, bool]:
    return finding.code.place, finding.against_the_record


def _issue(finding: Finding, config: Config) -> Issue:
    severity = AGAINST_THE_RECORD[finding.code] if finding.against_the_record else finding.code.severity
    return tuple.__new__(Issue, (finding.code, severity.in_config(config), severity.policy, finding.details))
