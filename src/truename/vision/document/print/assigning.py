"""Which value belongs to which label: the nearest pairs first, and each line of print to one label."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from truename.rules.evidence import ReadValue, Source
from truename.vision.document.layouts.model import DATES, LayoutField
from truename.vision.document.print.labels import Label
from truename.vision.document.print.read import TextLine
from truename.vision.document.print.values import NAMES

SURELY_READ: Final = 0.9
"""How sure it must be that a line is the label of a value, so that it is no other field's."""
HALF_A_NAME: Final = 0.5
"""What is left of the confidence of a second surname or given name where the first was not found."""
OF_ONE_MEANING: Final = DATES | {LayoutField.SURNAMES, LayoutField.GIVEN_NAMES}
"""Fields that have no value rather than that of another."""


@dataclass(frozen=True)
class Pair:
    """A label and a value that may belong to it."""

    label: Label
    value: str
    confidence: float
    distance: float
    line: TextLine


def assign(pairs: Sequence[Pair]) -> dict[LayoutField, list[ReadValue]]:
    """Nearest pairs first; a line serves one label only, except that its other labels keep it as a spare candidate."""
    ranked = sorted(pairs, key=lambda pair: pair.distance + 0.8 * (1 - pair.label.certainty))
    owners: dict[int, Label] = {}
    used_labels: set[int] = set()
    chosen: dict[LayoutField, list[tuple[Pair, bool]]] = {}
    for pair in ranked:
        owner = owners.get(id(pair.line))
        first = id(pair.label.line) not in used_labels and (owner is None or pair.line is pair.label.line)
        if first:
            used_labels.add(id(pair.label.line))
            owners[id(pair.line)] = pair.label
        elif owner is not None and _is_anothers(pair.label, owner):
            continue
        chosen.setdefault(pair.label.field, []).append((pair, first))
    return {field: _candidates(field, found) for field, found in chosen.items()}


def _is_anothers(label: Label, owner: Label) -> bool:
    """Is a day or a name that of another field, whose label was read for sure?

    Nobody was born when a card was issued, nor is called like the country below a name that could not be read.
    """
    return label.field is not owner.field and label.field in OF_ONE_MEANING and owner.certainty >= SURELY_READ


def _candidates(field: LayoutField, found: Sequence[tuple[Pair, bool]]) -> list[ReadValue]:
    owned = [pair for pair, first in found if first]
    spare = [pair for pair, first in found if not first]
    values: list[ReadValue] = []
    seconds = [pair for pair in owned if pair.label.second]
    firsts = [pair for pair in owned if not pair.label.second]
    if field in NAMES and firsts and seconds:
        joined = f"{firsts[0].value} {seconds[0].value}"
        values.append(read_value(joined, min(firsts[0].confidence, seconds[0].confidence)))
    worth = HALF_A_NAME if field in NAMES and not firsts else 1.0
    values += [read_value(pair.value, pair.confidence) for pair in firsts]
    values += [read_value(pair.value, worth * pair.confidence) for pair in seconds]
    values += [read_value(pair.value, 0.6 * pair.confidence) for pair in spare]
    unique: dict[str, ReadValue] = {}
    for value in values:
        unique.setdefault(value.value, value)
    return list(unique.values())


def read_value(text: str, confidence: float) -> ReadValue:
    """A printed text as a candidate; nothing but print stands behind it, so that it is never certain."""
    return ReadValue(value=text, source=Source.VISUAL, confidence=round(min(0.9, 0.9 * confidence), 3))
