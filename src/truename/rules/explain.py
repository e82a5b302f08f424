"""Why was it decided so? Sentences made from the facts of a verdict, by template; nothing is guessed.

`explain` answers whoever may see the person's data. With `blind=True` the same explanation holds no value of the
person: neither what was read nor what was expected, no country, no age; only codes, scores, limits and the names of
fields. That one is for assistants and for whoever may ask why without being allowed to know who.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from truename.rules.dossier import Dossier
from truename.rules.issues import Issue, IssueCode, Severity
from truename.rules.questions import QUESTIONS
from truename.rules.reasons import REASONS
from truename.rules.results import CheckName, CheckResult, Outcome
from truename.rules.score_words import shown_limit, shown_score, shown_years
from truename.rules.strangers import in_strangers
from truename.rules.text import each_pair_once
from truename.rules.verdict import Decision, Verdict
from truename.rules.what_if import WhatIf, unchangeable, what_if

MATCHING: Final = "/document_policy/data_matching"
BIOMETRIC: Final = "/biometric_policy"
ELIGIBILITY: Final = "/document_policy/document_eligibility"

LIMIT_SET_BY: Final[Mapping[IssueCode, str]] = {
    IssueCode.DOCUMENT_NOT_ELIGIBLE: ELIGIBILITY,
    IssueCode.EXPIRED_DOCUMENT: ELIGIBILITY,
    IssueCode.NAME_MISMATCH: f"{MATCHING}/given_names/similarity_min_score",
    IssueCode.SURNAME_MISMATCH: f"{MATCHING}/surnames/similarity_min_score",
    IssueCode.GENDER_MISMATCH: f"{MATCHING}/gender",
    IssueCode.EXPECTED_DOCUMENT_TYPE_MISMATCH: f"{MATCHING}/document_type",
    IssueCode.DOCUMENT_ISSUING_COUNTRY_MISMATCH: f"{MATCHING}/document_issuing_country",
    IssueCode.DOCUMENT_NUMBER_MISMATCH: f"{MATCHING}/document_number",
    IssueCode.DATE_OF_BIRTH_MISMATCH: f"{MATCHING}/date_of_birth",
    IssueCode.LIVENESS_LOW_CONFIDENCE: f"{BIOMETRIC}/liveness_min_score",
    IssueCode.DOCUMENT_VS_LIVENESS_FACE_MISMATCH: f"{BIOMETRIC}/face_comparison_min_score",
    IssueCode.LIVENESS_VS_IDENTITY_REF_FACE_MISMATCH: f"{BIOMETRIC}/face_comparison_min_score",
    IssueCode.DOCUMENT_VS_IDENTITY_REF_FACE_MISMATCH: f"{BIOMETRIC}/face_comparison_min_score",
    IssueCode.FACE_COMPARISON_DISABLED: f"{BIOMETRIC}/require_face_comparison",
    IssueCode.LIVENESS_GENDER_MISMATCH_EXPECTED: f"{BIOMETRIC}/expected_gender",
    IssueCode.LIVENESS_AGE_OUT_OF_RANGE: f"{BIOMETRIC}/expected_min_age",
}
"""The config field that says what was needed; a code that is not here has none."""
MOST_IN_A_SENTENCE: Final = 3
"""The rest stand in the list of issues."""
FACES: Final = frozenset(
    {
        CheckName.DOCUMENT_VS_LIVENESS_FACE,
        CheckName.LIVENESS_VS_REFERENCE_FACE,
        CheckName.DOCUMENT_VS_REFERENCE_FACE,
    }
)
SEARCHES: Final[Mapping[CheckName, IssueCode]] = {
    CheckName.REPEATED_FACE: IssueCode.ANOTHER_CUSTOMER_REPEATED_FACE,
    CheckName.INTERNAL_BLOCKLIST: IssueCode.INTERNAL_FACE_BLACKLIST_MATCH,
    CheckName.GLOBAL_BLOCKLIST: IssueCode.GLOBAL_FACE_BLACKLIST_MATCH,
}
"""In which a score from the limit on is what fails."""
FACE_MISMATCHES: Final = frozenset(
    {
        IssueCode.DOCUMENT_VS_LIVENESS_FACE_MISMATCH,
        IssueCode.LIVENESS_VS_IDENTITY_REF_FACE_MISMATCH,
        IssueCode.DOCUMENT_VS_IDENTITY_REF_FACE_MISMATCH,
    }
)


@dataclass(frozen=True, slots=True)
class IssueExplained:
    """One issue: what was found, against which limit, and which fields of the config say so."""

    code: IssueCode
    severity: Severity
    sentence: str
    """Without a capital and a full stop: "the live face is not the face on the document: 0.62, needed 0.85"."""
    measured: str | None
    """What was measured; None where there is nothing to measure, or it was deleted."""
    limit: str | None
    """What was needed."""
    limit_set_by: str | None
    """JSON pointer of the config field that sets the limit."""
    severity_set_by: str | None
    """JSON pointer of the config field that sets the severity; None where it is always the same."""
    reason: str | None
    """A word of the list of reasons."""
    strangers: str | None
    """A face's score in strangers."""


