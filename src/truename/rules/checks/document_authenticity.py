"""Does the document agree with itself, and was the document itself photographed?

Contradicting sources, a zone whose check digits fail, and signs that a screen or a copy was photographed fail the
check. It never emits an issue, because the list of codes is closed; where the account has switched manual review on, a
failure sends the transaction there. It passes only when all was there that could have spoken against the document.
"""

from collections.abc import Iterator
from typing import Final

from truename.rules import documents
from truename.rules.documents import Expiry, SupportedDocument
from truename.rules.dossier import Dossier
from truename.rules.evidence import (
    DocumentEvidence,
    DocumentField,
    FieldName,
    QualityReason,
    ReadValue,
    SideEvidence,
    Source,
)
from truename.rules.issues import WITH_DOCUMENT
from truename.rules.results import CheckName, CheckResult, failed, inconclusive, passed
from truename.rules.text import name_similarity

ASKS = (CheckName.DOCUMENT_AUTHENTICITY,)
APPLIES_TO = WITH_DOCUMENT

SURE: Final = 0.8
"""How sure a reading must be to contradict another; print is misread now and then."""
SAME_NAME: Final = 0.8
OTHER_NAME: Final = 0.5
NAMES: Final = (FieldName.SURNAMES, FieldName.GIVEN_NAMES)
COMPARED: Final[tuple[FieldName, ...]] = (*NAMES, FieldName.GENDER, FieldName.DATE_OF_BIRTH, FieldName.DOCUMENT_NUMBER)
NOT_THE_ORIGINAL: Final = (QualityReason.SCREEN, QualityReason.PHOTOCOPY)


def check(dossier: Dossier) -> Iterator[CheckResult]:
    """Failed, with the reason, for what speaks against the document; inconclusive for what leaves it open."""
    document = dossier.evidence.document
    kind = documents.find(document.country, document.type) if document and document.country and document.type else None
    if document is None or kind is None or not document.recognised:
        yield inconclusive(CheckName.DOCUMENT_AUTHENTICITY, "NOT_EXAMINED" if document is None else "NOT_RECOGNISED")
        return
    compared = COMPARED
    if kind.expiry in (Expiry.BEARS_DATE, Expiry.MAY_SAY_WITHOUT_END):
        compared = (*COMPARED, FieldName.DATE_OF_EXPIRY)
    sides = (document.front, document.back) if kind.back else (document.front,)
    if against := _speaks_against(document, kind, compared, sides):
        yield failed(CheckName.DOCUMENT_AUTHENTICITY, None, {"reason": against})
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
    if Source.MRZ in kind.read_by and zone is not None and not zone.valid and zone.readers_agree:
        return "CHECK_DIGITS_FAILED"
    for name in compared:
        field = document.fields.get(name)
        if field is not None and field.others and _contradicts(name, field):
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
        return "CHECK_DIGITS_FAILED"
    if Source.BARCODE in kind.read_by and document.barcode_kind is None:
        return "NO_BARCODE"
    if None in sides:
        return "SIDE_MISSING"
    for name in compared:
        if name not in document.fields:
            return "NOT_EXTRACTED"
    for name in compared:
        field = document.fields[name]
        if field.others and _differs(name, field):
            return "SOURCES_DIFFER"
    return None


def _contradicts(name: FieldName, field: DocumentField) -> bool:
    """Does another source say, for sure, another thing? Several numbers may rightly stand on one document."""
    return name is not FieldName.DOCUMENT_NUMBER and any(
        other.source is not field.source and other.confidence >= SURE and _is_another(name, field, other, OTHER_NAME)
        for other in field.others
    )


def _differs(name: FieldName, field: DocumentField) -> bool:
    return any(_is_another(name, field, other, SAME_NAME) for other in field.others)


def _is_another(name: FieldName, field: DocumentField, other: ReadValue, alike: float) -> bool:
    if name in NAMES:
        return name_similarity(field.value, other.value) < alike
    return field.value != other.value
