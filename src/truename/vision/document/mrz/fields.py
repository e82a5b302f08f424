"""The machine-readable zone by ICAO 9303 parts 3 to 7: fields, names, dates and issuers.

Pure text in, facts out. Layouts and check digits stand in `layouts.py`, what single countries do in `national.py`,
repairs by check digit in `decode.py`, and the reading of pictures in `read.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Final

from truename.rules.countries import ALPHA_2_OF
from truename.rules.evidence import MrzFormat
from truename.vision.document.mrz import national
from truename.vision.document.mrz.layouts import ALPHABET, FILLER, LAYOUTS, Layout, long_number, verify

LONGEST: Final = 51
"""Years for which a document is valid at the most."""


@dataclass(frozen=True)
class Mrz:
    """What the zone says, field by field; dates still as six digits (see `birth_date`, `expiry_date`)."""

    format: MrzFormat
    lines: tuple[str, ...]
    document_code: str
    issuer: str
    nationality: str
    surnames: str
    given_names: str
    names_truncated: bool
    """The names fill their field to the end, so some may be cut off."""
    document_number: str
    date_of_birth: str
    date_of_expiry: str | None
    """None where the format has none (the old French card, that of Kenya)."""
    sex: str | None
    """`M`, `F`, `X` (unspecified), or None when another character stands there."""
    personal_number: str
    """The optional data, fillers trimmed; on passports the personal number."""
    check_digits: dict[str, bool]
    date_of_issue: str | None = None
    """Six digits where the zone holds it (the internal passport of Russia, the identity card of Kenya)."""
    issuing_authority: str | None = None

    @property
    def valid(self) -> bool:
        """Every check digit that the format has is right."""
        return all(self.check_digits.values())


def possible_formats(lines: Sequence[str]) -> tuple[MrzFormat, ...]:
    """The formats that lines of this number, length and beginning can have, the likeliest first."""
    if len({len(line) for line in lines}) != 1 or any(
        character not in ALPHABET for line in lines for character in line
    ):
        return ()
    shape = (len(lines), len(lines[0]))
    visa = lines[0].startswith("V")
    if shape == (3, 30):
        return (MrzFormat.KENYAN_ID,) if lines[0].startswith("IDKYA") else (MrzFormat.TD1,)
    if shape == (2, 44):
        if visa:
            return (MrzFormat.MRV_A,)
        return (MrzFormat.RUSSIAN_ID,) if lines[0].startswith("PNRUS") else (MrzFormat.TD3,)
    if shape == (2, 36):
        if visa:
            return (MrzFormat.MRV_B,)
        return (MrzFormat.FRENCH_ID, MrzFormat.TD2) if lines[0].startswith("IDFRA") else (MrzFormat.TD2,)
    return ()


def parse(lines: Sequence[str]) -> Mrz | None:
    """The zone's fields and whether each check digit is right; None when the lines have no format of ICAO's."""
    formats = possible_formats(lines)
    if not formats:
        return None
    read = [_parse_as(LAYOUTS[chosen], tuple(lines)) for chosen in formats]
    return next((mrz for mrz in read if mrz.valid), read[0])


def _parse_as(layout: Layout, lines: tuple[str, ...]) -> Mrz:
    def text(name: str) -> str:
        return "".join(lines[line][column] for line, column in layout.fields.get(name, ()))

    number, optional, checks = text("document_number"), text("optional"), dict(verify(layout, lines))
    if extended := long_number(layout, lines):
        number, optional = extended[0], extended[2]
    if layout.format is MrzFormat.FRENCH_ID:
        surnames, given = _clean(text("surnames")), _clean(text("given_names"))
        truncated = not text("surnames").endswith(FILLER) or not text("given_names").endswith(FILLER)
    else:
        surnames, given, truncated = split_names(text("names"))
    nationality = text("nationality") if "nationality" in layout.fields else text("issuer")
    issuer = text("issuer").rstrip(FILLER)
    personal, issue, authority = national.personal_number(issuer, optional, text("optional_2")), None, None
    if layout.format is MrzFormat.RUSSIAN_ID:
        surnames, given, personal = national.russian_names(surnames), national.russian_names(given), ""
        number, issue, authority = national.russian_number(number, optional)
    if layout.format is MrzFormat.TD2 and issuer == "ROU":
        personal = national.romanian_number(optional, text("date_of_birth"))
    if layout.format is MrzFormat.KENYAN_ID:
        surnames, given = national.kenyan_names(surnames)
        personal, issue = national.kenyan_number(optional), text("date_of_issue")
    return Mrz(
        format=layout.format,
        lines=lines,
        document_code=text("document_code").rstrip(FILLER),
        issuer=issuer,
        nationality=nationality.rstrip(FILLER),
        surnames=surnames,
        given_names=given,
        names_truncated=truncated,
        document_number=number.rstrip(FILLER),
        date_of_birth=text("date_of_birth"),
        date_of_expiry=text("date_of_expiry") if "date_of_expiry" in layout.fields else None,
        sex={"M": "M", "F": "F", FILLER: "X", "X": "X"}.get(text("sex")),
        personal_number=personal,
        check_digits=checks,
        date_of_issue=issue,
        issuing_authority=authority,
    )


def split_names(field: str) -> tuple[str, str, bool]:
    """Surnames, given names, and whether the field was too short for them."""
    surnames, _, given = field.partition(FILLER * 2)
    return _clean(surnames), _clean(given), not field.endswith(FILLER)


def _clean(names: str) -> str:
    return " ".join(part for part in names.split(FILLER) if part)


# ── dates ──────────────────────────────────────────────────────────────────────────────────────────────────


def birth_date(six: str, today: date) -> date | None:
    """A date of birth is the latest that is not after `today`; None when a part is unknown or impossible."""
    return next((day for day in _centuries(six, today) if day <= today), None)


def expiry_date(six: str, today: date, issuer: str = "") -> date | None:
    """A date of expiry is the latest that is no more than 51 years ahead: cards of the old are issued for fifty years
    (Italy, since July 2026), some until the birthday that follows; one of this issuer's may be valid for longer."""
    ahead = national.YEARS_AHEAD.get(issuer, LONGEST)
    return next((day for day in _centuries(six, today) if day.year <= today.year + ahead), None)


