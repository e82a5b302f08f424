"""Labels of somebody else's name, or of what is not read, beside the holder's own."""

from datetime import date

import pytest

from tests.support.layout_files import line
from truename.rules.evidence import DocumentType, FieldName
from truename.vision.document.layouts.load import countries
from truename.vision.document.print.fields import read_fields
from truename.vision.document.print.labels import vocabulary_of
from truename.vision.document.print.others_labels import of_others

TODAY = date(2026, 11, 19)
CARD = DocumentType.NATIONAL_ID


def names(country: str, *rows: str) -> dict[FieldName, list[str]]:
    """The names read of lines one below the other."""
    lines = [line(row, 300, 34 * number) for number, row in enumerate(rows)]
    found = read_fields(lines, country, CARD, TODAY)
    wanted = (FieldName.SURNAMES, FieldName.GIVEN_NAMES)
    return {name: [value.value for value in found[name]] for name in wanted if name in found}


@pytest.mark.parametrize(
    ("country", "rows"),
    [
        ("CI", ("Nom", "KOUASSI", "Prénom(s)", "AYA", "Nom d'épouse", "KONE")),
        ("FR", ("NOM/ Surname", "KOUASSI", "Prénoms / Given names", "AYA", "NOM D'USAGE /Alternate name", "KONE")),
        ("CU", ("NOMBRE(S)", "AYA", "APELLIDOS", "KOUASSI", "NOMBRE DEL PADRE", "PEDRO")),
        ("NI", ("NOMBRES: AYA", "APELLIDOS: KOUASSI", "NOMBRE DEL PADRE PEDRO", "APELLIDO DE CASADA: KONE")),
        ("PK", ("Surname", "KOUASSI", "Given names", "AYA", "Father Nane", "GHULAM")),
        ("LK", ("Surname", "KOUASSI", "Given names", "AYA", "Mother's Name", "MARY")),
        (
            "DE",  # as the front of the German identity card of 2021 is read
            (
                "[a] Name/Surname/Nom [b] Geburtsname/Name at birth/Nom de naissance",
                "[a] KOUASSI",
                "[b] KONE",
                "Vornamen/Given names/Prénoms",
                "AYA",
            ),
        ),
        ("GH", ("Surname", "KOUASSI", "First name", "AYA", "Surname before marriage", "KONE")),
    ],
)
def test_another_name_than_the_holders_is_not_the_holders(country: str, rows: tuple[str, ...]) -> None:
    assert names(country, *rows) == {FieldName.SURNAMES: ["KOUASSI"], FieldName.GIVEN_NAMES: ["AYA"]}


def test_a_mothers_name_is_no_other_name_of_a_holder_whose_own_was_lost() -> None:
    assert names("LK", "Surname", "KOUASSI", "Mother's Name", "MARY") == {FieldName.SURNAMES: ["KOUASSI"]}


@pytest.mark.parametrize("label", ["Father Name", "FATHER'S NANE", "Nother's name", "Former names"])
def test_a_fathers_name_is_not_given_to_a_holder_of_one_name(label: str) -> None:
    # As on the card of Pakistan, and with a misread letter: all of these are alike `Other names` or `Forenames`.
    assert FieldName.GIVEN_NAMES not in names("PK", "Name", "BILAL", label, "GHULAM RASOOL")


def test_what_is_not_read_has_labels_that_are_no_values() -> None:
    assert names("GH", "Surname", "Occupation", "TEACHER") == {}


@pytest.mark.parametrize("name", ["DE LA CRUZ", "DEL PADRE GOMEZ", "ANNE", "FATHERINGTON"])
def test_a_name_that_is_alike_stays_one(name: str) -> None:
    assert names("CU", "APELLIDOS", name, "NOMBRES", "EVA")[FieldName.SURNAMES] == [name]


def test_what_a_layout_file_prints_is_never_anothers() -> None:
    for code, country in countries().items():
        for document in country.documents:
            labels = [
                label for field in document.fields.values() for label in (*field.labels, *field.second, field.again)
            ]
            printed = [line(text, 0, 0) for text in (*labels, *document.titles, *document.marks) if text]
            assert of_others(printed, vocabulary_of(code, document.kind)) == set(), (code, document.version)


def test_a_number_and_an_address_beside_the_words_that_cards_of_africa_print() -> None:
    lines = [
        line("N° de la carte d'identité", 300, 0), line("1 758 1991 01234", 300, 24, 28),
        line("Adresse du domicile", 300, 80), line("SICAP LIBERTE 3", 300, 104, 28),
    ]  # fmt: skip
    found = read_fields(lines, "SN", CARD, TODAY)
    assert found[FieldName.DOCUMENT_NUMBER][0].value == "1758199101234"
    assert found[FieldName.ADDRESS][0].value == "SICAP LIBERTE 3"
    [number] = read_fields([line("NIN", 300, 0), line("CM90032109ABCD", 300, 24)], "UG", CARD, TODAY).values()
    assert number[0].value == "CM90032109ABCD"
