"""Print in the scripts of the world, line by line: each reader knows its letters, and says nothing it did not see."""

from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, features

from truename.rules.evidence import DocumentType
from truename.sandbox.drawing.sheet import Sheet, can_print, print_font, text_width
from truename.vision.captures import Picture
from truename.vision.document import likeliest_script, own_script, two_readings
from truename.vision.document.folding import fold
from truename.vision.document.layouts.model import LayoutField, Script
from truename.vision.document.likeliest_script import Guess, PrintReader, likeliest_reader, unread_lines
from truename.vision.document.own_script import read_again, reader_for
from truename.vision.document.print.figure_lines import figure_runs
from truename.vision.document.print.figures import plain_figures
from truename.vision.document.print.from_right import from_the_right
from truename.vision.document.print.read import TextLine, crop_line, recognise
from truename.vision.document.print.scripts import FROM_RIGHT, READ_WELL, READERS, letters_of, read_in, reader_of, tidy

LINES = {
    Script.CYRILLIC: ["СОКОЛОВА", "ЕКАТЕРИНА ЮРЬЕВНА", "РОССИЙСКАЯ ФЕДЕРАЦИЯ"],
    Script.GREEK: ["ΠΑΠΑΔΟΠΟΥΛΟΣ", "ΓΕΩΡΓΙΟΣ", "ΕΛΛΗΝΙΚΗ ΔΗΜΟΚΡΑΤΙΑ"],
    Script.ARABIC: ["محمد عبد الله حسن", "جمهورية مصر العربية"],
    Script.HEBREW: ["יעקב כהן", "מדינת ישראל"],
    Script.GEORGIAN: ["გიორგი ბერიძე", "საქართველო"],
    Script.ARMENIAN: ["ՊԵՏՐՈՍՅԱՆ", "ՀԱՅԱՍՏԱՆԻ ՀԱՆՐԱՊԵՏՈՒԹՅՈՒՆ"],
    Script.VIETNAMESE: ["CĂN CƯỚC CÔNG DÂN", "Họ và tên"],
}
"""What the font of the sandbox can draw."""


def a_line(text: str, size: int = 28) -> Picture:
    font = print_font(size)
    page = Image.new("RGB", (round(font.getlength(text)) + 24, size + 16), (226, 234, 228))
    ImageDraw.Draw(page).text((12, 4), text, fill=(24, 26, 40), font=font)
    return np.asarray(page)[..., ::-1].copy()


def drawable(script: Script) -> bool:
    return script not in FROM_RIGHT or bool(features.check("fribidi"))


def a_page(texts: list[str]) -> tuple[Picture, list[TextLine]]:
    """Lines one below the other, as the finder of lines would give them, read by the reader of Latin."""
    crops = [a_line(text) for text in texts]
    page = np.full((60 * len(texts), 900, 3), 230, np.uint8)
    lines = []
    for index, (crop, read) in enumerate(zip(crops, recognise(crops), strict=True)):
        height, width = crop.shape[:2]
        top = 60 * index + 5
        page[top : top + height, 20 : 20 + width] = crop
        corners = np.array([[20, top], [20 + width, top], [20 + width, top + height], [20, top + height]], np.float32)
        lines.append(TextLine(read.text, read.confidence, corners))
    return page, lines


@pytest.mark.parametrize("script", LINES)
def test_a_reader_knows_the_letters_of_its_script(script: Script) -> None:
    if not drawable(script):
        pytest.skip("libfribidi, which sets what is written from right to left, is not on this machine")
    read = read_in(READERS[script], [a_line(text) for text in LINES[script]])
    assert [one.text for one in read] == LINES[script]
    assert all(one.confidence >= 0.8 and letters_of(script, one.text) == 1.0 for one in read)


