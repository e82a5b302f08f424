"""Do the signs of authenticity speak where a document cannot be genuine, and keep silent where it can?"""

from datetime import date
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.support.layout_files import tried
from truename.rules.authenticity_signs import LIMITS, AuthenticitySign, speaking
from truename.rules.evidence import DocumentField, DocumentType, FieldName, MrzFormat, MrzReading, ReadValue, Source
from truename.sandbox.drawing import documents, sheet
from truename.sandbox.drawing.from_layout import draw
from truename.sandbox.drawing.photography import photograph
from truename.sandbox.drawing.subjects import Issue
from truename.vision.captures import Picture
from truename.vision.document.authenticity import agreement
from truename.vision.document.authenticity.measure import signs_of_front, signs_of_text
from truename.vision.document.authenticity.pixels import even_share, grain_difference
from truename.vision.document.mrz.fields import parse
from truename.vision.document.mrz.read import MrzRead, read_mrz
from truename.vision.document.page.locate import Located, Page
from truename.vision.document.page.portrait import Portrait
from truename.vision.document.page.quality import measure
from truename.vision.document.read import read_document
from truename.vision.face.detect import Face
from truename.vision.images import percentile_of_bytes

TODAY = date(2026, 11, 15)
PASSPORT = DocumentType.PASSPORT


def fields(values: dict[str, str], source: Source = Source.MRZ) -> dict[FieldName, DocumentField]:
    return {
        FieldName(name): DocumentField(value=value, source=source, confidence=0.9) for name, value in values.items()
    }


LIFE = {"date_of_birth": "1984-08-12", "date_of_issue": "2021-03-10", "date_of_expiry": "2031-03-09"}


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({}, 0),
        ({"date_of_issue": "1984-08-11", "date_of_expiry": "1990-01-01"}, 1),
        ({"date_of_issue": "2026-12-24"}, 1),
        ({"date_of_expiry": "2021-03-10"}, 1),
        ({"date_of_expiry": "2035-03-09"}, 1),
        ({"date_of_birth": "2027-01-01", "date_of_issue": "2027-01-02"}, 2),
        ({"date_of_expiry": "9999-12-31"}, 0),
    ],
)
def test_dates_that_cannot_be_are_counted(changed: dict[str, str], wrong: int) -> None:
    assert agreement.impossible_dates(fields({**LIFE, **changed}), "DE", PASSPORT, TODAY) == wrong


@pytest.mark.parametrize(
    ("country", "kind", "born", "issued", "ends"),
    [
        ("US", DocumentType.DRIVER_LICENSE, "1998-05-04", "2014-05-04", "2063-05-04"),
        ("CA", DocumentType.DRIVER_LICENSE, "1990-02-01", "2022-02-01", "2030-02-01"),
        ("VN", DocumentType.NATIONAL_ID, "1983-06-20", "2021-07-01", "2043-06-20"),
        ("RO", DocumentType.NATIONAL_ID, "1962-01-15", "2019-02-01", "2069-01-15"),
        ("IN", DocumentType.DRIVER_LICENSE, "2004-03-02", "2022-03-10", "2044-03-01"),
    ],
)
def test_a_document_may_be_valid_for_as_long_as_its_country_gives(
    country: str, kind: DocumentType, born: str, issued: str, ends: str
) -> None:
    life = fields({"date_of_birth": born, "date_of_issue": issued, "date_of_expiry": ends})
    assert agreement.impossible_dates(life, country, kind, TODAY) == 0


def test_dates_that_were_not_read_for_sure_say_nothing() -> None:
    doubtful = {name: field.model_copy(update={"confidence": 0.4}) for name, field in fields(LIFE).items()}
    assert agreement.impossible_dates(doubtful, "DE", PASSPORT, TODAY) is None


