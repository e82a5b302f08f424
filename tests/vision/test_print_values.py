"""What may be the value of a field, taken from a line of print."""

from datetime import date

import pytest

from truename.rules.evidence import ReadValue, Source
from truename.vision.document.layouts.model import FieldLayout, LayoutField, NameOrder
from truename.vision.document.print.dates import Order
from truename.vision.document.print.korean import as_surnames
from truename.vision.document.print.names import parted
from truename.vision.document.print.unlabelled_dates import Dating
from truename.vision.document.print.values import as_value


def reading(text: str) -> ReadValue:
    return ReadValue(value=text, source=Source.VISUAL, confidence=0.8)


@pytest.mark.parametrize(
    ("read", "name"),
    [
        ("न प्रिया श्रीवास्तव", "प्रिया श्रीवास्तव"),
        ("न” प्रिया श्रीवास्तव", "प्रिया श्रीवास्तव"),
        ("के प्रिया श्रीवास्तव", "के प्रिया श्रीवास्तव"),  # an initial has its vowel
        ("राम श्रीवास्तव", "राम श्रीवास्तव"),
    ],
)
def test_a_colon_that_was_read_as_a_bare_consonant_is_no_part_of_a_hindi_name(read: str, name: str) -> None:
    assert (
        as_value(LayoutField.FULL_NAME, read, Dating(Order.DAY_FIRST, date(2026, 11, 16), may_be_without_end=False))
        == name
    )


@pytest.mark.parametrize(
    ("order", "name", "surnames", "given_names"),
    [
        (NameOrder.GIVEN_FIRST, "JOSE MARIA DE LA CRUZ", "DE LA CRUZ", "JOSE MARIA"),
        (NameOrder.GIVEN_FIRST, "Ana dos Santos", "dos Santos", "Ana"),
        (NameOrder.GIVEN_FIRST, "LUIZ FERNANDO SANTOS", "SANTOS", "LUIZ FERNANDO"),
        (NameOrder.GIVEN_FIRST, "AL AMIN", "AMIN", "AL"),
        (NameOrder.SURNAME_FIRST, "DE LA CRUZ JOSE MARIA", "DE LA CRUZ", "JOSE MARIA"),
        (NameOrder.SURNAME_FIRST, "NGUYEN VAN MINH", "NGUYEN", "VAN MINH"),
        (NameOrder.SURNAME_FIRST, "정우성", "정", "우성"),
        (NameOrder.SURNAME_FIRST, "흥길동", "홍", "길동"),  # misread: nobody is called 흥
    ],
)
def test_small_words_in_front_of_a_surname_belong_to_it(
    order: NameOrder, name: str, surnames: str, given_names: str
) -> None:
    whole = ReadValue(value=name, source=Source.VISUAL, confidence=0.9)
    found = parted([whole], FieldLayout(order=order))
    assert found[LayoutField.SURNAMES][0].value == surnames
    assert found[LayoutField.GIVEN_NAMES][0].value == given_names


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        (LayoutField.PLACE_OF_BIRTH, "عمان", "عمان"),  # two consonants in Latin letters
        (LayoutField.PLACE_OF_BIRTH, "968051781042", None),
        (LayoutField.PLACE_OF_BIRTH, "/BEIJING", "BEIJING"),  # the signs before the stroke were not read
        (LayoutField.ADDRESS, "12-14", None),
        (LayoutField.ADDRESS, "12 HARBOUR STREET", "12 HARBOUR STREET"),
        (LayoutField.ISSUING_AUTHORITY, "770-001", "770-001"),
        (LayoutField.ISSUING_AUTHORITY, "x", None),
    ],
)
def test_a_place_has_letters_in_whatever_script_and_only_an_authority_may_be_figures(
    field: LayoutField, text: str, value: str | None
) -> None:
    dating = Dating(Order.DAY_FIRST, date(2026, 11, 16), may_be_without_end=False)
    assert as_value(field, text, dating) == value


@pytest.mark.parametrize(
    ("name", "read", "value"),
    [
        (LayoutField.SURNAMES, "이", "이"),  # one sign is a whole surname
        (LayoutField.SURNAMES, "A", None),
        (LayoutField.GENDER, "MASCULINO / MALE", "M"),  # long, and all of it says the same
        (LayoutField.GENDER, "MALE DUTIES ARE", None),
        (LayoutField.NATIONALITY, "VIT NAM", None),  # VIỆT NAM misread, and not Namibia
        (LayoutField.NATIONALITY, "НАМИБИЯ / NAM", "NA"),
        (LayoutField.NATIONALITY, "GRC HELLENIC", "GR"),
    ],
)
def test_what_a_text_says_as_the_value_of_its_field(name: LayoutField, read: str, value: str | None) -> None:
    assert as_value(name, read, Dating(Order.DAY_FIRST, date(2026, 11, 16), may_be_without_end=False)) == value


def test_a_korean_surname_is_one_that_people_have() -> None:
    def told(*names: str) -> list[str]:
        return [value.value for value in as_surnames([reading(name) for name in names])]

    assert told("죄", "CHOI") == ["최", "CHOI"]
    assert told("으", "HONG") == ["HONG"]
    assert told("으") == ["으"]
    assert told("이", "LEE") == ["이", "LEE"]
    assert told("GARCIA LOPEZ") == ["GARCIA LOPEZ"]


@pytest.mark.parametrize("text", ["[b] SCHMIDT", "(b) SCHMIDT", "[bj SCHMIDT", "[bl SCHMIDT"])
def test_the_name_at_birth_is_no_surname(text: str) -> None:
    dating = Dating(Order.DAY_FIRST, date(2026, 11, 19), False)
    assert as_value(LayoutField.SURNAMES, text, dating) is None
    assert as_value(LayoutField.SURNAMES, "[a] SCHMIDT", dating) == "SCHMIDT"
