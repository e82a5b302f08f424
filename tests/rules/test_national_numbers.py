"""Numbers of people: check digits, and what they say of birth and sex."""

from datetime import date

import pytest

from truename.rules.national_numbers import Agreement, examine_number, is_valid
from truename.rules.number_schemes import SCHEMES

BORN = date(1985, 8, 12)


@pytest.mark.parametrize(
    ("scheme", "right", "wrong"),
    [
        ("be.nn", "85.07.30-033.28", "85.07.30-033.29"),
        ("br.cpf", "390.533.447-05", "390.533.447-06"),
        ("cl.rut", "12.531.909-2", "12.531.909-3"),
        ("ec.ci", "1714307103", "1714307104"),
        ("ee.ik", "36805280109", "36805280108"),
        ("eg.national_id", "28508120103216", "28508129903216"),
        ("es.dni", "54362315K", "54362315Z"),
        ("il.idnr", "039337423", "039337424"),
        ("in.aadhaar", "2341 2341 2346", "2341 2341 2347"),
        ("it.codicefiscale", "RCCMNL83S18D969H", "RCCMNL83S18D969K"),
        ("kz.iin", "850812300100", "850812300101"),  # of which the first weights leave ten: the second ones count
        ("mx.curp", "BOXW310820HNERXN09", "BOXW310820HNERXN08"),
        ("nl.bsn", "111222333", "111222334"),
        ("pl.pesel", "44051401359", "44051401358"),
        ("pt.cc", "00000000 0 ZZ4", "00000000 0 ZZ5"),
        ("ro.cnp", "1630615123457", "1630615123458"),
        ("th.pin", "7 9897 41235 66 5", "7 9897 41235 66 4"),
        ("tr.tckimlik", "17291716060", "17291716050"),
        ("uy.ci", "1.234.567-2", "1.234.567-3"),
        ("yu.jmbg", "0101006500006", "0101006500007"),
        ("za.idnr", "7503305044089", "7503305044088"),
    ],
)
def test_a_check_digit_tells_right_from_wrong(scheme: str, right: str, wrong: str) -> None:
    assert is_valid(scheme, right)
    assert not is_valid(scheme, wrong)


RIGHT = {
    "al.nid": "J21030302I",
    "ar.dni": "20123456",
    "be.nn": "85073003328",
    "br.cpf": "39053344705",
    "cl.rut": "125319092",
    "cn.ric": "11010519491231002X",
    "cz.rc": "7103192745",
    "ec.ci": "1714307103",
    "ee.ik": "36805280109",
    "eg.national_id": "28508120103216",
    "es.dni": "54362315K",
    "hk.hkid": "A1234563",
    "id.nik": "3171011708450001",
    "il.idnr": "039337423",
    "in.aadhaar": "234123412346",
    "in.pan": "ACUPA7085R",
    "it.codicefiscale": "RCCMNL83S18D969H",
    "kz.iin": "850812400106",
    "lv.pk": "16117519903",
    "mx.curp": "BOXW310820HNERXN09",
    "nl.bsn": "111222333",
    "nl.identiteitskaartnummer": "XR1001R58",
    "pe.cui": "101174102",
    "pl.pesel": "44051401359",
    "pt.cc": "000000000ZZ4",
    "ro.cnp": "1630615123457",
    "th.pin": "7989741235665",
    "tr.tckimlik": "17291716060",
    "tw.id": "A123456789",
    "ua.unzr": "1985081200000",
    "uy.ci": "12345672",
    "yu.jmbg": "0101006500006",
    "za.idnr": "7503305044089",
}


@pytest.mark.parametrize("scheme", [name for name, rule in SCHEMES.items() if rule.said])
def test_a_scheme_tells_which_of_birth_and_sex_its_numbers_say(scheme: str) -> None:
    rule = SCHEMES[scheme]
    said = rule.said(RIGHT[scheme]) if rule.said else None
    assert rule.says == tuple(name for name in ("birth", "sex") if getattr(said, name) is not None)


