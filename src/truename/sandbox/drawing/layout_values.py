"""What a document of a layout prints: each field in the words, dates and numbers of its country."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

import numpy as np
from anyascii import anyascii

from truename.rules.countries import COUNTRIES
from truename.rules.documents import WITHOUT_END
from truename.rules.evidence import DocumentType, FieldName, MrzFormat
from truename.rules.national_numbers import compact
from truename.sandbox.drawing import mrz_lines
from truename.sandbox.drawing.aamva_bytes import JURISDICTIONS, aamva_payload
from truename.sandbox.drawing.date_writing import counted, written
from truename.sandbox.drawing.native_people import NativePerson
from truename.sandbox.drawing.number_making import make_number
from truename.sandbox.drawing.subjects import Issue, Person
from truename.vision.document.barcode.payloads import AAMVA
from truename.vision.document.calendars import last_day
from truename.vision.document.layouts.formats import SAME_FORM
from truename.vision.document.layouts.load import countries
from truename.vision.document.layouts.model import (
    DATES,
    FIELD_OF,
    NUMBERS,
    DocumentLayout,
    FieldLayout,
    LayoutField,
    NameOrder,
    Script,
    calendar_of,
)
from truename.vision.document.print.figures import in_figures_of

ISSUED: Final = date(2021, 3, 10)
EXPIRES: Final = date(2031, 3, 9)
YEARS: Final = 10
"""Between the two. What is valid for fewer years was issued later, but not after the last year of issue."""
LAST_ISSUE: Final = 2026
WITHOUT_SPACES: Final = frozenset({Script.HANGUL, Script.HAN})
"""Scripts in which surname and given name are written in one."""
ROOM: Final = "\u3000"
"""A space as wide as a sign."""
OPTIONAL: Final = 15
"""Characters of the optional data in the first line of a card's zone: a longer number is not written there."""
LONGEST_IN_TD2: Final = 14
"""Characters of a number that the zone of two lines of 36 has room for, five of them and a check digit behind."""
PERSONAL_IN_TD3: Final = 14
"""Characters that a passport's zone has for the holder's number."""


@dataclass(frozen=True)
class PrintedField:
    """One field as it is printed: lines of label and value."""

    name: LayoutField
    layout: FieldLayout
    lines: tuple[tuple[str, str], ...]