@dataclass(frozen=True, slots=True)
class CheckExplained:
    """One check: its question and what it came to. What did not run is said as such."""

    check: CheckName
    outcome: Outcome
    question: str
    sentence: str
    score: float | None
    threshold: float | None
    strangers: str | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """A decision, explained."""

    decision: Decision
    reason: str
    """Why, as a clause: the first rejections, or that there was none."""
    sentence: str
    """The decision and its reason, as one sentence."""
    issues: tuple[IssueExplained, ...]
    checks: tuple[CheckExplained, ...]
    what_if: tuple[WhatIf, ...]
    """What would have changed the decision; each one alone suffices. Empty once the evidence is gone."""
    unchangeable: tuple[IssueCode, ...]
    """Rejections that no config would have spared."""

    @property
    def without_result(self) -> tuple[CheckExplained, ...]:
        """The checks that did not run or could not tell."""
        return tuple(check for check in self.checks if check.outcome in (Outcome.NOT_RUN, Outcome.INCONCLUSIVE))


def explain(verdict: Verdict, dossier: Dossier | None = None, *, blind: bool = False) -> Explanation:
    """Explain a verdict: what was judged, or what was stored of it.

    Without the dossier (the evidence was redacted or erased) nothing can be judged again, and what would have changed
    the decision is not said.
    """
    issues = tuple(_issue(issue, dossier, blind) for issue in verdict.issues)
    reason = _reason(verdict.decision, issues)
    with each_pair_once():
        otherwise = what_if(dossier, verdict, blind=blind) if dossier else ()
        unspared = unchangeable(dossier, verdict) if dossier else ()
    return Explanation(
        decision=verdict.decision,
        reason=reason,
        sentence=f"{verdict.decision.value.capitalize()}: {reason}.",
        issues=issues,
        checks=tuple(_check(result) for result in verdict.checks),
        what_if=otherwise,
        unchangeable=unspared,
    )


# ── issues ─────────────────────────────────────────────────────────────────────────────────────────────────


def _reason(decision: Decision, issues: Sequence[IssueExplained]) -> str:
    rejections = [issue.sentence for issue in issues if issue.severity is Severity.REJECTION]
    if decision is Decision.REJECTED:
        return _listed(rejections)
    warnings = [issue.sentence for issue in issues if issue.severity is Severity.WARNING]
    if not warnings:
        return "nothing was found that rejects"
    plural = "warning" if len(warnings) == 1 else "warnings"
    return f"nothing was found that rejects, with {len(warnings)} {plural}: " + _listed(warnings)


def _listed(sentences: Sequence[str]) -> str:
    more = len(sentences) - MOST_IN_A_SENTENCE
    return "; ".join(sentences[:MOST_IN_A_SENTENCE]) + (f"; and {more} more" if more > 0 else "")


