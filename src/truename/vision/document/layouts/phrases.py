"""Look up what the layout files say: whose words are these, what do they name, which field does a label point at?

Everything is compared after folding (no accents, upper case, letters and digits only).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from typing import Final, TypeVar

from truename.rules.countries import COUNTRIES
from truename.rules.evidence import DocumentType
from truename.vision.document.calendars import AHEAD, Calendar
from truename.vision.document.folding import fold, fold_words
from truename.vision.document.layouts.load import countries, languages, shared_models, states
from truename.vision.document.layouts.model import (
    DocumentLayout,
    Fields,
    LabelsStand,
    Language,
    LayoutField,
    Script,
    SexWords,
)

Meaning = TypeVar("Meaning")

EUROPEAN_LICENCE: Final = "european_licence"
NOT_ISSUERS: Final = ("Georgia", "Jordan", "Chad", "Guinea", "Mali", "Oman", "Cuba", "Niger", "Congo")
"""The English names of these countries are also names of people, states or everyday words."""


@dataclass(frozen=True)
class Meant:
    """What a label points at."""

    field: LayoutField
    second: bool = False
    """Its value is added behind that of the first label of the same field."""


@cache
def issuer_phrases() -> tuple[tuple[str, str], ...]:
    """Folded phrase and country, longest first, so that "republic of China" is not read in a longer name."""
    phrases = {fold(country.name): code for code, country in COUNTRIES.items() if len(country.name) > 4} | states()
    for ambiguous in NOT_ISSUERS:
        phrases.pop(fold(ambiguous), None)
    phrases |= {fold(phrase): code for code, country in countries().items() for phrase in country.issuers}
    phrases |= {fold(phrase): code for code, country in countries().items() for phrase in country.marks}
    phrases |= {fold(mark): code for code, document in _documents() for mark in document.marks}
    return _longest_first({phrase: code for phrase, code in phrases.items() if phrase})


@cache
def marks() -> frozenset[str]:
    """The issuer phrases, folded, that are no name of a state: words by which its documents are known."""
    said = {fold(mark) for country in countries().values() for mark in country.marks}
    said |= {fold(mark) for _, document in _documents() for mark in document.marks}
    return frozenset(said - {fold(issuer) for country in countries().values() for issuer in country.issuers})


@cache
def kind_phrases() -> tuple[tuple[str, DocumentType], ...]:
    """Every title of a document, folded, with the kind it names; longer ones first, as they say more."""
    titles = {
        fold(title): kind for language in languages().values() for kind, listed in language.titles.items()
        for title in listed
    }  # fmt: skip
    titles |= {fold(mark): document.kind for _, document in _documents() for mark in document.marks}
    return _longest_first({title: kind for title, kind in titles.items() if title})


@cache
def regions() -> Mapping[str, str]:
    """Parts of countries that issue licences and cards in their own name, folded, with their country."""
    return {fold(region): code for code, country in countries().items() for region in country.regions}


@cache
def nationalities() -> Mapping[str, str]:
    """What is printed as a nationality, folded, with the country: its name, its three letters, its own words."""
    name = LayoutField.NATIONALITY
    found = {fold(word): code for code, document in _documents() for word in _printed(document, name)}
    found |= {fold(country.name): country.alpha_2 for country in COUNTRIES.values()}
    found |= {country.alpha_3: country.alpha_2 for country in COUNTRIES.values()}
    return found | {fold(word): code for code, country in countries().items() for word in country.demonyms}


@cache
def label_fields(country: str | None = None, kind: DocumentType | None = None) -> Mapping[str, Meant]:
    """Folded label → field: of every language, then of the country's own, then as its documents of this kind print it.

    What is meant there counts before what the word means elsewhere. Of a country that has no file English is taken for
    its own: `Name` is there no surname, as in German.
    """
    found, known = _labels_of(tuple(languages().values())), countries().get(country or "")
    if known is None:
        return found | _labels_of((languages()["en"],)) if country else found
    found = found | _labels_of(tuple(languages()[code] for code in reversed(known.languages)))
    for document in known.documents:
        if document.kind is kind:
            found |= _labels_of_document(document)
    return found


@cache
def english_labels() -> frozenset[str]:
    """Labels, folded, that stand on documents of every country."""
    return frozenset(_labels_of((languages()["en"],)))


@cache
def own_labels(country: str | None, kind: DocumentType | None) -> Mapping[str, Meant]:
    """The whole labels, folded, that this country's documents of this kind print."""
    return {
        fold(label): Meant(name, second)
        for document in documents_of(country, kind)
        for name, layout in document.fields.items()
        for second, listed in ((False, (*layout.labels, layout.again)), (True, layout.second))
        for label in listed
        if fold(label)
    }


@cache
def printed_labels(script: Script) -> frozenset[str]:
    """The whole labels of all documents that are printed in this script."""
    return frozenset(
        label
        for _, document in _documents()
        if document.script is script
        for field in document.fields.values()
        for label in (*field.labels, *field.second, field.again)
        if fold(label)
    )


@cache
def labels_in(script: Script) -> frozenset[str]:
    """The same, folded."""
    return frozenset(map(fold, printed_labels(script)))


@cache
def paired_labels(country: str | None) -> Mapping[str, Meant]:
    """The labels of a country's languages two by two, as documents in two languages print them (`Emri / Given name`).

    Folded, without what stood between them: that stroke is the first thing to be misread.
    """
    known = countries().get(country or "")
    spoken = [languages()[code] for code in known.languages] if known else []
    return {
        fold(one) + fold(other): Meant(name)
        for first, second in permutations(spoken, 2)
        for name in LayoutField
        for one, other in product(first.labels.get(name, ()), second.labels.get(name, ()))
    }


