"""A zone with a wrong check digit is settled by the print, but only where its readers doubted what they saw."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from truename.rules.authenticity_signs import AuthenticitySign
from truename.rules.evidence import FieldName, MrzFormat, MrzReading, ReadValue, Source
from truename.sandbox.drawing.documents import Person, passport
from truename.vision.document.mrz.decode import INDEX, Scores
from truename.vision.document.mrz.fields import parse
from truename.vision.document.mrz.layouts import ALPHABET, Place
from truename.vision.document.mrz.read import MrzRead
from truename.vision.document.read import read_document
from truename.vision.document.zone_by_print import born_in_printed_century, settled_by_print

NAMES = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<"
TRUE = "L898902C36UTO7408122F1204159ZE184226B<<<<<10"
CLEAR, DOUBTED = 12.0, 4.0
"""How many nats less likely another character is than the one that was read."""


def zone(data: str, doubts: dict[Place, str] | None = None) -> MrzRead:
    """A zone as it was read; at the places of `doubts` these characters might stand instead."""
    lines = (NAMES, data)
    mrz = parse(lines)
    assert mrz is not None
    reading = MrzReading(
        format=MrzFormat.TD3, lines=lines, check_digits=mrz.check_digits, valid=mrz.valid, readers_agree=True,
        confidence=0.6,
    )  # fmt: skip
    characters = tuple(_seen(line) for line in lines)
    for (line, column), character in (doubts or {}).items():
        characters[line][column][INDEX[character]] = -DOUBTED
    return MrzRead(reading, mrz, np.zeros((4, 2), np.float32), 0.5, 0.1, None, characters)


def _seen(line: str) -> Scores:
    scores = np.full((len(line), len(ALPHABET)), -CLEAR, np.float32)
    scores[np.arange(len(line)), [INDEX[character] for character in line]] = 0.0
    return scores


def printed(**values: str | list[str]) -> dict[FieldName, list[ReadValue]]:
    listed = {name: value if isinstance(value, list) else [value] for name, value in values.items()}
    return {
        FieldName(name): [ReadValue(value=one, source=Source.VISUAL, confidence=0.9) for one in several]
        for name, several in listed.items()
    }


@pytest.mark.parametrize("number", ["L898902C3", "L 898902 C3", "l898902c3"])
def test_a_doubted_character_of_the_number_is_the_printed_one(number: str) -> None:
    misread = zone(TRUE.replace("L898902C3", "L898902G3"), {(1, 7): "C"})
    assert not misread.reading.valid
    found = settled_by_print(misread, printed(document_number=number))
    assert found.reading.lines == (NAMES, TRUE)
    assert found.reading.valid
    assert found.mrz.document_number == "L898902C3"
    assert found.reading.repaired_fields == ("document_number",)
    assert not found.reading.readers_agree
    assert found.reading.confidence <= 0.9


def test_doubted_figures_of_both_days_are_the_printed_ones() -> None:
    data = TRUE.replace("740812", "748812").replace("120415", "126415")
    doubts = {(1, 15): "0", (1, 23): "0"}
    found = settled_by_print(zone(data, doubts), printed(date_of_birth="1974-08-12", date_of_expiry="2012-04-15"))
    assert found.reading.lines == (NAMES, TRUE)
    assert found.reading.repaired_fields == ("date_of_birth", "date_of_expiry")


def test_a_zone_that_was_seen_clearly_is_not_bent_to_the_print() -> None:
    """Somebody typed another number into the zone: that contradicts the print, and is said."""
    forged = zone(TRUE.replace("L898902C3", "L898902G3"))
    assert settled_by_print(forged, printed(document_number="L898902C3")) is forged
    one_clear = zone(TRUE.replace("L898902C3", "L898982G3"), {(1, 7): "C"})
    assert settled_by_print(one_clear, printed(document_number="L898902C3")) is one_clear


@pytest.mark.parametrize(
    ("data", "doubts", "number"),
    [
        (TRUE.replace("L898902C3", "L898902G3"), {(1, 7): "D"}, "L898902D3"),  # the printed number has another digit
        (TRUE.replace("L898902C3", "L898902G3")[:-1] + "7", {(1, 7): "C"}, "L898902C3"),  # the composite stays wrong
        (TRUE.replace("L898902C3", "L898902G3"), {(1, 7): "C"}, "L898902C3555"),  # too long for the zone
        (TRUE.replace("L898902C3", "L898902G3"), {(1, 7): "C"}, "Č898902C3"),  # a letter that no zone has
        (TRUE[:-1] + "7", {(1, 7): "C"}, "L898902C3"),  # no field of the print is at fault
    ],
)
def test_print_that_does_not_make_every_check_digit_right_proves_nothing(
    data: str, doubts: dict[Place, str], number: str
) -> None:
    misread = zone(data, doubts)
    assert settled_by_print(misread, printed(document_number=number)) is misread


def test_a_field_that_is_not_printed_or_a_zone_that_is_right_stays_as_it_was() -> None:
    misread = zone(TRUE.replace("L898902C3", "L898902G3"), {(1, 7): "C"})
    assert settled_by_print(misread, printed(date_of_birth="1974-08-12")) is misread
    right = zone(TRUE, {(1, 7): "G"})
    assert settled_by_print(right, printed(document_number="L898902G3")) is right


def test_two_printed_numbers_that_would_both_do_settle_nothing() -> None:
    # A change by ten in the value of a character leaves its check digit as it was: 2 and C.
    misread = zone(TRUE.replace("L898902C3", "L898902G3"), {(1, 7): "C"})
    misread.characters[1][7][INDEX["2"]] = -DOUBTED
    both = printed(document_number=["L898902C3", "L89890223"])
    assert settled_by_print(misread, both) is misread
    assert settled_by_print(misread, printed(document_number=["L898902C3", "L898902D3"])).reading.valid


WORN = "P<UTOERIKSSQN<<ANHA<MARIA<<<<<<<<<<<<<<<<<<<"


def with_names(line: str, doubts: dict[Place, str]) -> MrzRead:
    """A zone whose check digits are right, with these letters for its names."""
    found = zone(TRUE, doubts)
    mrz = parse((line, TRUE))
    assert mrz is not None
    characters = (_seen(line), found.characters[1])
    for (_, column), character in doubts.items():
        characters[0][column][INDEX[character]] = -DOUBTED
    return replace(
        found,
        reading=found.reading.model_copy(update={"lines": (line, TRUE), "readers_agree": False}),
        mrz=mrz,
        characters=characters,
    )


def test_doubted_letters_of_names_are_the_printed_ones_each_name_apart() -> None:
    worn = with_names(WORN, {(0, 11): "O", (0, 17): "N"})
    found = settled_by_print(worn, printed(surnames="Eriksson", given_names="Anna Maria"))
    assert (found.mrz.surnames, found.mrz.given_names) == ("ERIKSSON", "ANNA MARIA")
    assert found.reading.valid
    assert found.reading.repaired_fields == ("names",)
    assert found.names_confidence == worn.names_confidence
    found = settled_by_print(worn, printed(surnames="Ericksson", given_names="Anna Maria"))
    assert (found.mrz.surnames, found.mrz.given_names) == ("ERIKSSQN", "ANNA MARIA")


def test_a_printed_name_counts_in_the_letters_of_the_zone() -> None:
    worn = with_names("P<UTOMUFLLER<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<<", {(0, 7): "E"})
    assert settled_by_print(worn, printed(surnames="Müller")).mrz.surnames == "MUELLER"


def test_names_that_were_seen_clearly_or_are_hardly_read_in_print_stay_as_they_were() -> None:
    clear = with_names(WORN, {(0, 11): "O"})
    assert settled_by_print(clear, printed(given_names="Anna Maria")) is clear
    worn = with_names(WORN, {(0, 11): "O"})
    unsure = [ReadValue(value="ERIKSSON", source=Source.VISUAL, confidence=0.45)]
    assert settled_by_print(worn, {FieldName.SURNAMES: unsure}) is worn
    as_printed = with_names(NAMES, {(0, 11): "Q"})
    assert settled_by_print(as_printed, printed(surnames=["Eriksson", "Erikssqn"])) is as_printed


@pytest.mark.parametrize(
    ("days", "day"),
    [
        (["1919-05-02"], "1919-05-02"),
        (["2019-05-02"], "2019-05-02"),
        (["1919-05-02", "2019-05-02"], "2019-05-02"),
        (["1919-05-03"], "2019-05-02"),
        ([], "2019-05-02"),
    ],
)
def test_the_print_says_in_which_century_somebody_was_born(days: list[str], day: str) -> None:
    """Whoever is over a hundred was a child by the zone, whose two figures of the year contradicted the print."""
    said = ReadValue(value="2019-05-02", source=Source.MRZ, confidence=0.99)
    found = born_in_printed_century(said, printed(date_of_birth=days).get(FieldName.DATE_OF_BIRTH, []))
    assert found.value == day
    assert found.confidence == (0.9 if day.startswith("19") else 0.99)


def test_a_passport_of_somebody_over_a_hundred_contradicts_itself_in_nothing() -> None:
    page = passport(Person(born=date(1919, 5, 2)), country="PL").front
    found = read_document(page, None, date(2026, 11, 15)).evidence
    assert found.fields[FieldName.DATE_OF_BIRTH].value == "1919-05-02"
    assert found.fields[FieldName.DATE_OF_BIRTH].others == ()
    assert found.authenticity is not None
    assert found.authenticity[AuthenticitySign.SOURCES_CONTRADICT] == 0.0


def test_print_that_is_hardly_read_makes_nobody_older() -> None:
    said = ReadValue(value="2019-05-02", source=Source.MRZ, confidence=0.99)
    doubtful = ReadValue(value="1919-05-02", source=Source.VISUAL, confidence=0.4)
    assert born_in_printed_century(said, [doubtful]) == said