def test_a_national_number_that_says_another_birth_date_contradicts() -> None:
    person = {"personal_number": "38001085718", "date_of_birth": "1980-01-08", "gender": "M"}
    assert agreement.contradicting_numbers(fields(person), "EE", DocumentType.NATIONAL_ID) == 0
    other = {**person, "date_of_birth": "1990-01-08"}
    assert agreement.contradicting_numbers(fields(other), "EE", DocumentType.NATIONAL_ID) == 1
    assert agreement.contradicting_numbers(fields(LIFE), "EE", DocumentType.NATIONAL_ID) is None


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({}, 0),
        ({"gender": "F"}, 1),
        ({"date_of_birth": "1991-11-08"}, 1),
        ({"date_of_birth": "1990-01-08"}, 0),  # one figure may be misread
        ({"personal_number": "38001085719"}, None),  # so may one of the number: its check digit is wrong
        ({"gender": "F", "personal_number": "38001085719"}, None),
    ],
)
def test_a_printed_number_that_its_check_digit_proves_is_held_against_printed_birth_and_sex(
    changed: dict[str, str], wrong: float | None
) -> None:
    """Only numbers of zone and barcode were: a card that has neither could print any birth beside its number."""
    person = {"personal_number": "38001085718", "date_of_birth": "1980-01-08", "gender": "M", **changed}
    found = agreement.contradicting_numbers(fields(person, Source.VISUAL), "EE", DocumentType.NATIONAL_ID)
    assert found == wrong


BIRTH_IN_NUMBER = """
country = "MY"
languages = ["ms", "en"]
issuers = ["Malaysia"]
[[documents]]
kind = "NATIONAL_ID"
version = "of this test"
known_from = "description"
form = "ID-1"
titles = ["Kad Pengenalan"]
[documents.fields]
document_number = { labels = [], formats = ["{YY}{MM}{DD}-##-####"] }
card_number = { labels = ["Siri"], formats = ["@########"] }
date_of_birth = { labels = ["Tarikh lahir"] }
"""
OR_NOT = BIRTH_IN_NUMBER.replace('"{YY}{MM}{DD}-##-####"', '"{YY}{MM}{DD}-##-####", "############"')


@pytest.mark.parametrize(
    ("file", "born", "source", "wrong"),
    [
        (BIRTH_IN_NUMBER, "1985-08-12", Source.VISUAL, 0),
        (BIRTH_IN_NUMBER, "1979-11-23", Source.VISUAL, 1),
        (BIRTH_IN_NUMBER, "1979-08-12", Source.VISUAL, 0),  # one figure of either may be misread
        (BIRTH_IN_NUMBER, "1986-08-12", Source.MRZ, 1),
        (OR_NOT, "1979-11-23", Source.MRZ, None),  # its form may be the one that says nothing
    ],
)
def test_a_number_whose_form_bears_the_birth_is_held_against_it(
    tmp_path: Path, file: str, born: str, source: Source, wrong: float | None
) -> None:
    said = fields({"document_number": "850812-14-5566", "date_of_birth": born}, source)
    with tried(tmp_path, file, "MY"):
        assert agreement.contradicting_numbers(said, "MY", DocumentType.NATIONAL_ID) == wrong


def test_a_number_of_the_form_of_its_own_field_is_held_to_no_other_rule(tmp_path: Path) -> None:
    """The number of a card says nothing of its holder, though it has as many figures as one that does."""
    file = BIRTH_IN_NUMBER.replace("document_number =", "personal_number =")
    file = file.replace("card_number =", "document_number =").replace('"@########"', '"############"')
    said = fields({"document_number": "110199121234", "date_of_birth": "1985-08-12"})
    with tried(tmp_path, file, "MY"):
        assert agreement.contradicting_numbers(said, "MY", DocumentType.NATIONAL_ID) is None


@pytest.mark.slow
@pytest.mark.parametrize(("number", "spoken"), [(None, []), ("38001085718", [AuthenticitySign.NUMBER_CONTRADICTS])])
def test_a_card_without_a_zone_that_bears_anothers_number_is_noticed(
    tmp_path: Path, number: str | None, spoken: list[str]
) -> None:
    with tried(tmp_path, PRINTED_CODE, "EE") as layout:
        drawn = draw("EE", layout, seed=4, issue=Issue(number=number))
        found = read_document(photograph(drawn.front, seed=4, rotation=3, perspective=0.2)[0], None, TODAY).evidence
    assert found.value(FieldName.DOCUMENT_NUMBER) == drawn.fields[FieldName.DOCUMENT_NUMBER]
    assert list(speaking(found.authenticity or {})) == spoken


