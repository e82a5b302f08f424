"""What single countries write into their zones in their own way."""

import re
from typing import Final

FILLER: Final = "<"

_RUSSIAN: Final = dict(
    zip(
        "ABVGDE2JZIQKLMNOPRSTUFHC34WXY9678",
        "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ",
        strict=True,
    )
)
"""The internal passport writes each Cyrillic letter as one character, so that the name can be had back exactly."""

HOLDER_IN_SECOND: Final = frozenset({"CHL", "COL"})
"""The first optional field of the cards of Chile and Colombia names the office or the town, the second holds the
holder's number (RUN, NUIP)."""

CHECKED_IN_FIRST: Final = frozenset({"VNM"})
"""Vietnam's card writes the holder's twelve figures, fillers and a check digit of theirs; its document number is the
last nine of them."""

YEARS_AHEAD: Final = {"ROU": 70}
"""For how many years cards may be valid where that is longer than elsewhere: Romania's are so without end from 55 years
of age, bear a day decades away, and have been issued since 1997."""

WITHOUT_HOLDERS_NUMBER: Final = frozenset({"MEX"})
"""The optional data of Mexico's card count the holder's place in the roll of electors; CURP is printed on the front."""


def romanian_number(optional: str, birth: str) -> str:
    """The holder's number (CNP), of which an identity card's optional data have the first figure and the last six; the
    six between are the birth. Nothing where other data stand there."""
    return optional[:1] + birth + optional[1:] if re.fullmatch(r"\d{7}", optional) and birth.isdigit() else ""


def kenyan_names(written: str) -> tuple[str, str]:
    """Surname and given names of names that are written one after the other, the surname last."""
    given, _, surname = written.rpartition(" ")
    return surname, given


def kenyan_number(optional: str) -> str:
    """The holder's number, which stands between letters (`023551667Y`), without the noughts before it."""
    return re.sub(r"\D.*", "", optional).lstrip("0")


def russian_names(coded: str) -> str:
    """`IVANOVI3` is ИВАНОВИЧ; what is not in the code stays as it is."""
    return "".join(_RUSSIAN.get(character, character) for character in coded)


def russian_number(number: str, optional: str) -> tuple[str, str, str]:
    """Series and number (ten digits), the day of issue (six digits) and the issuing office of the internal passport.

    The zone's number has three digits of the series and six of the number; the optional data begin with the fourth
    digit of the series, the day of issue and the code of the office.
    """
    series_end, issue, office = optional[:1], optional[1:7], optional[7:13].strip(FILLER)
    whole = (number[:3] + series_end + number[3:]).replace(FILLER, "")
    return whole, issue, f"{office[:3]}-{office[3:]}" if len(office) == 6 else office


def personal_number(issuer: str, optional: str, second: str) -> str:
    """The holder's number among the optional data, fillers at its ends trimmed; empty where they hold none."""
    if issuer in WITHOUT_HOLDERS_NUMBER:
        return ""
    first, other = optional.strip(FILLER), second.strip(FILLER)
    if issuer in HOLDER_IN_SECOND:
        return other.replace(FILLER, "") or first
    if issuer in CHECKED_IN_FIRST:
        return first.partition(FILLER)[0] or other
    return first or other
