"""Read layout files; a wrong one is refused with a sentence that names the file and the key."""

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from truename.rules.countries import COUNTRIES
from truename.rules.number_schemes import SCHEMES
from truename.vision.captures import Side
from truename.vision.configuration import configuration
from truename.vision.document.barcode.payloads import KINDS
from truename.vision.document.folding import fold
from truename.vision.document.layouts.model import (
    DATES,
    NUMBERS,
    Country,
    DocumentLayout,
    FieldLayout,
    Language,
    LayoutField,
    SharedModel,
)
from truename.vision.document.layouts.twice import said_twice
from truename.vision.document.layouts.wrong import WrongLayout
from truename.vision.document.layouts.wrong_dates import wrong_date_form

FOLDER: Final = resources.files("truename.vision.document.layouts")
FORMAT: Final = re.compile(r"(?:\{(?:YYYY|YYY|YY|MM|DD|WM|WD|HM)\}|[^{}])+")
DATE_PARTS: Final = re.compile("DD|MM|YYYY|YY")
_SEX_WORDS: Final = 2
LARGEST: Final = 1024 * 1024
"""Bytes of a file; the largest of ours has a hundredth of it."""

Read = TypeVar("Read")
_COUNTRY: Final = TypeAdapter(Country)
_LANGUAGE: Final = TypeAdapter(Language)
_MODEL: Final = TypeAdapter(SharedModel)


TRIED: Final[dict[str, Country]] = {}
"""Files that take the place of their country's own while they are tried (`own.py`)."""


def countries() -> Mapping[str, Country]:
    """Every country's file, by its two letters; the operator's own before the shipped one. Raises WrongLayout."""
    own = operators_own()
    return {**_shipped(), **own, **TRIED} if own or TRIED else _shipped()


def operators_own() -> Mapping[str, Country]:
    """The files of the folder that the configuration names; none where it names none. Raises WrongLayout."""
    return {name: own.country for name, own in _in_folder(configuration().layouts).items()}


def digest_of_own(country: str | None) -> str | None:
    """SHA-256 of the operator's own file of this country, as it was read; None where there is none."""
    own = _in_folder(configuration().layouts).get(country or "")
    return own.sha256 if own else None


@dataclass(frozen=True)
class _OwnFile:
    country: Country
    sha256: str


@cache
def _in_folder(folder: Path | None) -> Mapping[str, _OwnFile]:
    if folder is None:
        return {}
    if not folder.is_dir():
        raise WrongLayout(str(folder), ("There is no such folder of layout files.",))
    if not (files := _files(folder)):
        raise WrongLayout(str(folder), ("There is no file XX.toml in this folder.",))
    read = [_OwnFile(read_country(file), hashlib.sha256(file.read_bytes()).hexdigest()) for file in files]
    return {own.country.country: own for own in read}


@cache
def _shipped() -> Mapping[str, Country]:
    read = (read_country(file) for file in _files(FOLDER))
    return {country.country: country for country in read}


@cache
def languages() -> Mapping[str, Language]:
    """What documents print, by language."""
    return {_stem(file): _read(_LANGUAGE, file) for file in _files(FOLDER / "languages")}


def states() -> dict[str, str]:
    """What states without a file call themselves, folded, with their two letters."""
    named = (one for language in languages().values() for one in language.states.items())
    return {fold(name): code for code, names in named for name in names}


@cache
def shared_models() -> Mapping[str, SharedModel]:
    """Layouts that several countries share, by name."""
    return {_stem(file): _read(_MODEL, file) for file in _files(FOLDER / "models")}


def read_country(file: Traversable | Path) -> Country:
    """One country's file, shared fields filled in; raises WrongLayout."""
    country = _read(_COUNTRY, file)
    if problems := tuple(_problems(country, _stem(file))):
        raise WrongLayout(file.name, problems)
    return replace(country, documents=tuple(_whole(document) for document in country.documents))


def _whole(document: DocumentLayout) -> DocumentLayout:
    """The layout with the fields of its shared model, its own before them."""
    if document.model is None:
        return document
    shared = dict(shared_models()[document.model].fields)
    if document.number_formats:
        number = shared.get(LayoutField.DOCUMENT_NUMBER, FieldLayout())
        shared[LayoutField.DOCUMENT_NUMBER] = replace(number, formats=document.number_formats)
    return replace(document, fields=shared | document.fields)


