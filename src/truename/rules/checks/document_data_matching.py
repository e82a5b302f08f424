"""Does the document say what the integrator expects? What must match and could not be read is a mismatch."""

from collections.abc import Iterator

from truename.rules.answers import Answer, CheckName, failed, not_run, passed
from truename.rules.config import DataMatching, NameMatch
from truename.rules.dossier import Dossier
from truename.rules.evidence import DocumentEvidence, FieldName
from truename.rules.issues import WITH_DOCUMENT, IssueCode
from truename.rules.text import normal_name, normal_number, normal_similarity

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


def check(dossier: Dossier) -> Iterator[Answer]:
    expected = dossier.config.document_policy.data_matching or NOTHING_EXPECTED
    document = dossier.evidence.document or NOTHING_READ
    kind, country = (document.type, document.country) if document.recognised else (None, None)
    number = document.value(FieldName.DOCUMENT_NUMBER)

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
    yield _equal(
        CheckName.DOCUMENT_NUMBER_MATCH,
        expected.document_number and normal_number(expected.document_number),
        number and normal_number(number),
        IssueCode.DOCUMENT_NUMBER_MISMATCH,
    )
    yield _equal(
        CheckName.DATE_OF_BIRTH_MATCH,
        expected.date_of_birth,
        document.date(FieldName.DATE_OF_BIRTH),
        IssueCode.DATE_OF_BIRTH_MISMATCH,
    )


def _alike(name: CheckName, expected: NameMatch | None, read: str | None, code: IssueCode) -> Answer:
    if expected is None:
        return not_run(name, "NOTHING_EXPECTED")
    threshold = expected.similarity_min_score
    name_read = normal_name(read) if read else ""
    if not name_read:
        return failed(name, code, {"score": 0.0, "threshold": threshold, "reason": "NOT_EXTRACTED"})
    score = normal_similarity(normal_name(expected.value), name_read)
    if score >= threshold:
        return passed(name, score=score, threshold=threshold)
    return failed(name, code, {"score": score, "threshold": threshold})


def _equal(name: CheckName, expected: object, read: object, code: IssueCode) -> Answer:
    if expected is None:
        return not_run(name, "NOTHING_EXPECTED")
    if not read:
        return failed(name, code, {"reason": "NOT_EXTRACTED"})
    return passed(name) if read == expected else failed(name, code, {})
