"""Facts go in, checks find issues, the config sets each severity, the decision comes out.

A transaction is REJECTED if and only if at least one of its issues is a rejection.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from truename.rules.answers import Answer, CheckName, Finding, Outcome, not_run
from truename.rules.checks import CHECKS
from truename.rules.config import Config
from truename.rules.dossier import Dossier
from truename.rules.issues import AGAINST_THE_RECORD, Issue, IssueCode, Severity


class Decision(StrEnum):
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"


@dataclass(frozen=True, slots=True)
class Verdict:
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


_PLACE_OF_CODE: Final = {code: place for place, code in enumerate(IssueCode)}


def evaluate(dossier: Dossier) -> Verdict:
    """Judge one transaction."""
    answers: list[Answer] = []
    for check in CHECKS:
        if dossier.transaction_type in check.APPLIES_TO:
            answers += check.check(dossier)
        else:
            answers += [not_run(name, "NOT_PART_OF_THIS_TRANSACTION_TYPE") for name in check.ASKS]
    issues = [
        _issue(answer.finding, dossier.config)
        for answer in answers
        if answer.finding and dossier.transaction_type in answer.finding.code.applies_to
    ]
    rejected = any(issue.severity is Severity.REJECTION for issue in issues)
    return Verdict(
        Decision.REJECTED if rejected else Decision.APPROVED,
        tuple(sorted(issues, key=lambda issue: (_PLACE_OF_CODE[issue.code], issue.details.get("compared_with", "")))),
        tuple(answers),
    )


def _issue(finding: Finding, config: Config) -> Issue:
    severity = AGAINST_THE_RECORD[finding.code] if finding.against_the_record else finding.code.severity
    return Issue(finding.code, severity.in_config(config), severity.policy, finding.details)