def _files(folder: Traversable) -> list[Traversable]:
    return sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)


def _stem(file: Traversable | Path) -> str:
    return file.name.removesuffix(".toml")


def _read(kind: TypeAdapter[Read], file: Traversable | Path) -> Read:
    try:
        return kind.validate_python(tomllib.loads(_text(file)))
    except OSError as fault:
        raise WrongLayout(file.name, (f"It cannot be read: {fault.strerror}.",)) from None
    except UnicodeDecodeError as fault:
        raise WrongLayout(file.name, (f"It is not in UTF-8: byte {fault.start + 1} belongs to no letter.",)) from None
    except tomllib.TOMLDecodeError as fault:
        raise WrongLayout(file.name, (f"It is no TOML: {fault}.",)) from None
    except RecursionError:
        raise WrongLayout(file.name, ("It is no TOML that a person wrote: it is nested too deeply.",)) from None
    except ValidationError as fault:
        found = tuple(_sentence(tuple(error["loc"]), error["type"], error["msg"]) for error in fault.errors())
        raise WrongLayout(file.name, found) from None
    except ValueError:
        # All others that are values are named above.
        raise WrongLayout(file.name, ("It is no TOML that a person wrote: a number in it is too long.",)) from None


def _text(file: Traversable | Path) -> str:
    """What stands in the file. Raises WrongLayout for more than anybody writes, OSError and UnicodeDecodeError."""
    with file.open("rb") as stream:
        data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise WrongLayout(file.name, (f"It is larger than {LARGEST // 1024} KiB: it is no layout file.",))
    return data.decode("utf-8-sig")


def _sentence(place: tuple[int | str, ...], kind: str, message: str) -> str:
    """What is wrong at one key, as `documents[0].fields.surnames.place`."""
    named = [part for part in place if part != "[key]"]
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in named).lstrip(".")
    if kind in ("missing", "missing_argument"):
        return f"The key `{path}` is missing."
    if named[-2:-1] == ["fields"] and "[key]" in place:
        return f"There is no field `{path}`; there are {', '.join(LayoutField)}."
    if kind in ("extra_forbidden", "unexpected_keyword_argument") or "[key]" in place:
        return f"There is no key `{path}`; docs/how-to/add-a-document.md lists those that there are."
    message = message.replace("a valid tuple", 'a list, such as ["…"]')
    return f"`{path}`: {message[:1].lower()}{message[1:]}."


# ── what types cannot say ──────────────────────────────────────────────────────────────────────────────────


def _problems(country: Country, stem: str) -> Iterator[str]:
    if country.country not in COUNTRIES:
        yield f"`country`: {country.country} is no country of ISO 3166-1, by its two capital letters."
    elif stem.lower() != country.country.lower() and len(stem) == len(country.country):
        yield f"`country`: it says {country.country}, the file is named {stem}."
    if country.documents and not country.languages:
        yield "`languages`: it names none; `en` does for a country whose own has no file."
    if country.documents and not country.issuers:
        yield "`issuers`: it names none, so that nothing would tell whose documents these are."
    if not all(map(fold, country.issuers)):
        yield "`issuers`: an empty one says nothing."
    for language in country.languages:
        if language not in languages():
            yield (
                f"`languages`: there is no file languages/{language}.toml. "
                f"There are {', '.join(languages())}; name those whose words may stand on its documents."
            )
    seen: set[tuple[str, str]] = set()
    for index, document in enumerate(country.documents):
        path = f"documents[{index}]"
        if (document.kind, document.version) in seen:
            yield f"`{path}`: there is another {document.kind} of version {document.version}."
        seen.add((document.kind, document.version))
        yield from _problems_of_document(document, path)