def test_ukrainian_letters_are_read_by_the_reader_of_that_language() -> None:
    names = ["Єлизавета", "Їжакевич"]
    name = reader_of(Script.CYRILLIC, ["uk", "en"])
    assert name is not None
    assert [one.text for one in read_in(name, [a_line(text) for text in names])] == names
    assert reader_for("UA", DocumentType.NATIONAL_ID) == PrintReader(Script.CYRILLIC, name)
    assert reader_of(Script.CYRILLIC, ["ru"]) != name
    assert reader_of(Script.LATIN, ["uk"]) is None
    assert reader_for("ES", None) is None
    assert reader_for(None, None) is None


def test_arabic_and_persian_figures_are_read_one_by_one_and_latin_ones_and_words_left_alone() -> None:
    numbers = {"٢٨٥٠٨١٢٠١٠٣٢٤٧": "28508120103247", "١٩٨٥/٠٨/١٢": "1985/08/12", "۱۴۰۲/۰۵/۲۶": "1402/05/26"}
    for printed, read in numbers.items():
        [run] = figure_runs(a_line(printed))
        assert run.text == read
        assert run.confidence > 0.8
    assert figure_runs(a_line("1985/08/12")) == []
    assert figure_runs(a_line("SURNAME")) == []
    assert figure_runs(np.full((40, 300, 3), 220, np.uint8)) == []
    assert plain_figures("รหัส ๑๒๓ ٤٥٦ ०१") == "รหัส 123 456 01"


@pytest.mark.slow
def test_a_page_in_arabic_keeps_its_words_and_has_its_figures_in_those_that_everybody_reads() -> None:
    if not drawable(Script.ARABIC):
        pytest.skip("libfribidi, which sets what is written from right to left, is not on this machine")
    page, lines = a_page(["محمد عبد الله حسن", "٢٨٥٠٨١٢٠١٠٣٢٤٧", "البطاقة سارية حتى ٢٠٣١/٠٣/٠٩", "12/08/1985"])
    again = [line.text for line in read_again(page, lines, PrintReader(Script.ARABIC, "print_arabic"))]
    assert again == ["محمد عبد الله حسن", "28508120103247", "البطاقة سارية حتى 2031/03/09", "12/08/1985"]


def test_a_number_left_of_its_arabic_label_keeps_its_last_figure() -> None:
    if not drawable(Script.ARABIC):
        pytest.skip("libfribidi, which sets what is written from right to left, is not on this machine")
    number, label = a_line("12/08/1985"), a_line("تاريخ الولادة")
    page = np.hstack([number, label[:, :4].repeat(6, 1), label])
    height, width = page.shape[:2]
    quad = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    seen = TextLine("12/08/198", 0.98, quad)
    [line] = read_again(page, [seen], PrintReader(Script.ARABIC, "print_arabic"))
    assert line.text == "تاريخ الولادة 12/08/1985"


@pytest.mark.parametrize(
    ("number", "seen", "label", "told"),
    [
        ("١٩٨٥/٠٨/١٢", "1910/·", "تاريخ الولادة:", "تاريخ الولادة: 1985/08/12"),
        ("٦٣٧٣٨٧٦٣٧٣٠٥", "AV.0", "رقم الهوية:", "رقم الهوية: 637387637305"),
    ],
)
def test_arabic_figures_left_of_a_smaller_label_are_read_apart_from_it(
    number: str, seen: str, label: str, told: str
) -> None:
    if not drawable(Script.ARABIC):
        pytest.skip("libfribidi, which sets what is written from right to left, is not on this machine")
    left, right = a_line(number), a_line(label, 18)
    right = np.vstack([right[:1].repeat(len(left) - len(right), 0), right])
    page = np.hstack([left, right[:, :4].repeat(4, 1), right])
    height, width = page.shape[:2]
    quad = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    [line] = read_again(page, [TextLine(seen, 0.5, quad)], PrintReader(Script.ARABIC, "print_arabic"))
    assert line.text == told


