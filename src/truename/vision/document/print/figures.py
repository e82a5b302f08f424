"""Figures of other scripts: which ones a script has, and the same in those that everybody reads (0–9)."""

import unicodedata
from typing import Final

from truename.vision.document.layouts.model import Script

LATIN_FIGURES: Final = "0123456789"
OWN_FIGURES: Final = {
    Script.ARABIC: ("٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹"),
    Script.DEVANAGARI: ("०१२३४५६७८९",),
    Script.THAI: ("๐๑๒๓๔๕๖๗๘๙",),
}
"""From 0 to 9, as printed; beside Arabic letters those of Egypt and the Levant, or those of Iran and Pakistan."""

PERSIAN: Final = frozenset({"fa", "ps", "ur"})
"""Languages, by ISO 639-1, that have the last of them."""


def plain_figures(text: str) -> str:
    """The text with the decimal figures of every script as 0–9; all else as it was."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(one)) if one.isdecimal() else one for one in text)


def in_figures_of(script: Script, text: str, language: str = "") -> str:
    """The text with 0–9 as the script writes them; as it was where the script has no figures of its own.

    `language`: the country's first, where one script has two kinds of figures.
    """
    own = OWN_FIGURES.get(script)
    return text.translate(str.maketrans(LATIN_FIGURES, own[-1 if language in PERSIAN else 0])) if own else text


def own_figures(script: Script, text: str) -> int:
    """How many figures of the script's own stand in the text."""
    return sum(one in figures for one in text for figures in OWN_FIGURES.get(script, ()))