def _problems_of_document(document: DocumentLayout, path: str) -> Iterator[str]:
    if document.model is not None and document.model not in shared_models():
        yield f"`{path}.model`: there is no file models/{document.model}.toml."
    if document.model is None and not document.fields:
        yield f"`{path}.fields`: it has no field and no model."
    yield from wrong_date_form(document.dates, f"{path}.dates")
    if document.dates_again:
        yield from wrong_date_form(document.dates_again, f"{path}.dates_again")
    if not all(map(fold, (*document.titles, *document.marks))):
        yield f"`{path}`: an empty title or mark says nothing."
    if not all(map(str.isprintable, document.titles)):
        yield f"`{path}.titles`: a title is one line of letters that can be printed."
    if document.barcode is not None and document.barcode not in KINDS:
        yield f"`{path}.barcode`: {document.barcode} is none that is understood; there are {', '.join(KINDS)}."
    if document.upright and document.zone is not None and document.zone_side is Side.FRONT:
        yield f"`{path}.upright`: a zone has no room on a front that is higher than wide; `zone_side` says where it is."
    if document.zone_number not in NUMBERS:
        yield f"`{path}.zone_number`: {document.zone_number} is no number."
    for name, field in document.fields.items():
        if field.again and name in DATES and not document.dates_again:
            yield f"`{path}.fields.{name}.again`: a date that stands twice needs the document's `dates_again`."
        if field.dates:
            yield from wrong_date_form(field.dates, f"{path}.fields.{name}.dates")
        yield from _problems_of_field(name, field, f"{path}.fields.{name}")
    yield from said_twice(document, path)
    for format in document.number_formats:
        if not FORMAT.fullmatch(format):
            yield f"`{path}.number_formats`: {format} has braces around something that is no part of a date."


def _problems_of_field(name: LayoutField, field: FieldLayout, path: str) -> Iterator[str]:
    if not all(fold(label) for label in (*field.labels, *field.second)):
        yield f"`{path}`: a label without letters or figures; leave `labels` empty where the value stands without one."
    if not all(map(str.isprintable, (*field.labels, *field.second, *field.printed, *field.formats))):
        yield f"`{path}`: labels, words and formats are single lines of letters that can be printed."
    for format in field.formats:
        if not format.strip():
            yield f"`{path}.formats`: an empty one says nothing."
        elif not FORMAT.fullmatch(format):
            yield f"`{path}.formats`: {format} has braces around something that is no part of a date."
    if field.place is not None and (field.place[0] + field.place[2] > 1 or field.place[1] + field.place[3] > 1):
        yield f"`{path}.place`: it reaches over the edge of the page."
    if field.place is not None and not (field.place[2] and field.place[3]):
        yield f"`{path}.place`: nothing can stand there: it has no width or no height."
    if name is LayoutField.GENDER and field.printed and len(field.printed) != _SEX_WORDS:
        yield f"`{path}.printed`: it needs the word of a man and the word of a woman."
    if name is LayoutField.GENDER and len(set(map(fold, field.printed))) < len(field.printed):
        yield f"`{path}.printed`: the words of a man and of a woman are the same, so that neither tells the sex."
    if (field.order or field.surname_lines) and name is not LayoutField.FULL_NAME:
        yield f"`{path}`: only a full_name has `order` or `surname_lines`."
    if name is LayoutField.FULL_NAME and not field.order and not field.surname_lines:
        yield f"`{path}`: a full_name needs `order` or `surname_lines`."
    if field.below_title and (name is not LayoutField.FULL_NAME or field.labels):
        yield f"`{path}.below_title`: only a full_name without labels is found by the title above it."
    if field.scheme is not None and field.scheme not in SCHEMES:
        yield f"`{path}.scheme`: there is no rule {field.scheme}; there are {', '.join(sorted(SCHEMES))}."
    if field.scheme is not None and not field.formats:
        yield f"`{path}.formats`: a number with a `scheme` needs its formats."
    if field.figures and (name not in DATES or field.place is None or not _has_whole_date(field.figures)):
        yield f"`{path}.figures`: only a date with a place can be figures alone, of DD, MM and YY or YYYY."
    if field.year_only and name not in DATES:
        yield f"`{path}.year_only`: only a date can be a year alone."
    if field.dates and (name not in DATES or field.figures):
        yield f"`{path}.dates`: only a date that has no `figures` is printed in a form of its own."


def _has_whole_date(figures: str) -> bool:
    """Is it made of one day, one month and one year, and of nothing else?"""
    parts = DATE_PARTS.findall(figures)
    return "".join(parts) == figures and sorted(part[0] for part in parts) == ["D", "M", "Y"]
