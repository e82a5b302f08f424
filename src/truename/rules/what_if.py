"""What would have changed the decision? The smallest change of the config or of what was seen, found by judging again.

Of a rejection, one set of changes that together would have approved it, less any that is not needed. Of an approval,
the config changes that would each have rejected it, the nearest first.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from truename.rules.config import Action
from truename.rules.dossier import Dossier
from truename.rules.issues import Issue, IssueCode, Severity
from truename.rules.other_evidence import evidence_remedy
from truename.rules.remedies import Change, Remedy, policy_remedies, set_in_config
from truename.rules.results import CheckName, CheckResult, Outcome
from truename.rules.score_words import shown_limit
from truename.rules.verdict import Decision, Verdict, evaluate

NEAREST: Final = 3
"""So many ways to reject an approval are named."""


class WhatIfKind(StrEnum):
    """What would have had to be different."""

    POLICY = "POLICY"
    EVIDENCE = "EVIDENCE"


@dataclass(frozen=True, slots=True)
class WhatIf:
    """Changes that together would have led to the other decision."""

    kind: WhatIfKind
    decision: Decision
    changes: tuple[Change, ...]
    sentence: str


def what_if(dossier: Dossier, verdict: Verdict, *, blind: bool = False) -> tuple[WhatIf, ...]:
    """What would have led to the other decision; empty where nothing would. `blind` shows no value of the person."""
    found: list[tuple[WhatIfKind, tuple[Remedy, ...]]] = []
    if verdict.decision is Decision.APPROVED:
        found += [(WhatIfKind.POLICY, (remedy,)) for remedy in _stricter(dossier, verdict)[:NEAREST]]
    else:
        for kind, remedies_of in ((WhatIfKind.POLICY, policy_remedies), (WhatIfKind.EVIDENCE, _seen)):
            if needed := _needed(dossier, verdict, remedies_of):
                found.append((kind, needed))
    return tuple(_what_if(kind, verdict.decision, remedies, blind) for kind, remedies in found)


def unchangeable(dossier: Dossier, verdict: Verdict) -> tuple[IssueCode, ...]:
    """The rejections that no config would have spared, such as a blocked customer."""
    rejections = _rejections(verdict)
    return tuple(issue.code for issue in rejections if _sparing(dossier, issue, policy_remedies) is None)


def _what_if(kind: WhatIfKind, was: Decision, remedies: Sequence[Remedy], blind: bool) -> WhatIf:
    decision = Decision.REJECTED if was is Decision.APPROVED else Decision.APPROVED
    changes = tuple(remedy.blind if blind else remedy.change for remedy in remedies)
    said = " and ".join(f"{change.pointer} been {change.to} instead of {change.was}" for change in changes)
    return WhatIf(kind, decision, changes, f"Had {said}, the decision would have been {decision.value}.")


# ── from a rejection to an approval ────────────────────────────────────────────────────────────────────────

RemediesOf = Callable[[Dossier, Issue], Iterable[Remedy]]


def _seen(dossier: Dossier, issue: Issue) -> Iterable[Remedy]:
    remedy = evidence_remedy(dossier, issue)
    return () if remedy is None else (remedy,)


def _rejections(verdict: Verdict) -> list[Issue]:
    return [issue for issue in verdict.issues if issue.severity is Severity.REJECTION]


def _sparing(dossier: Dossier, issue: Issue, remedies_of: RemediesOf) -> Remedy | None:
    """The first remedy after which this very rejection is gone."""
    for remedy in remedies_of(dossier, issue):
        if _which(issue) not in {_which(other) for other in _rejections(evaluate(remedy.apply(dossier)))}:
            return remedy
    return None


def _which(issue: Issue) -> tuple[IssueCode, bool]:
    return issue.code, "compared_with" in issue.details


def _needed(dossier: Dossier, verdict: Verdict, remedies_of: RemediesOf) -> tuple[Remedy, ...]:
    """One remedy for each rejection, less those that another one makes needless; empty if some rejection has none."""
    chosen: dict[str, Remedy] = {}
    for issue in _rejections(verdict):
        remedy = _sparing(dossier, issue, remedies_of)
        if remedy is None:
            return ()
        known = chosen.get(remedy.change.pointer)
        if known is None or remedy.step > known.step:
            chosen[remedy.change.pointer] = remedy
    for pointer in list(chosen):
        fewer = [remedy for other, remedy in chosen.items() if other != pointer]
        if fewer and _approves(dossier, fewer):
            del chosen[pointer]
    remedies = tuple(chosen.values())
    return remedies if _approves(dossier, remedies) else ()


def _approves(dossier: Dossier, remedies: Iterable[Remedy]) -> bool:
    for remedy in remedies:
        dossier = remedy.apply(dossier)
    return evaluate(dossier).decision is Decision.APPROVED


# ── from an approval to a rejection ────────────────────────────────────────────────────────────────────────

LIMITS: Final = {
    CheckName.LIVENESS: "/biometric_policy/liveness_min_score",
    CheckName.DOCUMENT_VS_LIVENESS_FACE: "/biometric_policy/face_comparison_min_score",
    CheckName.LIVENESS_VS_REFERENCE_FACE: "/biometric_policy/face_comparison_min_score",
    CheckName.DOCUMENT_VS_REFERENCE_FACE: "/biometric_policy/face_comparison_min_score",
    CheckName.GIVEN_NAMES_MATCH: "/document_policy/data_matching/given_names/similarity_min_score",
    CheckName.SURNAMES_MATCH: "/document_policy/data_matching/surnames/similarity_min_score",
}
"""The checks that a higher limit would have failed, and the field that sets it."""


def _stricter(dossier: Dossier, verdict: Verdict) -> list[Remedy]:
    """Every single change of the config that rejects, the smallest first, and of two for one field the smaller."""
    found = [_as_rejection(issue) for issue in verdict.issues if issue.policy is not None]
    found += [remedy for check in verdict.checks if (remedy := _higher_limit(check)) is not None]
    nearest: dict[str, Remedy] = {}
    for remedy in sorted(found, key=lambda one: one.step):
        if remedy.change.pointer not in nearest and not _approves(dossier, [remedy]):
            nearest[remedy.change.pointer] = remedy
    return list(nearest.values())


def _as_rejection(issue: Issue) -> Remedy:
    was = Action.WARN if issue.severity is Severity.WARNING else Action.IGNORE
    change = Change(str(issue.policy), was.value, Action.REJECT.value)
    return Remedy(change, change, set_in_config(change.pointer, Action.REJECT))


def _higher_limit(check: CheckResult) -> Remedy | None:
    if check.outcome is not Outcome.PASSED or check.check not in LIMITS:
        return None
    if check.score is None or check.threshold is None:
        return None
    limit = (math.floor(check.score * 100 + 1e-9) + 1) / 100
    if limit > 1.0:
        return None
    change = Change(LIMITS[check.check], shown_limit(check.threshold), shown_limit(limit))
    return Remedy(change, change, set_in_config(change.pointer, limit), limit - check.threshold)
