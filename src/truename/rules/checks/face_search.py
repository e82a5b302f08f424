"""Is the live face known from another customer or from a blocklist?

No search is built yet: every account's `face_search` is off, and these checks are NOT_RUN. What they will answer is
settled here, so that evidence of a search has its place.
Off: nothing is asked. Report: the answer is shown. Enforce: a blocklist match is an issue as well. A face repeated
under another customer has no issue code in the interface, so that it is only ever shown.
"""

from collections.abc import Iterator

from truename.rules.dossier import Dossier, FaceSearch
from truename.rules.issues import WITH_SELFIE, IssueCode
from truename.rules.results import CheckName, CheckResult, failed, inconclusive, not_run, passed

ASKS = (CheckName.REPEATED_FACE, CheckName.INTERNAL_BLOCKLIST, CheckName.GLOBAL_BLOCKLIST)
APPLIES_TO = WITH_SELFIE


def check(dossier: Dossier) -> Iterator[CheckResult]:
    """One result for each list that can be searched; all not run while the account's search is off."""
    if dossier.face_search is FaceSearch.OFF:
        yield from (not_run(name, "FACE_SEARCH_OFF") for name in ASKS)
        return
    evidence, enforced = dossier.evidence, dossier.face_search is FaceSearch.ENFORCE
    internal = IssueCode.INTERNAL_FACE_BLACKLIST_MATCH if enforced else None
    everywhere = IssueCode.GLOBAL_FACE_BLACKLIST_MATCH if enforced else None
    yield _found(CheckName.REPEATED_FACE, evidence.repeated_face, None)
    yield _found(CheckName.INTERNAL_BLOCKLIST, evidence.internal_blocklist_match, internal)
    yield _found(CheckName.GLOBAL_BLOCKLIST, evidence.global_blocklist_match, everywhere)


def _found(name: CheckName, match: bool | None, code: IssueCode | None) -> CheckResult:
    if match is None:
        return inconclusive(name, "NOT_SEARCHED")
    return failed(name, code, {}) if match else passed(name)