def is_without_end(six: str) -> bool:
    """Does a date of expiry stand for no end? Fillers, or the first or last day of a year 99 that is meant as 9999."""
    return six == FILLER * 6 or six in ("990101", "991231")


def _centuries(six: str, today: date) -> list[date]:
    """What the six digits can mean, the latest first."""
    if len(six) != 6 or not (six.isascii() and six.isdigit()):
        return []
    found = []
    for century in range(today.year // 100 + 1, 17, -1):
        try:
            found.append(date(century * 100 + int(six[:2]), int(six[2:4]), int(six[4:])))
        except ValueError:
            continue
    return found


# ── issuers ────────────────────────────────────────────────────────────────────────────────────────────────

_OTHER_ISSUERS = {
    "D": "DE",
    "GBD": "GB",
    "GBN": "GB",
    "GBO": "GB",
    "GBP": "GB",
    "GBS": "GB",
    "KYA": "KE",
    "RKS": "XK",
    "ROM": "RO",
    "ZAR": "CD",
    "TMP": "TL",
}
"""Codes that are no ISO alpha-3 of today but belong to one country: those of ICAO part 3 section 5, and that which
Kenya's identity cards bear."""

NO_COUNTRY = frozenset(
    {"EUE", "UTO", "UNO", "UNA", "UNK", "XOM", "XXA", "XXB", "XXC", "XXX", "XBA", "XIM", "XCC", "XCE", "XCO", "XEC"}
    | {"XPO", "XES", "XMP", "XDC", "XSD", "IAO", "INP", "WSA", "ANT", "SUN", "YUG", "SCG"}
)
"""Organisations, stateless and refugee codes, ICAO's Utopia, and countries that are no more."""


def country_of(code: str) -> str | None:
    """The ISO 3166-1 alpha-2 country of a three-letter code, or None where there is none."""
    code = code.rstrip(FILLER)
    return _OTHER_ISSUERS.get(code) or ALPHA_2_OF.get(code)


def is_known_issuer(code: str) -> bool:
    """Whether ICAO knows the code at all."""
    return code.rstrip(FILLER) in NO_COUNTRY or country_of(code) is not None


@cache
def known_codes() -> tuple[str, ...]:
    """Every three-letter code that may stand for an issuer or a nationality, with its fillers."""
    return tuple(sorted(code.ljust(3, FILLER) for code in {*NO_COUNTRY, *_OTHER_ISSUERS, *ALPHA_2_OF}))
