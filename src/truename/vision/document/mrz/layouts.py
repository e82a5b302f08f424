"""Where everything stands in the machine-readable zones of ICAO 9303 parts 4 to 7, and what the check digits say."""

from collections.abc import Sequence
from dataclasses import dataclass

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
_CODED_NAME = LETTERS + "2346789" + FILLER
_ANY = ALPHABET
_DATE = DIGITS + FILLER
_SEX = "MFX<"


def _classes(length: int, *lines: Sequence[tuple[int, str]]) -> tuple[tuple[str, ...], ...]:
    """Character classes per column from runs of (how many, which)."""
    built = tuple(tuple(allowed for count, allowed in runs for _ in range(count)) for runs in lines)
    if any(len(line) != length for line in built):
        raise ValueError(f"a line of this layout does not have {length} columns")
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
_TD3_CHECKS = (
    *_COMMON_CHECKS,
    Check("personal_number", _span(1, 29, 42), (1, 42), may_be_filler=True),
    Check("composite", _span(1, 1, 10) + _span(1, 14, 20) + _span(1, 22, 43), (1, 43)),
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
        # Kenya's card: its last check digit is that of the second line as it stands.
        Layout(
            MrzFormat.KENYAN_ID,
            30,
            _classes(
                30,
                ((1, "I"), (1, "D"), (1, "K"), (1, "Y"), (1, "A"), (9, _ANY), (1, DIGITS), (15, _ANY)),
                (
                    (7, DIGITS),
                    (1, "MF"),
                    (7, DIGITS),
                    (1, FILLER),
                    (1, LETTERS),
                    (7, DIGITS),
                    (5, _ANY),
                    (1, DIGITS),
                ),
                ((30, _NAME),),
            ),
            {
                "document_code": _span(0, 1, 2),
                "issuer": _span(0, 3, 5),
                "document_number": _span(0, 6, 14),
                "date_of_birth": _span(1, 1, 6),
                "sex": _span(1, 8, 8),
                "date_of_issue": _span(1, 9, 14),
                "series": _span(1, 16, 17),
                "optional": _span(1, 18, 29),
                "office": _span(0, 16, 30),
                "names": _span(2, 1, 30),
            },
            (
                Check("document_number", _span(0, 6, 14), (0, 14)),
                Check("date_of_birth", _span(1, 1, 6), (1, 6)),
                Check("date_of_issue", _span(1, 9, 14), (1, 14)),
                Check("composite", _span(1, 1, 29), (1, 29)),
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
            _TD3_CHECKS,
        ),
        # The internal passport of Russia: as TD3, but its names are written in a code with digits (`russian_names`).
        Layout(
            MrzFormat.RUSSIAN_ID,
            44,
            (
                *_classes(44, ((1, "P"), (1, "N"), (1, "R"), (1, "U"), (1, "S"), (39, _CODED_NAME))),
                _two_line_classes(44, ((14, _ANY), (1, _DATE), (1, DIGITS)))[1],
            ),
            _TD3_FIELDS,
            _TD3_CHECKS,
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


def verify(layout: Layout, lines: Sequence[str]) -> dict[str, bool]:
    """Whether each check digit of the layout is right."""
    return {check.name: is_right(layout, lines, check) for check in layout.checks}


def is_right(layout: Layout, lines: Sequence[str], check: Check) -> bool:
    """Whether this one is."""
    covered = "".join([lines[line][column] for line, column in check.covers])
    digit = lines[check.digit[0]][check.digit[1]]
    if check.name == "document_number" and digit == FILLER:
        found = long_number(layout, lines)
        return bool(found and check_digit(found[0]) == found[1])
    if digit == FILLER:
        return check.may_be_filler and not covered.strip(FILLER)
    return digit == check_digit(covered)


def long_number(layout: Layout, lines: Sequence[str]) -> tuple[str, str, str] | None:
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
