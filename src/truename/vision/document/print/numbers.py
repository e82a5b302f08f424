"""Which of the printed numbers is meant, by the formats and check digits that the layouts name."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from truename.rules import national_numbers
from truename.rules.evidence import ReadValue, Source
from truename.vision.document.folding import fold
from truename.vision.document.layouts.formats import Settled, digits_in, settle
from truename.vision.document.layouts.model import DATES, NUMBERS, DocumentLayout, LayoutField
from truename.vision.document.print.read import TextLine
from truename.vision.document.print.unlabelled_dates import Dating

LEAST_DIGITS: Final = 5
"""A format with fewer digits is no sign of a number that stands alone."""
LEAST_FIGURES: Final = 2
"""A number of letters and figures that its document prints without a label bears so many, or it is a word."""
LONGEST_SIGN: Final = 3
UNLABELLED: Final = 0.6
PROVEN: Final = 0.85
"""What a number without a label is worth, as it looks right or as its check digit proves it."""
OF_NO_FORMAT: Final = 0.8
"""What is left of the confidence of a number that has none of its formats."""

_OTHER_SCRIPT: Final = re.compile("[\u0370-\u1dff\uac00-\ud7af]")

Candidates = Mapping[LayoutField, Sequence[ReadValue]]


@dataclass(frozen=True)
class _Rule:
    formats: tuple[str, ...]
    scheme: str | None
    stands_alone: bool
    """The document prints it without a label."""

    def settle(self, text: str) -> Settled | None:
        scheme = self.scheme
        if scheme is None:
            return settle(text, self.formats)
        return settle(text, self.formats, lambda number: national_numbers.is_valid(scheme, number))


def by_format(found: Candidates, layouts: Sequence[DocumentLayout]) -> dict[LayoutField, list[ReadValue]]:
    """The candidates with those first that have a format of theirs, doubtful letters settled by it."""
    settled: dict[LayoutField, list[ReadValue]] = {}
    for name, values in found.items():
        rules = _rules(layouts, name) if name in NUMBERS else []
        settled[name] = _in_order(values, rules) if rules else list(values)
    return settled


def without_what_stands_before(
    found: Candidates, layouts: Sequence[DocumentLayout]
) -> dict[LayoutField, list[ReadValue]]:
    """Values without the words that the layout says are printed in front of them (`LR 968051781`)."""
    return {
        name: [value.model_copy(update={"value": _without(field.before, value.value)}) for value in values]
        for layout in layouts
        for name, field in layout.fields.items()
        if fold(field.before) and name not in DATES and (values := found.get(name))
    }


def _without(before: str, value: str) -> str:
    """What is left behind the words; spaces do not count, as numbers are read without them."""
    for end in range(1, len(value)):
        if fold(value[:end]) == fold(before):
            return value[end:].strip(" .:-")
    return value


def without_labels(
    lines: Sequence[TextLine], found: Candidates, layouts: Sequence[DocumentLayout], dating: Dating
) -> dict[LayoutField, list[ReadValue]]:
    """Numbers that were not found by a label, but of which one line alone has the format."""
    added: dict[LayoutField, list[ReadValue]] = {}
    taken = {national_numbers.compact(value.value) for values in found.values() for value in values[:1]}
    for name in sorted(NUMBERS):
        rules = [rule for rule in _rules(layouts, name) if rule.stands_alone or _is_telling(rule)]
        if any(rule.settle(value.value) for rule in rules for value in found.get(name, ())):
            continue
        seen: dict[str, tuple[Settled, float]] = {}
        for line in lines:
            if dating.days(line.text, future=True):
                continue
            for rule in rules:
                others = (_beside_other_letters(line.text), _behind_its_sign(line.text), *_in_own_letters(line.text))
                one = rule.settle(line.text) or next((one for text in others if (one := rule.settle(text))), None)
                if one is None or sum(map(str.isdigit, one.value)) < LEAST_FIGURES:
                    continue
                if (one.proven or not one.repaired) and national_numbers.compact(one.value) not in taken:
                    seen.setdefault(national_numbers.compact(one.value), (one, line.confidence))
        proven = {number: one for number, one in seen.items() if one[0].proven}
        chosen = proven or seen
        if len(chosen) == 1:
            ((one, confidence),) = chosen.values()
            worth = (PROVEN if one.proven else UNLABELLED) * confidence
            value = ReadValue(value=one.value, source=Source.VISUAL, confidence=round(worth, 3))
            added[name] = [value, *found.get(name, ())]
    return added


def birth_by_number(
    lines: Sequence[TextLine], found: Candidates, layouts: Sequence[DocumentLayout], dating: Dating
) -> dict[LayoutField, list[ReadValue]]:
    """The printed day that a number of the holder's names as the birth, where no label points at it."""
    if found.get(LayoutField.DATE_OF_BIRTH):
        return {}
    schemes = [(name, rule.scheme) for name in sorted(NUMBERS) for rule in _rules(layouts, name) if rule.scheme]
    said = [(scheme, value.value) for name, scheme in schemes for value in found.get(name, ())[:1]]
    for line in lines:
        for day in dating.days(line.text):
            examined = (national_numbers.examine_number(scheme, number, day, None) for scheme, number in said)
            if any(one is not None and one.birth is national_numbers.Agreement.AGREES for one in examined):
                worth = round(PROVEN * line.confidence, 3)
                value = ReadValue(value=day.isoformat(), source=Source.VISUAL, confidence=worth)
                return {LayoutField.DATE_OF_BIRTH: [value]}
    return {}