def test_a_number_in_the_figures_of_devanagari_is_read_by_the_reader_that_knows_them() -> None:
    if not can_print(Script.DEVANAGARI):
        pytest.skip("libraqm, which sets Devanagari, is not on this machine")
    sheet = Sheet((420, 120), seed=1)
    sheet.text((20, 14), "२३-११-१९७९", 28)
    sheet.text((20, 74), "10-03-2021", 28)
    page = sheet.picture()
    quads = [np.array([[10, y], [230, y], [230, y + 46], [10, y + 46]], np.float32) for y in (6, 66)]
    lines = [TextLine("23-33-3969", 0.79, quads[0]), TextLine("10-03-2021", 1.0, quads[1])]
    again = read_again(page, lines, PrintReader(Script.DEVANAGARI, "print_devanagari"))
    assert [line.text for line in again] == ["23-11-1979", "10-03-2021"]


def read_anew(crop: Picture, in_latin: str, confidence: float) -> str:
    """What a line of Cyrillic is taken for that the reader of Latin read so."""
    height, width = crop.shape[:2]
    quad = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    [line] = read_again(crop, [TextLine(in_latin, confidence, quad)], PrintReader(Script.CYRILLIC, "print_cyrillic"))
    return line.text


def test_a_label_is_known_to_the_letter_however_sure_the_other_reader_is() -> None:
    label = cv2.GaussianBlur(a_line("Фамилия"), (0, 0), 2.5).astype(np.uint8)
    assert read_anew(label, "Famunun", 0.99) == "Фамилия"


def test_one_letter_in_a_long_line_is_no_reading_of_it_and_a_lone_stroke_parts_no_languages() -> None:
    assert read_anew(a_line("Дата рождения"), "T ", 0.95) == "Дата рождения"
    assert read_anew(a_line("Фамилия/имя отца"), "/- ", 0.7) == "Фамилия/имя отца"
    assert read_anew(a_line("Фамилия/Surname"), "Oamunn/Surname", 0.9) == "Фамилия/Surname"