PRINTED_CODE = """
country = "EE"
languages = ["et", "en"]
issuers = ["Eesti Vabariik"]
[[documents]]
kind = "NATIONAL_ID"
version = "health card"
known_from = "description"
form = "ID-1"
titles = ["Ravikindlustuskaart", "Health insurance card"]
marks = ["Ravikindlustuskaart"]
[documents.fields]
surnames = { labels = ["Perekonnanimi"] }
given_names = { labels = ["Eesnimi"] }
document_number = { labels = ["Isikukood"], formats = ["#{YY}{MM}{DD}####"], scheme = "ee.ik" }
date_of_birth = { labels = ["Sünniaeg"] }
gender = { labels = ["Sugu"], printed = ["M", "N"] }
"""


def test_check_digits_count_only_where_both_readers_saw_the_same() -> None:
    zone = MrzReading(
        format=MrzFormat.TD3, lines=("P", "9"), check_digits={"date_of_birth": False, "composite": False},
        valid=False, readers_agree=True, confidence=0.5,
    )  # fmt: skip
    assert agreement.wrong_check_digits(zone) == 2
    assert agreement.wrong_check_digits(zone.model_copy(update={"readers_agree": False})) is None
    assert agreement.wrong_check_digits(None) is None


def a_page(grain: float, grain_of_portrait: float) -> tuple[Picture, Face]:
    """A calm page with a calm square in it, each with grain of its own."""
    random = np.random.default_rng(0)
    page = 150 + random.normal(0, grain, (600, 900))
    page[150:350, 100:260] = 150 + random.normal(0, grain_of_portrait, (200, 160))
    picture = cv2.cvtColor(np.clip(page, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2RGB)
    return np.asarray(picture, np.uint8), Face((110.0, 160.0, 140.0, 180.0), np.zeros((5, 2), np.float32), 0.9)


def test_a_portrait_without_the_grain_of_its_page_stands_out() -> None:
    limit = LIMITS[AuthenticitySign.PORTRAIT_NOISE]
    alike, other = grain_difference(*a_page(4, 4)), grain_difference(*a_page(6, 0.2))
    assert alike is not None
    assert not limit.speaks(alike)
    assert other is not None
    assert limit.speaks(other)


def test_a_page_without_any_noise_was_seen_by_no_camera() -> None:
    limit = LIMITS[AuthenticitySign.NO_CAMERA_NOISE]
    assert limit.speaks(even_share(np.full((200, 300, 3), 180, np.uint8)))
    assert not limit.speaks(even_share(a_page(2, 2)[0]))


@pytest.mark.parametrize("percent", [0, 12.5, 50, 99.5, 100])
def test_bytes_that_are_counted_have_the_percentiles_of_bytes_that_are_sorted(percent: float) -> None:
    values = np.random.default_rng(1).integers(0, 256, (31, 47)).astype(np.uint8)
    for one in (values, values[:1, :2], np.full((4, 4), 255, np.uint8)):
        assert percentile_of_bytes(one, percent) == pytest.approx(float(np.percentile(one, percent)))


def unlike_ocr_b(page: Picture) -> float:
    """What is measured on a page, whose zone must be read and evenly spaced."""
    found = read_mrz(page)
    assert found is not None
    assert found.reading.valid
    assert not LIMITS[AuthenticitySign.ZONE_SPACING].speaks(found.spacing)
    assert found.unlike_ocr_b is not None
    return found.unlike_ocr_b


@pytest.mark.slow
def test_a_zone_in_another_font_is_told_from_ocr_b(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = LIMITS[AuthenticitySign.ZONE_FONT]
    assert not limit.speaks(unlike_ocr_b(documents.passport().front))
    monkeypatch.setattr(sheet, "mrz_font", lambda size: None)
    assert not limit.speaks(unlike_ocr_b(documents.passport().front)), "drawn without the font"
    monkeypatch.setattr(sheet, "mrz_font", lambda size: sheet.print_font(round(0.8 * size)))
    assert limit.speaks(unlike_ocr_b(documents.passport().front))


def a_zone_read(pitch: float, number: str = "L898902C3") -> MrzRead:
    """A passport's zone as it was read, with so many pixels from letter to letter, in letters unlike OCR-B."""
    lines = ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", f"{number}6UTO7408122F1204159ZE184226B<<<<<10")
    mrz = parse(lines)
    assert mrz is not None
    reading = MrzReading(
        format=MrzFormat.TD3, lines=lines, check_digits=mrz.check_digits, valid=mrz.valid, readers_agree=False,
        confidence=0.8,
    )  # fmt: skip
    corners = np.array([[0, 0], [44 * pitch, 0], [44 * pitch, 50], [0, 50]], np.float32)
    return MrzRead(reading, mrz, corners, 0.8, 0.1, 0.4)


def test_the_font_of_a_zone_is_judged_only_where_its_letters_are_large_enough_and_were_read_right() -> None:
    def font(zone: MrzRead) -> float | None:
        return signs_of_text({}, zone, "UT", PASSPORT, TODAY).get(AuthenticitySign.ZONE_FONT)

    assert font(a_zone_read(pitch=20)) == 0.4
    assert font(a_zone_read(pitch=8)) is None
    assert font(a_zone_read(pitch=20, number="L898902C8")) is None, "a letter was misread"


@pytest.mark.parametrize(("side", "known"), [(900, True), (300, False)])
def test_a_page_that_is_too_small_shows_neither_stripes_nor_the_grain_of_its_portrait(side: int, known: bool) -> None:
    picture, face = a_page(4, 4)
    quad = np.array([[0, 0], [side, 0], [side, 0.6 * side], [0, 0.6 * side]], np.float32)
    page = Page(picture, Located(quad, 1.0, "corners"))
    found = signs_of_front(picture, page, measure(picture, page), Portrait(picture, face))
    for sign in (AuthenticitySign.SCREEN, AuthenticitySign.PORTRAIT_NOISE):
        assert (sign in found) is known


PERMIT = """
country = "LT"
languages = ["lt", "en"]
issuers = ["Lietuvos Respublika"]
[[documents]]
kind = "RESIDENT_PERMIT"
version = "2012"
known_from = "description"
form = "ID-1"
titles = ["Leidimas gyventi"]
zone = "TD1"
zone_side = "back"
[documents.fields]
surnames = { labels = ["Pavardė"] }
given_names = { labels = ["Vardas"] }
document_number = { labels = ["Dokumento Nr."], formats = ["LR#######"] }
personal_number = { labels = ["Asmens kodas"], formats = ["###########"] }
"""
CODE_OF_ANY_FORM = PERMIT.replace(', formats = ["###########"]', "")
NUMBER_OF_ANY_FORM = PERMIT.partition("document_number")[0] + 'document_number = { labels = ["Dokumento Nr."] }'


@pytest.mark.parametrize(
    ("file", "name", "zone", "printed", "surest"),
    [
        (PERMIT, "document_number", "LR7866316", "LR1340591", 0.88),
        (PERMIT, "document_number", "LR7866316", "LR 134 0591", 0.88),
        (PERMIT, "document_number", "LR7866316", "LR7856376", 0),  # two figures may be misread
        (PERMIT, "document_number", "LR7866316", "AB1340591", 0),  # another number
        (PERMIT, "document_number", "LR7866316", "38001085718", 0),
        (PERMIT, "document_number", "123456789", "987654321", 0),  # of no form that is known
        (CODE_OF_ANY_FORM, "document_number", "LR7866316", "LR1340591", 0),  # it may be the other number
        (NUMBER_OF_ANY_FORM, "document_number", "LR7866316", "LR1340591", 0),
        (PERMIT, "personal_number", "38001085718", "49002196829", 0.88),
    ],
)
def test_a_printed_number_contradicts_that_of_the_zone_where_both_must_be_the_same(
    tmp_path: Path, file: str, name: str, zone: str, printed: str, surest: float
) -> None:
    """No number ever contradicted another: a card whose zone was another's passed."""
    said = ReadValue(value=printed, source=Source.VISUAL, confidence=0.88)
    field = DocumentField(value=zone, source=Source.MRZ, confidence=0.8, others=(said,))
    with tried(tmp_path, file, "LT"):
        found = agreement.surest_contradiction({FieldName(name): field}, "LT", DocumentType.RESIDENT_PERMIT)
    assert found == surest


@pytest.mark.slow
@pytest.mark.parametrize(("behind", "spoken"), [(5, []), (7, [AuthenticitySign.SOURCES_CONTRADICT])])
def test_the_back_of_another_card_is_noticed(tmp_path: Path, behind: int, spoken: list[str]) -> None:
    with tried(tmp_path, PERMIT, "LT") as layout:
        front, back = draw("LT", layout, seed=5).front, draw("LT", layout, seed=behind).back
        assert back is not None
        seen = [photograph(page, seed=5, rotation=3, perspective=0.2)[0] for page in (front, back)]
        found = read_document(seen[0], seen[1], TODAY).evidence
    assert list(speaking(found.authenticity or {})) == spoken
