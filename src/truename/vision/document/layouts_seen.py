"""Which document of the layout files is this, by where its values stand, its labels, its number or its title?

Titles are printed in colour on colour and are often lost; the form of a page and its many labels are not.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from rapidfuzz import fuzz, process

from truename.rules.evidence import DocumentType, MrzFormat
from truename.rules.national_numbers import is_valid
from truename.rules.number_schemes import SCHEMES
from truename.vision.document.classify import PERMITS, Classified
from truename.vision.document.folding import fold
from truename.vision.document.layouts.formats import settle
from truename.vision.document.layouts.load import countries
from truename.vision.document.layouts.model import FieldLayout, LayoutField
from truename.vision.document.layouts.phrases import documents_of, english_labels, is_month_first, own_labels
from truename.vision.document.print.dates import Order
from truename.vision.document.print.fit import Size, best_fit, spots
from truename.vision.document.print.labels import ALIKE, LONG_ENOUGH, Vocabulary, as_label
from truename.vision.document.print.read import TextLine
from truename.vision.document.print.titles import is_said
from truename.vision.document.print.unlabelled_dates import dating_of

BY_PLACES: Final = 0.75
BY_LABELS: Final = 0.6
BY_TITLE: Final = 0.8
"""How sure these ways are of country and kind."""
LEAST_LABELS: Final = 4
MORE_LABELS: Final = 2
"""Labels of one document that must be read, and how many more they must be than those of any other."""

Documents = dict[tuple[str, DocumentType], float]


def from_places(lines: Sequence[TextLine], size: Size) -> Classified:
    """The document whose measured places hold what must stand there; nothing when none does, or two do as well."""
    shares: Documents = {}
    page = spots(lines, size)
    for code, country in countries().items():
        order = Order.MONTH_FIRST if is_month_first(code) else Order.DAY_FIRST
        for document in country.documents:
            is_other_shape = document.upright and size[0] > size[1]
            if is_other_shape or not any(field.place for field in document.fields.values()):
                continue
            dating = dating_of((document,), order, date.max, may_be_without_end=True)
            if fit := best_fit(page, (document,), dating, code):
                key = (code, document.kind)
                shares[key] = max(shares.get(key, 0.0), fit.share)
    return _winner(shares, least=0.0, ahead=0.01, confidence=BY_PLACES)


def from_labels(lines: Sequence[TextLine], country: str | None) -> Classified:
    """The document, of this country where it is known, whose labels stand on the page."""
    if country is not None:
        return _of_country(lines, country)
    texts = {folded for line in lines if len(folded := fold(line.text)) >= LONG_ENOUGH}
    counts: Documents = {}
    for code, known in countries().items():
        for kind in {document.kind for document in known.documents}:
            counts[(code, kind)] = float(len(_fields_named(texts, code, kind)))
    return _winner(counts, least=LEAST_LABELS, ahead=MORE_LABELS, confidence=BY_LABELS)


def from_titles(lines: Sequence[TextLine], country: str | None, least: int = 1) -> Classified:
    """The kind, of a country that is known, of which a document calls itself so; nothing where two kinds do.

    What a state calls itself names no kind, though it may stand among the titles. `least`: so many letters a title
    must have to count.
    """
    known = countries().get(country or "")
    if known is None:
        return Classified()
    texts, issuers = [line.text for line in lines], {fold(issuer) for issuer in known.issuers}
    kinds = {
        document.kind
        for document in known.documents
        for title in document.titles
        if len(fold(title)) >= least and fold(title) not in issuers and is_said(title, texts)
    }
    return Classified(known.country, kinds.pop(), BY_LABELS) if len(kinds) == 1 else Classified()


def from_numbers(lines: Sequence[TextLine], country: str | None) -> Classified:
    """The kind, of a country that is known, whose number stands on the page in its own form with its check digit right.

    Of documents that print no label beside it alone: elsewhere it stands on other papers, too. A line that bears no
    more than the number counts.
    """
    known = countries().get(country or "")
    kinds = {
        document.kind
        for document in (known.documents if known else ())
        if (rule := document.fields.get(LayoutField.DOCUMENT_NUMBER)) and not rule.labels and rule.scheme
        and SCHEMES[rule.scheme].check
        and any(_is_such_a_number(line.text, rule) for line in lines)
    }  # fmt: skip
    return Classified(country, kinds.pop(), BY_LABELS) if len(kinds) == 1 else Classified()


def _is_such_a_number(text: str, rule: FieldLayout) -> bool:
    settled = settle(text, rule.formats)
    return settled is not None and not settled.repaired and rule.scheme is not None and is_valid(rule.scheme, text)


def as_its_title_says(what: Classified, pages: Sequence[Sequence[TextLine]]) -> Classified:
    """A card that its zone calls a card of identity, or what it calls itself in words of its layout file.

    The letter I of a zone is used for cards of every kind: permits, and licences where the file gives them a zone. So
    is the P of a passport for books that are none, where the file gives them the zone of one: those of seafarers.
    """
    if what.type not in (DocumentType.NATIONAL_ID, DocumentType.PASSPORT):
        return what
    named = [from_titles(lines, what.country, LONG_ENOUGH).type for lines in pages]
    kind = next((kind for kind in named if kind is not None and _may_be_called(what, kind)), None)
    return what if kind is None else replace(what, type=kind, confidence=min(what.confidence, BY_TITLE), of_kind=None)


def _may_be_called(what: Classified, kind: DocumentType) -> bool:
    """May a zone that says one thing stand on a document which its title calls another?"""
    zones = {document.zone for document in documents_of(what.country, kind)}
    if what.type is DocumentType.PASSPORT:
        return kind is not DocumentType.PASSPORT and MrzFormat.TD3 in zones
    return kind in PERMITS or (kind is DocumentType.DRIVER_LICENSE and any(zones))


def _of_country(lines: Sequence[TextLine], country: str) -> Classified:
    known = countries().get(country)
    counts: Documents = {}
    for kind in {document.kind for document in known.documents} if known else ():
        vocabulary = Vocabulary(own_labels(country, kind))
        found = (as_label(line, vocabulary) for line in lines)
        counts[(country, kind)] = float(len({label.field for label in found if label}))
    return _winner(counts, least=LEAST_LABELS, ahead=MORE_LABELS, confidence=BY_LABELS)


def _fields_named(texts: set[str], country: str, kind: DocumentType) -> set[LayoutField]:
    """The fields whose labels, whole as this document prints them and not in plain English, stand on the page."""
    own = {
        label: meant
        for label, meant in own_labels(country, kind).items()
        if len(label) >= LONG_ENOUGH and label not in english_labels()
    }
    found = (process.extractOne(text, own.keys(), scorer=fuzz.ratio, score_cutoff=ALIKE) for text in texts)
    return {own[best[0]].field for best in found if best}


def _winner(found: Documents, least: float, ahead: float, confidence: float) -> Classified:
    ranked = sorted(found.items(), key=lambda one: -one[1])
    if not ranked or ranked[0][1] < least:
        return Classified()
    if len(ranked) > 1 and ranked[0][1] < ranked[1][1] + ahead:
        return Classified()
    (country, kind), _ = ranked[0]
    return Classified(country, kind, confidence)
