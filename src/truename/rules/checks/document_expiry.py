"""Is the document still valid? It is so through its date of expiry.

A date that could not be read, or whose check digit in the zone is wrong, counts as expired where documents of that kind
bear one. Where they may bear none, the answer is inconclusive (European licences issued before 2013: a dash stands in
field 4b); so it is for a document that was not recognised, which is rejected for that already. A document without end
is valid if the table of documents says that its kind may be so.
"""

from collections.abc import Iterator

from truename.rules import documents
from truename.rules.documents import Expiry
from truename.rules.dossier import Dossier
from truename.rules.evidence import DocumentEvidence, FieldName
from truename.rules.issues import WITH_DOCUMENT, IssueCode
from truename.rules.results import CheckName, CheckResult, failed, inconclusive, not_run, passed

ASKS = (CheckName.DOCUMENT_EXPIRY,)
APPLIES_TO = WITH_DOCUMENT


def check(dossier: Dossier) -> Iterator[CheckResult]:
    """One result, by the date of the submission; passed or not run where the config allows an expired one."""
    document = dossier.evidence.document
    if document is None:
        yield inconclusive(CheckName.DOCUMENT_EXPIRY, "NOT_EXAMINED")
        return
    kind = documents.kind_of(document)
    issued = document.date(FieldName.DATE_OF_ISSUE)
    says = kind.expiry_if_issued(issued) if kind and document.recognised else None
    doubtful = document.check_digit_fails(FieldName.DATE_OF_EXPIRY)
    expiry = None if doubtful else document.date(FieldName.DATE_OF_EXPIRY)
    if says is Expiry.BEARS_NONE or (
        expiry == documents.WITHOUT_END and says in (Expiry.MAY_SAY_WITHOUT_END, Expiry.MAY_BEAR_NONE)
    ):
        yield passed(CheckName.DOCUMENT_EXPIRY, reason="WITHOUT_END")
    elif expiry is not None and dossier.today <= expiry < documents.WITHOUT_END:
        yield passed(CheckName.DOCUMENT_EXPIRY)
    elif _may_be_expired(dossier, document):
        if expiry is None:
            yield not_run(CheckName.DOCUMENT_EXPIRY, "EXPIRED_ALLOWED")
        else:
            yield passed(CheckName.DOCUMENT_EXPIRY, reason="EXPIRED_ALLOWED")
    elif expiry == documents.WITHOUT_END:
        yield _expired("WITHOUT_END_NOT_ISSUED", document)
    elif expiry is not None:
        yield _expired("EXPIRED", document)
    elif says is None:
        reason = "DOCUMENT_NOT_SUPPORTED" if document.recognised and document.country else "DOCUMENT_NOT_RECOGNISED"
        yield inconclusive(CheckName.DOCUMENT_EXPIRY, reason)
    elif doubtful:
        yield _expired("CHECK_DIGIT_FAILED", document)
    elif says is Expiry.MAY_BEAR_NONE:
        yield inconclusive(CheckName.DOCUMENT_EXPIRY, "NOT_EXTRACTED")
    else:
        yield _expired("NOT_EXTRACTED", document)


def _may_be_expired(dossier: Dossier, document: DocumentEvidence) -> bool:
    eligibility = dossier.config.document_policy.document_eligibility
    if eligibility is None or not document.recognised:
        return False
    country, kind = document.country, document.type
    for target in eligibility.target_documents:
        if target.country == country and target.type is kind and target.allow_expired:
            return True
    return False


def _expired(reason: str, document: DocumentEvidence) -> CheckResult:
    details = {"reason": reason, "country": document.country, "type": document.type and document.type.value}
    return failed(CheckName.DOCUMENT_EXPIRY, IssueCode.EXPIRED_DOCUMENT, details)