def _issue(issue: Issue, dossier: Dossier | None, blind: bool) -> IssueExplained:
    details = issue.details
    score, needed, reason = details.get("score"), details.get("threshold"), details.get("reason")
    against_record = details.get("compared_with") == "CUSTOMER_RECORD"
    measured = shown_score(score, needed) if score is not None and needed is not None else None
    limit = shown_limit(needed) if needed is not None else None
    if measured is None and not blind:
        measured, limit = _values(issue, dossier)
    against = "found from" if issue.code in SEARCHES.values() else "needed"
    parts = [f"{measured}, {against} {limit}" if measured and limit else measured or ""]
    parts += [_meaning(reason)]
    parts += ["compared with the customer's earlier document"] if against_record else []
    found = "; ".join(part for part in parts if part)
    sentence = _clause(issue.code.meaning)
    return IssueExplained(
        code=issue.code,
        severity=issue.severity,
        sentence=f"{sentence}: {found}" if found else sentence,
        measured=measured,
        limit=limit,
        limit_set_by=None if against_record else _limit_set_by(issue),
        severity_set_by=issue.policy,
        reason=reason,
        strangers=in_strangers(score) if issue.code in FACE_MISMATCHES and score is not None else None,
    )


def _limit_set_by(issue: Issue) -> str | None:
    if issue.code is IssueCode.LIVENESS_AGE_OUT_OF_RANGE and issue.details.get("reason") == "ABOVE_RANGE":
        return f"{BIOMETRIC}/expected_max_age"
    return LIMIT_SET_BY.get(issue.code)


def _values(issue: Issue, dossier: Dossier | None) -> tuple[str | None, str | None]:
    """What was seen and what was needed where neither is a score: values of the person."""
    details = issue.details
    if issue.code is IssueCode.GEO_IP_MISMATCH and "gps_country" in details:
        return f"location in {details['gps_country']}, address in {details['ip_country']}", None
    if issue.code is IssueCode.LIVENESS_AGE_OUT_OF_RANGE and "expected_min_age" in details:
        least, most = details["expected_min_age"], details["expected_max_age"]
        ends = (f"at least {least}" if least is not None else "", f"at most {most}" if most is not None else "")
        selfie = dossier.evidence.selfie if dossier else None
        return (f"{shown_years(selfie.age)} years" if selfie else None), " and ".join(end for end in ends if end)
    if issue.code is IssueCode.LIVENESS_GENDER_MISMATCH_EXPECTED and dossier and dossier.evidence.selfie:
        expected, gender = dossier.config.biometric_policy.expected_gender, dossier.evidence.selfie.gender
        return (gender.value if gender else None), (expected.value if expected else None)
    if details.get("country") and details.get("type"):
        return f"{details['type']} of {details['country']}", None
    return None, None


def _meaning(reason: str | None) -> str:
    return _clause(REASONS[reason]) if reason is not None and reason in REASONS else ""


def _clause(sentence: str) -> str:
    """A sentence as part of another: without its capital, unless it is that of an abbreviation, and its full stop."""
    first = sentence[0] if sentence[1].isupper() else sentence[0].lower()
    return first + sentence[1:].rstrip(".")


# ── checks ─────────────────────────────────────────────────────────────────────────────────────────────────

_CAME_TO: Final = {
    Outcome.PASSED: "passed",
    Outcome.FAILED: "failed",
    Outcome.INCONCLUSIVE: "could not tell",
    Outcome.NOT_RUN: "did not run",
}


def _check(result: CheckResult) -> CheckExplained:
    parts = []
    if result.score is not None and result.threshold is not None:
        against = "found from" if result.check in SEARCHES else "needed"
        parts.append(f"{shown_score(result.score, result.threshold)}, {against} {shown_limit(result.threshold)}")
    parts += [meaning] if (meaning := _meaning(result.reason)) else []
    words = _CAME_TO[result.outcome]
    return CheckExplained(
        check=result.check,
        outcome=result.outcome,
        question=QUESTIONS[result.check],
        sentence=f"{words}: {'; '.join(parts)}" if parts else words,
        score=result.score,
        threshold=result.threshold,
        strangers=in_strangers(result.score) if result.check in FACES and result.score is not None else None,
    )
