"""The rule of each number that a state gives to people: its shape, its check digit, and what it says of its holder.

Check digits and parts come from `python-stdnum`, except where its rule reads the clock or it has none; those are here.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Final, Protocol, cast

from stdnum import luhn
from stdnum.br import cpf
from stdnum.cl import rut
from stdnum.cz import rc
from stdnum.ec import ci as ec_ci
from stdnum.ee import ik
from stdnum.es import dni as es_dni
from stdnum.exceptions import ValidationError
from stdnum.il import idnr as il_idnr
from stdnum.in_ import aadhaar
from stdnum.iso7064 import mod_11_2
from stdnum.it import codicefiscale
from stdnum.lv import pvn
from stdnum.mx import curp
from stdnum.nl import bsn
from stdnum.pe import cui
from stdnum.pl import pesel
from stdnum.pt import cc
from stdnum.ro import cnp
from stdnum.si import emso
from stdnum.th import pin as th_pin
from stdnum.tr import tckimlik

WOMEN: Final = 50
"""What several countries add to the month of a woman's birth."""


@dataclass(frozen=True)
class Said:
    """What a number says of its holder; None where it says nothing."""

    birth: tuple[int, int, int] | None = None
    """Year (two digits of it), month and day."""
    sex: str | None = None


@dataclass(frozen=True)
class Scheme:
    """The rule of one number."""

    title: str
    shape: re.Pattern[str]
    """What it looks like without spaces, dots and hyphens."""
    check: Callable[[str], bool] | None = None
    """Is the check digit right? None where the number has none, or its rule is not public."""
    said: Callable[[str], Said] | None = None
    """What a number of the right shape says."""
    says: tuple[str, ...] = ("birth", "sex")
    """Which of the two that is."""
    stays: bool = False
    """It stays as it is where birth or sex are corrected: another birth than the printed one speaks against nobody."""


# ── by python-stdnum ───────────────────────────────────────────────────────────────────────────────────────


class _Checked(Protocol):
    def is_valid(self, number: str) -> bool: ...


def _check(module: ModuleType) -> Callable[[str], bool]:
    return cast(_Checked, module).is_valid


def _digits(number: str, start: int = 0) -> tuple[int, int, int]:
    return int(number[start : start + 2]), int(number[start + 2 : start + 4]), int(number[start + 4 : start + 6])


def _by_parity(digit: str) -> str:
    return "M" if int(digit) % 2 else "F"


def _by_century(digit: str, last: int) -> str | None:
    """Century and sex in one digit, from 1 to the last; others are given to foreigners and tell no sex."""
    return _by_parity(digit) if 1 <= int(digit) <= last else None


def _estonian(number: str) -> Said:
    return Said(_digits(number, 1), _by_century(number[0], 8))


def _czechoslovak(number: str) -> Said:
    year, month, day = _digits(number)
    return Said((year, month % WOMEN % 20, day), "F" if month > WOMEN else "M")


def _polish(number: str) -> Said:
    year, month, day = _digits(number)
    return Said((year, month % 20, day), _by_parity(number[9]))


def _jmbg(number: str) -> Said:
    return Said((int(number[5:7]), int(number[2:4]), int(number[:2])), "M" if int(number[9:12]) < 500 else "F")


def _mexican(number: str) -> Said:
    return Said(_digits(number, 4), {"H": "M", "M": "F"}.get(number[10]))


def _italian(number: str) -> Said:
    try:
        born = codicefiscale.get_birth_date(number)
    except ValidationError:
        return Said()
    return Said((born.year % 100, born.month, born.day), codicefiscale.get_gender(number))


def _chinese(number: str) -> Said:
    return Said(_digits(number, 8), _by_parity(number[16]))


def _indonesian(number: str) -> Said:
    """It has no check digit, and is not changed where the birth that it bears was wrong."""
    day, month, year = _digits(number, 6)
    return Said((year, month, day % 40), "F" if day > 40 else "M")


