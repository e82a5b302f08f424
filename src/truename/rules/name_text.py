"""A name that an integrator expects on a document: text with at least one letter, and no control characters."""

import re
from typing import Any, Final

from pydantic import ValidationInfo
from pydantic_core import PydanticCustomError

_LETTERS: Final = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u0370-\u063f\u0641-\u064a\u066e-\u1fff"
    "\u3041-\ud7ff\uff21-\uff3a\uff41-\uff5a\uff66-\uffdc"
)
"""Without the marks that stand on or between letters, of which nothing is left in a comparison."""
_LETTER: Final = re.compile(f"[{_LETTERS}]")

JSON_SCHEMA: Final[dict[str, Any]] = {
    "pattern": rf"^[^\u0000-\u001f\u007f]*[{_LETTERS}][^\u0000-\u001f\u007f]*$",
    "examples": ["Ana María"],
}


def checked_name(text: str, info: ValidationInfo) -> str:
    """The text as it is. A letter is asked only of what is sent now: configs stored before are read as they are."""
    if not text.strip():
        raise PydanticCustomError("text_empty", "The text must not be empty.")
    if any(character < " " or character == "\x7f" or "\ud800" <= character <= "\udfff" for character in text):
        raise PydanticCustomError("text_forbidden_character", "The text must not hold control characters.")
    if info.context is not None and not _LETTER.search(text):
        raise PydanticCustomError("name_without_letter", "The name must have a letter, else nothing can match it.")
    return text
