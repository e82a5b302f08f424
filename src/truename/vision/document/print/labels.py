"""Is a printed line a label, alone or with its value behind it? Small misreadings are forgiven."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from rapidfuzz import fuzz, process

from truename.rules.evidence import DocumentType
from truename.vision.document.folding import fold
from truename.vision.document.layouts.model import DATES, NUMBERS, LayoutField
from truename.vision.document.layouts.phrases import (
    Meant,
    documents_of,
    label_fields,
    numbered_fields,
    own_labels,
    paired_labels,
)
from truename.vision.document.print.chinese import only_sounds_like_a_label
from truename.vision.document.print.read import TextLine

ALIKE: Final = 80
"""How alike (0–100) a longer label must be: labels are the smallest print on the page and often misread."""
ALIKE_SHORT: Final = 85
SHORT, EXACT_UNDER = 8, 5
SHORT_WORDS: Final = frozenset({"DL", "LN", "FN", "ID"})
"""Labels of two letters that may stand in one line with their value."""
ALIKE_OWN: Final = 62
"""How alike a badly read line must be to a label of the very document; that of another field must be worse by MORE."""
MORE: Final = 6
ALIKE_WITH_VALUE: Final = 92
"""How alike the words in front of a value must be to a label of the very document."""
ALIKE_NUMBERED: Final = 75
"""How alike the words behind the number of a field must be to its own label: the number has named it already."""
SURE, WITH_VALUE = 0.95, 0.9
"""A line read so well is a label only if it says so; how sure one with its value behind it is."""
LONG_ENOUGH: Final = 8
SAME_FORM: Final = str.maketrans("L10", "IIO")
"""A small L, a capital I and a one, an O and a nought."""
NUMBERED: Final = re.compile(r"^\(?(?:(\d{1,2}[A-Da-d]?)[.)]?(?=\s|$)|(\d[a-d])(?=[A-Z]))")

GLUED: Final = (
    re.compile(r"^(.*[a-zß-ÿ.])\s*([A-ZÀ-Þ]{2}.*)$"),
    re.compile(r"^(\D+?)\s*(\d.*)$"),
    re.compile(r"^(\D{0,12}[°º])\s*(\S.*)$"),
)
"""Small letters before capitals, letters before figures, or the sign of a number before it."""
LEAST_WORD: Final = 4
"""Letters of a word that is taken for a label in the midst of a line."""
NAMES: Final = frozenset({LayoutField.SURNAMES, LayoutField.GIVEN_NAMES, LayoutField.FULL_NAME})
ANY_WORDS: Final = NAMES | {LayoutField.PLACE_OF_BIRTH, LayoutField.ADDRESS, LayoutField.ISSUING_AUTHORITY}
"""Fields of which any words may be the value, those of a misread label too."""
NEXT_NUMBER: Final = re.compile(r"\s+\d{1,2}[a-d]?\.?\s?(?=[A-Z]{3,})")


@dataclass(frozen=True)
class Vocabulary:
    """The labels that may stand on this document, and what numbers name its fields."""

    labels: Mapping[str, Meant]
    numbers: Mapping[str, LayoutField] = field(default_factory=dict)
    own: Mapping[str, Meant] = field(default_factory=dict)
    """The whole labels of the very document, where it is known: few, so that a guess is safe."""
    labelled: frozenset[LayoutField] | None = None
    """The fields at which the very document prints a label; None where it is not known."""

    @cached_property
    def own_by_form(self) -> dict[str, Meant]:
        """The labels of the very document by their letters' form; of two of one form the first counts."""
        return {label.translate(SAME_FORM): self.own[label] for label in reversed(tuple(self.own))}


@dataclass(frozen=True)
class Label:
    """A line that names a field."""

    field: LayoutField
    line: TextLine
    rest: str
    """What follows the label in its own line."""
    certainty: float
    second: bool = False
    """Its value is added behind that of the first label of the same field."""
    is_bare_number: bool = False
    """Its line is the number of a field alone: the value stands beside it."""


@dataclass(frozen=True)
class _Found:
    meant: Meant
    certainty: float
    rest: str = ""
    letters: int = 0  # of the label that it was taken for, folded; none where that is not said


def vocabulary_of(country: str | None, kind: DocumentType | None) -> Vocabulary:
    """The words and numbers that documents of this country and kind print at their fields, as far as both are known."""
    printed = own_labels(country, kind)
    own = {**paired_labels(country), **printed}
    labelled = frozenset(meant.field for meant in printed.values()) if documents_of(country, kind) else None
    return Vocabulary(label_fields(country, kind), numbered_fields(country, kind), own, labelled)


def as_label(line: TextLine, known: Vocabulary) -> Label | None:
    """Read a line as a label; None when it is none."""
    text = line.text.strip()
    if only_sounds_like_a_label(text):
        return None
    by_number, body = _numbered(text, known.numbers)
    found = _named(body, known)
    if found and by_number and found.meant.field is not by_number and _is_its_value(by_number, body, found, known):
        found = None
    if found:
        return Label(found.meant.field, line, found.rest, found.certainty, found.meant.second)
    if by_number:
        return Label(by_number, line, _value_behind(body, by_number, known), 0.9, is_bare_number=not body)
    if guess := _guess(line, known.own):
        return Label(guess.meant.field, line, "", guess.certainty, guess.meant.second)
    return None


