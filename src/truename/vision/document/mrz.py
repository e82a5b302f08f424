"""The machine-readable zone by ICAO 9303 parts 3 to 7: layouts, check digits, names, dates and issuers.

Pure text in, facts out. Reading pictures is done elsewhere; repairs by check digit stand in `mrz_repair.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

from truename.rules.evidence import MrzFormat

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "0123456789"
FILLER = "<"
ALPHABET = LETTERS + DIGITS + FILLER

_WEIGHTS = (7, 3, 1)
_VALUES = {character: value for value, character in enumerate(DIGITS + LETTERS)} | {FILLER: 0}

Place = tuple[int, int]
"""Line and column of one character, both from 0."""


def check_digit(text: str) -> str:
    """The 7-3-1 check digit of `text`."""
    return str(sum(_VALUES[character] * _WEIGHTS[index % 3] for index, character in enumerate(text)) % 10)


def character_value(character: str) -> int:
    """What a character counts in a check digit: 0–9, A=10 … Z=35, the filler 0."""
    return _VALUES[character]


@dataclass(frozen=True)
class Check:
    """One check digit: what it protects, where the protected characters stand, and where the digit stands."""

    name: str
    covers: tuple[Place, ...]
    digit: Place
    may_be_filler: bool = False
    """The digit may be `<` when the field it protects is empty."""


@dataclass(frozen=True)
class Layout:
    """Where everything stands in one format."""

    format: MrzFormat
    length: int
    classes: tuple[tuple[str, ...], ...]
    """For every line and column: the characters that may stand there."""
    fields: dict[str, tuple[Place, ...]]
    checks: tuple[Check, ...]

    @property
    def rows(self) -> int:
        return len(self.classes)


def _span(line: int, first: int, last: int) -> tuple[Place, ...]:
    """Columns `first` to `last` as ICAO counts them: from 1, both included."""
    return tuple((line, column) for column in range(first - 1, last))


_NAME = LETTERS + FILLER
_ANY = ALPHABET
_DATE = DIGITS + FILLER
_SEX = "MFX<"


def _classes(length: int, *lines: Sequence[tuple[int, str]]) -> tuple[tuple[str, ...], ...]:
    """Character classes per column from runs of (how many, which)."""
    built = tuple(tuple(allowed for count, allowed in runs for _ in range(count)) for runs in lines)
    assert all(len(line) == length for line in built)
    return built


def _two_line_fields(length: int, optional_to: int) -> dict[str, tuple[Place, ...]]:
    return {
        "document_code": _span(0, 1, 2),
        "issuer": _span(0, 3, 5),
        "names": _span(0, 6, length),
        "document_number": _span(1, 1, 9),
        "nationality": _span(1, 11, 13),
        "date_of_birth": _span(1, 14, 19),
        "sex": _span(1, 21, 21),
        "date_of_expiry": _span(1, 22, 27),
        "optional": _span(1, 29, optional_to),
    }


def _two_line_classes(length: int, tail: Sequence[tuple[int, str]]) -> tuple[tuple[str, ...], ...]:
    first = ((1, LETTERS), (1, _ANY), (3, _NAME), (length - 5, _NAME))
    second = ((9, _ANY), (1, _DATE), (3, _NAME), (6, _DATE), (1, _DATE), (1, _SEX), (6, _DATE), (1, _DATE), *tail)
    return _classes(length, first, second)


_TD3_FIELDS = _two_line_fields(44, 42)
_TD2_FIELDS = _two_line_fields(36, 35)
_COMMON_CHECKS = (
    Check("document_number", _span(1, 1, 9), (1, 9)),
    Check("date_of_birth", _span(1, 14, 19), (1, 19), may_be_filler=True),
    Check("date_of_expiry", _span(1, 22, 27), (1, 27), may_be_filler=True),
)

LAYOUTS: dict[MrzFormat, Layout] = {
    layout.format: layout
    for layout in (
        Layout(
            MrzFormat.TD1,
            30,
            _classes(
                30,
                ((1, LETTERS), (1, _ANY), (3, _NAME), (9, _ANY), (1, _DATE), (15, _ANY)),
                ((6, _DATE), (1, _DATE), (1, _SEX), (6, _DATE), (1, _DATE), (3, _NAME), (11, _ANY), (1, DIGITS)),
                ((30, _NAME),),
            ),
            {
                "document_code": _span(0, 1, 2),
                "issuer": _span(0, 3, 5),
                "document_number": _span(0, 6, 14),
                "optional": _span(0, 16, 30),
                "date_of_birth": _span(1, 1, 6),
                "sex": _span(1, 8, 8),
                "date_of_expiry": _span(1, 9, 14),
                "nationality": _span(1, 16, 18),
                "optional_2": _span(1, 19, 29),
                "names": _span(2, 1, 30),
            },
            (
                Check("document_number", _span(0, 6, 14), (0, 14)),
                Check("date_of_birth", _span(1, 1, 6), (1, 6), may_be_filler=True),
                Check("date_of_expiry", _span(1, 9, 14), (1, 14), may_be_filler=True),
                Check(
                    "composite",
                    _span(0, 6, 30) + _span(1, 1, 7) + _span(1, 9, 15) + _span(1, 19, 29),
                    (1, 29),
                ),
            ),
        ),
        Layout(
            MrzFormat.TD2,
            36,
            _two_line_classes(36, ((7, _ANY), (1, DIGITS))),
            _TD2_FIELDS,
            (
                *_COMMON_CHECKS,
                Check("composite", _span(1, 1, 10) + _span(1, 14, 20) + _span(1, 22, 35), (1, 35)),
            ),
        ),
        Layout(
            MrzFormat.TD3,
            44,
            _two_line_classes(44, ((14, _ANY), (1, _DATE), (1, DIGITS))),
            _TD3_FIELDS,
            (
                *_COMMON_CHECKS,
                Check("personal_number", _span(1, 29, 42), (1, 42), may_be_filler=True),
                Check("composite", _span(1, 1, 10) + _span(1, 14, 20) + _span(1, 22, 43), (1, 43)),
            ),
        ),
        Layout(
            MrzFormat.MRV_A,
            44,
            _two_line_classes(44, ((16, _ANY),)),
            _two_line_fields(44, 44),
            _COMMON_CHECKS,
        ),
        Layout(
            MrzFormat.MRV_B,
            36,
            _two_line_classes(36, ((8, _ANY),)),
            _two_line_fields(36, 36),
            _COMMON_CHECKS,
        ),
        Layout(
            MrzFormat.FRENCH_ID,
            36,
            _classes(
                36,
                ((1, "I"), (1, "D"), (1, "F"), (1, "R"), (1, "A"), (25, _NAME), (3, _ANY), (3, _DATE)),
                (
                    (4, DIGITS),
                    (3, _ANY),
                    (5, _DATE),
                    (1, DIGITS),
                    (14, _NAME),
                    (6, DIGITS),
                    (1, DIGITS),
                    (1, "MF"),
                    (1, DIGITS),
                ),
            ),
            {
                "document_code": _span(0, 1, 2),
                "issuer": _span(0, 3, 5),
                "surnames": _span(0, 6, 30),
                "office": _span(0, 31, 36),
                "document_number": _span(1, 1, 12),
                "given_names": _span(1, 14, 27),
                "date_of_birth": _span(1, 28, 33),
                "sex": _span(1, 35, 35),
            },
            (
                Check("document_number", _span(1, 1, 12), (1, 12)),
                Check("date_of_birth", _span(1, 28, 33), (1, 33)),
                Check("composite", _span(0, 1, 36) + _span(1, 1, 35), (1, 35)),
            ),
        ),
    )
}


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
    """None where the format has none (the old French card)."""
    sex: str | None
    """`M`, `F`, `X` (unspecified), or None when another character stands there."""
    personal_number: str
    """The optional data, fillers trimmed; on passports the personal number."""
    check_digits: dict[str, bool]

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
        return (MrzFormat.TD1,)
    if shape == (2, 44):
        return (MrzFormat.MRV_A,) if visa else (MrzFormat.TD3,)
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
    long_number = _long_number(layout, lines)
    if long_number:
        number, optional = long_number[0], long_number[2]
    if layout.format is MrzFormat.FRENCH_ID:
        surnames, given = _clean(text("surnames")), _clean(text("given_names"))
        truncated = not text("surnames").endswith(FILLER) or not text("given_names").endswith(FILLER)
    else:
        surnames, given, truncated = split_names(text("names"))
    nationality = text("nationality") if "nationality" in layout.fields else text("issuer")
    second = text("optional_2").strip(FILLER)
    return Mrz(
        format=layout.format,
        lines=lines,
        document_code=text("document_code").rstrip(FILLER),
        issuer=text("issuer").rstrip(FILLER),
        nationality=nationality.rstrip(FILLER),
        surnames=surnames,
        given_names=given,
        names_truncated=truncated,
        document_number=number.rstrip(FILLER),
        date_of_birth=text("date_of_birth"),
        date_of_expiry=text("date_of_expiry") if "date_of_expiry" in layout.fields else None,
        sex={"M": "M", "F": "F", FILLER: "X", "X": "X"}.get(text("sex")),
        personal_number=optional.strip(FILLER) or second,
        check_digits=checks,
    )


def verify(layout: Layout, lines: Sequence[str]) -> dict[str, bool]:
    """Whether each check digit of the layout is right."""
    results = {}
    for check in layout.checks:
        covered = "".join(lines[line][column] for line, column in check.covers)
        digit = lines[check.digit[0]][check.digit[1]]
        if check.name == "document_number" and digit == FILLER:
            long_number = _long_number(layout, lines)
            results[check.name] = bool(long_number and check_digit(long_number[0]) == long_number[1])
        elif digit == FILLER:
            results[check.name] = check.may_be_filler and not covered.strip(FILLER)
        else:
            results[check.name] = digit == check_digit(covered)
    return results


def _long_number(layout: Layout, lines: Sequence[str]) -> tuple[str, str, str] | None:
    """A number too long for its field goes on in the optional data (parts 5 and 6): number, its digit, what is left."""
    if layout.format not in (MrzFormat.TD1, MrzFormat.TD2):
        return None
    check = layout.checks[0]
    if lines[check.digit[0]][check.digit[1]] != FILLER:
        return None
    start = "".join(lines[line][column] for line, column in check.covers)
    optional = "".join(lines[line][column] for line, column in layout.fields["optional"])
    rest, _, left = optional.partition(FILLER)
    if len(rest) < 2 or not rest[-1].isdigit():
        return None
    return start + rest[:-1], rest[-1], left


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


def expiry_date(six: str, today: date) -> date | None:
    """A date of expiry is the latest that is no more than 50 years ahead."""
    return next((day for day in _centuries(six, today) if day.year <= today.year + 50), None)


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
    "RKS": "XK",
    "ROM": "RO",
    "ZAR": "CD",
    "TMP": "TL",
    "CIV": "CI",
}
"""Codes of ICAO part 3 section 5 that are no ISO alpha-3 of today but belong to one country."""

NO_COUNTRY = frozenset(
    "EUE UTO UNO UNA UNK XOM XXA XXB XXC XXX XBA XIM XCC XCE XCO XEC XPO XES XMP XDC XSD IAO INP WSA ANT SUN YUG SCG".split()
)
"""Organisations, stateless and refugee codes, ICAO's Utopia, and countries that are no more."""


def country_of(code: str) -> str | None:
    """The ISO 3166-1 alpha-2 country of a three-letter code, or None where there is none."""
    code = code.rstrip(FILLER)
    return _OTHER_ISSUERS.get(code) or _iso_countries().get(code)


def is_known_issuer(code: str) -> bool:
    """Whether ICAO knows the code at all."""
    return code.rstrip(FILLER) in NO_COUNTRY or country_of(code) is not None


@cache
def _iso_countries() -> dict[str, str]:
    import pycountry

    return {country.alpha_3: country.alpha_2 for country in pycountry.countries}
