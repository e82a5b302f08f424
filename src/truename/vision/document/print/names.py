"""Names that are printed in one piece, parted into given names and surnames as the layout says."""

import itertools
import re
from collections.abc import Sequence
from math import inf
from typing import Final

from truename.rules.evidence import ReadValue
from truename.rules.text import is_part_of_name
from truename.vision.document.layouts.model import DocumentLayout, FieldLayout, LayoutField, NameOrder
from truename.vision.document.print.fit import Fit
from truename.vision.document.print.korean import parted_in_signs
from truename.vision.document.print.labels import Label
from truename.vision.document.print.read import TextLine
from truename.vision.document.print.unlabelled_dates import Dating
from truename.vision.document.print.values import as_value

PARTED: Final = 0.8
"""What is left of the confidence where words had to be parted by a rule of thumb."""
ONE_WORD: Final = 0.5
"""What is left of it where a whole name is one word."""
LEAST_LETTERS: Final = 3
"""Of a name in one word."""
NEXT_LINE: Final = 1.9
"""How far below, in heights of a line, the next line of a name may stand."""
SHIFTED: Final = 1.5
"""How far to the side it may begin."""

PARTICLES: Final = frozenset({
    "DE", "DA", "DO", "DAS", "DOS", "DEL", "DI", "DELLA", "LA", "LAS", "LOS", "LE", "VAN", "VON", "DER", "DEN", "TER",
    "TEN", "ZU", "ZUM", "ZUR", "AL", "EL", "DU", "DES", "BIN", "BINTI", "BINTE", "IBN", "BEN", "OULD", "A/L", "A/P",
    "S/O", "D/O", "BINT", "MINT", "ABU", "MAC", "MC", "VOM", "DEI", "DEGLI", "DELLO", "DALLA",
    "بن", "ابن", "بنت", "آل", "أبو", "ابو", "عبد", "בן", "אבו", "אל",
})  # fmt: skip
"""Words that stand in front of the word they belong to: the surname of `JOSE DE LA CRUZ` is `DE LA CRUZ`."""
SUFFIXES: Final = frozenset({"JR", "SR", "JUNIOR", "JÚNIOR", "SENIOR", "FILHO", "II", "III", "IV"})
"""Words behind a surname that belong to it. NETO and SOBRINHO do in Brazil, and are surnames elsewhere."""
CONNECTING: Final = frozenset({"E", "Y", "I"})
"""Words between two surnames, the first of which has a particle: `DA COSTA E SILVA`. Without one, it may be the first
letter of a second given name: `MARY ANN E SMITH`."""

_WITHOUT_SPACES: Final = re.compile("[\u3400-\u9fff\uac00-\ud7af]")
"""Chinese and Korean write surname and given name in one."""

Names = dict[LayoutField, list[ReadValue]]


def parted(values: Sequence[ReadValue], rule: FieldLayout) -> Names:
    """Given names and surnames of each reading of a full name.

    Where every reading is a single word, it is the surname, as passports have it of people with one name; at half its
    confidence, as it may be what was read of two.
    """
    found: Names = {LayoutField.SURNAMES: [], LayoutField.GIVEN_NAMES: []}
    for value in values:
        surnames, given = _part(value.value, rule)
        if not surnames or not given:
            continue
        worth = {"confidence": round(PARTED * value.confidence, 3)}
        found[LayoutField.SURNAMES].append(value.model_copy(update={"value": surnames, **worth}))
        found[LayoutField.GIVEN_NAMES].append(value.model_copy(update={"value": given, **worth}))
    if not found[LayoutField.SURNAMES] and (only := _only_name(values, rule)):
        found[LayoutField.SURNAMES] = [only]
    return {name: listed for name, listed in found.items() if listed}


def _only_name(values: Sequence[ReadValue], rule: FieldLayout) -> ReadValue | None:
    """The first reading that is one word in letters of an alphabet, as the surname; none where a comma parts names."""
    if rule.order is NameOrder.SURNAME_COMMA or rule.surname_lines:
        return None
    for value in values:
        name = _without_courtesy(value.value.strip(), rule.courtesy)
        letters = re.sub("[-'’]", "", name)
        if len(letters) >= LEAST_LETTERS and letters.isalpha() and not _WITHOUT_SPACES.match(name):
            return value.model_copy(update={"value": name, "confidence": round(ONE_WORD * value.confidence, 3)})
    return None


def of_unknown_order(found: Names) -> Names:
    """Surnames and given names where no layout says how whole names part: by a comma, or by what else is named.

    `Name` beside surnames asks for the given names, and beside given names for the surnames. Alone it asks for a whole
    name, which nobody can part.
    """
    order = LayoutField.FULL_NAME, LayoutField.SURNAMES, LayoutField.GIVEN_NAMES
    whole, surnames, given = (found.get(name, []) for name in order)
    written = [value for value in (*whole, *(surnames[:1] if not given else [])) if "," in value.value]
    if written:
        return parted(written, FieldLayout(order=NameOrder.SURNAME_COMMA))
    for name, one, other in ((order[2], surnames, given), (order[1], given, surnames)):
        if whole and one and not other and not is_part_of_name(one[0].value, whole[0].value):
            return {name: whole}
    return {}


