"""Which printed words are the name, the number, the dates?

Labels in many languages point at values to their right or below them; driving licences number their fields instead.
Every field may get several candidates, the most likely first: the reconciliation chooses with the other sources.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from truename.rules import documents
from truename.rules.evidence import DocumentType, FieldName, ReadValue
from truename.vision.document.folding import fold, is_latin
from truename.vision.document.layouts.formats import settle
from truename.vision.document.layouts.model import (
    DATES,
    FIELD_OF,
    NUMBERS,
    DocumentLayout,
    FieldLayout,
    LayoutField,
)
from truename.vision.document.layouts.phrases import documents_of, is_month_first, labelled_below
from truename.vision.document.print.assigning import Pair, assign, read_value
from truename.vision.document.print.date_forms import ANY_FORM, labels_again
from truename.vision.document.print.dates import Order
from truename.vision.document.print.fit import LEAST_TELLING, Size, best_fit, spots
from truename.vision.document.print.korean import as_surnames
from truename.vision.document.print.labels import Label, Vocabulary, as_label, vocabulary_of
from truename.vision.document.print.names import (
    block_below,
    names_below,
    of_unknown_order,
    parted,
    parted_in_place,
    without_courtesies,
)
from truename.vision.document.print.numbers import (
    birth_by_number,
    by_format,
    formats_of,
    named_as_in_the_zone,
    of_few_figures,
    without_labels,
    without_what_follows,
    without_what_stands_before,
)
from truename.vision.document.print.others_labels import by_itself, of_others
from truename.vision.document.print.own_letters import in_own_letters
from truename.vision.document.print.read import TextLine
from truename.vision.document.print.running_on import with_next_lines
from truename.vision.document.print.titles import is_said, likely
from truename.vision.document.print.torn_labels import torn_labels
from truename.vision.document.print.unlabelled_dates import Dating, dating_of, unlabelled_dates
from truename.vision.document.print.unlabelled_names import unlabelled_names
from truename.vision.document.print.unlabelled_nationality import unlabelled_nationality
from truename.vision.document.print.unlabelled_number import unlabelled_number
from truename.vision.document.print.unlabelled_sex import own_words, unlabelled_sex, words_for_the_sex
from truename.vision.document.print.unlabelled_whole_name import stands_alone, unlabelled_whole_name
from truename.vision.document.print.values import as_value, last_day_of_year

Found = dict[LayoutField, list[ReadValue]]
TALLER_THAN_PRINT: Final = 6.0
"""Heights of the middle one of the lines: nothing so tall is print, but a portrait that was read as a figure."""
FEWEST_TELLING: Final = 2
"""So many labels of days or of the sex must have their value above them before all are taken to stand below."""


@dataclass(frozen=True)
class _Page:
    """The lines that may be values, and how they are to be understood."""

    values: Sequence[TextLine]
    labels: Vocabulary
    dating: Dating
    country: str | None
    years: frozenset[LayoutField]
    """Dates of which it names the year alone."""
    values_above: frozenset[LayoutField]
    """Fields whose labels stand below their values."""
    formats: Mapping[LayoutField, tuple[str, ...]]
    """What the numbers of this document look like."""

    again: frozenset[str]
    """Labels, folded, under which a date stands a second time, written otherwise."""
    sexes: frozenset[str]
    """The words, folded, that this document prints for the sex; none where nobody knows them all."""

    def value(self, field: LayoutField, text: str, label: Label) -> str | None:
        """The text as the value of this field that its label points at; None when it cannot be one."""
        if field is LayoutField.GENDER and self.sexes:
            text = own_words(self.sexes, text)
        if field in self.formats:
            text = without_what_follows(text, self.formats[field])
        again = bool(self.again) and fold(label.line.text).startswith(tuple(self.again))
        found = as_value(field, text, self.dating, self.country, again)
        if field in self.formats and (found is None or not is_latin(text)):
            # Of a number with letters of another script, the shape of numbers has the figures alone.
            found = of_few_figures(text, self.formats[field]) or found
        if found is not None or field not in self.years:
            return found
        return last_day_of_year(text, self.dating.of_fields.get(field, ANY_FORM))


def read_fields(
    lines: Sequence[TextLine],
    country: str | None,
    kind: DocumentType | None,
    today: date,
    size: Size | None = None,
    with_zone: bool = False,
) -> dict[FieldName, list[ReadValue]]:
    """Candidates for each field of one side.

    `size` is that of the page: with it, values are also read by the places that layouts give them. `with_zone`: the
    document's zone was read, so that the numbers are named as the zone names them.
    """
    known = vocabulary_of(country, kind)
    printed = [line for line in _of_print(lines) if "<<" not in line.text]
    others = of_others(printed, known)
    printed = [line for line in printed if id(line) not in others]
    versions = documents_of(country, kind)
    layouts = likely(versions, printed)
    titles = {fold(title) for layout in versions for title in layout.titles}
    said = [label for line in printed if (label := as_label(line, known)) and not _is_title(label, titles)]
    labels = [by_itself(label, printed) for label in said]
    label_lines = {id(label.line) for label in labels if not label.rest}
    label_lines |= {id(line) for line in torn_labels(printed, labels, versions)}
    values = [line for line in printed if id(line) not in label_lines]
    order = Order.MONTH_FIRST if is_month_first(country) else Order.DAY_FIRST
    dating = dating_of(layouts, order, today, documents.may_be_without_end(country, kind))
    years = frozenset(name for layout in layouts for name, field in layout.fields.items() if field.year_only)
    below, again = labelled_below(layouts), labels_again(layouts)
    formats, sexes = formats_of(layouts), words_for_the_sex(layouts)
    page = _Page(values, Vocabulary(known.labels), dating, country, years, below, formats, again, sexes)
    if not layouts and _stand_below(labels, page):
        page = replace(page, values_above=frozenset(LayoutField))
    found = assign([pair for label in labels for pair in _pairs(label, page)])
    found |= without_courtesies(found, layouts)
    found |= without_what_stands_before(found, layouts)
    for name, parts in _whole_names(found, labels, page, layouts).items():
        # A name that stands alone under a label of its own is surer than a part of another.
        alone = found.get(name, []) if any(name in layout.fields for layout in layouts) else []
        found[name] = [*alone, *parts]
    found |= {name: as_surnames(found[name]) for name in (LayoutField.SURNAMES,) if name in found}
    # A document that was told by the number along its edge is known without a second date.
    telling = 1 if all(layout.upright_number for layout in versions) else LEAST_TELLING
    if size is not None and (fit := best_fit(spots(values, size), versions, dating, country, telling)):
        layouts = (fit.layout,)
        for name, placed in fit.values.items():
            found[name] = _first(read_value(placed.value, placed.confidence), found.get(name, ()))
        found |= parted_in_place(fit, found)
    found |= unlabelled_sex(found, values, layouts) | unlabelled_nationality(found, printed, layouts, country)
    if not with_zone and not any(LayoutField.FULL_NAME in layout.fields for layout in layouts):
        untitled = [line for line in values if fold(line.text) not in titles]
        found |= unlabelled_names(untitled, found, dating, country)
    found = by_format(found, layouts)
    found |= without_labels(values, found, layouts, dating)
    found |= birth_by_number(values, found, layouts, dating)
    if not with_zone and not versions:
        found |= unlabelled_number(values, found, dating)
    found |= in_own_letters(found, country, kind)
    if with_zone:
        found = named_as_in_the_zone(found, layouts)
    fields = {FIELD_OF[name]: values for name, values in found.items() if name in FIELD_OF and values}
    return fields | unlabelled_dates(printed, fields, dating)


def _of_print(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines without what is far taller than print: a label so tall would reach every value of the page."""
    heights = sorted(line.height for line in lines)
    tallest = TALLER_THAN_PRINT * heights[len(heights) // 2] if heights else 0.0
    return [line for line in lines if line.height <= tallest]


def _is_title(label: Label, titles: Set[str]) -> bool:
    """Is it what the document calls itself, of which the first word happens to be a label (`Residence card`)?"""
    return bool(label.rest) and label.field not in NUMBERS and fold(label.line.text) in titles


def _first(value: ReadValue, others: Sequence[ReadValue]) -> list[ReadValue]:
    return [value, *(other for other in others if other.value != value.value)]


def _whole_names(found: Found, labels: Sequence[Label], page: _Page, layouts: Sequence[DocumentLayout]) -> Found:
    """Surnames and given names out of names that are printed in one piece."""
    rule = next((field for layout in layouts if (field := layout.fields.get(LayoutField.FULL_NAME))), None)
    if rule is None:
        return of_unknown_order(found)
    pointing = [label for label in labels if label.field is LayoutField.FULL_NAME]
    below_title = _below_title(rule, page, layouts) if rule.below_title else []
    if rule.surname_lines:
        blocks = (below_title, *(block_below(label, labels, page.values, page.dating) for label in pointing))
        lines = next((block for block in blocks if len(block) > rule.surname_lines), None)
        return _by_lines(lines, rule.surname_lines) if lines else {}
    values = [_joined(below_title)] if below_title else found.get(LayoutField.FULL_NAME, [])
    if not values and rule.above is not None:
        below = next((label.line for label in labels if label.field is rule.above), None) or _formatted(
            rule.above, page, layouts
        )
        values = [read_value(line.text.strip(), line.confidence) for line in _above(below, page)] if below else []
    if not values and stands_alone(rule):
        values = unlabelled_whole_name(page.values, labels, layouts, page.dating)
    return {**parted(values, rule)} if values else {}


def _below_title(rule: FieldLayout, page: _Page, layouts: Sequence[DocumentLayout]) -> list[TextLine]:
    """The lines of a name right below the last title that has as many of them; none where no title has."""
    titles = [title for layout in layouts for title in layout.titles]
    said = [line for line in page.values if any(is_said(title, [line.text]) for title in titles)]
    blocks = [names_below(line, rule.below_title, page.values, page.dating) for line in said]
    return next((block for block in reversed(blocks) if block), [])


def _by_lines(lines: Sequence[TextLine], surname_lines: int) -> Found:
    parts = (LayoutField.SURNAMES, lines[:surname_lines]), (LayoutField.GIVEN_NAMES, lines[surname_lines:])
    return {name: [_joined(part)] for name, part in parts}


def _joined(lines: Sequence[TextLine]) -> ReadValue:
    return read_value(" ".join(line.text.strip() for line in lines), min(line.confidence for line in lines))


def _formatted(name: LayoutField, page: _Page, layouts: Sequence[DocumentLayout]) -> TextLine | None:
    """The line that has the format of a number which is printed without a label."""
    formats = tuple(one for layout in layouts if name in layout.fields for one in layout.fields[name].formats)
    return next((line for line in page.values if formats and settle(line.text, formats)), None)


def _above(below: TextLine, page: _Page) -> Iterator[TextLine]:
    """The nearest line above that is a name."""
    tall = max(below.height, 1.0)
    near = [line for line in page.values if 0 <= below.top - line.bottom + 0.6 * tall < 3 * tall]
    for line in sorted(near, key=lambda line: -line.bottom):
        if abs(line.left - below.left) < 2 * tall and as_value(LayoutField.FULL_NAME, line.text, page.dating):
            yield line
            return


# ── values ─────────────────────────────────────────────────────────────────────────────────────────────────


def _pairs(label: Label, page: _Page) -> Iterator[Pair]:
    if label.rest and (value := page.value(label.field, label.rest, label)):
        yield Pair(label, value, label.line.confidence * label.certainty, 0.0, label.line)
        return
    for line in page.values:
        if line is label.line:
            continue
        distance = _distance(label.line, line, label.field in page.values_above, label.is_bare_number)
        if distance is None:
            continue
        if (own := as_label(line, page.labels)) and own.rest:
            continue  # it carries a label of its own
        below = () if label.field in page.values_above else page.values
        text = with_next_lines(label, line, below, page.dating, page.labels.labels)
        if value := page.value(label.field, text, label):
            yield Pair(label, value, line.confidence * label.certainty, distance, line)


def _stand_below(labels: Sequence[Label], page: _Page) -> bool:
    """Do labels stand below their values, where no layout says it? Days and sexes tell, which look like nothing else.

    Above each of these labels stands such a value then, and below the last of them none.
    """
    telling = [label for label in labels if label.field in DATES | {LayoutField.GENDER} and not label.rest]
    above, under = (sum(_has_value(label, page, above) for label in telling) for above in (True, False))
    return above >= FEWEST_TELLING and above > under


def _has_value(label: Label, page: _Page, above: bool) -> bool:
    return any(
        _distance(label.line, line, above, beside=False) is not None and page.value(label.field, line.text, label)
        for line in page.values
    )


def _distance(label: TextLine, value: TextLine, values_above: bool, beside: bool) -> float | None:
    """How far a value stands from its label, in lines; None where it cannot belong to it.

    `beside`: it stands to the right of its label, never below: the day below a bare `4a.` is that of `4b.`
    """
    tall = max(label.height, value.height, 1.0)
    overlap = min(label.bottom, value.bottom) - max(label.top, value.top)
    if overlap > 0.4 * min(label.height, value.height) and value.left >= label.right - 0.6 * tall:
        gap = (value.left - label.right) / tall
        return 0.3 + 0.12 * gap if gap < 14 else None
    if beside:
        return None
    below = label.top - value.bottom if values_above else value.top - label.bottom
    if -0.6 * tall < below < 1.9 * tall and (value.top > label.top) is not values_above:
        shift = value.left - label.left
        if value.left > label.right + tall or value.right < label.left - tall:
            return None
        return 0.25 + max(0.0, below / tall) * 0.6 + 0.10 * abs(shift) / tall
    return None
