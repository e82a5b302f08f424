"""Names that run on below: the second line of a surname that is too long for one, or the second of two surnames.

A label between two values needs room. Lines of one name stand closer than that, begin at one edge and are of one size.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from truename.vision.document.folding import fold, fold_words, is_latin
from truename.vision.document.layouts.model import LayoutField
from truename.vision.document.layouts.phrases import Meant, issuer_phrases, kind_phrases, nationalities, sex_words
from truename.vision.document.print.labels import Label
from truename.vision.document.print.read import TextLine
from truename.vision.document.print.unlabelled_dates import Dating
from truename.vision.document.print.values import NAMES, as_value

MOST_LINES: Final = 3
CLOSE: Final = 0.3
"""Heights of a line between two of one name."""
SHIFTED: Final = 0.4
"""How far to the side, in heights, the next one may begin."""
OF_ONE_SIZE: Final = 0.2
WELL_READ: Final = 0.8
LONG_PHRASE: Final = 3
"""Letters that more than these make a phrase by which an issuer or a kind is known in the middle of a line."""


def with_next_lines(
    label: Label, line: TextLine, values: Sequence[TextLine], dating: Dating, labels: Mapping[str, Meant]
) -> str:
    """The text of a name below its label, with that of the lines right below it that belong to it.

    Under a label that asks for both names (`NAME VORNAME`) the next line is the other one, and behind a comma, too.
    """
    fields = {meant.field for word in fold_words(label.line.text) if (meant := labels.get(word))}
    asks_for_both = {LayoutField.SURNAMES, LayoutField.GIVEN_NAMES} <= fields | {label.field}
    if label.field not in NAMES or asks_for_both or line.top < (label.line.top + label.line.bottom) / 2:
        return line.text
    name = [line]
    while len(name) < MOST_LINES:
        next_line = next((one for one in values if one is not name[-1] and _goes_on(name[-1], one, dating)), None)
        if next_line is None:
            break
        name.append(next_line)
    text = name[0].text
    for below in name[1:]:
        text = f"{text.rstrip()}{'' if text.rstrip().endswith('-') else ' '}{below.text.strip()}"
    return text


def _goes_on(line: TextLine, below: TextLine, dating: Dating) -> bool:
    tall = max(line.height, 1.0)
    return (
        below.top > line.top + 0.5 * tall
        and below.top - line.bottom < CLOSE * tall
        and abs(below.left - line.left) <= SHIFTED * tall
        and abs(below.height - line.height) <= OF_ONE_SIZE * tall
        and below.confidence >= WELL_READ
        and is_latin(line.text)
        and not line.text.rstrip().endswith(",")
        and _may_be_name(below.text, dating)
    )


def _may_be_name(text: str, dating: Dating) -> bool:
    """Is it a name in Latin letters, as far as one can see? `[b] MEIER` and `e/v DE VRIES` are other names."""
    folded, words = fold(text), fold_words(text)
    said = (phrase for phrase, _ in (*issuer_phrases(), *kind_phrases()) if len(phrase) > LONG_PHRASE)
    return (
        is_latin(text)
        and text.strip()[:1].isupper()
        and "/" not in text
        and as_value(LayoutField.FULL_NAME, text, dating) is not None
        and not any(word in nationalities() for word in (folded, *words))
        and folded not in sex_words()
        and not any(phrase in folded for phrase in said)
    )
