"""A wrong layout file is refused in a sentence, with the key that is wrong."""

from pathlib import Path

import pytest

from tests.support.layout_files import RIGHT
from truename.vision.document.layouts.load import read_country
from truename.vision.document.layouts.wrong import WrongLayout


def refused(folder: Path, text: str) -> str:
    file = folder / "uy.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(WrongLayout) as caught:
        read_country(file)
    return str(caught.value)


@pytest.mark.parametrize(
    ("was", "becomes", "says"),
    [
        ('country = "UY"', 'country = "XQ"', "`country`: XQ is no country of ISO 3166-1, by its two capital letters."),
        ('languages = ["es"]', 'languages = ["xx"]', "`languages`: there is no file languages/xx.toml."),
        ('version = "2015"\n', "", "The key `documents[0].version` is missing."),
        ('form = "ID-1"', 'form = "ID-9"', "`documents[0].form`: input should be 'ID-1', 'ID-2' or 'ID-3'."),
        ('version = "2015"', 'version = "2015"\ntitel = "x"', "There is no key `documents[0].titel`"),
        ("surnames =", "surname =", "There is no field `documents[0].fields.surname`"),
        ('["Apellidos"]', '["Apellidos"], place = [0.9, 0.1, 0.3, 0.1]', "surnames.place`: it reaches over the edge"),
        ('["Apellidos"]', '["Apellidos"], formats = ["{DY}##"]', "surnames.formats`: {DY}## has braces"),
        ('["Apellidos"]', '["Apellidos"], order = "GIVEN_FIRST"', "surnames`: only a full_name has `order`"),
        ('form = "ID-1"', 'form = "ID-1"\ndates = "dd/mm"', "`documents[0].dates`: dd/mm is made of other parts"),
        ('form = "ID-1"', 'form = "ID-1"\ndates_again = "dd"', "`documents[0].dates_again`: dd is made of other parts"),
        (
            'form = "ID-1"',
            f'form = "ID-1"\ndates = "DD{40 * "."}MM.YY"',
            "dates`: string should have at most 40 characters.",
        ),
        ('["Apellidos"]', '["Apellidos"], below_title = 2', "surnames.below_title`: only a full_name without labels"),
        ('["Apellidos"]', '["Apellidos"], figures = "DDMMYY"', "surnames.figures`: only a date with a place"),
        ("surnames = {", 'date_of_issue = { figures = "DDMMYY",', "date_of_issue.figures`: only a date with a place"),
        ("surnames = {", 'date_of_issue = { place = [0, 0, 0.1, 0.1], figures = "DDMM",', "of DD, MM and YY or YYYY."),
        ("surnames = {", 'date_of_birth = { again = "Nacido",', "date_of_birth.again`: a date that stands twice needs"),
        ('form = "ID-1"', 'form = "ID-1"\nmodel = "none"', "there is no file models/none.toml"),
        ("[[documents]]", "[[documents]", "It is no TOML"),
        ('form = "ID-1"', 'form = "ID-1"\nupright = "yes"', "`documents[0].upright`: input should be a valid boolean."),
        ('form = "ID-1"', 'form = "ID-1"\nyears = [true]', "`documents[0].years[0]`: input should be a valid integer."),
        ('["Apellidos"]', '["Apellidos"], place = ["0.1", 0, 0.1, 0.1]', "`: input should be a valid number."),
        ('["es"]', '["sw"]', "There are ar, az, bg,"),
        ('["es"]', "[]", "`languages`: it names none; `en` does"),
        ('["República Oriental del Uruguay"]', "[]", "`issuers`: it names none"),
        ('form = "ID-1"', 'form = "ID-1"\ndates = "YYYY"', "`documents[0].dates`: YYYY must have one day, one month"),
        ('form = "ID-1"', 'form = "ID-1"\ndates = "DD/DD/YY"', "DD/DD/YY must have one day, one month and one year."),
        ('["Apellidos"]', '["Apellidos"], formats = [""]', "surnames.formats`: an empty one says nothing."),
        ('["Apellidos"]', '[""]', "surnames`: a label without letters or figures"),
        ('["Apellidos"]', '"Apellidos"', 'surnames.labels`: input should be a list, such as ["…"].'),
        ('["Apellidos"]', '["Apellidos"], place = [0.1, 0.1, 0.0, 0.1]', "place`: nothing can stand there"),
        ('["Apellidos"]', '["Ape\\nllidos"]', "single lines of letters that can be printed."),
        ('["Apellidos"]', f'["{201 * "x"}"]', "labels[0]`: string should have at most 200 characters."),
        ('["Apellidos"]', f'["Apellidos"], formats = ["{65 * "#"}"]', "string should have at most 64 characters."),
        ("surnames = {", "full_name = { surname_lines = 1000000000,", "input should be less than or equal to 6."),
        ("surnames = {", 'gender = { printed = ["X", "x"],', "so that neither tells the sex."),
        ('form = "ID-1"', 'form = "ID-1"\nyears = [-5]', "years[0]`: input should be greater than or equal to 1."),
        ('form = "ID-1"', 'form = "ID-1"\nbarcode = "QR"', "barcode`: QR is none that is understood"),
        ('form = "ID-1"', 'form = "ID-1"\ntitles = [""]', "an empty title or mark says nothing."),
        ('form = "ID-1"', 'form = "ID-1"\nzone_number = "surnames"', "zone_number`: surnames is no number."),
        ('"República Oriental del Uruguay"', '""', "`issuers`: an empty one says nothing."),
        (
            'form = "ID-1"',
            'form = "ID-1"\nupright_number = { digits_at_end = 99999999999, sex_words = [] }',
            "digits_at_end`: input should be less than or equal to 20.",
        ),
        (
            "surnames =",
            'given_names = { labels = ["APELLIDOS:"] }\nsurnames =',
            "Apellidos is the label of given_names already",
        ),
        (
            "surnames =",
            'date_of_birth = { number = "4A" }\ndate_of_issue = { number = "4a" }\nsurnames =',
            "date_of_issue.number`: 4a is the number of date_of_birth already.",
        ),
        (
            'surnames = { labels = ["Apellidos"]',
            "gender = { place = [0.3, 0.3, 0.3, 0.1] }\nsurnames = { place = [0.35, 0.32, 0.2, 0.07]",
            "surnames.place`: most of it is the place of gender",
        ),
        ("surnames =", "deep = " + 5000 * "[", "nested too deeply"),
        ("surnames =", f"long = {5000 * '9'}\nsurnames =", "a number in it is too long"),
        ("surnames =", "#" + 1024 * 1024 * "x" + "\nsurnames =", "It is larger than 1024 KiB"),
    ],
)
def test_a_wrong_file_is_refused_with_the_key(tmp_path: Path, was: str, becomes: str, says: str) -> None:
    found = refused(tmp_path, RIGHT.replace(was, becomes))
    assert found.startswith("uy.toml: ")
    assert says in found


def test_a_file_that_is_not_in_utf_8_is_refused_with_the_byte(tmp_path: Path) -> None:
    file = tmp_path / "uy.toml"
    file.write_bytes(RIGHT.encode("latin-1"))
    with pytest.raises(WrongLayout, match="It is not in UTF-8: byte 51 belongs to no letter"):
        read_country(file)
