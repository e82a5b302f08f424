"""Is it a document that we can read, and that the integrator accepts?

A document of which nothing was read but its kind decides nothing, and is not supported as it was photographed.
"""

from collections.abc import Iterator

from truename.rules import documents
from truename.rules.config import DocumentEligibility, FilterMode
from truename.rules.dossier import Dossier
from truename.rules.evidence import DocumentEvidence, DocumentType, FieldName
from truename.rules.issues import WITH_DOCUMENT, IssueCode
from truename.rules.results import CheckName, CheckResult, failed, inconclusive, passed

ASKS = (CheckName.DOCUMENT_SUPPORTED, CheckName.DOCUMENT_ELIGIBLE)
APPLIES_TO = WITH_DOCUMENT

SAYS_SOMETHING = (
    FieldName.DOCUMENT_NUMBER,
    FieldName.SURNAMES,
    FieldName.GIVEN_NAMES,
    FieldName.DATE_OF_BIRTH,
    FieldName.DATE_OF_EXPIRY,
    FieldName.PERSONAL_NUMBER,
    FieldName.DATE_OF_ISSUE,
)


def check(dossier: Dossier) -> Iterator[CheckResult]:
    """First whether the document is supported, then whether the config accepts its country and type."""
    document = dossier.evidence.document
    if document is None or not document.recognised or document.country is None or document.type is None:
        yield _unsupported({"reason": _why_unknown(document)})
        yield inconclusive(CheckName.DOCUMENT_ELIGIBLE, "DOCUMENT_NOT_RECOGNISED")
        return
    kind = {"country": document.country, "type": document.type.value}
    if documents.kind_of(document) is None:
        yield _unsupported({"reason": "NOT_IN_SUPPORTED_LIST", **kind})
        yield inconclusive(CheckName.DOCUMENT_ELIGIBLE, "DOCUMENT_NOT_SUPPORTED")
        return
    if not any(_says_something(document.value(name)) for name in SAYS_SOMETHING):
        yield _unsupported({"reason": "UNREADABLE", **kind})
        yield inconclusive(CheckName.DOCUMENT_ELIGIBLE, "DOCUMENT_UNREADABLE")
        return
    yield passed(CheckName.DOCUMENT_SUPPORTED)
    eligibility = dossier.config.document_policy.document_eligibility
    if eligibility is None or _accepts(eligibility, document.country, document.type):
        yield passed(CheckName.DOCUMENT_ELIGIBLE)
    else:
        details = {"filter_mode": eligibility.filter_mode.value, **kind}
        yield failed(CheckName.DOCUMENT_ELIGIBLE, IssueCode.DOCUMENT_NOT_ELIGIBLE, details)


def _says_something(value: str | None) -> bool:
    """Marks alone, as a reader makes of the lines of an empty field, are nothing."""
    return value is not None and any(map(str.isalnum, value))


def _unsupported(details: dict[str, str]) -> CheckResult:
    return failed(CheckName.DOCUMENT_SUPPORTED, IssueCode.DOCUMENT_TYPE_NOT_SUPPORTED, details)


def _why_unknown(document: DocumentEvidence | None) -> str:
    return "NOT_EXAMINED" if document is None else document.reason or "NOT_RECOGNISED"


def _accepts(eligibility: DocumentEligibility, country: str, kind: DocumentType) -> bool:
    is_allowed = eligibility.filter_mode is FilterMode.ALLOW
    for target in eligibility.target_documents:
        if target.country == country and target.type is kind:
            return is_allowed
    return not is_allowed
