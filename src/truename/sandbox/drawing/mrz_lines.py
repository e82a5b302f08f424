"""Write machine-readable zones as ICAO 9303 says, apart from the code under test."""

import re
from datetime import date

from anyascii import anyascii

_SPECIAL = {"Ä": "AE", "Ö": "OE", "Ü": "UE", "ß": "SS", "Å": "AA", "Ø": "OE", "Æ": "AE", "Þ": "TH", "Ñ": "N"}


def check_digit(text: str) -> str:
    """The digit that ICAO 9303 writes after this text."""
    total = 0
    for index, character in enumerate(text):
        value = 0 if character == "<" else int(character, 36)
        total += value * (7, 3, 1)[index % 3]
    return str(total % 10)


def name_field(surnames: str, given_names: str, width: int) -> str:
    """Both names as the zone writes them, cut or filled to the width."""
    return f"{_letters(surnames)}<<{_letters(given_names)}"[:width].ljust(width, "<")


def td3(
    issuer: str, surnames: str, given_names: str, number: str, nationality: str, born: date, sex: str, expires: date,
    personal_number: str = "", code: str = "P<",
) -> tuple[str, str]:  # fmt: skip
    """Two lines of 44: a passport."""
    first = code + issuer.ljust(3, "<") + name_field(surnames, given_names, 39)
    number_part = _with_digit(number.ljust(9, "<"))
    birth, expiry = _with_digit(_day(born)), _with_digit(_day(expires))
    personal = personal_number.replace("-", "<").ljust(14, "<")
    personal_part = personal + ("<" if not personal_number else check_digit(personal))
    composite = check_digit(number_part + birth + expiry + personal_part)
    return first, number_part + nationality.ljust(3, "<") + birth + sex + expiry + personal_part + composite


def td1(
    issuer: str, surnames: str, given_names: str, number: str, nationality: str, born: date, sex: str, expires: date,
    optional: str = "", optional_2: str = "", code: str = "I<",
) -> tuple[str, str, str]:  # fmt: skip
    """Three lines of 30: a card. A number over nine characters runs on into the optional data."""
    if len(number) <= 9:
        number_and_optional = _with_digit(number.ljust(9, "<")) + optional.ljust(15, "<")
    else:
        number_and_optional = number[:9] + "<" + (number[9:] + check_digit(number) + "<" + optional).ljust(15, "<")
    first = code + issuer.ljust(3, "<") + number_and_optional[:25]
    birth, expiry = _with_digit(_day(born)), _with_digit(_day(expires))
    rest = optional_2.ljust(11, "<")
    composite = check_digit(first[5:] + birth + expiry + rest)
    return (
        first,
        birth + sex + expiry + nationality.ljust(3, "<") + rest + composite,
        name_field(surnames, given_names, 30),
    )


def kenyan(
    surnames: str, given_names: str, number: str, born: date, sex: str, issued: date, holders: str
) -> tuple[str, str, str]:
    """Three lines of 30: the identity card of Kenya, with the day of issue, and names one after the other."""
    birth, issue = _with_digit(_day(born)), _with_digit(_day(issued))
    second = f"{birth}{sex}{issue}<B{holders.zfill(9)}X<<"
    names = f"{_letters(given_names)}<{_letters(surnames)}"
    return (
        f"IDKYA{_with_digit(number.ljust(9, '<'))}<<".ljust(30, "<"),
        second + check_digit(second),
        names[:30].ljust(30, "<"),
    )


def td2(
    issuer: str, surnames: str, given_names: str, number: str, nationality: str, born: date, sex: str, expires: date,
    optional: str = "", code: str = "I<",
) -> tuple[str, str]:  # fmt: skip
    """Two lines of 36. A number over nine characters runs on into the optional data, where there is room for it."""
    number_part = _with_digit(number.ljust(9, "<"))
    if len(number) > 9:
        number_part, optional = number[:9] + "<", number[9:] + check_digit(number) + "<"
    birth, expiry = _with_digit(_day(born)), _with_digit(_day(expires))
    rest = optional.ljust(7, "<")
    composite = check_digit(number_part + birth + expiry + rest)
    return (
        code + issuer.ljust(3, "<") + name_field(surnames, given_names, 31),
        number_part + nationality.ljust(3, "<") + birth + sex + expiry + rest + composite,
    )


def mrv(
    issuer: str, surnames: str, given_names: str, number: str, nationality: str, born: date, sex: str, expires: date,
    width: int, code: str = "V<",
) -> tuple[str, str]:  # fmt: skip
    """Two lines of a visa, of 44 (MRV-A) or 36 characters (MRV-B): a visa has no check digit over all of it."""
    number_part = _with_digit(number.ljust(9, "<"))
    birth, expiry = _with_digit(_day(born)), _with_digit(_day(expires))
    return (
        code + issuer.ljust(3, "<") + name_field(surnames, given_names, width - 5),
        (number_part + nationality.ljust(3, "<") + birth + sex + expiry).ljust(width, "<"),
    )


def russian_internal(
    surnames: str, given_names: str, number: str, born: date, sex: str, issued: date
) -> tuple[str, str]:
    """Two lines of 44 of the internal passport; names in its code, series and number as ten digits."""
    first = f"PNRUS{surnames}<<{given_names.replace(' ', '<')}".ljust(44, "<")
    number_part, birth = _with_digit(number[:3] + number[4:]), _with_digit(_day(born))
    rest = _with_digit(f"{number[3]}{_day(issued)}770001".ljust(14, "<"))
    composite = check_digit(number_part + birth + "<" * 7 + rest)
    return first, f"{number_part}RUS{birth}{sex}<<<<<<<{rest}{composite}"


def _with_digit(text: str) -> str:
    return text + check_digit(text)


def _day(day: date) -> str:
    return day.strftime("%y%m%d")


def _letters(name: str) -> str:
    spelled = "".join(_SPECIAL.get(character, character) for character in name.upper())
    return re.sub(r"[^A-Z]+", "<", anyascii(spelled).upper().replace("'", "")).strip("<")
