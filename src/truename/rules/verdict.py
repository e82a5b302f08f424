"""Facts go in, checks find issues, the config sets each severity, the decision comes out.

A transaction is REJECTED if and only if at least one of its issues is a rejection.
"""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Final, NamedTuple

from truename.rules.checks import CHECKS, Check
from truename.rules.config import Config, TransactionType
from truename.rules.dossier import Dossier
from truename.rules.issues import AGAINST_THE_RECORD, Issue, Severity
from truename.rules.json_values import Json
from truename.rules.results import CheckName, CheckResult, Finding, Outcome, not_run


class Decision(StrEnum):
    """What an analysis decides."""

    APPROVED = "APPROVED"
    REJECTED = "REJECTED"


class Verdict(NamedTuple):
    """The judgement of one transaction: the decision, its issues, and the result of every check."""

    decision: Decision
    issues: tuple[Issue, ...]
    """In the order of the catalogue."""
    checks: tuple[CheckResult, ...]
    """Every check there is, in the order of the files that ask."""

    def as_dict(self) -> dict[str, Json]:
        """As it is stored and shown."""
        return {
            "decision": self.decision.value,
            "issues": [issue.as_dict() for issue in self.issues],
            "checks": [result.as_dict() for result in self.checks],
        }

    def outcome(self, check: CheckName) -> Outcome:
        return next(result.outcome for result in self.checks if result.check is check)


def _asked(check: Check, kind: TransactionType) -> Callable[[Dossier], Iterable[CheckResult]]:
    """The check itself, or the result that it is not part of this type of transaction."""
    if kind in check.APPLIES_TO:
        return check.check
    results = tuple(not_run(name, "NOT_PART_OF_THIS_TRANSACTION_TYPE") for name in check.ASKS)
    return lambda dossier: results


_QUESTIONS: Final = {kind: tuple(_asked(check, kind) for check in CHECKS) for kind in TransactionType}


def evaluate(dossier: Dossier) -> Verdict:
    """Judge one transaction."""
    results: list[CheckResult] = []
    for ask in _QUESTIONS[dossier.transaction_type]:
        results += ask(dossier)
    findings = [result.finding for result in results if result.finding]
    findings.sort(key=_place)
    issues = tuple([_issue(finding, dossier.config) for finding in findings])
    rejected = Severity.REJECTION in [issue.severity for issue in issues]
    return Verdict(Decision.REJECTED if rejected else Decision.APPROVED, issues, tuple(results))


def _place(finding: Finding) -> tuple[int, bool]:
    return finding.code.place, finding.against_the_record


def _issue(finding: Finding, config: Config) -> Issue:
    severity = AGAINST_THE_RECORD[finding.code] if finding.against_the_record else finding.code.severity
    return tuple.__new__(Issue, (finding.code, severity.in_config(config), severity.policy, finding.details))