def _numbered(text: str, numbers: Mapping[str, LayoutField]) -> tuple[LayoutField | None, str]:
    """The field that the number in front of a text names, if it names one, and the text behind the number."""
    for number, name in numbers.items():
        # What no driving licence of Europe or America has: `1,2`, `4e`, `12-1`.
        if not NUMBERED.fullmatch(number) and (match := re.match(rf"\(?{re.escape(number)}[.)]?(?:\s|$)", text, re.I)):
            return name, text[match.end() :].strip()
    numbered = NUMBERED.match(text)
    if numbered is None:
        return None, text
    return numbers.get((numbered[1] or numbered[2]).upper()), text[numbered.end() :].strip()


def _is_its_value(name: LayoutField, body: str, found: _Found, known: Vocabulary) -> bool:
    """Is a word behind the number of a field, taken for another field's label, rather the value of the field?

    `4d. ID 123456789`: the number says more than two letters, or than a label that these words are only alike.
    `1. SEX`: somebody is called so, where the document prints no label at that other field.
    """
    if len(fold(body)) - len(fold(found.rest)) <= len("ID") or found.certainty < WITH_VALUE:
        return True
    is_a_name = name in NAMES and found.meant.field not in NAMES
    return is_a_name and known.labelled is not None and found.meant.field not in known.labelled


def _value_behind(body: str, name: LayoutField, known: Vocabulary) -> str:
    """What follows a numbered label, as far as the next number: `LIC#WDL12 9CLASS B` is `WDL12`."""
    for length in range(min(len(body) - 1, LONG_ENOUGH), 1, -1):
        meant = known.labels.get(fold(body[:length]))
        if meant is not None and meant.field is name and not body[length - 1].isspace():
            body = body[length:].lstrip(" :.#")
            break
    return NEXT_NUMBER.split(_without_misread_label(body, name, known.own))[0]


def _without_misread_label(body: str, name: LayoutField, own: Mapping[str, Meant]) -> str:
    """The text without the document's label of this field in front of it, of which a few letters may be misread."""
    labels = [label for label, meant in own.items() if meant.field is name and len(label) >= LEAST_WORD]
    words = body.split()
    heads = [(fold(" ".join(words[:count])), count) for count in range(1, len(words) + 1)] if labels else []
    score, count = max(((fuzz.ratio(head, one), count) for head, count in heads for one in labels), default=(0.0, 0))
    return " ".join(words[count:]) if score >= ALIKE_NUMBERED else body


def _guess(line: TextLine, own: Mapping[str, Meant]) -> _Found | None:
    """A line that was badly read as the label of the very document that it is most alike."""
    folded = fold(line.text)
    if not own or line.confidence >= SURE or len(folded) < LONG_ENOUGH or sum(map(str.isdigit, folded)) > 2:
        return None
    scores = {label: fuzz.ratio(folded, label) for label in own}
    best = max(scores, key=scores.__getitem__)
    others = [score for label, score in scores.items() if own[label].field is not own[best].field]
    if scores[best] < ALIKE_OWN or scores[best] < max(others, default=0.0) + MORE:
        return None
    return _Found(own[best], scores[best] / 100)


def _named(body: str, vocabulary: Vocabulary) -> _Found | None:
    """The field that the beginning of a text names, and what is left of the text."""
    known = vocabulary.labels
    match = re.match(r"^([^:]{2,40}):\s*(.*)$", body)
    if match and (found := _match(fold(match[1]), known) or _match(fold(match[1].rpartition("/")[2]), known)):
        # A colon is also what a stroke between two languages is misread as.
        is_label = _match(fold(match[2]), known) and not only_sounds_like_a_label(match[2])
        return _Found(found.meant, found.certainty, "" if is_label else match[2].strip())
    if found := _match(fold(body), known):
        # `JINSI M` is that label whole and a letter behind it; `Nom de famlle` a longer one than `Nom`, misread.
        behind = _with_value_behind(body, vocabulary) if found.certainty < 1 else None
        is_whole = behind and behind.meant.field is found.meant.field and behind.letters >= found.letters
        return behind if is_whole else found
    if meant := vocabulary.own.get(fold(body)) or _look_alike(fold(body), vocabulary):
        return _Found(meant, 1.0)
    if "/" in body and (found := _own_with_value_behind(body, vocabulary)):
        return found
    if found := _of_both_names(body, known) or _in_languages(body, known):
        return found
    if found := _with_value_behind(body, vocabulary) or _glued(body, vocabulary):
        return found
    # A misread label in one language is believed where not any words can be its value.
    found = _own_with_value_behind(body, vocabulary)
    return found if found and found.meant.field in DATES | NUMBERS else None


