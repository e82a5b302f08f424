"""Draw identity documents of invented people, in the manner of several countries. The same seed draws the same page."""

from datetime import date

import numpy as np

from truename.rules.evidence import DocumentType, FieldName
from truename.sandbox.drawing import mrz_lines
from truename.sandbox.drawing.aamva_bytes import aamva_payload as aamva_payload
from truename.sandbox.drawing.another_face import another_portrait
from truename.sandbox.drawing.document_words import STYLES
from truename.sandbox.drawing.photography import photograph as photograph
from truename.sandbox.drawing.sheet import Sheet as Sheet
from truename.sandbox.drawing.subjects import AS_USUAL, Issue, Portrait
from truename.sandbox.drawing.subjects import Person as Person
from truename.sandbox.drawing.subjects import SyntheticDocument as SyntheticDocument

CARD, TD2_CARD, PASSPORT_PAGE = (1027, 648), (1260, 888), (1500, 1056)


def passport(
    person: Person | None = None, country: str = "DE", seed: int = 0, issue: Issue = AS_USUAL
) -> SyntheticDocument:
    """A TD3 data page: labels in the country's language and English, MRZ below."""
    person = person or Person()
    style = STYLES[country]
    number, expires, issued = issue.number or _number(seed, "C"), issue.expires or date(2031, 3, 9), date(2021, 3, 10)
    lines = mrz_lines.td3(
        style.issuer, person.surnames, person.given_names, number, style.issuer, person.born, person.sex, expires
    )
    sheet = Sheet(PASSPORT_PAGE, seed)
    sheet.text((40, 24), f"{style.passport} / PASSPORT", 40, bold=True)
    sheet.text((760, 24), style.name, 40, bold=True)
    _portrait(sheet, (50, 180, 420, 660), issue)
    rows = [
        (f"{style.number} / Passport No.", number),
        (f"{style.surname} / Surname", person.surnames),
        (f"{style.given} / Given names", person.given_names),
        (f"{style.nationality} / Nationality", style.demonym),
        (f"{style.birth} / Date of birth", f"{person.born:%d.%m.%Y}"),
        (f"{style.sex} / Sex", person.sex),
        (f"{style.birth_place} / Place of birth", person.place_of_birth),
        (f"{style.issue} / Date of issue", f"{issued:%d.%m.%Y}"),
        (f"{style.expiry} / Date of expiry", f"{expires:%d.%m.%Y}"),
    ]
    sheet.rows((470, 110), rows, step=80, label=20, value=32)
    sheet.mrz(lines)
    fields = _truth(person, number, expires, style.alpha2) | {FieldName.DATE_OF_ISSUE: issued.isoformat()}
    return SyntheticDocument(style.alpha2, DocumentType.PASSPORT, sheet.picture(), None, fields, lines)


def id_card(
    person: Person | None = None,
    country: str = "DE",
    seed: int = 0,
    residence: bool = False,
    issue: Issue = AS_USUAL,
) -> SyntheticDocument:
    """A TD1 card: front with portrait and labels, back with the MRZ."""
    person = person or Person()
    style = STYLES[country]
    number, expires = issue.number or _number(seed, "L"), issue.expires or date(2032, 1, 31)
    code = "IR" if residence else "ID"
    lines = mrz_lines.td1(
        style.issuer, person.surnames, person.given_names, number, style.issuer, person.born, person.sex, expires,
        code=code,
    )  # fmt: skip
    title = f"{style.permit} / RESIDENCE PERMIT" if residence else f"{style.id_card} / IDENTITY CARD"
    front = Sheet(CARD, seed)
    front.text((30, 18), style.name, 34, bold=True)
    front.text((30, 60), title, 24)
    _portrait(front, (40, 130, 290, 450), issue)
    front.rows(
        (340, 110),
        [
            (f"{style.surname} / Surname", person.surnames),
            (f"{style.given} / Given names", person.given_names),
            (f"{style.sex} / Sex", person.sex),
            (f"{style.birth} / Date of birth", f"{person.born:%d.%m.%Y}"),
            (f"{style.nationality} / Nationality", style.demonym),
            (f"{style.expiry} / Date of expiry", f"{expires:%d.%m.%Y}"),
        ],
        step=80,
    )
    front.rows((690, 110), [(f"{style.number} / Document No.", number)], step=80)
    back = Sheet(CARD, seed + 1)
    back.rows((40, 30), [(f"{style.birth_place} / Place of birth", person.place_of_birth)], step=80)
    back.mrz(lines)
    kind = DocumentType.RESIDENT_PERMIT if residence else DocumentType.NATIONAL_ID
    fields = _truth(person, number, expires, style.alpha2)
    return SyntheticDocument(style.alpha2, kind, front.picture(), back.picture(), fields, lines)


