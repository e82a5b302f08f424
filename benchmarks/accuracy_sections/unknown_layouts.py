"""The same print read as that of a document for which nobody wrote a layout file: the fold over what people wrote.

Places, labels, formats and titles of the document's own country are taken away; what is left is the country's name for
itself and the words of its languages. What is counted so had no say in how it is read, but for the words of languages.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Protocol

from benchmarks.accuracy_rows import Row, share
from truename.rules.evidence import DocumentEvidence, DocumentType, FieldName
from truename.vision.captures import Picture
from truename.vision.document.folding import fold
from truename.vision.document.layouts.load import countries
from truename.vision.document.layouts.own import trying
from truename.vision.document.read import read_document


class PrintedDocument(Protocol):
    """A document that is known by its print alone, as `documents.py` measures it."""

    @property
    def kind(self) -> tuple[str | None, DocumentType | None]: ...

    @property
    def fields(self) -> dict[FieldName, str]: ...

    @property
    def without_layout(self) -> DocumentEvidence | None: ...


def read_without_layouts(picture: Picture, country: str, today: date) -> DocumentEvidence | None:
    """What is read when the country has no document in any file; None where it has none anyway."""
    known = countries().get(country)
    if known is None or not known.documents:
        return None
    with trying(replace(known, documents=())):
        return read_document(picture, None, today).evidence


def rows_without_layouts(section: str, samples: Sequence[PrintedDocument], goals: Sequence[FieldName]) -> list[Row]:
    """Country and kind, and the fields that have a goal."""
    known = [one for one in samples if one.without_layout is not None]
    note = "every figure is out of fold: the document's own layout file was taken away"
    rows = [
        share(
            section,
            "country and kind right, its layout file taken away",
            sum(map(_is_known, known)),
            len(known),
            note=note,
        )
    ]
    for field in goals:
        part = [one for one in known if field in one.fields]
        right = sum(map(partial(_is_exact, field=field), part))
        rows.append(share(section, f"{field.value} exact, print only, its layout file taken away", right, len(part)))
    return rows


def _is_known(one: PrintedDocument) -> bool:
    found = one.without_layout
    return found is not None and (found.country, found.type) == one.kind


def _is_exact(one: PrintedDocument, field: FieldName) -> bool:
    value = one.without_layout.value(field) if one.without_layout else None
    return value is not None and fold(value) == fold(one.fields[field])
