"""Do both photographs show one document, and on which of its pages does the holder's portrait stand?

Whoever holds somebody else's document can photograph it as the back, and an own card as the front: what is said would
be the other's and the face the own. So a portrait is that of the page beside whose zone it stands, where documents of
that kind bear both on one page; where what is stated comes from the other side, the side with the portrait must say
something of it, and may not say that its holder is somebody else.
"""

from collections.abc import Mapping
from datetime import date
from typing import Final

from truename.rules import documents
from truename.rules.authenticity_signs import AuthenticitySign
from truename.rules.contradictions import SURE, compared_fields, contradiction
from truename.rules.evidence import DocumentField, FieldName, MrzFormat, ReadValue
from truename.vision.captures import Side
from truename.vision.document.authenticity.measure import Signs, signs_of_front
from truename.vision.document.authenticity.two_numbers import another_number
from truename.vision.document.classify import Classified, from_layout, from_print, is_foreign_to_us
from truename.vision.document.layouts.phrases import documents_of
from truename.vision.document.limits import CHOSEN
from truename.vision.document.mrz.read import MrzRead
from truename.vision.document.own_script import reader_for
from truename.vision.document.page.portrait import Portrait
from truename.vision.document.page.quality import measure
from truename.vision.document.places import is_said_in
from truename.vision.document.print.date_forms import DateForms
from truename.vision.document.script_of_page import Sides, in_own_script
from truename.vision.document.side import SideReading, without_doubts

BEHIND: Final = frozenset({MrzFormat.TD1, MrzFormat.KENYAN_ID})
"""Zones that stand on the back of a card, where no layout file says otherwise; all others stand below the portrait."""
OF_THE_HOLDER: Final = (FieldName.SURNAMES, FieldName.GIVEN_NAMES, FieldName.GENDER, FieldName.DATE_OF_BIRTH)
"""What another document of the same person says, too."""
TELLING: Final = (
    *(FieldName.SURNAMES, FieldName.GIVEN_NAMES, FieldName.DOCUMENT_NUMBER, FieldName.PERSONAL_NUMBER),
    *(FieldName.DATE_OF_BIRTH, FieldName.DATE_OF_ISSUE, FieldName.DATE_OF_EXPIRY),
)
"""Names, numbers and dates: the sex and the nationality stand on every card, an address often on the back alone."""

LEAST_WAYS: Final = 2
"""In so many ways a side must say that the holder is another: one may be misread, or be of something else."""

Fields = Mapping[FieldName, DocumentField]


def side_of_zone(sides: Sides) -> Side | None:
    """The side whose zone counts: the front's where it is valid, for a card bears one zone; else the surest."""
    zones = [(side, reading.mrz.reading) for side, reading in sides.items() if reading.mrz is not None]
    if not zones:
        return None
    return max(zones, key=lambda zone: (zone[1].valid, zone[1].confidence * (not zone[1].valid)))[0]


def zone_on(sides: Sides, side: Side | None) -> MrzRead | None:
    """The zone of this side; None where there is none."""
    return sides[side].mrz if side is not None else None


def of_another_zone(sides: Sides, zone_side: Side | None, today: date) -> Mapping[FieldName, ReadValue]:
    """Who the valid zone of the other side says the holder is; nothing where there is none, or it is a visa's."""
    for side, reading in sides.items():
        zone = reading.mrz
        if side is zone_side or zone is None or not zone.reading.valid or is_foreign_to_us(zone.mrz.document_code):
            continue
        return {name: value for name, value in zone.values(today).items() if name in OF_THE_HOLDER}
    return {}


def page_of_holder(
    sides: Sides, zone_side: Side | None, what: Classified, stated: Fields, forms: DateForms
) -> tuple[Portrait | None, Signs]:
    """The portrait of the document, None where that of another page would be taken for it; and what its page says.

    `stated` is what zone or barcode say, or the print of either side where there is neither; `forms` how the document
    writes dates.
    """
    told = {name: field.value for name, field in stated.items()}
    side = main_side(sides, zone_side, what)
    if side is None:
        return None, {}
    main, signs = sides[side], signs_of_main(sides[side])
    if side is zone_side or not _says_what_stands_elsewhere(sides, side, told):
        return main.portrait, signs
    shared = _shared(main, told, forms)
    if not shared:
        main = _read_thoroughly(main, what)
        shared = _shared(main, told, forms)
    signs = {AuthenticitySign.SIDES_DO_NOT_MATCH: float(shared), **signs}
    is_own = not names_another(main, stated, what, forms) and (shared > 0 or names_the_same(main, what))
    return main.portrait if is_own else None, signs


