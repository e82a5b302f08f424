"""Layout files that a test brings, and lines of print as the reader would give them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from truename.vision.document.layouts.load import countries, read_country
from truename.vision.document.layouts.model import DocumentLayout
from truename.vision.document.layouts.own import trying
from truename.vision.document.print.read import TextLine

RIGHT = """
country = "UY"
languages = ["es"]
issuers = ["República Oriental del Uruguay"]

[[documents]]
kind = "NATIONAL_ID"
version = "2015"
known_from = "description"
form = "ID-1"
[documents.fields]
surnames = { labels = ["Apellidos"] }
"""
"""The least that a file must say."""


@contextmanager
def tried(folder: Path, text: str, code: str) -> Iterator[DocumentLayout]:
    """The first document of a file, while the file takes the place of its country's own."""
    file = folder / f"{code.lower()}.toml"
    file.write_text(text, "utf-8")
    with trying(read_country(file)):
        yield countries()[code].documents[0]


def line(text: str, x: float, y: float, tall: float = 20.0, confidence: float = 0.98) -> TextLine:
    wide = 0.55 * tall * max(len(text), 1)
    quad = np.array([[x, y], [x + wide, y], [x + wide, y + tall], [x, y + tall]], np.float32)
    return TextLine(text, confidence, quad)
