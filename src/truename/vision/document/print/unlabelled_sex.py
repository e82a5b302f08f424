"""The word for the sex where no label points at it, and the words that a document may print for it."""

from collections.abc import Collection, Sequence, Set

from rapidfuzz import fuzz

from truename.rules.evidence import ReadValue, Source
from truename.vision.document.folding import fold, fold_words
from truename.vision.document.layouts.load import languages
from truename.vision.document.layouts.model import DocumentLayout, LayoutField
from truename.vision.document.print.labels import ALIKE_NUMBERED, LEAST_WORD
from truename.vision.document.print.read import TextLine


def words_for_the_sex(layouts: Sequence[DocumentLayout]) -> frozenset[str]:
    """The words, folded, that these versions print for the sex, and those of English; none where one gives no words."""
    fields = [one for layout in layouts if (one := layout.fields.get(LayoutField.GENDER))]
    if not fields or not all(field.printed for field in fields):
        return frozenset()
    printed = [word for field in fields for word in field.printed]
    english = languages()["en"].sex
    words = (*printed, *english.M, *english.F, *english.X)
    return frozenset(part for word in words for part in (fold(word), *fold_words(word)))


def own_words(words: Set[str], text: str) -> str:
    """What a text says in these words, as it stands where it is one of them; nothing where it says none.

    Of `А/Ж` the reader of Latin makes `A/K`, and a K means a man in another language. The stroke between two letters
    may be lost.
    """
    return text if fold(text) in words else " ".join(part for part in fold_words(text) if part in words)


def unlabelled_sex(
    found: Collection[LayoutField], values: Sequence[TextLine], layouts: Sequence[DocumentLayout]
) -> dict[LayoutField, list[ReadValue]]:
    """The word for the sex where it stands alone: the document prints it without a label, or its label was lost.

    Single letters mean too much else to be taken for the sex where their label was lost. In front of a word may stand
    what the label was misread as.
    """
    fields = [one for layout in layouts if (one := layout.fields.get(LayoutField.GENDER)) and not one.number]
    if LayoutField.GENDER in found:
        return {}
    words = {
        fold(word): sex
        for field in fields
        for sex, word in zip("MF", field.printed, strict=False)
        if not field.labels or len(fold(word)) >= LEAST_WORD
    }
    labels = [label for field in fields for one in field.labels if len(label := fold(one)) >= LEAST_WORD]
    return next(
        (
            {
                LayoutField.GENDER: [
                    ReadValue(value=words[part], source=Source.VISUAL, confidence=round(0.9 * line.confidence, 3))
                ]
            }
            for line in values
            for part in fold_words(line.text)
            if part in words and (len(fold(line.text)) <= len(part) + 2 or _is_behind_one_of(labels, part, line.text))
        ),
        {},
    )


def _is_behind_one_of(labels: Sequence[str], word: str, text: str) -> bool:
    """Does a text end with this word, and is what stands before it alike one of the labels?

    Or does the same stand there in another language, before a stroke: `पुरुष / MALE`?
    """
    _, stroke, last = text.rpartition("/")
    if stroke and len(word) >= LEAST_WORD and fold(last) == word:
        return True
    before = fold(text).removesuffix(word)
    return before != fold(text) and any(fuzz.ratio(before, label) >= ALIKE_NUMBERED for label in labels)