class PrintedValues:
    """The values of one document, in the words of its country."""

    def __init__(
        self,
        country: str,
        layout: DocumentLayout,
        person: Person,
        issue: Issue,
        random: np.random.Generator,
        native: NativePerson | None = None,
    ) -> None:
        self.native = native
        self.country, self.layout, self.person, self.random = country, layout, person, random
        self.issued, self.expires = _days_of_issue(layout, issue.expires)
        self.number = issue.number
        self.numbers: dict[LayoutField, str] = {}

    def row(self, name: LayoutField, field: FieldLayout) -> PrintedField:
        texts = self._texts(name, field)
        labels = [*field.labels[:1], *field.second[:1]] or [""]
        if field.number:
            label = f"{field.number}. {labels[0]}".strip() if not labels[0] else f"{field.number} {labels[0]}"
            labels = [label]
        if name is LayoutField.FULL_NAME and (field.surname_lines or field.below_title):
            return PrintedField(
                name, field, tuple((labels[0] if not at else "", text) for at, text in enumerate(texts))
            )
        if len(labels) > 1 and " " in texts[0]:
            first, _, rest = texts[0].partition(" ")
            return PrintedField(name, field, ((labels[0], first), (labels[1], rest)))
        below = tuple(("", text) for text in self._latin_below(name, field))
        again = ((field.again, self._again(name, field, texts[0])),) if field.again else ()
        return PrintedField(name, field, (*again, (labels[0], field.before + texts[0]), *below))

    def truth(self, row: PrintedField) -> Iterator[tuple[FieldName, str]]:
        """What a reading of the side must say that this row stands on."""
        name, person = row.name, self.person
        if name is LayoutField.FULL_NAME:
            surname, given = self._parted(row.layout)
            yield FieldName.SURNAMES, surname
            yield FieldName.GIVEN_NAMES, given
        elif name in NUMBERS and name in FIELD_OF:
            yield FIELD_OF[name], self.numbers[name]
        elif name in DATES:
            yield FIELD_OF[name], self._day(name, row.layout).isoformat()
        elif name is LayoutField.GENDER:
            yield FieldName.GENDER, person.sex
        elif name is LayoutField.SURNAMES:
            yield FieldName.SURNAMES, self._named(row.layout).surnames
        elif name is LayoutField.GIVEN_NAMES:
            yield FieldName.GIVEN_NAMES, self._named(row.layout).given_names

    def zone(self, rows: list[PrintedField]) -> tuple[str, ...]:
        """The lines of the machine-readable zone; none where the layout has none that can be written here."""
        person, alpha_3 = self.person, COUNTRIES[self.country].alpha_3
        field = self.layout.fields.get(LayoutField.DATE_OF_EXPIRY)
        # A year alone means its last day in the zone, too.
        expires = self._day(LayoutField.DATE_OF_EXPIRY, field) if field and field.year_only else self.expires
        issuer = "D" if self.country == "DE" else alpha_3
        holders = _in_zone(self.numbers.get(LayoutField.DOCUMENT_NUMBER, ""))
        counted = _in_zone(self.numbers.get(self.layout.zone_number, f"{self.random.integers(10**8, 10**9)}"))
        if self.layout.zone is MrzFormat.TD1:
            other = holders if counted != holders else _in_zone(self.numbers.get(LayoutField.PERSONAL_NUMBER, ""))
            return mrz_lines.td1(
                issuer, person.surnames, person.given_names, counted, issuer, person.born, person.sex, expires,
                optional=other if len(counted) <= 9 and len(other) <= OPTIONAL else "", code="ID",
            )  # fmt: skip
        if self.layout.zone is MrzFormat.KENYAN_ID:
            return mrz_lines.kenyan(
                person.surnames, person.given_names, counted, person.born, person.sex, self.issued, holders
            )
        if self.layout.zone is MrzFormat.TD2:
            number = counted if len(counted) <= LONGEST_IN_TD2 else counted[-9:]
            return mrz_lines.td2(
                issuer, person.surnames, person.given_names, number, issuer, person.born, person.sex, expires
            )
        if self.layout.zone is MrzFormat.TD3:
            own = _in_zone(self.numbers.get(LayoutField.PERSONAL_NUMBER, ""))
            return mrz_lines.td3(
                issuer, person.surnames, person.given_names, counted[-9:], issuer, person.born, person.sex,
                expires, own if len(own) <= PERSONAL_IN_TD3 else "",
            )  # fmt: skip
        if self.layout.zone in (MrzFormat.MRV_A, MrzFormat.MRV_B):
            return mrz_lines.mrv(
                issuer, person.surnames, person.given_names, counted[-9:], issuer, person.born, person.sex,
                expires, width=44 if self.layout.zone is MrzFormat.MRV_A else 36,
            )  # fmt: skip
        return ()

    def barcode(self) -> bytes | None:
        """The bytes of its AAMVA barcode, once its numbers were made; None where it has none, or another one."""
        alpha_3 = COUNTRIES[self.country].alpha_3
        if self.layout.barcode != AAMVA or alpha_3 not in JURISDICTIONS:
            return None
        number = compact(self.numbers.get(LayoutField.DOCUMENT_NUMBER, ""))
        kind = "ID" if self.layout.kind is DocumentType.NATIONAL_ID else "DL"
        return aamva_payload(self.person, number, self.issued, self.expires, country=alpha_3, kind=kind)

    def _texts(self, name: LayoutField, field: FieldLayout) -> list[str]:
        person = self.person
        if name is LayoutField.FULL_NAME:
            return self._full_name(field)
        if name in NUMBERS:
            given = self.number if name is LayoutField.DOCUMENT_NUMBER else None
            self.numbers[name] = given or make_number(field, person, self.random)
            return [self._figures(field, self.numbers[name])]
        if name in DATES:
            return [self._figures(field, self._date(name, field))]
        if name is LayoutField.GENDER:
            return [field.printed["MF".index(person.sex)] if field.printed else person.sex]
        if name is LayoutField.NATIONALITY:
            return [field.printed[0] if field.printed else COUNTRIES[self.country].alpha_3]
        words = {
            LayoutField.SURNAMES: self._named(field).surnames,
            LayoutField.GIVEN_NAMES: self._addressed(self._named(field).given_names, field),
            LayoutField.PLACE_OF_BIRTH: self._named(field).place_of_birth,
            LayoutField.ADDRESS: self._address(field),
            LayoutField.ISSUING_AUTHORITY: "OFFICE 14",
        }
        return [words[name]]

    def _named(self, field: FieldLayout) -> Person | NativePerson:
        """The person as this field writes names: in the script of the field."""
        return self.native if self.native is not None and field.script is not Script.LATIN else self.person

    def _figures(self, field: FieldLayout, text: str) -> str:
        return in_figures_of(field.script, text, countries()[self.country].languages[0])

    def _address(self, field: FieldLayout) -> str:
        if self.native is None or field.script is Script.LATIN:
            return "HARBOUR STREET 12"
        return f"{self._figures(field, '12')} {self.native.place_of_birth}"

    def _addressed(self, name: str, field: FieldLayout) -> str:
        """A name behind the Mr or Ms that the document prints: of a man the first, of a woman the last."""
        if not field.courtesy:
            return name
        word = field.courtesy[0 if self.person.sex == "M" else -1]
        return f"{word} {name}" if word.isascii() else f"{word}{name}"

    def _again(self, name: LayoutField, field: FieldLayout, text: str) -> str:
        """The value as it stands a second time, in the country's own language."""
        return (
            written(self._day(name, field), self.layout.dates_again, self.country, own=True) if name in DATES else text
        )

    def _latin_below(self, name: LayoutField, field: FieldLayout) -> list[str]:
        if not field.latin_below or self.native is None:
            return []
        if name is LayoutField.FULL_NAME:
            return [_in_one(self.person, field)]
        return [self.person.surnames if name is LayoutField.SURNAMES else self.person.given_names]

    def _full_name(self, field: FieldLayout) -> list[str]:
        person = self._named(field)
        if field.below_title and not field.surname_lines:
            return _in_one(person, field).split(" ", field.below_title - 1)
        if field.surname_lines:
            words = person.surnames.split(" ", field.surname_lines - 1)
            words += ["SOLER"] * (field.surname_lines - len(words))
            return [*words, person.given_names]
        if field.order is NameOrder.SURNAME_FIRST and field.script in WITHOUT_SPACES:
            return [f"{person.surnames}{person.given_names}"]
        name = _in_one(person, field)
        return [self._addressed(name, field) if field.order is NameOrder.GIVEN_FIRST else name]

    def _parted(self, field: FieldLayout) -> tuple[str, str]:
        texts = self._full_name(field)
        if field.surname_lines:
            return " ".join(texts[: field.surname_lines]), texts[-1]
        named = self._named(field)
        return named.surnames, named.given_names

    def _day(self, name: LayoutField, field: FieldLayout) -> date:
        if field.without_end:
            return WITHOUT_END
        day = {LayoutField.DATE_OF_BIRTH: self.person.born, LayoutField.DATE_OF_ISSUE: self.issued}.get(
            name, self.expires
        )
        calendar = calendar_of(field.dates or self.layout.dates)
        return last_day(calendar, counted(calendar, day)[0]) or day if field.year_only else day

    def _date(self, name: LayoutField, field: FieldLayout) -> str:
        if field.without_end:
            return field.without_end
        day, form = self._day(name, field), field.figures or field.dates or self.layout.dates
        if field.year_only:
            first, last = (counted(calendar_of(form), one)[0] for one in (self.issued, day))
            return f"{first} - {last}"
        own = field.script is not Script.LATIN
        end = written(day, form, self.country, own)
        return f"{written(self.issued, form, self.country, own)}-{end}" if field.since else end


