"""Is the live face known from another customer or from a blocklist?

Off: nothing is asked. Report: the answer is shown. Enforce: a match is an issue as well, of the severity that the
config says. The issue of a face repeated under another customer is an extension: the interface has the action, but no
code for it.
"""

from collections.abc import Iterator

from truename.rules.dossier import Dossier, FaceSearch
from truename.rules.issues import WITH_SELFIE, IssueCode
from truename.rules.results import CheckName, CheckResult, failed, inconclusive, not_run, passed
from truename.rules.searched_faces import SearchedFaces, SearchedList

ASKS = (CheckName.REPEATED_FACE, CheckName.INTERNAL_BLOCKLIST, CheckName.GLOBAL_BLOCKLIST)
APPLIES_TO = WITH_SELFIE


def check(dossier: Dossier) -> Iterator[CheckResult]:
    """One result for each list that can be searched; all not run while the account's search is off."""
    if dossier.face_search is FaceSearch.OFF:
        yield from (not_run(name, "FACE_SEARCH_OFF") for name in ASKS)
        return
    if not dossier.config.biometric_policy.require_face_comparison:
        yield from (not_run(name, "DISABLED") for name in ASKS)
        return
    evidence = dossier.evidence
    faces, enforced = evidence.searched_faces or SearchedFaces(), dossier.face_search is FaceSearch.ENFORCE
    for name, code, searched, simulated in (
        (ASKS[0], IssueCode.ANOTHER_CUSTOMER_REPEATED_FACE, faces.customers, evidence.repeated_face),
        (ASKS[1], IssueCode.INTERNAL_FACE_BLACKLIST_MATCH, faces.account_blocklist, evidence.internal_blocklist_match),
        (ASKS[2], IssueCode.GLOBAL_FACE_BLACKLIST_MATCH, faces.installation_blocklist, evidence.global_blocklist_match),
    ):
        emitted = code if enforced else None
        yield _simulated(name, simulated, emitted) if searched is None else _answer(name, searched, emitted)


def _answer(name: CheckName, searched: SearchedList, code: IssueCode | None) -> CheckResult:
    score = searched.hits[0].score if searched.hits else None
    if searched.found is None:
        return passed(name, score=score, threshold=searched.threshold)
    details = {"score": score, "threshold": searched.threshold, "searched": searched.searched}
    return failed(name, code, details)


def _simulated(name: CheckName, match: bool | None, code: IssueCode | None) -> CheckResult:
    """What a simulation says, or that nothing was searched."""
    if match is None:
        return inconclusive(name, "NOT_SEARCHED")
    return failed(name, code, {}) if match else passed(name)