def td2_card(person: Person | None = None, country: str = "RO", seed: int = 0) -> SyntheticDocument:
    """A card with two lines of 36 on its front, as the Romanian one was."""
    person = person or Person()
    style = STYLES[country]
    number, expires = _number(seed, "R"), date(2030, 8, 3)
    lines = mrz_lines.td2(
        style.issuer, person.surnames, person.given_names, number, style.issuer, person.born, person.sex, expires
    )
    sheet = Sheet(TD2_CARD, seed)
    sheet.text((40, 20), style.name, 40, bold=True)
    sheet.text((640, 24), f"{style.id_card} / IDENTITY CARD", 26)
    sheet.portrait((50, 140, 340, 520))
    sheet.rows(
        (400, 110),
        [
            (f"{style.surname} / Last name", person.surnames),
            (f"{style.given} / First name", person.given_names),
            (f"{style.nationality} / Nationality", style.demonym),
            (f"{style.sex} / Sex", person.sex),
            (f"{style.birth_place} / Place of birth", person.place_of_birth),
            (f"{style.expiry} / Expires", f"{expires:%d.%m.%Y}"),
        ],
        step=88,
    )
    sheet.mrz(lines)
    fields = _truth(person, number, expires, style.alpha2)
    return SyntheticDocument(style.alpha2, DocumentType.NATIONAL_ID, sheet.picture(), None, fields, lines)


def eu_driver_licence(person: Person | None = None, country: str = "DE", seed: int = 0) -> SyntheticDocument:
    """A licence in the European model: numbered fields, no MRZ."""
    person = person or Person()
    style = STYLES[country]
    number, expires, issued = _number(seed, "B") + "72", date(2033, 1, 18), date(2018, 1, 19)
    sheet = Sheet(CARD, seed, tint=(255, 214, 222))
    sheet.text((240, 18), f"{style.licence}  {style.name}", 30, bold=True)
    sheet.text((50, 30), style.plate, 44, bold=True)
    sheet.portrait((40, 140, 290, 460))
    rows = [
        ("1.", person.surnames), ("2.", person.given_names),
        ("3.", f"{person.born:%d.%m.%Y}  {person.place_of_birth}"), ("4a.", f"{issued:%d.%m.%Y}"),
        ("4b.", f"{expires:%d.%m.%Y}"), ("4c.", "LANDRATSAMT"), ("5.", number), ("9.", "AM/B/L"),
    ]  # fmt: skip
    for index, (label, value) in enumerate(rows):
        y = 100 + index * 60
        sheet.text((330, y), label, 26)
        sheet.text((400, y), value, 30, bold=True)
    fields = _truth(person, number, expires, style.alpha2, nationality=False)
    del fields[FieldName.GENDER]
    fields |= {FieldName.DATE_OF_ISSUE: issued.isoformat()}
    return SyntheticDocument(style.alpha2, DocumentType.DRIVER_LICENSE, sheet.picture(), None, fields)


def us_driver_licence(person: Person | None = None, seed: int = 0, version: int = 8) -> SyntheticDocument:
    """A licence of the state of Virginia, with its AAMVA barcode on the back."""
    person = person or Person("SAMPLE", "JAMIE LEE", "F", date(1990, 4, 7), "")
    number, expires, issued = _number(seed, "T"), date(2030, 4, 7), date(2022, 5, 2)
    front = Sheet(CARD, seed, tint=(214, 228, 250))
    front.text((40, 20), "VIRGINIA", 54, bold=True)
    front.text((560, 30), "DRIVER'S LICENSE", 36, bold=True)
    front.text((560, 80), "USA", 24)
    front.portrait((40, 130, 310, 480))
    rows = [
        ("4d DL NO.", number), ("1 LN", person.surnames), ("2 FN", person.given_names),
        ("8 ADDRESS", "123 MAIN ST, RICHMOND VA"), ("15 SEX", person.sex),
        ("3 DOB", f"{person.born:%m/%d/%Y}"), ("4a ISS", f"{issued:%m/%d/%Y}"), ("4b EXP", f"{expires:%m/%d/%Y}"),
    ]  # fmt: skip
    for index, (label, value) in enumerate(rows):
        y = 130 + index * 60
        front.text((350, y + 6), label, 20)
        front.text((500, y), value, 28, bold=True)
    payload = aamva_payload(person, number, issued, expires, version)
    back = Sheet(CARD, seed + 1, tint=(240, 240, 240))
    back.barcode(payload, (60, 60, 907, 290))
    back.text((60, 420), "CLASS: D   ENDORSEMENTS: NONE   RESTRICTIONS: B", 22)
    fields = _truth(person, number, expires, "US", nationality=False) | {FieldName.DATE_OF_ISSUE: issued.isoformat()}
    return SyntheticDocument(
        "US", DocumentType.DRIVER_LICENSE, front.picture(), back.picture(), fields, barcode=payload
    )


