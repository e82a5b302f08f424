"""Which printed words are the name, the number, the dates?

Labels in many languages point at values to their right or below them; driving licences number their fields instead.
Every field may get several candidates, the most likely first: the reconciliation chooses with the other sources.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from rapidfuzz import fuzz, process

from truename.rules import documents
from truename.rules.countries import COUNTRIES
from truename.rules.evidence import DocumentType, FieldName, ReadValue, Source
from truename.vision.document.print.dates import Order, find_dates, says_without_end
from truename.vision.document.print.folding import fold, fold_words
from truename.vision.document.print.labels import (
    AMERICAN_NUMBERS,
    DEMONYMS,
    EUROPEAN_NUMBERS,
    SECOND_PART,
    label_fields,
)
from truename.vision.document.print.read import TextLine
from truename.vision.document.print.unlabelled_dates import Dating, unlabelled_dates

ALIKE: Final = 80
"""How alike (0–100) a longer label must be: labels are the smallest print on the page and often misread."""
ALIKE_SHORT: Final = 85
SHORT: Final = 8
EXACT_UNDER: Final = 5
AMERICAN: Final = frozenset({"US", "CA"})
MONTH_FIRST: Final = frozenset({"US", "PH"})
DATES: Final = frozenset({FieldName.DATE_OF_BIRTH, FieldName.DATE_OF_ISSUE, FieldName.DATE_OF_EXPIRY})
NAMES: Final = frozenset({FieldName.SURNAMES, FieldName.GIVEN_NAMES})
SEX_WORDS: Final = {
    "M": "M", "F": "F", "X": "X", "MALE": "M", "FEMALE": "F", "MASCULINO": "M", "FEMENINO": "F", "FEMININO": "F",
    "HOMBRE": "M", "MUJER": "F", "H": "M", "K": "F", "W": "F", "E": "M", "ERKEK": "M", "KADIN": "F", "N": "F",
    "Z": "F", "V": "M", "MANN": "M", "WEIBLICH": "F", "MANNLICH": "M", "MASCHIO": "M", "FEMMINA": "F", "S": "F",
}  # fmt: skip
NUMBERED: Final = re.compile(r"^\(?(\d{1,2}[A-Da-d]?)[.)]?(?=\s|$)")
NUMBER_SHAPE: Final = re.compile(r"[A-Z0-9][A-Z0-9 .\-/]{3,22}[A-Z0-9]")


@dataclass(frozen=True)
class _Label:
    field: FieldName
    line: TextLine
    rest: str
    """What follows the label in its own line."""
    certainty: float
    second: bool = False


@dataclass(frozen=True)
class _Pair:
    """A label and a value that may belong to it."""

    label: _Label
    value: str
    confidence: float
    distance: float
    line: TextLine


def read_fields(
    lines: Sequence[TextLine], country: str | None, kind: DocumentType | None, today: date
) -> dict[FieldName, list[ReadValue]]:
    """Candidates for each field of one side."""
    printed = [line for line in lines if "<<" not in line.text]
    numbers = _numbering(country, kind)
    labels = [label for line in printed if (label := _as_label(line, numbers))]
    label_lines = {id(label.line) for label in labels if not label.rest}
    values = [line for line in printed if id(line) not in label_lines]
    order = Order.MONTH_FIRST if country in MONTH_FIRST else Order.DAY_FIRST
    dating = Dating(order, today, documents.may_be_without_end(country, kind))
    pairs = [pair for label in labels for pair in _pairs(label, values, dating)]
    found = _assign(pairs)
    return found | unlabelled_dates(printed, found, dating)


# ── labels ─────────────────────────────────────────────────────────────────────────────────────────────────


def _numbering(country: str | None, kind: DocumentType | None) -> dict[str, FieldName]:
    if kind is not DocumentType.DRIVER_LICENSE:
        return {}
    return AMERICAN_NUMBERS if country in AMERICAN else EUROPEAN_NUMBERS


def _as_label(line: TextLine, numbers: dict[str, FieldName]) -> _Label | None:
    """Read a line as a label, alone or with its value behind it."""
    text = line.text.strip()
    numbered = NUMBERED.match(text)
    by_number = numbers.get(numbered[1].upper()) if numbered else None
    body = text[numbered.end() :].strip() if numbered else text
    if found := _named(body):
        field, rest, certainty, second = found
        return _Label(field, line, rest, certainty, second)
    if by_number:
        return _Label(by_number, line, body, 0.9)
    return None


def _named(body: str) -> tuple[FieldName, str, float, bool] | None:
    """The field that the beginning of a text names, and what is left of the text."""
    if (match := re.match(r"^([^:]{2,40}):\s*(.*)$", body)) and (found := _match(fold(match[1]))):
        return found[0], match[2].strip(), found[1], found[2]
    if found := _match(fold(body)):
        return found[0], "", found[1], found[2]
    parts = [part for part in re.split(r"\s*/\s*", body) if part]
    if len(parts) > 1:
        named = [found for part in parts if (found := _match(fold(re.sub(r"^\d+\.?\s*", "", part))))]
        if named:
            best = max(named, key=lambda match: match[1])
            return best[0], "", best[1], best[2]
    words = body.split()
    for count in range(min(4, len(words) - 1), 0, -1):
        head = fold(" ".join(words[:count]))
        if head in label_fields() and (len(head) > 2 or head in ("DL", "LN", "FN", "ID")):
            return label_fields()[head], " ".join(words[count:]), 0.9, head in SECOND_PART
    return None


def _match(folded: str) -> tuple[FieldName, float, bool] | None:
    known = label_fields()
    if folded in known:
        return known[folded], 1.0, folded in SECOND_PART
    if len(folded) < EXACT_UNDER:
        return None
    cutoff = ALIKE if len(folded) >= SHORT else ALIKE_SHORT
    best = process.extractOne(folded, known.keys(), scorer=fuzz.ratio, score_cutoff=cutoff)
    # A label with its value behind it is much longer than the label alone.
    if best is None or len(best[0]) < EXACT_UNDER or len(folded) > 1.15 * len(best[0]) + 1:
        return None
    return known[best[0]], best[1] / 100, best[0] in SECOND_PART


# ── values ─────────────────────────────────────────────────────────────────────────────────────────────────


def _pairs(label: _Label, values: Sequence[TextLine], dating: Dating) -> Iterator[_Pair]:
    if label.rest and (value := _as_value(label.field, label.rest, dating)):
        yield _Pair(label, value, label.line.confidence * label.certainty, 0.0, label.line)
        return
    for line in values:
        if line is label.line:
            continue
        distance = _distance(label.line, line)
        if distance is None:
            continue
        text = line.text
        if (own := _as_label(line, {})) and own.rest:
            continue  # it carries a label of its own
        if value := _as_value(label.field, text, dating):
            yield _Pair(label, value, line.confidence * label.certainty, distance, line)


def _distance(label: TextLine, value: TextLine) -> float | None:
    """How far a value stands from its label, in lines; None where it cannot belong to it."""
    tall = max(label.height, value.height, 1.0)
    overlap = min(label.bottom, value.bottom) - max(label.top, value.top)
    if overlap > 0.4 * min(label.height, value.height) and value.left >= label.right - 0.6 * tall:
        gap = (value.left - label.right) / tall
        return 0.3 + 0.12 * gap if gap < 14 else None
    below = value.top - label.bottom
    if -0.6 * tall < below < 1.9 * tall and value.top > label.top:
        shift = value.left - label.left
        if value.left > label.right + tall or value.right < label.left - tall:
            return None
        return 0.25 + max(0.0, below / tall) * 0.6 + 0.10 * abs(shift) / tall
    return None


def _as_value(field: FieldName, text: str, dating: Dating) -> str | None:
    """The text as this field's value; None when it cannot be one."""
    if field in DATES:
        is_expiry = field is FieldName.DATE_OF_EXPIRY
        if is_expiry and dating.may_be_without_end and says_without_end(text):
            return documents.WITHOUT_END.isoformat()
        dates = find_dates(text, dating.order, is_expiry, dating.today)
        return dates[0].isoformat() if dates else None
    if field is FieldName.GENDER:
        return _sex(text)
    if field is FieldName.NATIONALITY:
        return _nationality(text)
    if field in (FieldName.DOCUMENT_NUMBER, FieldName.PERSONAL_NUMBER):
        return _number(text)
    if field in NAMES:
        return _name(text)
    return text.strip() if len(fold(text)) >= 3 and not find_dates(text, dating.order, True, dating.today) else None