def _latvian(number: str) -> Said:
    if number.startswith("32"):
        return Said()
    day, month, year = _digits(number)
    return Said((year, month, day))


# ── by rules of our own ────────────────────────────────────────────────────────────────────────────────────


def _belgian(number: str) -> bool:
    body, check = int(number[:9]), int(number[9:])
    return check in (97 - body % 97, 97 - (2_000_000_000 + body) % 97)


def _belgian_birth(number: str) -> Said:
    """Who is outside of the register has 20 added to the month, or 40 where the sex was known."""
    year, month, day = _digits(number)
    return Said((year, month % 20, day), None if 20 <= month < 40 else _by_parity(number[8]))


def _south_african(number: str) -> Said:
    return Said(_digits(number), "M" if int(number[6:10]) >= 5000 else "F")


def _kazakh_check(number: str) -> bool:
    figures = [int(digit) for digit in number]
    for weights in (range(1, 12), (3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2)):
        found = sum(weight * figure for weight, figure in zip(weights, figures, strict=False)) % 11
        if found < 10:
            return found == figures[11]
    return False


def _uruguayan(number: str) -> bool:
    figures = [int(digit) for digit in number.zfill(8)]
    total = sum(weight * figure for weight, figure in zip((2, 9, 8, 7, 6, 3, 4), figures, strict=False))
    return -total % 10 == figures[7]


def _albanian(number: str) -> Said:
    """The letter counts the decades from 1900 (A); 50 is added to the month of women."""
    year = 10 * (ord(number[0]) - ord("A")) + int(number[1])
    month = int(number[2:4])
    return Said((year % 100, month % WOMEN, int(number[4:6])), "F" if month > WOMEN else "M")


def _hong_kong(number: str) -> bool:
    """Letters count from 10, a missing first one is 36, and a check digit of ten is an A."""
    values = [36 if sign == " " else int(sign, 36) for sign in number[:-1].rjust(8)]
    total = sum(value * weight for value, weight in zip(values, range(9, 1, -1), strict=True))
    return (total + int(number[-1], 16)) % 11 == 0


_TAIWANESE_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVXYWZIO"
"""Where the household was registered, in the order of their numbers, which begin at 10."""