def formats_of(layouts: Sequence[DocumentLayout]) -> dict[LayoutField, tuple[str, ...]]:
    """What each number looks like in any of these versions."""
    return {
        name: formats
        for name in sorted(NUMBERS)
        if (formats := tuple(one for rule in _rules(layouts, name) for one in rule.formats))
    }


def of_few_figures(text: str, formats: Sequence[str]) -> str | None:
    """A number in which letters and figures may stand anywhere and few of them are figures; None where it is a word."""
    settled = settle(text, formats)
    if settled is None or settled.repaired or not any(map(str.isdigit, settled.value)):
        return None
    return settled.value


def without_what_follows(text: str, formats: Sequence[str]) -> str:
    """The first words of a text where they have one of the formats and the whole has none.

    Behind the number of a British licence stands how often it was issued: `MORGA753116SM9IJ 35`.
    """
    if settle(text, formats):
        return text
    words = text.split()
    heads = (" ".join(words[:count]) for count in range(len(words) - 1, 0, -1))
    telling = (head for head in heads if sum(map(str.isdigit, head)) >= LEAST_DIGITS)
    return next((head for head in telling if (one := settle(head, formats)) and not one.repaired), text)


def named_as_in_the_zone(found: Candidates, layouts: Sequence[DocumentLayout]) -> dict[LayoutField, list[ReadValue]]:
    """The zone's document number counts the card; what people call the number is its holder's number there.

    Where the print has a number of the holder's besides, all keep their names.
    """
    if not any(layout.zone_number is LayoutField.CARD_NUMBER for layout in layouts) or prints_both_numbers(layouts):
        return {name: list(values) for name, values in found.items()}
    renamed: dict[LayoutField, list[ReadValue]] = {
        name: list(values) for name, values in found.items() if name is not LayoutField.CARD_NUMBER
    }
    holders = renamed.pop(LayoutField.DOCUMENT_NUMBER, [])
    if holders and not renamed.get(LayoutField.PERSONAL_NUMBER):
        renamed[LayoutField.PERSONAL_NUMBER] = holders
    if cards := found.get(LayoutField.CARD_NUMBER):
        renamed[LayoutField.DOCUMENT_NUMBER] = list(cards)
    return renamed


def prints_both_numbers(layouts: Sequence[DocumentLayout]) -> bool:
    """Are a number of the document and one of its holder printed, and neither of them in the zone, as in Mexico?"""
    both = {LayoutField.DOCUMENT_NUMBER, LayoutField.PERSONAL_NUMBER}
    return any(layout.zone_number is LayoutField.CARD_NUMBER and both <= set(layout.fields) for layout in layouts)


def _is_telling(rule: _Rule) -> bool:
    return max(map(digits_in, rule.formats)) >= LEAST_DIGITS


def _beside_other_letters(text: str) -> str:
    """The Latin words and figures of a line that has letters of another script: a number beside a misread label."""
    if not _OTHER_SCRIPT.search(text):
        return ""
    return " ".join(word for word in text.split() if not _OTHER_SCRIPT.search(word))


def _in_own_letters(text: str) -> list[str]:
    """The last words of a line in another script, for a number that begins with letters of it: `Серия МР 4971986`."""
    words = text.split()
    return [" ".join(words[-count:]) for count in (2, 3) if count < len(words)] if _OTHER_SCRIPT.search(text) else []


def _behind_its_sign(text: str) -> str:
    """The words behind a first one of few letters: `№` is read as `N`, `Ne` or `Nº`, and is then no label."""
    sign, _, number = text.strip().partition(" ")
    return number if 0 < len(sign) <= LONGEST_SIGN and not any(map(str.isdigit, sign)) else ""


def _rules(layouts: Sequence[DocumentLayout], name: LayoutField) -> list[_Rule]:
    fields = (layout.fields.get(name) for layout in layouts)
    return [
        _Rule(field.formats, field.scheme, not field.labels) for field in fields if field is not None and field.formats
    ]


def _in_order(values: Sequence[ReadValue], rules: Sequence[_Rule]) -> list[ReadValue]:
    ranked: list[tuple[int, ReadValue]] = []
    for value in values:
        settled = [one for rule in rules if (one := rule.settle(value.value))]
        if not settled:
            doubted = value.model_copy(update={"confidence": round(OF_NO_FORMAT * value.confidence, 3)})
            ranked.append((3, doubted))
            continue
        best = min(settled, key=_rank)
        ranked.append((_rank(best), value.model_copy(update={"value": best.value, "repaired": best.repaired})))
    return [value for _, value in sorted(ranked, key=lambda one: one[0])]


def _rank(settled: Settled) -> int:
    return 0 if settled.proven else 2 if settled.repaired else 1