def _sex(text: str) -> str | None:
    parts = [part for part in fold_words(text) if part in SEX_WORDS]
    if not parts or len(fold(text)) > 12:
        return None
    # Where two languages are printed ("S/F", "K/F", "E / M") the last is the international letter.
    return SEX_WORDS[parts[-1]]


def _nationality(text: str) -> str | None:
    for part in [text, *re.split(r"[/\s]+", text)]:
        folded = fold(part)
        if folded in DEMONYMS:
            return DEMONYMS[folded]
        for country in COUNTRIES.values():
            if folded in (country.alpha_3, fold(country.name)):
                return country.alpha_2
    return None


def _number(text: str) -> str | None:
    if find_dates(text, Order.DAY_FIRST, True) and not re.search(r"[A-Z]", text):
        return None
    match = NUMBER_SHAPE.search(text.upper())
    if match is None:
        return None
    number = re.sub(r"\s+", "", match[0]).strip(".-/")
    return number if sum(character.isdigit() for character in number) >= 4 else None


def _name(text: str) -> str | None:
    clean = re.sub(r"\s+", " ", text).strip(" .,:;-")
    letters = sum(character.isalpha() for character in clean)
    if letters < 2 or any(character.isdigit() for character in clean) or letters < 0.7 * len(clean):
        return None
    return clean