def _taiwanese(number: str) -> bool:
    letter = 10 + _TAIWANESE_LETTERS.index(number[0])
    figures = [letter // 10, letter % 10, *map(int, number[1:])]
    return (
        sum(figure * weight for figure, weight in zip(figures, (1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1), strict=True)) % 10
        == 0
    )


def _taiwanese_sex(number: str) -> Said:
    """1 and 2 are given to nationals, 8 and 9 to residents."""
    return Said(sex="M" if number[1] in "18" else "F")


def _egyptian(number: str) -> Said:
    """Century, birth, governorate, a count that is odd for men; the rule of the last digit is not public."""
    return Said(_digits(number, 1), _by_parity(number[12]))


def _shape(text: str) -> re.Pattern[str]:
    return re.compile(text, re.ASCII)


SCHEMES: Final[Mapping[str, Scheme]] = {
    "al.nid": Scheme("personal number of Albania", _shape(r"[A-L]\d{8}[A-Z]"), said=_albanian),
    "ar.dni": Scheme("DNI of Argentina", _shape(r"\d{7,8}")),
    "be.nn": Scheme("national number of Belgium", _shape(r"\d{11}"), _belgian, _belgian_birth),
    "br.cpf": Scheme("CPF of Brazil", _shape(r"\d{11}"), _check(cpf)),
    "cl.rut": Scheme("RUN of Chile", _shape(r"\d{7,8}[\dK]"), _check(rut)),
    "cn.ric": Scheme(
        "citizen identification number of China", _shape(r"[1-9]\d{16}[\dX]"), _check(mod_11_2), _chinese
    ),
    "cz.rc": Scheme("rodné číslo of Czechia and Slovakia", _shape(r"\d{9,10}"), _check(rc), _czechoslovak),
    "ec.ci": Scheme("cédula of Ecuador", _shape(r"\d{10}"), _check(ec_ci)),
    "ee.ik": Scheme("isikukood of Estonia", _shape(r"\d{11}"), _check(ik), _estonian),
    "eg.national_id": Scheme(
        "national number of Egypt", _shape(r"[23]\d{6}(?:0[1-4]|1[1-9]|2[1-9]|3[1-5]|88)\d{5}"), said=_egyptian
    ),
    "es.dni": Scheme("DNI of Spain", _shape(r"\d{8}[A-Z]"), _check(es_dni)),
    "hk.hkid": Scheme("identity card number of Hong Kong", _shape(r"[A-Z]{1,2}\d{6}[\dA]"), _hong_kong),
    "id.nik": Scheme(
        "NIK of Indonesia, which no correction of a birth changes", _shape(r"[1-9]\d{15}"), said=_indonesian, stays=True
    ),
    "il.idnr": Scheme("identity number of Israel", _shape(r"\d{9}"), _check(il_idnr)),
    "in.aadhaar": Scheme("Aadhaar of India", _shape(r"\d{12}"), _check(aadhaar)),
    "in.pan": Scheme("PAN of India", _shape(r"[A-Z]{3}[ABCFGHJKLPT][A-Z](?!0000)\d{4}[A-Z]")),
    "it.codicefiscale": Scheme("codice fiscale of Italy", _shape(r"[A-Z]{6}[A-Z\d]{9}[A-Z]"), _check(codicefiscale),
                               _italian),
    "kz.iin": Scheme(
        "IIN of Kazakhstan",
        _shape(r"\d{12}"),
        _kazakh_check,
        lambda number: Said(_digits(number), _by_century(number[6], 6)),
    ),
    "lv.pk": Scheme("personas kods of Latvia", _shape(r"\d{11}"), _check(pvn), _latvian, says=("birth",)),
    "mx.curp": Scheme("CURP of Mexico", _shape(r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d"), _check(curp), _mexican),
    "nl.bsn": Scheme("burgerservicenummer of the Netherlands", _shape(r"\d{9}"), _check(bsn)),
    "nl.identiteitskaartnummer": Scheme(
        "document number of the Netherlands", _shape(r"[A-NP-Z]{2}[A-NP-Z\d]{6}\d")
    ),
    "pe.cui": Scheme("DNI of Peru with its check digit", _shape(r"\d{8}[\dA-K]"), _check(cui)),
    "pl.pesel": Scheme("PESEL of Poland", _shape(r"\d{11}"), _check(pesel), _polish),
    "pt.cc": Scheme("document number of Portugal", _shape(r"\d{9}[A-Z\d]{2}\d"), _check(cc)),
    "ro.cnp": Scheme(
        "CNP of Romania",
        _shape(r"\d{13}"),
        _check(cnp),
        lambda number: Said(_digits(number, 1), _by_century(number[0], 8)),
    ),
    "th.pin": Scheme("identification number of Thailand", _shape(r"[1-8]\d{12}"), _check(th_pin)),
    "tr.tckimlik": Scheme("T.C. kimlik numarası", _shape(r"\d{11}"), _check(tckimlik)),
    "tw.id": Scheme(
        "national identification number of Taiwan",
        _shape(r"[A-Z][1289]\d{8}"),
        _taiwanese,
        _taiwanese_sex,
        says=("sex",),
    ),
    "ua.unzr": Scheme(
        "record number of Ukraine",
        _shape(r"\d{13}"),
        said=lambda number: Said(_digits(number, 2)),
        says=("birth",),
    ),
    "uy.ci": Scheme("cédula of Uruguay", _shape(r"\d{7,8}"), _uruguayan),
    "yu.jmbg": Scheme("JMBG of the Yugoslav successors", _shape(r"\d{13}"), _check(emso), _jmbg),
    "za.idnr": Scheme("identity number of South Africa", _shape(r"\d{13}"), luhn.is_valid, _south_african),
}  # fmt: skip