def _in_zone(number: str) -> str:
    """A number as a zone writes it: capitals and figures alone, letters of other scripts as those of the same form."""
    latin = "".join(SAME_FORM.get(letter, letter) for letter in compact(number))
    return re.sub(r"[^0-9A-Z]", "", anyascii(latin).upper())


def _days_of_issue(layout: DocumentLayout, expires: date | None) -> tuple[date, date]:
    """When it was issued and when it ends: as many years apart as the layout gives it at the most, or ten."""
    years = min(max(layout.years, default=YEARS), YEARS)
    if expires is None:
        issued = ISSUED.replace(year=min(EXPIRES.year - years, LAST_ISSUE))
        return issued, EXPIRES.replace(year=issued.year + years)
    if expires > ISSUED and expires.year - ISSUED.year <= years:
        return ISSUED, expires
    # No 29 February in whatever year.
    return expires.replace(year=expires.year - years, day=min(expires.day, 28)), expires


def _in_one(person: Person | NativePerson, field: FieldLayout) -> str:
    """A name in one piece, in the order of its field."""
    if field.order is NameOrder.SURNAME_COMMA:
        return f"{person.surnames}, {person.given_names}"
    if field.order is NameOrder.SURNAME_FIRST:
        return f"{person.surnames} {person.given_names}"
    if field.order is NameOrder.SURNAME_APART:
        return f"{person.surnames}{ROOM}{person.given_names}"
    return f"{person.given_names} {person.surnames}"