def argentine_dni(person: Person | None = None, seed: int = 0) -> SyntheticDocument:
    """The card of Argentina: `@`-separated PDF417 on the front, TD1 on the back."""
    person = person or Person("GOMEZ", "MARTA ALICIA", "F", date(1979, 11, 23), "BUENOS AIRES")
    number, issued, expires = f"{27000000 + seed}", date(2019, 6, 3), date(2034, 6, 3)
    transaction = f"{100200300 + seed:011d}"
    payload = "@".join(
        [transaction, person.surnames, person.given_names, person.sex, number, "B", f"{person.born:%d/%m/%Y}",
         f"{issued:%d/%m/%Y}", "201"]
    ).encode("latin-1")  # fmt: skip
    front = Sheet(CARD, seed, tint=(214, 236, 250))
    front.text((30, 14), "REPUBLICA ARGENTINA - MERCOSUR", 30, bold=True)
    front.text((30, 54), "REGISTRO NACIONAL DE LAS PERSONAS", 20)
    front.text((30, 82), "DOCUMENTO NACIONAL DE IDENTIDAD", 20)
    front.portrait((40, 130, 270, 420))
    front.rows(
        (320, 116),
        [
            ("Apellido / Surname", person.surnames),
            ("Nombre / Name", person.given_names),
            ("Sexo / Sex", person.sex),
            ("Fecha de nacimiento / Date of birth", f"{person.born:%d} {_MONTHS_ES[person.born.month - 1]} "
             f"{person.born:%Y}"),
            ("Fecha de vencimiento / Date of expiry", f"{expires:%d} {_MONTHS_ES[expires.month - 1]} {expires:%Y}"),
        ],
        step=72,
    )  # fmt: skip
    front.rows((40, 440), [("Documento / Document", number)], step=72)
    front.barcode(payload, (330, 500, 650, 130))
    lines = mrz_lines.td1(
        "ARG", person.surnames, person.given_names, number, "ARG", person.born, person.sex, expires, code="ID"
    )
    back = Sheet(CARD, seed + 1, tint=(225, 240, 250))
    back.text((40, 40), f"LUGAR DE NACIMIENTO: {person.place_of_birth}", 24)
    back.mrz(lines)
    fields = _truth(person, number, expires, "AR") | {FieldName.DATE_OF_ISSUE: issued.isoformat()}
    kind = DocumentType.NATIONAL_ID
    return SyntheticDocument("AR", kind, front.picture(), back.picture(), fields, lines, payload)


def temporary_permit(person: Person | None = None, seed: int = 0) -> SyntheticDocument:
    """A permit of Colombia with plain "label: value" rows and neither MRZ nor barcode."""
    person = person or Person("QUISPE ROJAS", "JUAN CARLOS", "M", date(1994, 2, 5), "")
    number, issued, expires = f"{4800000 + seed}", date(2022, 3, 1), date(2031, 5, 30)
    sheet = Sheet(CARD, seed, tint=(250, 240, 205))
    sheet.text((30, 18), "REPUBLICA DE COLOMBIA", 36, bold=True)
    sheet.text((30, 64), "PERMISO POR PROTECCION TEMPORAL", 28)
    sheet.portrait((40, 130, 280, 440))
    rows = [
        ("APELLIDOS:", person.surnames), ("NOMBRES:", person.given_names), ("NACIONALIDAD:", "VENEZOLANA"),
        ("FECHA DE NACIMIENTO:", f"{person.born:%Y/%m/%d}"), ("SEXO:", person.sex), ("RUMV:", number),
        ("FECHA DE EXPEDICION:", f"{issued:%Y/%m/%d}"), ("FECHA DE VENCIMIENTO:", f"{expires:%Y/%m/%d}"),
    ]  # fmt: skip
    for index, (label, value) in enumerate(rows):
        y = 124 + index * 58
        sheet.text((320, y), label, 22)
        sheet.text((620, y - 3), value, 28, bold=True)
    fields = _truth(person, number, expires, "CO") | {
        FieldName.DATE_OF_ISSUE: issued.isoformat(),
        FieldName.NATIONALITY: "VE",
    }
    return SyntheticDocument("CO", DocumentType.TEMP_PERMIT_ID, sheet.picture(), None, fields)


COUNTRIES = tuple(STYLES)
_MONTHS_ES = ("ENE", "FEB", "MAR", "ABR", "MAY", "JUN", "JUL", "AGO", "SEP", "OCT", "NOV", "DIC")


def _truth(person: Person, number: str, expires: date, country: str, nationality: bool = True) -> dict[FieldName, str]:
    fields = {
        FieldName.SURNAMES: person.surnames,
        FieldName.GIVEN_NAMES: person.given_names,
        FieldName.GENDER: person.sex,
        FieldName.DATE_OF_BIRTH: person.born.isoformat(),
        FieldName.DATE_OF_EXPIRY: expires.isoformat(),
        FieldName.DOCUMENT_NUMBER: number,
    }
    return fields | ({FieldName.NATIONALITY: country} if nationality else {})


def _portrait(sheet: Sheet, box: tuple[int, int, int, int], issue: Issue) -> None:
    if issue.portrait is not Portrait.NONE:
        sheet.portrait(box, another_portrait() if issue.portrait is Portrait.ANOTHERS else None)


def _number(seed: int, letter: str) -> str:
    digits = np.random.default_rng(seed + 1000).integers(0, 10, 8)
    return letter + "".join(str(digit) for digit in digits)
