"""What the bytes of a document's barcode mean: AAMVA cards, the Argentine DNI, the Colombian cédula."""

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from truename.rules.evidence import DocumentType, FieldName
from truename.vision.document.barcode.aamva import parse_aamva

AAMVA: Final = "AAMVA"
ARGENTINA_DNI: Final = "ARGENTINA_DNI"
COLOMBIA_CEDULA: Final = "COLOMBIA_CEDULA"
KINDS: Final = (AAMVA, ARGENTINA_DNI, COLOMBIA_CEDULA)
"""The barcodes that are understood; layout files name them so."""
COLOMBIAN_MARK: Final = b"PubDSK_"
ISSUERS: Final = frozenset({"USA", "CAN", "MEX", "ARG", "COL"})
"""Whose documents bear a barcode that is understood here, by the code in a zone; the first three by AAMVA."""


@dataclass(frozen=True)
class Payload:
    """A barcode that was understood."""

    kind: str
    """One of KINDS."""
    country: str
    type: DocumentType
    fields: dict[FieldName, str] = field(default_factory=dict)


def understand(payload: bytes) -> Payload | None:
    """The first reading that fits; None when the bytes are of no known document."""
    if card := parse_aamva(payload):
        return Payload(AAMVA, card.country, card.type, card.fields)
    return _argentine(payload) or _colombian(payload)


def _argentine(payload: bytes) -> Payload | None:
    """`@`-separated: new cards begin with the transaction number, old ones with an empty part."""
    parts = [part.strip() for part in payload.decode("latin-1").split("@")]
    if len(parts) < 8:
        return None
    if parts[0] == "":
        # Old: @number@copy@?@surname@given@nationality@birth@sex@issue@transaction@…@expiry@…
        number, surname, given, birth, sex = parts[1], parts[4], parts[5], parts[7], parts[8]
        issue, expiry = (parts[9] if len(parts) > 9 else ""), (parts[12] if len(parts) > 12 else "")
    else:
        # New: transaction@surname@given@sex@number@copy@birth@issue(@cuil)
        surname, given, sex, number, birth = parts[1], parts[2], parts[3], parts[4], parts[6]
        issue, expiry = parts[7], ""
    number = re.sub(r"\D", "", number)
    born = _slashed(birth)
    if not (7 <= len(number) <= 8) or born is None or sex not in ("M", "F", "X") or not surname:
        return None
    values = {
        FieldName.SURNAMES: surname,
        FieldName.GIVEN_NAMES: given,
        FieldName.GENDER: sex,
        FieldName.DOCUMENT_NUMBER: number,
        FieldName.DATE_OF_BIRTH: born,
        FieldName.DATE_OF_ISSUE: _slashed(issue),
        FieldName.DATE_OF_EXPIRY: _slashed(expiry),
    }
    known = {name: value for name, value in values.items() if value}
    return Payload(ARGENTINA_DNI, "AR", DocumentType.NATIONAL_ID, known)


def _colombian(payload: bytes) -> Payload | None:
    """Fixed places after the mark: number, two surnames, two given names, then sex, birth date and blood group."""
    at = payload.find(COLOMBIAN_MARK)
    if at < 0 or len(payload) < 170:
        return None
    # Counted from the start of the record, which lies 24 bytes before the mark.
    base = at - 24
    if base < 0:
        return None

    def part(start: int, length: int) -> str:
        return payload[base + start : base + start + length].replace(b"\x00", b" ").decode("latin-1").strip()

    number = re.sub(r"\D", "", part(48, 10)).lstrip("0")
    surnames = " ".join(filter(None, (part(58, 23), part(81, 23))))
    given = " ".join(filter(None, (part(104, 23), part(127, 23))))
    sex, born = part(151, 1), _compact(part(152, 8))
    if not number or not surnames or sex not in ("M", "F") or born is None:
        return None
    fields = {
        FieldName.DOCUMENT_NUMBER: number,
        FieldName.SURNAMES: surnames,
        FieldName.GIVEN_NAMES: given,
        FieldName.GENDER: sex,
        FieldName.DATE_OF_BIRTH: born,
    }
    return Payload(
        COLOMBIA_CEDULA, "CO", DocumentType.NATIONAL_ID, {name: text for name, text in fields.items() if text}
    )


def _slashed(text: str) -> str | None:
    match = re.fullmatch(r"(\d{2})/(\d{2})/(\d{4})", text.strip())
    return _iso(match[3], match[2], match[1]) if match else None


def _compact(text: str) -> str | None:
    return _iso(text[:4], text[4:6], text[6:]) if re.fullmatch(r"\d{8}", text) else None


def _iso(year: str, month: str, day: str) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
