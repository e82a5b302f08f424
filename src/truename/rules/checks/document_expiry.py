"""Is the document still valid? It is so through its date of expiry.

A date that could not be read counts as expired where documents of that kind bear one. Where they may bear none, the
answer is inconclusive; so it is for a document that was not recognised, which is rejected for that already.
"""

from collections.abc import Iterator

from truename.rules import documents
from truename.rules.answers import Answer, CheckName, failed, inconclusive, not_run, passed
from truename.rules.dossier import Dossier
from truename.rules.evidence import DocumentEvidence, FieldName
from truename.rules.issues import WITH_DOCUMENT, IssueCode

ASKS = (CheckName.DOCUMENT_EXPIRY,)
APPLIES_TO = WITH_DOCUMENT


def check(dossier: Dossier) -> Iterator[Answer]:
    document = dossier.evidence.document
    if document is None:
        yield inconclusive(CheckName.DOCUMENT_EXPIRY, "NOT_EXAMINED")
        return
    expiry = document.date(FieldName.DATE_OF_EXPIRY)
    if expiry is not None and expiry >= dossier.today:
        yield passed(CheckName.DOCUMENT_EXPIRY)
    elif _may_be_expired(dossier, document):
        if expiry is None:
            yield not_run(CheckName.DOCUMENT_EXPIRY, "EXPIRED_ALLOWED")
        else:
            yield passed(CheckName.DOCUMENT_EXPIRY, reason="EXPIRED_ALLOWED")
    elif expiry is not None:
        yield _expired("EXPIRED", document)
    elif not document.recognised or document.country is None or document.type is None:
        yield inconclusive(CheckName.DOCUMENT_EXPIRY, "DOCUMENT_NOT_RECOGNISED")
    elif documents.bears_expiry(document.country, document.type):
        yield _expired("NOT_EXTRACTED", document)
    else:
        yield inconclusive(CheckName.DOCUMENT_EXPIRY, "NOT_EXTRACTED")


def _may_be_expired(dossier: Dossier, document: DocumentEvidence) -> bool:
    eligibility = dossier.config.document_policy.document_eligibility
    return (
        eligibility is not None
        and document.recognised
        and any(
            target.allow_expired and target.country == document.country and target.type is document.type
            for target in eligibility.target_documents
        )
    )


def _expired(reason: str, document: DocumentEvidence) -> Answer:
    details = {"reason": reason, "country": document.country, "type": document.type and document.type.value}
    return failed(CheckName.DOCUMENT_EXPIRY, IssueCode.EXPIRED_DOCUMENT, details)
