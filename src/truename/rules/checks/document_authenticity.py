"""Does the document agree with itself, and was the document itself photographed?

Contradicting sources, a zone whose check digits fail, signs that a screen or a copy was photographed, and every other
measured sign that is beyond its limit (`rules/authenticity_signs.py`) fail the check. It never emits an issue, because
the list of codes is closed; where the account has switched manual review on, a failure sends the transaction there. It
passes only when all was there that could have spoken against the document.
"""

from collections.abc import Iterator
from typing import Final

from truename.rules import documents
from truename.rules.authenticity_signs import LIMITS, speaking
from truename.rules.contradictions import SURE, compared_fields, contradiction, differs
from truename.rules.documents import SupportedDocument
from truename.rules.dossier import Dossier
from truename.rules.evidence import (
    DocumentEvidence,
    FieldName,
    QualityReason,
    SideEvidence,
    Source,
)
from truename.rules.issues import WITH_DOCUMENT
from truename.rules.results import CheckName, CheckResult, failed, inconclusive, passed

ASKS = (CheckName.DOCUMENT_AUTHENTICITY,)
APPLIES_TO = WITH_DOCUMENT

NOT_THE_ORIGINAL: Final = (QualityReason.SCREEN, QualityReason.PHOTOCOPY)


def check(dossier: Dossier) -> Iterator[CheckResult]:
    """Failed, with the reason, for what speaks against the document; inconclusive for what leaves it open."""
    document = dossier.evidence.document
    kind = documents.kind_of(document) if document else None
    if document is None or kind is None or not document.recognised:
        yield inconclusive(CheckName.DOCUMENT_AUTHENTICITY, "NOT_EXAMINED" if document is None else "NOT_RECOGNISED")
        return
    compared = compared_fields(kind)
    sides = (document.front, document.back) if kind.back else (document.front,)
    if against := _speaks_against(document, kind, compared, sides):
        yield failed(CheckName.DOCUMENT_AUTHENTICITY, None, {"reason": against})
    elif (measured := document.authenticity) and (sign := next(speaking(measured), None)):
        details = {"reason": sign.value, "score": measured[sign], "threshold": LIMITS[sign].limit}
        yield failed(CheckName.DOCUMENT_AUTHENTICITY, None, details)
    elif doubt := _leaves_open(document, kind, compared, sides):
        yield inconclusive(CheckName.DOCUMENT_AUTHENTICITY, doubt)
    else:
        yield passed(CheckName.DOCUMENT_AUTHENTICITY)


def _speaks_against(
    document: DocumentEvidence,
    kind: SupportedDocument,
    compared: tuple[FieldName, ...],
    sides: tuple[SideEvidence | None, ...],
) -> str | None:
    zone = document.mrz
    if Source.MRZ in kind.read_by and zone is not None and zone.has_wrong_digits and zone.readers_agree:
        return "CHECK_DIGITS_FAILED"
    for name in compared:
        field = document.fields.get(name)
        if field is not None and field.others and contradiction(name, field) >= SURE:
            return "SOURCES_CONTRADICT"
    for side in sides:
        if side is not None and side.quality.reasons:
            for reason in NOT_THE_ORIGINAL:
                if reason in side.quality.reasons:
                    return reason.value
    return None


def _leaves_open(
    document: DocumentEvidence,
    kind: SupportedDocument,
    compared: tuple[FieldName, ...],
    sides: tuple[SideEvidence | None, ...],
) -> str | None:
    if kind.read_by == (Source.VISUAL,):
        return "NOTHING_TO_COMPARE"
    if Source.MRZ in kind.read_by and document.mrz is None:
        return "NO_ZONE"
    if document.mrz is not None and not document.mrz.valid:
        return "CHECK_DIGITS_FAILED" if document.mrz.has_wrong_digits else "UNREADABLE"
    if Source.BARCODE in kind.read_by and document.barcode_kind is None:
        return "NO_BARCODE"
    if None in sides:
        return "SIDE_MISSING"
    for name in compared:
        if name not in document.fields:
            return "NOT_EXTRACTED"
    for name in compared:
        field = document.fields[name]
        if field.others and differs(name, field):
            return "SOURCES_DIFFER"
    return None
