"""Names with the rarer marks: the reader of Latin print knows the letters, ours what stands above and below them."""

import io
from datetime import date

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from truename.bundled.drawing import FONT
from truename.rules.evidence import DocumentType, FieldName, ReadValue, Source
from truename.sandbox.drawing.from_layout import draw
from truename.sandbox.drawing.photography import photograph
from truename.sandbox.drawing.subjects import Person
from truename.vision.document.layouts.load import countries
from truename.vision.document.layouts.model import Script
from truename.vision.document.print.alphabets import form_of, languages_of, small
from truename.vision.document.print.marked_names import with_marks
from truename.vision.document.print.read import TextLine
from truename.vision.document.print.spelling import MODEL, marks_again, spelt_as, with_lost_letters
from truename.vision.document.read import read_document
from truename.vision.runtime import onnx

LATIN = languages_of(Script.LATIN)
LETTERS = {letter: at for at, letter in enumerate(" ACEMNOSUÁÉÓÔÛŠŮƏşŞȘ", 1)}
"""A small reader's outputs; the first is nothing."""


def seen(*chances: dict[str, float]) -> np.ndarray:
    """What a reader saw: letters and their chances, with a step of nothing between them."""
    steps = np.full((2 * len(chances) + 1, len(LETTERS) + 1), 1e-4)
    steps[0::2, 0] = 1
    for at, one in enumerate(chances):
        for letter, chance in one.items():
            steps[2 * at + 1, LETTERS[letter]] = chance
    return np.log(steps / steps.sum(1, keepdims=True)).astype(np.float32)


def sure(text: str) -> list[dict[str, float]]:
    return [{letter: 0.99} for letter in text]


def test_a_letter_becomes_the_one_of_its_form_that_is_seen() -> None:
    scores = seen(*sure("ŠANC"))
    assert spelt_as("SANC", scores, LETTERS, LATIN, ["cs"]) == "ŠANC"


def test_a_letter_of_another_form_is_left_as_it_was_read() -> None:
    assert spelt_as("MAMA", seen(*sure("NÁNÁ")), LETTERS, LATIN, ["cs"]) == "MÁMÁ"


def test_a_letter_that_the_language_of_its_word_has_not_is_none() -> None:
    """Û is likelier by itself, but no language has it beside Š, and Czech has Ů."""
    scores = seen({"Š": 0.99}, {"Û": 0.6, "Ů": 0.38}, {"M": 0.99})
    assert spelt_as("ŠÔM", scores, LETTERS, LATIN, []) == "ŠŮM"


def test_the_languages_of_the_country_go_before_others() -> None:
    scores = seen({"Ş": 0.5, "Ș": 0.45}, {"A": 0.99})
    assert spelt_as("SA", scores, LETTERS, LATIN, ["ro"]) == "ȘA"
    assert spelt_as("SA", scores, LETTERS, LATIN, ["tr"]) == "ŞA"


def test_what_is_hardly_seen_is_left_as_it_was_read() -> None:
    assert spelt_as("SO", seen({"Š": 0.02, "M": 0.9}, {"O": 0.9}), LETTERS, LATIN, ["cs"]) == "SO"


def test_letters_that_were_left_out_come_back_if_ours_has_all_others() -> None:
    scores = seen(*sure("MƏMMƏ"))
    assert with_lost_letters("MMM", scores, LETTERS) == "MƏMMƏ"
    assert with_lost_letters("MMS", scores, LETTERS) == "MMS"
    assert with_lost_letters("MMM MA", scores, LETTERS) == "MMM MA"


def test_a_letter_without_a_mark_does_not_come_back() -> None:
    assert with_lost_letters("MA", seen(*sure("MAN")), LETTERS) == "MA"


def test_more_letters_than_the_reader_has_steps_for_are_left_alone() -> None:
    assert spelt_as("SANCSANC", seen(*sure("Š")), LETTERS, LATIN, ["cs"]) == "SANCSANC"


def test_forms() -> None:
    assert [form_of(letter) for letter in "ŮłĐðİıЁщÉ"] == ["U", "l", "D", "d", "I", "i", "Е", "ш", "E"]


@pytest.mark.parametrize("script", [Script.LATIN, Script.CYRILLIC])
def test_the_reader_knows_every_letter_of_every_alphabet(script: Script) -> None:
    known = onnx(MODEL).metadata()["letters"]
    alphabets = languages_of(script)
    assert alphabets
    assert not {one for code, own in alphabets.items() for one in own + small(own, code)} - set(known)


def drawn_line(text: str) -> tuple[np.ndarray, np.ndarray]:
    """A page with one line, softened and compressed, and where the line stands."""
    font = ImageFont.truetype(io.BytesIO(FONT.bundled.read()), 26)
    left, top, right, bottom = font.getbbox(text, anchor="ls")
    page = Image.new("RGB", (int(right) + 80, 100), (226, 232, 221))
    ImageDraw.Draw(page).text((40, 60), text, font=font, fill=(40, 38, 52), anchor="ls")
    soft = cv2.GaussianBlur(np.asarray(page)[:, :, ::-1], (0, 0), 0.8)
    quad = [(36 + left, 56 + top), (44 + right, 56 + top), (44 + right, 64 + bottom), (36 + left, 64 + bottom)]
    stored = cv2.imencode(".jpg", soft, [cv2.IMWRITE_JPEG_QUALITY, 80])[1]
    return np.asarray(cv2.imdecode(stored, cv2.IMREAD_COLOR)), np.array(quad, np.float32)


