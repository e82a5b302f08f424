"""What several sources say of one field is reconciled: the zone, the barcode, the print."""

from datetime import date

import pytest

from truename.rules.contradictions import contradiction
from truename.rules.evidence import FieldName, ReadValue, Source
from truename.vision.document.reconcile import reconcile

TODAY = date(2026, 11, 15)


def value(text: str, source: Source = Source.MRZ, confidence: float = 0.95) -> ReadValue:
    return ReadValue(value=text, source=source, confidence=confidence)


def test_print_that_agrees_makes_the_zone_surer() -> None:
    number = FieldName.DOCUMENT_NUMBER
    alone = reconcile({number: value("C123")}, {}, {})[number]
    backed = reconcile({number: value("C123")}, {}, {number: [value("C 123", Source.VISUAL, 0.8)]})[number]
    assert backed.value == "C123"
    assert backed.confidence > alone.confidence
    assert backed.others == ()


def test_print_that_disagrees_is_kept_and_never_replaces_the_zone() -> None:
    born = FieldName.DATE_OF_BIRTH
    printed = value("1985-08-13", Source.VISUAL, 0.88)
    chosen = reconcile({born: value("1985-08-12")}, {}, {born: [printed]})[born]
    assert chosen.value == "1985-08-12"
    assert chosen.others == (printed,)
    assert chosen.confidence < 0.95


def test_print_that_was_read_well_leads_a_zone_that_was_hardly_read() -> None:
    """A zone under a finger: what it was taken for, at 0.0, stood before the name that is printed, at 0.9."""
    name, guess = FieldName.SURNAMES, value("HARMA", confidence=0.02)
    printed = value("SHARMA", Source.VISUAL, 0.9)
    chosen = reconcile({name: guess}, {}, {name: [printed]})[name]
    assert (chosen.value, chosen.source, chosen.confidence) == ("SHARMA", Source.VISUAL, 0.9)
    assert chosen.others == (guess,)


def test_print_that_was_read_no_better_does_not_lead_it() -> None:
    name, guess = FieldName.SURNAMES, value("HARMA", confidence=0.02)
    assert reconcile({name: guess}, {}, {name: [value("SHARMA", Source.VISUAL, 0.45)]})[name].value == "HARMA"
    sure = value("HARMA", confidence=0.31)
    assert reconcile({name: sure}, {}, {name: [value("SHARMA", Source.VISUAL, 0.9)]})[name].value == "HARMA"


def test_a_zone_that_was_hardly_read_contradicts_nothing() -> None:
    """Print at 0.9 beside a guess of the zone was two sources that contradict each other."""
    name = FieldName.SURNAMES
    printed = {name: [value("KOWALSKI", Source.VISUAL, 0.9)]}
    chosen = reconcile({name: value("XWRPZ", confidence=0.02)}, {}, printed)[name]
    assert contradiction(name, chosen) < 0.1


@pytest.mark.parametrize(
    ("zone", "printed"),
    [("JANKOVIC", "JANKOVIĆ"), ("MUELLER", "Müller"), ("GROSS", "Groß")],
)
def test_the_fuller_printed_spelling_of_the_same_name_is_preferred(zone: str, printed: str) -> None:
    name = FieldName.SURNAMES
    chosen = reconcile({name: value(zone)}, {}, {name: [value(printed, Source.VISUAL, 0.85)]})[name]
    assert chosen.value == printed
    assert chosen.others == ()


def test_a_longer_printed_name_is_the_same_only_where_the_zone_cut_it_off() -> None:
    name = FieldName.GIVEN_NAMES
    zone, printed = {name: value("MARIA ALEXAND")}, {name: [value("MARIA ALEXANDRA", Source.VISUAL, 0.85)]}
    assert reconcile(zone, {}, printed, names_cut=True)[name].value == "MARIA ALEXANDRA"
    assert reconcile(zone, {}, printed)[name].value == "MARIA ALEXAND"


def test_of_a_name_that_the_zone_cut_off_the_rest_is_no_surer_than_its_print() -> None:
    name = FieldName.GIVEN_NAMES
    zone, printed = {name: value("MARIA ALEX")}, {name: [value("MARIA ALEXANE", Source.VISUAL, 0.66)]}
    assert reconcile(zone, {}, printed, names_cut=True)[name].confidence == 0.66
    whole = {name: [value("MARÍA ALEX", Source.VISUAL, 0.66)]}
    assert reconcile(zone, {}, whole, names_cut=True)[name].confidence >= 0.95


def test_another_printed_name_stays_beside_the_zones() -> None:
    name = FieldName.SURNAMES
    printed = value("ANDERSON", Source.VISUAL, 0.85)
    chosen = reconcile({name: value("ANDERSSEN")}, {}, {name: [printed]})[name]
    assert (chosen.value, chosen.others) == ("ANDERSSEN", (printed,))


def test_the_surer_machine_source_leads_and_the_other_is_kept_when_it_disagrees() -> None:
    number = FieldName.DOCUMENT_NUMBER
    barcode = value("27000000", Source.BARCODE, 0.97)
    chosen = reconcile({number: value("27000001", confidence=0.8)}, {number: barcode}, {})[number]
    assert chosen.value == "27000000"
    assert [other.value for other in chosen.others] == ["27000001"]


def test_a_printed_day_is_no_issue_where_the_zone_says_that_the_document_ends_then() -> None:
    ends, begins = FieldName.DATE_OF_EXPIRY, FieldName.DATE_OF_ISSUE
    printed = {begins: [value("2031-03-09", Source.VISUAL, 0.9), value("2021-03-10", Source.VISUAL, 0.5)]}
    assert reconcile({ends: value("2031-03-09")}, {}, printed)[begins].value == "2021-03-10"
    assert begins not in reconcile({ends: value("2031-03-09")}, {}, {begins: printed[begins][:1]})
    # What the zone says too is compared with it, whatever it is.
    disputed = reconcile({ends: value("2031-03-09"), begins: value("2021-03-10")}, {}, {begins: printed[begins][:1]})
    assert [other.value for other in disputed[begins].others] == ["2031-03-09"]


def test_print_alone_is_taken_with_its_own_confidence() -> None:
    place = FieldName.PLACE_OF_BIRTH
    chosen = reconcile({}, {}, {place: [value("BERLIN", Source.VISUAL, 0.8)]})[place]
    assert (chosen.value, chosen.confidence, chosen.source) == ("BERLIN", 0.8, Source.VISUAL)
    assert reconcile({}, {}, {place: []}) == {}
