"""Chinese print: read by the network that reads Latin letters, with all its outputs; names, labels and days in it."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from anyascii import anyascii

from tests.support.layout_files import line
from truename.rules.documents import WITHOUT_END
from truename.rules.evidence import DocumentType, FieldName, ReadValue, Source
from truename.sandbox.drawing.from_layout import draw
from truename.sandbox.drawing.photography import photograph
from truename.sandbox.drawing.sheet import Sheet
from truename.vision.captures import Picture
from truename.vision.document.layouts.load import countries
from truename.vision.document.layouts.model import FieldLayout, LayoutField, NameOrder, Script
from truename.vision.document.likeliest_script import unread_lines
from truename.vision.document.own_script import read_again, reader_for
from truename.vision.document.print import chinese_signs, ideographs
from truename.vision.document.print.chinese import with_label_parted, with_names_in_one
from truename.vision.document.print.dates import Order
from truename.vision.document.print.fields import read_fields
from truename.vision.document.print.japanese import with_years_of_ours
from truename.vision.document.print.names import parted
from truename.vision.document.print.read import Recognised, TextLine, recognise
from truename.vision.document.print.scripts import READERS, letters_of, read_in
from truename.vision.document.print.unlabelled_dates import dating_of
from truename.vision.document.print.values import as_value
from truename.vision.document.read import read_document

TODAY = date(2026, 11, 19)
ID = DocumentType.NATIONAL_ID


def a_line(text: str, size: int = 30) -> Picture:
    sheet = Sheet((40 * len(text) + 40, size + 24), seed=3)
    sheet.text((12, 6), text, size)
    return sheet.picture()


@pytest.mark.parametrize(
    "text",
    [
        "中华人民共和国",
        "居民身份证",
        "中華民國國民身分證",
        "欧阳静怡",
        "1985年8月12日",
        "2015.08.12-长期",
        "11010519491231002X",
    ],
)
def test_signs_are_read_and_figures_among_them(text: str) -> None:
    [read] = read_in(READERS[Script.HAN], [a_line(text)])
    assert read.text.replace(" ", "") == text
    assert read.confidence >= 0.8


@pytest.mark.parametrize(
    ("seen", "told"),
    [("健\u2014", "健一"), ("森 純ー", "森 純一"), ("第一路", "第一路"), ("林-平", "林一平"), ("2-1-2", "2-1-2"),
     ("2015.08.12-长期", "2015.08.12-长期"), ("カード", "カード")],
)  # fmt: skip
def test_a_stroke_behind_a_sign_is_the_sign_for_one(seen: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ideographs, "read_by", lambda *_: [Recognised(seen, 0.9)])
    assert [one.text for one in ideographs.read_ideographs([a_line("一")])] == [told]


def test_the_reader_of_latin_stays_without_signs() -> None:
    [read] = recognise([a_line("居民身份证")])
    assert letters_of(Script.HAN, read.text) == 0


def test_a_line_that_bears_a_sign_is_believed_as_the_whole_network_has_it_and_others_stay() -> None:
    reader = reader_for("CN", None)
    assert reader is not None
    crops = [a_line("2015.08.12-长期"), a_line("CHINA 123456")]
    width = max(crop.shape[1] for crop in crops)
    page = np.full((60 * len(crops), width, 3), 230, np.uint8)
    lines = []
    for at, crop in enumerate(crops):
        height, length = crop.shape[:2]
        page[60 * at : 60 * at + height, :length] = crop
        box = np.array([[0, 60 * at], [length, 60 * at], [length, 60 * at + height], [0, 60 * at + height]], np.float32)
        lines.append(TextLine("2015.08.12-" if at == 0 else "CHINA 12345O", 0.99, box))
    assert [one.text for one in read_again(page, lines, reader)] == ["2015.08.12-长期", "CHINA 12345O"]


@pytest.mark.parametrize(
    ("read", "told"),
    [
        ("性别女民族汉", "性别: 女"),
        ("性別 男", "性別: 男"),
        ("性别", "性别"),
        ("姓名张晓明", "姓名: 张晓明"),
        ("出生 1985年8月12日", "出生: 1985年8月12日"),
        ("出生年月日民國74年8月12日", "出生年月日: 民國74年8月12日"),
        ("居民身份证", "居民身份证"),
        ("张晓明", "张晓明"),
        ("民族汉", "民族: 汉"),
        ("姓名邢明亮", "姓名: 邢明亮"),
        ("姓名…张晓明性别女", "姓名: ...张晓明"),
        ("出生１９８５年８月１２日", "出生: 1985年8月12日"),
        ("邢明亮", "邢明亮"),
        ("付志琪", "付志琪"),
        ("1986年5月1日生", "日生: 1986年5月1"),
        ("2024年06月01日まで有効", "まで有効: 2024年06月01日"),
        ("王日生", "王日生"),  # somebody is called so
    ],
)
def test_a_label_is_parted_from_its_value_where_no_space_stands(read: str, told: str) -> None:
    assert with_label_parted(read) == told


@pytest.mark.parametrize("name", ["邢明", "邢明亮", "付志琪", "储生"])
def test_a_name_that_sounds_like_a_label_is_a_name(name: str) -> None:
    """In pinyin 邢明 is XING MING, as is 姓名, the label of names."""
    lines = [line("姓名", 40, 100, 24), line(name, 160, 100, 28)]
    found = read_fields(lines, "CN", ID, TODAY)
    whole = "".join(found[one][0].value for one in (FieldName.SURNAMES, FieldName.GIVEN_NAMES))
    assert whole == name
    found = read_fields([line(f"姓名: {name}", 40, 100, 24)], "CN", ID, TODAY)
    assert found[FieldName.SURNAMES][0].value == name[0]


@pytest.mark.parametrize("name", ["XING MING", "ZHU ZHI", "FU", "MU"])
def test_a_name_in_latin_letters_is_no_chinese_label(name: str) -> None:
    lines = [
        line("Name", 40, 100, 18),
        line(name, 40, 124, 28),
        line("Vornamen", 40, 180, 18),
        line("WEI", 40, 204, 28),
    ]
    found = read_fields(lines, "DE", DocumentType.RESIDENT_PERMIT, TODAY)
    assert [one.value for one in found[FieldName.SURNAMES]] == [name]


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("张晓明", ("张", "晓明")),
        ("刘 洋", ("刘", "洋")),
        ("欧阳静怡", ("欧阳", "静怡")),
        ("司馬光", ("司馬", "光")),
        ("陳 筱 玲", ("陳", "筱玲")),
        ("歐 陽 靜", ("歐陽", "靜")),
    ],
)
def test_surname_and_given_name_are_written_in_one(name: str, parts: tuple[str, str]) -> None:
    found = parted(
        [ReadValue(value=name, source=Source.VISUAL, confidence=0.9)], FieldLayout(order=NameOrder.SURNAME_FIRST)
    )
    assert (found[LayoutField.SURNAMES][0].value, found[LayoutField.GIVEN_NAMES][0].value) == parts


@pytest.mark.parametrize(
    ("printed", "expiry"),
    [
        ("2015.08.12-2035.08.12", "2035-08-12"),
        ("2015.08.12-长期", WITHOUT_END.isoformat()),
        ("2035.08.12", "2035-08-12"),
        ("2015.08.12-", None),  # the end was not read: the card did not end when it began
        ("2015.08.12", None),
    ],
)
def test_the_day_since_when_a_card_is_valid_is_not_its_end(printed: str, expiry: str | None) -> None:
    dating = dating_of(countries()["CN"].documents, Order.DAY_FIRST, TODAY, may_be_without_end=True)
    assert as_value(LayoutField.DATE_OF_EXPIRY, printed, dating) == expiry


def test_a_validity_of_as_many_years_as_the_layout_says_makes_no_birth() -> None:
    lines = [line("有效期限", 40, 100, 24), line("2013.02.21-2033.02.21", 160, 100, 28)]
    found = read_fields(lines, "CN", ID, TODAY)
    assert [one.value for one in found[FieldName.DATE_OF_EXPIRY]] == ["2033-02-21"]
    assert FieldName.DATE_OF_BIRTH not in found


def test_room_beside_the_words_of_a_date_is_nothing() -> None:
    dating = dating_of(countries()["CN"].documents, Order.DAY_FIRST, TODAY, may_be_without_end=True)
    for printed in ("1995年3月26日", "1995 年3 月 26 日", "1995 年 3 月 26 日"):
        assert as_value(LayoutField.DATE_OF_BIRTH, printed, dating) == "1995-03-26"


@pytest.mark.parametrize(
    ("printed", "ours"),
    [
        ("昭和61年5月1日生", "1986年5月1日生"),
        ("平成元年 3月31日", "1989年 3月31日"),
        ("令和 6 年", "2024年"),
        ("2024年(令和06年)06月01日まで有効", "2024年06月01日まで有効"),
        ("2019年（令和元年）06月", "2019年06月"),
        ("2024年06月01日", "2024年06月01日"),
        ("明治神宮", "明治神宮"),
    ],
)
def test_years_of_eras_are_years_of_ours(printed: str, ours: str) -> None:
    assert with_years_of_ours(printed) == ours


def test_a_surname_and_a_given_name_that_were_found_apart_are_one_name() -> None:
    """Between the two of a Japanese name there is room: the finder of lines takes them for two lines."""
    name = [line("氏名", 40, 100, 30), line("前田", 120, 96, 40), line("由美子", 160, 97, 41)]
    found = read_fields(with_names_in_one(name), "JP", DocumentType.DRIVER_LICENSE, TODAY)
    assert [found[one][0].value for one in (FieldName.SURNAMES, FieldName.GIVEN_NAMES)] == ["前田", "由美子"]


def test_room_within_a_line_of_signs_is_a_space() -> None:
    reader = reader_for("JP", None)
    assert reader is not None
    crop = a_line("山田\u3000花子")
    height, width = crop.shape[:2]
    box = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    assert [one.text for one in read_again(crop, [TextLine("", 0.0, box)], reader)] == ["山田 花子"]


def test_other_lines_stay_apart() -> None:
    lines = [line("男", 120, 96, 40), line("民族", 150, 96, 40), line("汉", 300, 96, 40), line("12号", 330, 96, 40)]
    assert {one.text for one in with_names_in_one(lines)} == {"男", "民族", "汉", "12号"}


def test_a_name_is_joined_to_the_line_that_it_stands_behind_where_another_line_says_the_same() -> None:
    lines = [line("前田", 40, 10, 40), line("前田", 120, 96, 40), line("由美子", 170, 96, 40)]
    found = [(one.text, one.top) for one in with_names_in_one(lines)]
    assert found == [("前田", lines[0].top), ("前田 由美子", lines[1].top)]


def test_a_japanese_name_without_room_is_not_parted() -> None:
    """Its first sign is no surname: 前田 would be called 前."""
    whole = [ReadValue(value="前田由美子", source=Source.VISUAL, confidence=0.9)]
    assert parted(whole, FieldLayout(order=NameOrder.SURNAME_APART)) == {}
    assert parted(whole, FieldLayout(order=NameOrder.SURNAME_FIRST)) != {}


def test_figures_that_do_not_fill_their_line_have_signs_between_them() -> None:
    """Of `2030年(令和12年)10月28日まで有効` the reader of Latin sees the figures, and is sure of them."""
    seen = [line("2030(12)1028", 40, 100, 30), line("7051212345", 40, 140, 30)]
    wide = [replace(one, quad=one.quad * np.array([[2.5, 1]], np.float32)) for one in seen]
    assert unread_lines(seen) == []
    assert unread_lines(wide) == wide


def test_a_sign_and_its_simplified_form_sound_alike() -> None:
    """What the table of both pairs is held to: another sound would be another sign."""
    pairs = chinese_signs.PAIRS.split()
    assert [pair for pair in pairs if len(pair) != 2 or anyascii(pair[0]) != anyascii(pair[1])] == []
    assert len({pair[0] for pair in pairs}) == len(pairs)


@pytest.mark.slow
@pytest.mark.parametrize("country", ["CN", "HK", "JP", "TW"])
def test_a_drawn_card_is_read_on_both_sides(country: str) -> None:
    drawn = draw(country, countries()[country].documents[0], seed=5)
    sides = [photograph(side, seed=5, rotation=4)[0] for side in (drawn.front, drawn.back) if side is not None]
    found = read_document(sides[0], sides[1] if country == "CN" else None, TODAY).evidence
    assert (found.country, found.type) == (country, countries()[country].documents[0].kind)
    assert {name: found.value(name) for name in drawn.fields} == drawn.fields