def one_figure_changed(number: str) -> list[str]:
    """The number with each of its figures read as each other one."""
    places = [place for place, letter in enumerate(number) if letter.isdigit()]
    return [
        number[:place] + other + number[place + 1 :]
        for place in places
        for other in "0123456789"
        if other != number[place]
    ]


@pytest.mark.parametrize("scheme", sorted(SCHEMES))
def test_who_says_to_have_a_check_digit_notices_a_figure_that_was_misread(scheme: str) -> None:
    """Else a misread number counts as proven: those of Argentina, of PANs and of Dutch cards have a shape alone."""
    number = RIGHT[scheme]
    assert is_valid(scheme, number)
    check = SCHEMES[scheme].check
    if check is not None:
        missed = [other for other in one_figure_changed(number) if check(other)]
        assert len(missed) <= 0.2 * len(one_figure_changed(number)), missed


@pytest.mark.parametrize(
    ("scheme", "number", "born", "sex"),
    [
        ("al.nid", "J21030302I", date(1992, 10, 30), "M"),
        ("al.nid", "J26030302I", date(1992, 10, 30), "F"),
        ("be.nn", "85073003328", date(1985, 7, 30), "M"),
        ("be.nn", "85073003427", date(1985, 7, 30), "F"),
        ("be.nn", "98472899765", date(1998, 7, 28), "M"),
        ("cz.rc", "7103192745", date(1971, 3, 19), "M"),
        ("cz.rc", "790802/9384", date(1979, 8, 2), "M"),
        ("cz.rc", "7153192745", date(1971, 3, 19), "F"),
        ("ee.ik", "49002054457", date(1990, 2, 5), "F"),
        ("ee.ik", "39002054457", date(1990, 2, 5), "M"),
        ("eg.national_id", "28508120103216", date(1985, 8, 12), "M"),
        ("eg.national_id", "28508120103226", date(1985, 8, 12), "F"),
        ("it.codicefiscale", "RCCMNL83S18D969H", date(1983, 11, 18), "M"),
        ("it.codicefiscale", "RCCMNL83S58D969H", date(1983, 11, 18), "F"),
        ("kz.iin", "850812400123", date(1985, 8, 12), "F"),
        ("kz.iin", "850812300123", date(1985, 8, 12), "M"),
        ("mx.curp", "BOXW310820HNERXN09", date(1931, 8, 20), "M"),
        ("mx.curp", "BOXW310820MNERXN09", date(1931, 8, 20), "F"),
        ("pl.pesel", "44051401359", date(1944, 5, 14), "M"),
        ("pl.pesel", "44051401469", date(1944, 5, 14), "F"),
        ("ro.cnp", "1630615123457", date(1963, 6, 15), "M"),
        ("ro.cnp", "2630615123457", date(1963, 6, 15), "F"),
        ("ro.cnp", "8630615123457", date(1963, 6, 15), "F"),
        ("yu.jmbg", "0101006500006", date(2006, 1, 1), "M"),
        ("yu.jmbg", "0101006505006", date(2006, 1, 1), "F"),
        ("za.idnr", "7503305044089", date(1975, 3, 30), "M"),
        ("za.idnr", "7503304044089", date(1975, 3, 30), "F"),
        ("za.idnr", "7503304999087", date(1975, 3, 30), "F"),
        ("za.idnr", "7503305000087", date(1975, 3, 30), "M"),
    ],
)
def test_a_number_that_encodes_birth_and_sex_is_held_against_the_print(
    scheme: str, number: str, born: date, sex: str
) -> None:
    agreeing = examine_number(scheme, number, born, sex)
    assert agreeing is not None
    assert (agreeing.birth, agreeing.sex) == (Agreement.AGREES, Agreement.AGREES)
    other = examine_number(scheme, number, date(1960, 1, 2), {"M": "F", "F": "M"}[sex])
    assert other is not None
    assert (other.birth, other.sex) == (Agreement.DIFFERS, Agreement.DIFFERS)
    assert other.contradicts


