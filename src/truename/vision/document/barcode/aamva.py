"""Licences and identity cards of the United States and Canada: the AAMVA card design standard, every version.

Read after the public standard (2000 to 2020, versions 1 to 10): a header `@ LF RS CR ANSI`, the issuer's number, the
version, then subfiles of three-letter elements. Payloads that bend the rules (a missing separator, wrong offsets) are
read all the same, by finding the elements themselves.
"""

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from truename.rules.evidence import DocumentType, FieldName

CANADIAN: Final = frozenset(
    {
        "604426", "604428", "604429", "604432", "604433", "604434", "636012", "636013", "636016", "636017", "636028",
        "636044", "636048",
    }
)  # fmt: skip
"""Issuer numbers of Canadian provinces, used where the card does not name its country."""
MEXICAN: Final = frozenset({"636056", "636057"})
PROVINCES: Final = frozenset({"AB", "BC", "MB", "NB", "NL", "NS", "NT", "NU", "ON", "PE", "QC", "SK", "YT"})
HEADER: Final = re.compile(rb"@\s*\n?.{0,3}?(ANSI |AAMVA)(\d{6})(\d{2})(\d{2})?", re.DOTALL)
ELEMENT: Final = re.compile(r"^(D[A-D][A-Z]|Z[A-Z]{2})(.*)$")
SEX: Final = {"1": "M", "2": "F", "9": "X", "M": "M", "F": "F", "X": "X"}
NOTHING: Final = {"", "NONE", "UNAVL", "UNAVAIL", "N/A"}


@dataclass(frozen=True)
class AamvaCard:
    """What the card says, in the evidence's terms."""

    country: str
    jurisdiction: str | None
    """State or province, two letters."""
    version: int
    type: DocumentType
    fields: dict[FieldName, str] = field(default_factory=dict)


def parse_aamva(payload: bytes) -> AamvaCard | None:
    """The card's data; None when the payload is none of this standard."""
    header = HEADER.search(payload[:64])
    if header is None:
        return None
    issuer, version = header[2].decode(), int(header[3])
    text = payload[header.start() :].decode("latin-1")
    elements, kind = _elements(text)
    if not elements:
        return None
    country = _country(elements, issuer)
    return AamvaCard(
        country=country,
        jurisdiction=_present(elements.get("DAJ")),
        version=version,
        type=DocumentType.NATIONAL_ID if kind == "ID" else DocumentType.DRIVER_LICENSE,
        fields=_fields(elements, country, version),
    )


def _elements(text: str) -> tuple[dict[str, str], str]:
    """Every element of every subfile, and which kind of card it is (DL, EN or ID)."""
    start = re.search(r"(?<=\d)(DL|EN|ID)(?=(?:D[A-D][A-Z]))", text)
    kind = start[1] if start else "DL"
    body = text[start.end() :] if start else text
    found: dict[str, str] = {}
    for line in re.split(r"[\n\r\x1c-\x1e]+", body):
        line = re.sub(r"^(DL|EN|ID)(?=D[A-D][A-Z])", "", line.lstrip("\x00"))
        match = ELEMENT.match(line)
        if match and match[1] not in found:
            found[match[1]] = match[2].strip()
    return found, kind


def _fields(elements: dict[str, str], country: str, version: int) -> dict[FieldName, str]:
    surname, given = _names(elements)
    year_first = country == "CA" or version == 1
    values = {
        FieldName.SURNAMES: surname,
        FieldName.GIVEN_NAMES: given,
        FieldName.GENDER: SEX.get(elements.get("DBC", "").strip().upper()),
        FieldName.DOCUMENT_NUMBER: _present(elements.get("DAQ")),
        FieldName.DATE_OF_BIRTH: _day(elements.get("DBB"), year_first),
        FieldName.DATE_OF_EXPIRY: _day(elements.get("DBA"), year_first),
        FieldName.DATE_OF_ISSUE: _day(elements.get("DBD"), year_first),
        FieldName.ADDRESS: _address(elements),
    }
    return {name: value for name, value in values.items() if value}


def _names(elements: dict[str, str]) -> tuple[str | None, str | None]:
    """Version by version: one field for all (DAA), surname and the rest (DCS, DCT), or one element each (DAC, DAD)."""
    surname = _present(elements.get("DCS")) or _present(elements.get("DAB"))
    given = [part for part in (_present(elements.get("DAC")), _present(elements.get("DAD"))) if part]
    if not given and (rest := _present(elements.get("DCT"))):
        given = [part for part in re.split(r"[,\s]+", rest) if part]
    if surname is None and (whole := _present(elements.get("DAA"))):
        # "SURNAME,FIRST,MIDDLE", or with blanks or dollar signs where commas should be.
        parts = [part.strip() for part in re.split(r"[,$]", whole) if part.strip()]
        if len(parts) == 1:
            parts = whole.split()
        surname, given = parts[0], parts[1:]
    # A surname field that holds the whole name is seen on early cards.
    if surname and "," in surname and not given:
        surname, *given = [part.strip() for part in surname.split(",") if part.strip()]
    return surname, " ".join(given) or None


def _address(elements: dict[str, str]) -> str | None:
    street = [_present(elements.get(key)) for key in ("DAG", "DAH")]
    postcode = elements.get("DAK", "").strip()
    postcode = postcode[:5] if re.fullmatch(r"\d{5}0{4}", postcode) else postcode
    place = [_present(elements.get("DAI")), _present(elements.get("DAJ")), _present(postcode)]
    parts = [part for part in (*street, *place) if part]
    return ", ".join(parts) or None


def _country(elements: dict[str, str], issuer: str) -> str:
    named = elements.get("DCG", "").strip().upper()
    if named in ("CAN", "CA", "CANADA"):
        return "CA"
    if named in ("USA", "US"):
        return "US"
    if issuer in MEXICAN:
        return "MX"
    if elements.get("DAJ", "").strip().upper() in PROVINCES or issuer in CANADIAN:
        return "CA"
    return "US"


def _present(value: str | None) -> str | None:
    text = (value or "").strip().strip(",")
    return None if text.upper() in NOTHING else text


def _day(value: str | None, year_first: bool) -> str | None:
    """MMDDCCYY in the United States, CCYYMMDD in Canada and in version 1; the other order where only that is a day."""
    digits = re.sub(r"\D", "", value or "")
    if len(digits) != 8:
        return None
    by_year = (digits[:4], digits[4:6], digits[6:])
    by_month = (digits[4:], digits[:2], digits[2:4])
    for year, month, day in (by_year, by_month) if year_first else (by_month, by_year):
        try:
            found = date(int(year), int(month), int(day))
        except ValueError:
            continue
        if 1900 <= found.year <= 2100:
            return found.isoformat()
    return None