@pytest.mark.parametrize(
    ("reader", "label", "value"),
    [
        (PrintReader(Script.HANGUL, "print_hangul"), "성명", "이지은"),
        (PrintReader(Script.CYRILLIC, "print_cyrillic"), "Аты", "СОКОЛОВА"),
        (PrintReader(Script.VIETNAMESE, "print_vietnamese"), "Họ và tên / Full name", "NGUYỄN VĂN MINH"),
    ],
)
def test_a_label_and_the_larger_value_beside_it_are_two_lines(
    reader: PrintReader, label: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not can_print(reader.script):
        pytest.skip("a font of this script is not on this machine")
    for module in (likeliest_script, own_script, two_readings):
        monkeypatch.setattr(module, "labels_in", lambda script: {fold(label)})
    sheet = Sheet((900, 120), seed=3)
    sheet.text((40, 46), label, 18)
    sheet.text((40 + text_width(label, 18) + 16, 40), value, 26, bold=True)
    page = sheet.picture()
    right = 40 + text_width(label, 18) + 16 + text_width(value, 26) + 12
    quad = np.array([[32, 36], [right, 36], [right, 78], [32, 78]], np.float32)
    [seen] = recognise([crop_line(page, quad)])
    before, behind = read_again(page, [TextLine(seen.text, seen.confidence, quad)], reader)
    assert (fold(before.text), behind.text) == (fold(label), value)
    assert before.right < behind.left + 1 < behind.right == right


def test_capitals_of_a_number_stay_latin_and_so_does_the_number_of_its_field() -> None:
    page, lines = a_page(["KG 91499319", "3. 23.11.1979", "4c. СОКОЛОВА"])
    again = [line.text for line in read_again(page, lines, PrintReader(Script.CYRILLIC, "print_cyrillic"))]
    assert [text.replace(" ", "") for text in again] == ["KG91499319", "3.23.11.1979", "4c.СОКОЛОВА"]


@pytest.mark.slow
def test_thai_figures_which_its_reader_cannot_tell_are_not_believed() -> None:
    texts = ["๑๒ สิงหาคม ๒๕๒๘", "12 สิงหาคม 2528", "ทองคำ"]
    sheet = Sheet((600, 260), seed=3)
    lines = []
    for at, text in enumerate(texts):
        sheet.text((40, 40 + 70 * at), text, 28)
        right, top = 48 + text_width(text, 28), 36 + 70 * at
        quad = np.array([[32, top], [right, top], [right, top + 42], [32, top + 42]], np.float32)
        lines.append(TextLine("", 0.0, quad))
    page = sheet.picture()
    seen = recognise([crop_line(page, line.quad) for line in lines])
    lines = [TextLine(one.text, one.confidence, line.quad) for one, line in zip(seen, lines, strict=True)]
    again = read_again(page, lines, PrintReader(Script.THAI, "print_thai"))
    assert [line.confidence > 0.5 for line in again] == [False, True, True]
    assert "2528" in again[1].text


def test_a_line_is_not_tried_again_of_which_enough_is_known() -> None:
    page, [line] = a_page(["Громадянство/Nationality"])
    crop = crop_line(page, line.quad)
    [once] = read_in("print_ukrainian", [crop])
    tried: list[str] = []

    def enough(text: str) -> bool:
        tried.append(text)
        return len(tried) == 1

    assert once.confidence < READ_WELL
    assert read_in("print_ukrainian", [crop], persistent=True, enough=enough) == [once]
    assert tried == [once.text]


def test_a_date_with_an_english_month_stays_latin() -> None:
    dates = ["12 AUG 1985", "09 MAR 2031", "23 NOV 1979"]
    page, lines = a_page(dates)
    again = [line.text for line in read_again(page, lines, PrintReader(Script.THAI, "print_thai"))]
    assert again == [line.text for line in lines]
    assert [text.replace(" ", "") for text in again] == [text.replace(" ", "") for text in dates]


def test_hebrew_letters_that_look_like_figures_are_read_beside_their_label() -> None:
    if not drawable(Script.HEBREW):
        pytest.skip("libfribidi, which sets what is written from right to left, is not on this machine")
    sheet = Sheet((400, 100), seed=1)
    sheet.text((360, 46), "מין", 18, to_left=True)
    start = 360 - text_width("מין", 18) - 16
    sheet.text((start, 40), "נקבה", 26, bold=True, to_left=True)
    left = start - text_width("נקבה", 26) - 6
    quad = np.array([[left, 40], [366, 40], [366, 78], [left, 78]], np.float32)
    seen = TextLine("227] 1n", 0.62, quad)
    [line] = read_again(sheet.picture(), [seen], PrintReader(Script.HEBREW, "print_hebrew"))
    assert line.text == "מין נקבה"


def test_threads_that_read_at_once_do_not_mix_their_lines() -> None:
    crops = {text: a_line(text) for text in LINES[Script.CYRILLIC] + ["НОЗДРИН", "ТИМУР"]}
    with ThreadPoolExecutor(4) as threads:
        texts = list(crops) * 6
        read = list(threads.map(lambda text: read_in("print_cyrillic", [crops[text]])[0].text, texts))
    assert read == texts


@pytest.mark.slow
def test_a_page_nobody_knows_is_read_in_the_script_that_fits_and_a_latin_one_in_none() -> None:
    texts = ["ПОСВІДЧЕННЯ ВОДІЯ", "СОКОЛОВА ЕКАТЕРИНА", "МОСКОВСКАЯ ОБЛАСТЬ", "PASSPORT", "12.08.1985"]
    page, lines = a_page(texts)
    found = likeliest_reader(page, lines)
    assert found == Guess(PrintReader(Script.CYRILLIC, "print_cyrillic"), named=False)
    again = [line.text for line in read_again(page, lines, found.reader)]
    # Latin words and figures stay with the reader that knows them.
    assert again[1:] == ["СОКОЛОВА ЕКАТЕРИНА", "МОСКОВСКАЯ ОБЛАСТЬ", "PASSPORT", "12.08.1985"]
    page, lines = a_page(["MEMBERSHIP CARD", "RIVERA MARTA LUCIA", "VALID UNTIL 2031"])
    assert likeliest_reader(page, lines) is None
    assert likeliest_reader(page, []) is None


def test_a_page_of_labels_in_two_languages_is_known_by_the_letters_before_the_stroke() -> None:
    page, lines = a_page(["ბინადრობის მოწმობა", "სქესი / Sex", "გვარი / Last name", "KHACHIDZE"])
    assert likeliest_reader(page, lines) == Guess(PrintReader(Script.GEORGIAN, "print_georgian"), named=True)


def test_a_script_in_which_the_page_says_whose_it_is_goes_before_one_that_seems_to_fit_more_lines() -> None:
    """The reader of Thai is surer of more lines of this Armenian page than the reader of Armenian."""
    texts = ["ՀԱՅԱՍՏԱՆԻ ՀԱՆՐԱՊԵՏՈՒԹՅՈՒՆ", "ՄԱՐԻԱՄ", "ՀՈՎՀԱՆՆԻՍՅԱՆ", "Ծննդյան ամսաթիվ / Date of birth",
             "Վավեր է մինչև / Date of expiry"]  # fmt: skip
    page, lines = a_page(texts)
    assert likeliest_reader(page, lines) == Guess(PrintReader(Script.ARMENIAN, "print_armenian"), named=True)


@pytest.mark.slow
def test_a_heading_in_other_letters_above_a_page_in_latin_ones_is_read_where_it_says_whose_it_is() -> None:
    latin = [
        "RESIDENCE PERMIT",
        "Surname",
        "FERNANDEZ",
        "Given names",
        "MARIA",
        "Card No",
        "Valid until",
        "Nationality",
    ]
    page, lines = a_page(["РОССИЙСКАЯ ФЕДЕРАЦИЯ", *latin])
    assert unread_lines(lines) == []
    assert likeliest_reader(page, lines) == Guess(PrintReader(Script.CYRILLIC, "print_cyrillic"), named=True)
    page, lines = a_page(["НОЗДРИН ТИМУР", *latin])
    assert likeliest_reader(page, lines) is None


def test_the_number_of_a_field_stands_in_front_once_a_page_is_read_from_the_right() -> None:
    numbers = {"1": LayoutField.SURNAMES, "3": LayoutField.DATE_OF_BIRTH, "4D": LayoutField.PERSONAL_NUMBER}
    quad = np.array([[800, 10], [900, 10], [900, 40], [800, 40]], np.float32)
    read = [".1 כהן", "23.11.1979 3.", "ID 990926768 4d.", "PLAIN 7", "4d."]
    lines = from_the_right([TextLine(text, 0.9, quad) for text in read], 1000, numbers)
    assert [line.text for line in lines] == ["1. כהן", "3. 23.11.1979", "4d. ID 990926768", "PLAIN 7", "4d."]


def test_specks_and_empty_lines_say_nothing() -> None:
    empty = np.full((40, 300, 3), 220, np.uint8)
    assert read_in("print_greek", [empty])[0].text == ""
    assert read_in("print_greek", [empty])[0].confidence == 0.0
    assert tidy("“ΠΑΠΑΔΟΠΟΥΛΟΣ |\n") == "ΠΑΠΑΔΟΠΟΥΛΟΣ"
    assert tidy("ประจําตัว") == "ประจำตัว"
    assert tidy("ΕΛΛΗΝΙΚἨἩ ΔΗΜΟΚΡΑΤΊΑ, Αριθ\u00b5ός ᾠδή") == "ΕΛΛΗΝΙΚΗΗ ΔΗΜΟΚΡΑΤΊΑ, Αριθμός ωδή"
    assert letters_of(Script.GREEK, "12.08.1985") == 0.0
    assert read_in("print_greek", [empty[:, :3]])[0].text == ""


def test_in_the_mirror_a_value_stands_right_of_its_label() -> None:
    label = TextLine("שם", 0.9, np.array([[800, 10], [900, 10], [900, 40], [800, 40]], np.float32))
    value = TextLine("כהן", 0.9, np.array([[600, 10], [760, 10], [760, 40], [600, 40]], np.float32))
    label, value = from_the_right([label, value], 1000)
    assert (label.left, label.right, value.left, value.right) == (100, 200, 240, 400)
    assert value.height == 30
