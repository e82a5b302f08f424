"""Does the document agree with the customer's last approved one?

Number, type and country are not compared: a person may hold several documents. A date of birth that could not be read
is a difference, because it never changes; names and gender that could not be read leave the question open, because
some documents show none.
"""

from collections.abc import Iterator

from truename.rules.dossier import Dossier, EarlierRecord
from truename.rules.evidence import DocumentEvidence, FieldName
from truename.rules.issues import WITH_DOCUMENT, IssueCode
from truename.rules.results import CheckName, CheckResult, failed, inconclusive, not_run, passed
from truename.rules.text import EXACT, is_name, name_similarity

ASKS = (
    CheckName.GIVEN_NAMES_CONSISTENT,
    CheckName.SURNAMES_CONSISTENT,
    CheckName.GENDER_CONSISTENT,
    CheckName.DATE_OF_BIRTH_CONSISTENT,
)
APPLIES_TO = WITH_DOCUMENT

NO_RECORD = EarlierRecord()
NOTHING_READ = DocumentEvidence(recognised=False)


def check(dossier: Dossier) -> Iterator[CheckResult]:
    """One result for each field of the earlier record; not run where there is no record of the field."""
    record = dossier.earlier_record or NO_RECORD
    document = dossier.evidence.document or NOTHING_READ
    given_names, surnames = document.value(FieldName.GIVEN_NAMES), document.value(FieldName.SURNAMES)
    yield _same_name(CheckName.GIVEN_NAMES_CONSISTENT, record.given_names, given_names, IssueCode.NAME_MISMATCH)
    yield _same_name(CheckName.SURNAMES_CONSISTENT, record.surnames, surnames, IssueCode.SURNAME_MISMATCH)
    yield _same_gender(record.gender, document.value(FieldName.GENDER))

    name, birth = CheckName.DATE_OF_BIRTH_CONSISTENT, document.date(FieldName.DATE_OF_BIRTH)
    if record.date_of_birth is None:
        yield not_run(name, "NO_EARLIER_RECORD")
    elif birth == record.date_of_birth:
        yield passed(name)
    else:
        reason = {"reason": "NOT_EXTRACTED"} if birth is None else {}
        yield _differs(name, IssueCode.DATE_OF_BIRTH_MISMATCH, reason)


def _same_name(name: CheckName, earlier: str | None, now: str | None, code: IssueCode) -> CheckResult:
    if not earlier:
        return not_run(name, "NO_EARLIER_RECORD")
    if not now or not is_name(now):
        return inconclusive(name, "NOT_EXTRACTED")
    score = name_similarity(earlier, now)
    if score >= EXACT:
        return passed(name, score=score, threshold=EXACT)
    return _differs(name, code, {"score": score, "threshold": EXACT})


def _same_gender(earlier: str | None, now: str | None) -> CheckResult:
    name = CheckName.GENDER_CONSISTENT
    if not earlier:
        return not_run(name, "NO_EARLIER_RECORD")
    if not now:
        return inconclusive(name, "NOT_EXTRACTED")
    return passed(name) if now == earlier else _differs(name, IssueCode.GENDER_MISMATCH, {})


def _differs(name: CheckName, code: IssueCode, details: dict[str, str] | dict[str, float]) -> CheckResult:
    return failed(name, code, {**details, "compared_with": "CUSTOMER_RECORD"}, against_the_record=True)
