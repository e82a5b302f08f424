"""Which titles stand on a page, and which versions of a document they belong to."""

from collections.abc import Sequence
from typing import Final

from rapidfuzz import fuzz

from truename.vision.document.folding import fold, in_own_script, is_latin
from truename.vision.document.layouts.model import DocumentLayout
from truename.vision.document.print.read import TextLine

ALIKE_TITLE: Final = 90


def likely(layouts: Sequence[DocumentLayout], lines: Sequence[TextLine]) -> tuple[DocumentLayout, ...]:
    """The versions of which most titles stand on the page; all of them when none does."""
    texts = [line.text for line in lines]
    counts = [sum(is_said(title, texts) for title in layout.titles) for layout in layouts]
    most = max(counts, default=0)
    return tuple(layout for layout, count in zip(layouts, counts, strict=True) if count == most)


def is_said(title: str, texts: Sequence[str]) -> bool:
    """Does one of these lines say the title? A letter in ten may be misread.

    A title in other letters than Latin ones is compared in them, too: one of Arabic may be two in Latin, or none.
    """
    forms = (fold,) if is_latin(title) else (fold, in_own_script)
    return any(_is_alike(form(title), form(text)) for form in forms for text in texts)


def _is_alike(title: str, text: str) -> bool:
    return len(text) >= len(title) - 1 and fuzz.partial_ratio(title, text) >= ALIKE_TITLE
