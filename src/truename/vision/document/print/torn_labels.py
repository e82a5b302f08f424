"""Labels of which blur left single words: the first of them is no value of the label above."""

from collections.abc import Sequence
from typing import Final

from truename.vision.document.layouts.model import DocumentLayout
from truename.vision.document.print.labels import Label
from truename.vision.document.print.read import TextLine

LEAST_LETTERS: Final = 3


def torn_labels(
    lines: Sequence[TextLine], labels: Sequence[Label], layouts: Sequence[DocumentLayout]
) -> list[TextLine]:
    """The lines that are the first words of a label of these very documents which was not read itself.

    `Given` is no surname where `Given names` stands on the document and was not found on the page. Letter by letter,
    and with small letters among them: names in capitals are nobody's label.
    """
    read = {label.field for label in labels}
    lost = [
        label
        for layout in layouts
        for name, field in layout.fields.items()
        if name not in read
        for label in (*field.labels, *field.second)
    ]
    return [line for line in lines if any(_begins(label, line.text.strip()) for label in lost)]


def _begins(label: str, text: str) -> bool:
    is_word = len(text) >= LEAST_LETTERS and text.isalpha() and not text.isupper()
    return is_word and label.startswith(text) and not label[len(text) :][:1].isalpha()
