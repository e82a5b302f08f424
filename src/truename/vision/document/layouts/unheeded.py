"""Find keys of a layout file that would mean nothing where they stand: its writer expects of them what never comes."""

import re
from collections.abc import Iterator
from typing import Final

from truename.vision.captures import Side
from truename.vision.document.layouts.model import (
    DATES,
    NUMBERS,
    Country,
    DocumentLayout,
    FieldLayout,
    LayoutField,
    Script,
)

_HOLDERS_OWN: Final = re.compile(r"[#@*{]")
"""What in the format of a number stands for anything else than itself."""
NAMES: Final = frozenset({LayoutField.SURNAMES, LayoutField.GIVEN_NAMES, LayoutField.FULL_NAME})


def unheeded(country: Country) -> tuple[str, ...]:
    """A sentence for each key that nobody would heed. The file is right all the same, and reads what else it says."""
    return tuple(said for at, one in enumerate(country.documents) for said in _of_document(one, f"documents[{at}]"))


def _of_document(document: DocumentLayout, path: str) -> Iterator[str]:
    if document.zone is None and document.zone_number is LayoutField.CARD_NUMBER:
        yield f"`{path}.zone_number`: it names a number of the zone, and the document has no `zone`."
    if document.zone is None and document.zone_side is Side.BACK:
        yield f"`{path}.zone_side`: the document has no `zone`."
    if document.number_formats and document.model is None:
        yield f"`{path}.number_formats`: only a document with a `model` has them; give the number its `formats`."
    for name, field in document.fields.items():
        yield from _of_field(name, field, document, f"{path}.fields.{name}")


def _of_field(name: LayoutField, field: FieldLayout, document: DocumentLayout, path: str) -> Iterator[str]:
    if name not in NUMBERS and (field.formats or field.scheme):
        yield f"`{path}`: only a number has `formats` and a `scheme`."
    for format in field.formats if name in NUMBERS else ():
        if not _HOLDERS_OWN.search(format):
            yield f"`{path}.formats`: {format} is the very number: # a figure, @ a letter, * either; no other sign is."
    if field.printed and name not in (LayoutField.GENDER, LayoutField.NATIONALITY):
        yield f"`{path}.printed`: only gender and nationality are printed in words that the file knows."
    if field.without_end and name is not LayoutField.DATE_OF_EXPIRY:
        yield f"`{path}.without_end`: only the date_of_expiry can have none."
    if field.since and name is not LayoutField.DATE_OF_EXPIRY:
        yield f"`{path}.since`: only before the date_of_expiry another day stands."
    if field.courtesy and name not in NAMES:
        yield f"`{path}.courtesy`: only a name has such words in front of it."
    if field.second and name not in NAMES:
        yield f"`{path}.second`: only names are printed in two parts."
    if field.above is not None and (name is not LayoutField.FULL_NAME or field.labels):
        yield f"`{path}.above`: only a full_name without labels is found by the value below it."
    elif field.above is not None and (field.above is name or field.above not in document.fields):
        yield f"`{path}.above`: {field.above} is no other field of this document."
    if name in NUMBERS and not (field.labels or field.formats or field.number or field.place or document.model):
        yield f"`{path}`: without a label a number needs `formats`, a `number` or a `place` to be found by."
    form = field.dates or document.dates
    if name in DATES and field.script is Script.ARABIC and re.search("[A-Z] |MON", form):
        yield f"`{path}`: in Arabic figures {form} is not read: parts need / - or . between them, and months figures."
    if name in DATES | NUMBERS and field.script is Script.THAI:
        yield f"`{path}`: Thai figures are not read; leave `script` out where it is printed in 0–9."
    if field.script not in (Script.LATIN, document.script):
        yield f"`{path}.script`: lines are read in {field.script} only where the document's own `script` is that."
    if field.latin_below and field.script is Script.LATIN:
        yield f"`{path}.latin_below`: the value itself is in Latin letters; `script` says in which others it is."