@pytest.mark.parametrize(
    ("printed", "as_read", "script", "language"),
    [
        ("NĚMCOVÁ ŘEHOŘ", "NEMCOVA REHOR", Script.LATIN, "cs"),
        ("ŁĘCKI STANISŁAW", "LECKI STANISLAW", Script.LATIN, "pl"),
        ("KŐSZEGI LŐRINC", "KÖSZEGI LÖRINC", Script.LATIN, "hu"),
        ("BĒRZIŅŠ JĀNIS", "BÉRZINŠ JÃNIS", Script.LATIN, "lv"),
        ("ÖZDOĞAN ÇAĞLA", "ÖZDOČAN ÇAČLA", Script.LATIN, "tr"),
        ("MARCHETTI LUISA", "MARCHETTI LUISA", Script.LATIN, "cs"),
        ("КОРОЛЁВ СЕМЁН", "КОРОЛЕВ СЕМЕН", Script.CYRILLIC, "ru"),
        ("ЩЕРБАКОВА", "ШЕРБАКОВА", Script.CYRILLIC, "ru"),
    ],
)
def test_marks_are_read_from_pixels(printed: str, as_read: str, script: Script, language: str) -> None:
    page, quad = drawn_line(printed)
    assert marks_again(page, quad, as_read, script, [language]) == printed


def value(text: str) -> ReadValue:
    return ReadValue(value=text, source=Source.VISUAL, confidence=0.9)


def test_names_get_the_marks_of_their_line_and_nothing_else_does() -> None:
    page, quad = drawn_line("1. NĚMCOVÁ")
    found = {FieldName.SURNAMES: [value("NEMCOVA")], FieldName.DOCUMENT_NUMBER: [value("NEMCOVA")]}
    again = with_marks(page, [TextLine("1. NEMCOVA", 0.9, quad)], found, "CZ", DocumentType.DRIVER_LICENSE)
    assert again[FieldName.SURNAMES][0].value == "NĚMCOVÁ"
    assert again[FieldName.DOCUMENT_NUMBER][0].value == "NEMCOVA"


def test_names_in_plain_letters_of_a_country_without_marks_are_not_read_again() -> None:
    """The line says something else, which would be seen."""
    page, quad = drawn_line("NĚMCOVÁ")
    found = {FieldName.SURNAMES: [value("NEMCOVA")]}
    assert with_marks(page, [TextLine("NEMCOVA", 0.9, quad)], found, "GB")[FieldName.SURNAMES][0].value == "NEMCOVA"


def test_a_name_stays_in_its_script_where_it_stands_in_two() -> None:
    """Both are the same word to a comparison that does not look at scripts."""
    page, quad = drawn_line("Ткаченко")
    below, lower = drawn_line("Tkachenko")
    wide = max(page.shape[1], below.shape[1])
    both = np.concatenate(
        [cv2.copyMakeBorder(one, 0, 0, 0, wide - one.shape[1], cv2.BORDER_REPLICATE) for one in (page, below)]
    )
    lines = [TextLine("Ткаченко", 0.9, quad), TextLine("Tkachenko", 0.9, lower + np.array([0, len(page)], np.float32))]
    found = {FieldName.SURNAMES: [value("Ткаченко"), value("Tkachenko")]}
    again = with_marks(both, lines, found, "UA", DocumentType.NATIONAL_ID, Script.CYRILLIC)
    assert [one.value for one in again[FieldName.SURNAMES]] == ["Ткаченко", "Tkachenko"]


def test_the_caron_behind_a_letter_is_no_apostrophe() -> None:
    page, quad = drawn_line("ĽUPTÁK")
    found = {FieldName.SURNAMES: [value("L'UPTÁK")]}
    [told] = with_marks(page, [TextLine("L'UPTÁK", 0.9, quad)], found, "SK")[FieldName.SURNAMES]
    assert told.value == "ĽUPTÁK"


@pytest.mark.slow
@pytest.mark.parametrize("country", ["CZ", "AT"])
def test_a_czech_name_on_a_driving_licence(country: str) -> None:
    [layout] = [one for one in countries()[country].documents if one.kind is DocumentType.DRIVER_LICENSE]
    person = Person("ŠIMŮNEK", "ŽOFIE", "F", date(1975, 9, 9), "NOVIGRAD")
    front, _ = photograph(draw(country, layout, person, seed=54).front, seed=54, rotation=3, perspective=0.2)
    found = read_document(front, None, date(2026, 11, 15)).evidence.fields
    assert (found[FieldName.SURNAMES].value, found[FieldName.GIVEN_NAMES].value) == ("ŠIMŮNEK", "ŽOFIE")
