"""A line that two readers have read, one of Latin letters and one of the document's own: which of both is believed."""

from pathlib import Path

import numpy as np
import pytest

from tests.support.layout_files import tried
from truename.vision.document import two_readings
from truename.vision.document.layouts.model import Script
from truename.vision.document.print.read import Recognised, TextLine

Read = tuple[str, float]
"""What a reader saw, and how sure it is."""


THAILAND = """
country = "TH"
languages = ["th", "en"]
issuers = ["Kingdom of Thailand"]
[[documents]]
kind = "DRIVER_LICENSE"
version = "2017"
known_from = "description"
form = "ID-1"
titles = ["Driving licence"]
script = "Thai"
[documents.fields]
full_name = { labels = ["ชื่อ Name"], order = "GIVEN_FIRST", script = "Thai" }
date_of_expiry = { labels = ["วันสิ้นอายุ Expiry date"] }
"""


def settled(latin: Read, own: Read, script: Script, size: tuple[int, int]) -> str:
    """The text of a line of this size, in pixels."""
    width, height = size
    quad = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    return two_readings.settled(TextLine(*latin, quad), Recognised(*own), script).text


@pytest.mark.parametrize(
    ("latin", "own", "kept"),
    [
        (("4a.", 0.97), ("да.", 0.9), "4a."),
        (("4a.", 0.6), ("да.", 0.9), "да."),
        (("K", 0.92), ("ж", 0.94), "ж"),
        (("F", 1.0), ("Ғ", 0.95), "F"),
        (("M", 0.9), ("М", 0.95), "M"),
    ],
)
def test_a_single_letter_and_the_number_of_a_field_are_latin_unless_the_other_reader_is_surer_of_its_own(
    latin: Read, own: Read, kept: str
) -> None:
    assert settled(latin, own, Script.CYRILLIC, (30, 30)) == kept


@pytest.mark.parametrize(
    ("latin", "own", "kept"),
    [
        (("1. 3003030", 0.71), ("1. ღვინიაშვილი", 0.96), "1. ღვინიაშვილი"),
        (("oojoo 07012141977", 0.71), ("პირადი 0701214197", 0.9), "პირადი 07012141977"),
        (("oojoo 07012141977", 0.9), ("პირადი ოაოოააოთო", 0.9), "პირადი ოაოოააოთო 07012141977"),
    ],
)
def test_words_that_look_like_figures_to_the_reader_of_latin_are_no_number(latin: Read, own: Read, kept: str) -> None:
    assert settled(latin, own, Script.GEORGIAN, (235, 41)) == kept


@pytest.mark.parametrize(
    ("latin", "own", "kept"),
    [
        (("EAΛHNIKH ΔHMOKPATIA", 0.97), ("ΕΛΛΗΝΙΚΗ ΔΗΜΟΚΡΑΤΙΑ", 0.62), "ΕΛΛΗΝΙΚΗ ΔΗΜΟΚΡΑΤΙΑ"),
        (("HEALTH CARDΣ", 0.97), ("ΗΕΑΙΤΗ ΟΑΕΡΣ", 0.62), "HEALTH CARDΣ"),
    ],
)
def test_letters_that_latin_has_not_say_that_a_line_is_not_in_latin(latin: Read, own: Read, kept: str) -> None:
    assert settled(latin, own, Script.GREEK, (420, 35)) == kept


@pytest.mark.parametrize(
    ("latin", "own", "kept"),
    [
        (("2082-08-2C", 0.93), ("२०४२-०४-२८", 0.9), "२०४२-०४-२८"),
        (("2082-08-28", 0.99), ("२०४२-०४-२८", 0.9), "2082-08-28"),
        (("2082-08-28", 0.94), ("२०४२-०४-२८", 0.7), "2082-08-28"),
    ],
)
def test_figures_of_the_script_that_its_reader_is_sure_of_are_not_what_they_look_like_in_latin(
    latin: Read, own: Read, kept: str
) -> None:
    assert settled(latin, own, Script.DEVANAGARI, (160, 30)) == kept


@pytest.mark.parametrize(
    ("latin", "own", "kept"),
    [
        (("a Expiry date", 0.97), ("วันสิ้นอายุ ธ5>%2เพ/ สลไอ", 0.89), "วันสิ้นอายุ Expiry date"),
        (("a Expiry date", 0.97), ("วันสิ้นอาย ธ5>%2", 0.6), "วันสิ้นอายุ Expiry date"),
        (("a Expiry data", 0.97), ("วันสิ้นอายุ ธ5>%2เพ/", 0.89), "วันสิ้นอายุ ธ5>%2เพ/"),
        (("o Name", 0.93), ("วันสิ้นอายุ !ไลทา", 0.89), "วันสิ้นอายุ !ไลทา"),
        (("o Name", 0.93), ("ชื่อ !ไลทา", 0.88), "ชื่อ Name"),
    ],
)
def test_a_label_in_two_scripts_without_a_stroke_is_read_half_by_each_reader(
    tmp_path: Path, latin: Read, own: Read, kept: str
) -> None:
    """Of a Thai licence whose labels are printed in Thai and English nothing was read but its numbers."""
    with tried(tmp_path, THAILAND, "TH"):
        assert settled(latin, own, Script.THAI, (310, 30)) == kept


@pytest.mark.parametrize("date", ["23 NOVEMBER 2522", "23 NOV 2522", "23 NOV 1979"])
def test_a_date_of_the_buddhist_era_in_latin_letters_is_left_to_the_reader_of_latin(date: str) -> None:
    """Of a birth in November 2522 the reader of Thai made `23 ผองธพธธ8 2522`, and was believed."""
    assert settled((date, 1.0), ("23 ผองธพธธ8 2522", 0.87), Script.THAI, (420, 40)) == date