def names_another(side: SideReading, stated: Fields, what: Classified, forms: DateForms) -> bool:
    """Does the print of this side say that its holder is another than is stated, in two ways and each for sure?

    By names or birth, and by the other of them, the end of validity or a number: a person's two cards end on two days.
    """
    lines = [*side.found, *side.lines]
    beside = {
        name: field.model_copy(
            update={"others": tuple(one for one in field.others if is_said_in(lines, name, one.value, forms))}
        )
        for name, field in stated.items()
    }
    known = documents.find(what.country, what.type) if what.country and what.type else None

    def is_another(*names: FieldName) -> bool:
        compared = [name for name in names if name in beside and name in compared_fields(known)]
        return any(contradiction(name, beside[name]) >= SURE for name in compared)

    of_person = [is_another(FieldName.SURNAMES, FieldName.GIVEN_NAMES), is_another(FieldName.DATE_OF_BIRTH)]
    of_card = [is_another(FieldName.DATE_OF_EXPIRY), another_number(beside, what.country, what.type) >= SURE]
    return any(of_person) and sum((*of_person, *of_card)) >= LEAST_WAYS


def _read_thoroughly(side: SideReading, what: Classified) -> SideReading:
    """The side with its doubtful lines read once more, and in the script of the country: beside a zone it was not."""
    careful = without_doubts(side, CHOSEN)
    reader = reader_for(what.country, what.type)
    return careful if reader is None else in_own_script(careful, reader, CHOSEN)


def main_side(sides: Sides, zone_side: Side | None, what: Classified) -> Side | None:
    """The side whose portrait is the holder's: that of the zone, where it stands beside it; else the first with one.

    Without any portrait it is the front; None where nothing was captured. A zone that is not valid may be of another
    format than it was taken for.
    """
    zone = zone_on(sides, zone_side)
    if zone is not None and zone.reading.valid and _stands_beside_portrait(zone.reading.format, what):
        return zone_side
    with_portrait = (side for side, reading in sides.items() if reading.portrait is not None)
    return next(with_portrait, next(iter(sides), None))


def _stands_beside_portrait(zone: MrzFormat, what: Classified) -> bool:
    known = [layout for layout in documents_of(what.country, what.type) if layout.zone is zone]
    return all(layout.zone_side is Side.FRONT for layout in known) if known else zone not in BEHIND


def _says_what_stands_elsewhere(sides: Sides, main: Side, told: Mapping[FieldName, str]) -> bool:
    """Is there a portrait, and another page from which what is stated may have come?"""
    is_alone = all(side is main or reading.page is None for side, reading in sides.items())
    return sides[main].portrait is not None and any(name in told for name in TELLING) and not is_alone


def _shared(side: SideReading, told: Mapping[FieldName, str], forms: DateForms) -> int:
    """How many of the names, numbers and dates that are stated stand in the print of this side."""
    lines = [*side.found, *side.lines]
    return sum(is_said_in(lines, name, told[name], forms) for name in TELLING if name in told)


def names_the_same(side: SideReading, what: Classified) -> bool:
    """Does its print name the same country, or no country and the same kind? A bare portrait names neither."""
    return any(_is_same(said, what) for said in (from_print(side.lines), from_layout(side.lines)))


def _is_same(said: Classified, what: Classified) -> bool:
    if said.country is not None or said.issuer_code is not None:
        return (said.country, said.issuer_code) == (what.country, what.issuer_code)
    return said.type is not None and said.type is what.type


def signs_of_main(side: SideReading) -> Signs:
    """What the pixels of the side with the portrait say; measured anew where it was captured as the back."""
    if side.signs or side.page is None:
        return side.signs
    return signs_of_front(side.photo, side.page, measure(side.photo, side.page), side.portrait)