def _with_value_behind(body: str, vocabulary: Vocabulary) -> _Found | None:
    """A label of some words to the letter, and its value in the words behind them."""
    known, words = vocabulary.labels, body.split()
    for count in range(min(4, len(words) - 1), 0, -1):
        head = fold(" ".join(words[:count]))
        meant = known.get(head) or _look_alike(head, vocabulary)
        if meant and (len(head) > 2 or head in SHORT_WORDS or head in vocabulary.own):
            # Behind a stroke stands the same label in another language, however badly it was read.
            is_label = words[count - 1].endswith("/") or words[count].startswith("/")
            is_label = is_label and meant.field in ANY_WORDS
            return _Found(meant, WITH_VALUE, "" if is_label else _before_next_label(words[count:], known), len(head))
    return None


def _look_alike(folded: str, vocabulary: Vocabulary) -> Meant | None:
    """What a label of the very document means that was read so but for letters of the same form: `Dol` is `DoI`."""
    return vocabulary.own_by_form.get(folded.translate(SAME_FORM)) if len(folded) > len("ID") else None


def _own_with_value_behind(body: str, vocabulary: Vocabulary) -> _Found | None:
    """A whole label of the very document, and its value in the words behind: `Nom / Surname ROSSI`."""
    own, words = vocabulary.own, body.split()
    alike: list[tuple[float, int, str]] = []
    for count in range(1, len(words)):
        head = fold(" ".join(words[:count]))
        cutoff = ALIKE_WITH_VALUE if len(head) >= LONG_ENOUGH else 100
        if best := process.extractOne(head, own.keys(), scorer=fuzz.ratio, score_cutoff=cutoff):
            alike.append((best[1], count, best[0]))
    if not alike:
        return None
    score, count, label = max(alike)
    rest = " ".join(words[count:])
    is_label = "/" in (words[count - 1][-1], rest[0]) and _match(fold(rest), vocabulary.labels)
    return _Found(own[label], 0.9 * score / 100, "" if is_label else rest)


def _in_languages(body: str, known: Mapping[str, Meant]) -> _Found | None:
    """A label in several languages: of parts between strokes, the one that is surest to be a label.

    What is none may be its value where not any words can be one: of `लिंग / Male` the label's other half was lost.
    """
    parts = [re.sub(r"^\d+\.?\s*", "", part) for part in re.split(r"\s*/\s*", body) if part]
    # A date or a number with strokes in it is no label in two languages.
    if len(parts) < 2 or re.search(r"\d{2}", body):
        return None
    # `Adı, atasının adı / Given name, patronymic`: more is asked for than we have a word for.
    heads = [part.partition(",")[0] for part in parts]
    named = [found for part in (*parts, *heads) if (found := _match(fold(part), known))]
    best = max(named, key=lambda found: found.certainty, default=None)
    if best is None or best.meant.field in ANY_WORDS or _match(fold(heads[-1]), known):
        return best
    return _Found(best.meant, best.certainty, parts[-1])


def _of_both_names(body: str, known: Mapping[str, Meant]) -> _Found | None:
    """A label that asks for a whole name, surnames before a comma: `Name (Surname, Given names)`."""
    heads = [known.get(fold(re.split(r"[(/]", part)[-1])) for part in body.split(",")]
    asked = [meant.field for meant in heads if meant is not None]
    if asked[:2] == [LayoutField.SURNAMES, LayoutField.GIVEN_NAMES]:
        return _Found(Meant(LayoutField.FULL_NAME), 0.9)
    return None


def _before_next_label(words: Sequence[str], known: Mapping[str, Meant]) -> str:
    """The value behind a label, as far as the next one; empty where both are one label (`Surname and name of …`)."""
    ends = (place for place, word in enumerate(words) if len(fold(word)) >= LEAST_WORD and fold(word) in known)
    value = words[: next(ends, len(words))]
    is_one_label = len(value) < len(words) and all(len(fold(word)) < LEAST_WORD for word in value)
    return "" if is_one_label else " ".join(value)


def _glued(body: str, vocabulary: Vocabulary) -> _Found | None:
    """A label to which its value was drawn without a space: `SurnameROSSI`, `EXP08/12/2020`."""
    for pattern in GLUED:
        match = pattern.match(body)
        head = fold(match[1]) if match else ""
        # `Nº` says little, unless it is all that this document prints there.
        telling = len(head) > len("ID") or head in vocabulary.own
        if match and telling and (meant := vocabulary.labels.get(head)):
            return _Found(meant, 0.9, match[2])
    return None


def _match(folded: str, known: Mapping[str, Meant]) -> _Found | None:
    if folded in known:
        return _Found(known[folded], 1.0)
    if len(folded) < EXACT_UNDER:
        return None
    cutoff = ALIKE if len(folded) >= SHORT else ALIKE_SHORT
    best = process.extractOne(folded, known.keys(), scorer=fuzz.ratio, score_cutoff=cutoff)
    # A label with its value behind it is much longer than the label alone.
    if best is None or len(best[0]) < EXACT_UNDER or len(folded) > 1.15 * len(best[0]) + 1:
        return None
    return _Found(known[best[0]], best[1] / 100, letters=len(best[0]))
