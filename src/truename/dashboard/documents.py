"""Documents and countries as the pages name them."""

from truename.rules.countries import COUNTRIES
from truename.rules.evidence import DocumentEvidence


def country(code: str | None) -> str:
    """A country as name and code: Argentina (AR)."""
    if code is None:
        return "unknown"
    known = COUNTRIES.get(code)
    return f"{known.name} ({code})" if known else code


def document_words(document: DocumentEvidence | None) -> str:
    """What the document is, in words."""
    if document is None:
        return "no document"
    if not document.recognised or document.type is None:
        return "not recognised"
    kind = document.type.value.replace("_", " ").lower()
    return f"{kind} · {country(document.country) if document.country else document.issuer_code or 'unknown issuer'}"