@cache
def numbered_fields(country: str | None, kind: DocumentType | None) -> Mapping[str, LayoutField]:
    """Number of a field (`4B`) → field; licences of countries that say nothing else are numbered as Europe's are."""
    found: dict[str, LayoutField] = {}
    for document in documents_of(country, kind):
        found |= _numbers(document.fields)
    if not found and kind is DocumentType.DRIVER_LICENSE:
        return _numbers(shared_models()[EUROPEAN_LICENCE].fields)
    return found


def _numbers(fields: Fields) -> dict[str, LayoutField]:
    return {layout.number.upper(): name for name, layout in fields.items() if layout.number}


def documents_of(country: str | None, kind: DocumentType | None) -> tuple[DocumentLayout, ...]:
    """The known versions of one kind of document."""
    known = countries().get(country or "")
    return tuple(document for document in known.documents if document.kind is kind) if known else ()


@cache
def sex_words(country: str | None = None) -> Mapping[str, str]:
    """Folded word → M, F or X, with the country's own meanings first."""
    found: dict[str, str] = {}
    for language in languages().values():
        found = _sexes(language.sex) | found
    if known := countries().get(country or ""):
        for code in reversed(known.languages):
            found |= _sexes(languages()[code].sex)
        found |= _sexes(known.sex)
        for document in known.documents:
            found |= _sexes_of_document(document)
    return found


@cache
def month_names(calendar: Calendar = Calendar.GREGORIAN) -> Mapping[str, int]:
    """Folded name or short form of a month → its number."""
    spoken = languages().values()
    known = [one.months if calendar in AHEAD else one.months_of.get(calendar, ()) for one in spoken]
    return {fold(name): number for months in known for number, names in enumerate(months, 1) for name in names}


@cache
def without_end_words() -> tuple[str, ...]:
    """What stands, folded, in the place of a date of expiry on cards that have none."""
    spoken = [words for language in languages().values() for words in language.without_end]
    own = [field.without_end for _, document in _documents() for field in document.fields.values() if field.without_end]
    return tuple(dict.fromkeys(fold(words) for words in (*spoken, *own)))


def is_month_first(country: str | None) -> bool:
    """Do dates in figures name the month before the day?"""
    known = countries().get(country or "")
    return known is not None and known.month_first


def labelled_below(layouts: Sequence[DocumentLayout]) -> frozenset[LayoutField]:
    """The fields whose labels stand below them in every likely version."""
    if not layouts:
        return frozenset()
    each = (
        set(LayoutField)
        if layout.labels_stand is LabelsStand.BELOW
        else {name for name, field in layout.fields.items() if field.label_below}
        for layout in layouts
    )
    return frozenset(set.intersection(*each))


def _documents() -> list[tuple[str, DocumentLayout]]:
    return [(code, document) for code, country in countries().items() for document in country.documents]


def _labels_of(listed: tuple[Language, ...]) -> dict[str, Meant]:
    """Field by field, so that a word of two meanings has the same one in whatever order languages are read."""
    found: dict[str, Meant] = {}
    for name in LayoutField:
        for language in listed:
            found |= {fold(label): Meant(name) for label in language.labels.get(name, ())}
            found |= {fold(label): Meant(name, second=True) for label in language.second_labels.get(name, ())}
    return found


def _labels_of_document(document: DocumentLayout) -> dict[str, Meant]:
    """Each label whole, and each of its parts in two languages (`Nazwisko / Surname`)."""
    found: dict[str, Meant] = {}
    for name, layout in document.fields.items():
        for second, listed in ((False, (*layout.labels, layout.again)), (True, layout.second)):
            for label in listed:
                parts = {label, *re.split(r"\s*/\s*", label)}
                found |= {folded: Meant(name, second) for part in parts if (folded := fold(part))}
    return found


def _sexes(words: SexWords) -> dict[str, str]:
    return {fold(word): sex for sex, listed in (("M", words.M), ("F", words.F), ("X", words.X)) for word in listed}


def _sexes_of_document(document: DocumentLayout) -> dict[str, str]:
    """The document's own word of a man and of a woman, and each of their parts in two languages (`K / F`)."""
    man, woman = (
        {part for word in words for part in (fold(word), *fold_words(word))}
        for words in (_printed(document, LayoutField.GENDER)[:1], _printed(document, LayoutField.GENDER)[1:])
    )
    return dict.fromkeys(man - woman, "M") | dict.fromkeys(woman - man, "F")


def _printed(document: DocumentLayout, name: LayoutField) -> tuple[str, ...]:
    """The very words that a document prints in a field."""
    field = document.fields.get(name)
    return field.printed if field else ()


def _longest_first(phrases: Mapping[str, Meaning]) -> tuple[tuple[str, Meaning], ...]:
    return tuple(sorted(phrases.items(), key=lambda item: -len(item[0])))


def forget() -> None:
    """Look everything up anew: another file has taken the place of one."""
    for lookup in (
        issuer_phrases,
        marks,
        kind_phrases,
        regions,
        nationalities,
        label_fields,
        english_labels,
        own_labels,
        printed_labels,
        labels_in,
        paired_labels,
        numbered_fields,
        sex_words,
        month_names,
        without_end_words,
    ):
        lookup.cache_clear()