def parted_in_place(fit: Fit, found: Names) -> Names:
    """Given names and surnames of a whole name that stands in its place; `found` has it in one piece, first of all."""
    rule, placed = fit.layout.fields.get(LayoutField.FULL_NAME), fit.values.get(LayoutField.FULL_NAME)
    if rule is None or placed is None:
        return {}
    whole = found[LayoutField.FULL_NAME][0]
    if not rule.surname_lines:
        return parted([whole], rule)
    parts = placed.lines[: rule.surname_lines], placed.lines[rule.surname_lines :]
    names = zip((LayoutField.SURNAMES, LayoutField.GIVEN_NAMES), parts, strict=True)
    return {name: [whole.model_copy(update={"value": " ".join(lines)})] for name, lines in names} if parts[1] else {}


def without_courtesies(found: Names, layouts: Sequence[DocumentLayout]) -> Names:
    """Names without the Mr or Ms that a document prints in front of them."""
    return {
        name: [value.model_copy(update={"value": _without_courtesy(value.value, field.courtesy)}) for value in values]
        for layout in layouts
        for name, field in layout.fields.items()
        if field.courtesy and (values := found.get(name))
    }


def block_below(label: Label, labels: Sequence[Label], values: Sequence[TextLine], dating: Dating) -> list[TextLine]:
    """The lines of a name that runs on below its label, as far as the next label or something that is no name."""
    found: list[TextLine] = []
    above, ends = label.line, _next_label(label, labels)
    for line in sorted(values, key=lambda line: line.top):
        tall = max(line.height, 1.0)
        if line.top <= above.top + 0.3 * tall or abs(line.left - label.line.left) > SHIFTED * tall:
            continue
        if line.top >= ends or line.top - above.bottom > NEXT_LINE * tall:
            break
        if as_value(LayoutField.FULL_NAME, line.text, dating) is None:
            break
        found.append(line)
        above = line
    return found


def names_below(title: TextLine, count: int, values: Sequence[TextLine], dating: Dating) -> list[TextLine]:
    """The first lines under a title that may be names, one below the other; none where they are fewer than so many."""
    lowest = title.bottom - 0.4 * title.height
    under = [line for line in sorted(values, key=lambda line: line.top) if line.top >= lowest]
    names = [line for line in under if as_value(LayoutField.FULL_NAME, line.text, dating) is not None]
    found = names[:count]
    steady = all(
        lower.top - upper.bottom <= NEXT_LINE * upper.height and abs(lower.left - upper.left) <= SHIFTED * upper.height
        for upper, lower in itertools.pairwise(found)
    )
    return found if len(found) == count and steady else []


def _next_label(label: Label, labels: Sequence[Label]) -> float:
    """Where the next label of the same column begins."""
    reach = 3 * SHIFTED * max(label.line.height, 1.0)
    tops = (
        other.line.top
        for other in labels
        if other.line.top > label.line.bottom and abs(other.line.left - label.line.left) <= reach
    )
    return min(tops, default=inf)


def _part(name: str, rule: FieldLayout) -> tuple[str, str]:
    """Surnames and given names."""
    name = _without_courtesy(name.strip(), rule.courtesy)
    if rule.order is NameOrder.SURNAME_COMMA:
        surnames, _, given = name.partition(",")
        return surnames.strip(), given.strip()
    words = name.split()
    if rule.order is NameOrder.SURNAME_FIRST and all(len(word) == 1 and _WITHOUT_SPACES.match(word) for word in words):
        words = ["".join(words)]  # `陳 筱 玲`, with room between the signs
    if rule.order in (NameOrder.SURNAME_FIRST, NameOrder.SURNAME_APART):
        if len(words) == 1:
            # Of a name in other letters one word says nothing.
            is_parted = _WITHOUT_SPACES.match(name) and rule.order is NameOrder.SURNAME_FIRST
            return parted_in_signs(words[0]) if is_parted else ("", "")
        end = next((place for place, word in enumerate(words) if not _is_particle(word)), 0) + 1
        if end > 1 and len(words) > end + 2 and words[end].upper() in CONNECTING:
            end += 2
        if len(words) > end + 1 and _is_suffix(words[end]):
            end += 1
        return " ".join(words[:end]), " ".join(words[end:])
    start = len(words) - 1
    if start > 1 and _is_suffix(words[start]):
        start -= 1
    if start > 3 and words[start - 1].upper() in CONNECTING and _is_particle(words[start - 3]):
        start -= 2
    while start > 1 and _is_particle(words[start - 1]):
        start -= 1
    return " ".join(words[start:]), " ".join(words[:start])


def _is_particle(word: str) -> bool:
    return word.upper() in PARTICLES


def _is_suffix(word: str) -> bool:
    return word.rstrip(".").upper() in SUFFIXES


def _without_courtesy(name: str, courtesy: Sequence[str]) -> str:
    """Thai writes them without a space behind, Latin letters do not; the longest counts first."""
    for word in sorted((word.rstrip(".") for word in courtesy), key=len, reverse=True):
        head, rest = name[: len(word)], name[len(word) :]
        if head.upper() == word.upper() and not (word.isascii() and rest[:1].isalpha()):
            return rest.strip(" .")
    return name