# ── settling ───────────────────────────────────────────────────────────────────────────────────────────────


def _assign(pairs: Sequence[_Pair]) -> dict[FieldName, list[ReadValue]]:
    """Nearest pairs first; a line serves one label only, except that its other labels keep it as a spare candidate."""
    ranked = sorted(pairs, key=lambda pair: pair.distance + 0.8 * (1 - pair.label.certainty))
    used_lines: dict[int, FieldName] = {}
    used_labels: set[int] = set()
    chosen: dict[FieldName, list[tuple[_Pair, bool]]] = {}
    for pair in ranked:
        taken = used_lines.get(id(pair.line))
        first = id(pair.label.line) not in used_labels and (taken is None or pair.line is pair.label.line)
        if first:
            used_labels.add(id(pair.label.line))
            used_lines[id(pair.line)] = pair.label.field
        chosen.setdefault(pair.label.field, []).append((pair, first))
    return {field: _candidates(field, found) for field, found in chosen.items()}


def _candidates(field: FieldName, found: Sequence[tuple[_Pair, bool]]) -> list[ReadValue]:
    owned = [pair for pair, first in found if first]
    spare = [pair for pair, first in found if not first]
    values: list[ReadValue] = []
    seconds = [pair for pair in owned if pair.label.second]
    firsts = [pair for pair in owned if not pair.label.second]
    if field in NAMES and firsts and seconds:
        joined = f"{firsts[0].value} {seconds[0].value}"
        values.append(_value(joined, min(firsts[0].confidence, seconds[0].confidence)))
    values += [_value(pair.value, pair.confidence) for pair in firsts + seconds]
    values += [_value(pair.value, 0.6 * pair.confidence) for pair in spare]
    unique: dict[str, ReadValue] = {}
    for value in values:
        unique.setdefault(value.value, value)
    return list(unique.values())


def _value(text: str, confidence: float) -> ReadValue:
    return ReadValue(value=text, source=Source.VISUAL, confidence=round(min(0.9, 0.9 * confidence), 3))
