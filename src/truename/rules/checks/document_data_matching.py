"""Does the document say what the integrator expects? What must match and could not be read is a mismatch.

So is what a zone says against its own check digit: it was misread or changed, and is no good reading either way.
"""

from collections.abc import Iterator
from datetime import date

from truename.rules import documents
from truename.rules.config import DataMatching, NameMatch
from truename.rules.dossier import Dossier
from truename.rules.evidence import DocumentEvidence, FieldName
from truename.rules.issues import WITH_DOCUMENT, IssueCode
from truename.rules.results import CheckName, CheckResult, failed, not_run, passed
from truename.rules.text import is_name, name_similarity, normal_number

ASKS = (
    CheckName.GIVEN_NAMES_MATCH,
    CheckName.SURNAMES_MATCH,
    CheckName.GENDER_MATCH,
    CheckName.DOCUMENT_TYPE_MATCH,
    CheckName.ISSUING_COUNTRY_MATCH,
    CheckName.DOCUMENT_NUMBER_MATCH,
    CheckName.DATE_OF_BIRTH_MATCH,
)
APPLIES_TO = WITH_DOCUMENT

NOTHING_EXPECTED = DataMatching()
NOTHING_READ = DocumentEvidence(recognised=False)


def check(dossier: Dossier) -> Iterator[CheckResult]:
    """One result for each field that may be expected; not run where nothing is."""
    expected = dossier.config.document_policy.data_matching or NOTHING_EXPECTED
    document = dossier.evidence.document or NOTHING_READ
    kind, country = (document.type, document.country) if document.recognised else (None, None)

    given_names, surnames = document.value(FieldName.GIVEN_NAMES), document.value(FieldName.SURNAMES)
    yield _alike(CheckName.GIVEN_NAMES_MATCH, expected.given_names, given_names, IssueCode.NAME_MISMATCH)
    yield _alike(CheckName.SURNAMES_MATCH, expected.surnames, surnames, IssueCode.SURNAME_MISMATCH)
    yield _equal(CheckName.GENDER_MATCH, expected.gender, document.value(FieldName.GENDER), IssueCode.GENDER_MISMATCH)
    yield _equal(CheckName.DOCUMENT_TYPE_MATCH, expected.document_type, kind, IssueCode.EXPECTED_DOCUMENT_TYPE_MISMATCH)
    yield _equal(
        CheckName.ISSUING_COUNTRY_MATCH,
        expected.document_issuing_country,
        country,
        IssueCode.DOCUMENT_ISSUING_COUNTRY_MISMATCH,
    )
    yield _number(expected.document_number, document, _numbers_meant(document))
    yield _birth(expected.date_of_birth, document)


def _numbers_meant(document: DocumentEvidence) -> tuple[FieldName, ...]:
    known = documents.kind_of(document) if document.recognised else None
    return known.number if known else (FieldName.DOCUMENT_NUMBER,)


def _alike(name: CheckName, expected: NameMatch | None, read: str | None, code: IssueCode) -> CheckResult:
    if expected is None:
        return not_run(name, "NOTHING_EXPECTED")
    threshold = expected.similarity_min_score
    if not read or not is_name(read):
        return failed(name, code, {"score": 0.0, "threshold": threshold, "reason": "NOT_EXTRACTED"})
    score = name_similarity(expected.value, read)
    if score >= threshold:
        return passed(name, score=score, threshold=threshold)
    return failed(name, code, {"score": score, "threshold": threshold})


def _number(expected: str | None, document: DocumentEvidence, fields: tuple[FieldName, ...]) -> CheckResult:
    """One of the numbers that people may mean for this kind of document; where there are several, say which it was."""
    name, code = CheckName.DOCUMENT_NUMBER_MATCH, IssueCode.DOCUMENT_NUMBER_MISMATCH
    if expected is None:
        return not_run(name, "NOTHING_EXPECTED")
    wanted = normal_number(expected)
    doubtful = False
    unread = True
    for field in fields:
        read = normal_number(document.value(field) or "")
        if read == wanted and not document.check_digit_fails(field):
            return passed(name, reason=f"MATCHED_{field.name}" if len(fields) > 1 else None)
        doubtful = doubtful or document.check_digit_fails(field)
        unread = unread and not read
    reason = "NOT_EXTRACTED" if unread else "CHECK_DIGIT_FAILED" if doubtful else None
    return failed(name, code, {"reason": reason} if reason else {})


def _birth(expected: date | None, document: DocumentEvidence) -> CheckResult:
    name, code = CheckName.DATE_OF_BIRTH_MATCH, IssueCode.DATE_OF_BIRTH_MISMATCH
    if expected is not None and document.check_digit_fails(FieldName.DATE_OF_BIRTH):
        return failed(name, code, {"reason": "CHECK_DIGIT_FAILED"})
    return _equal(name, expected, document.date(FieldName.DATE_OF_BIRTH), code)


def _equal(name: CheckName, expected: object, read: object, code: IssueCode) -> CheckResult:
    if expected is None:
        return not_run(name, "NOTHING_EXPECTED")
    if not read:
        return failed(name, code, {"reason": "NOT_EXTRACTED"})
    return passed(name) if read == expected else failed(name, code, {})