def test_the_letter_of_an_albanian_number_goes_on_counting_decades_after_1999() -> None:
    found = examine_number("al.nid", "K50412003I", date(2005, 4, 12), "M")
    assert found is not None
    assert (found.birth, found.sex, found.apart) == (Agreement.AGREES, Agreement.AGREES, 0)


@pytest.mark.parametrize(
    ("born", "apart"), [(date(1944, 5, 14), 0), (date(1944, 5, 15), 1), (date(1955, 5, 14), 2), (date(1930, 12, 28), 6)]
)
def test_it_is_counted_in_how_many_figures_the_births_of_number_and_print_differ(born: date, apart: int) -> None:
    """One figure is a misreading, many are another person."""
    found = examine_number("pl.pesel", "44051401359", born, "M")
    assert found is not None
    assert found.apart == apart


@pytest.mark.parametrize("number", ["850012300123", "850800300123"])
def test_a_month_or_day_of_noughts_says_that_the_birth_was_not_known(number: str) -> None:
    found = examine_number("kz.iin", number, BORN, "M")
    assert found is not None
    assert (found.birth, found.apart) == (Agreement.NOT_SAID, 0)


@pytest.mark.parametrize(
    ("scheme", "number", "born"),
    [
        ("be.nn", "98272899722", date(1998, 7, 28)),
        ("ee.ik", "99002054457", date(1990, 2, 5)),
        ("kz.iin", "850812000123", date(1985, 8, 12)),
        ("ro.cnp", "9630615123457", date(1963, 6, 15)),
    ],
)
def test_numbers_of_people_who_are_not_in_the_register_tell_no_sex(scheme: str, number: str, born: date) -> None:
    found = examine_number(scheme, number, born, "F")
    assert found is not None
    assert (found.birth, found.sex) == (Agreement.AGREES, Agreement.NOT_SAID)


@pytest.mark.parametrize(("number", "sex"), [("9271235208850001", "F"), ("3171231208850001", "M")])
def test_a_number_that_stays_where_the_birth_was_corrected_speaks_against_nobody(number: str, sex: str) -> None:
    agreeing = examine_number("id.nik", number, date(1985, 8, 12), sex)
    assert agreeing is not None
    assert (agreeing.check_digit, agreeing.birth, agreeing.sex) == (None, Agreement.AGREES, Agreement.AGREES)
    corrected = examine_number("id.nik", number, date(1960, 1, 2), {"M": "F", "F": "M"}[sex])
    assert corrected is not None
    assert (corrected.birth, corrected.sex) == (Agreement.NOT_SAID, Agreement.NOT_SAID)
    assert not corrected.contradicts


def test_a_birth_that_was_not_known_when_the_number_was_given_is_not_said() -> None:
    assert is_valid("be.nn", "85000003306")
    found = examine_number("be.nn", "85000003306", date(1985, 7, 30), "M")
    assert found is not None
    assert (found.check_digit, found.birth, found.sex) == (True, Agreement.NOT_SAID, Agreement.AGREES)


def test_what_cannot_be_compared_is_not_said_to_differ() -> None:
    found = examine_number("es.dni", "54362315K", BORN, "F")
    assert found is not None
    assert (found.check_digit, found.birth, found.sex) == (True, Agreement.NOT_SAID, Agreement.NOT_SAID)
    unread = examine_number("ee.ik", "49002054457", None, "X")
    assert unread is not None
    assert (unread.birth, unread.sex) == (Agreement.NOT_SAID, Agreement.NOT_SAID)


def test_a_number_of_another_shape_has_no_finding() -> None:
    assert examine_number("es.dni", "ABC233223", BORN, "F") is None
