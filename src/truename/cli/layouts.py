"""`truename layouts …`: the documents that are known, and a file of one's own tried on pictures."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from truename.cli.console import Console
from truename.cli.draw_layouts import draw_layouts
from truename.cli.examine_files import picture_of
from truename.cli.exit_codes import ExitCode, complain
from truename.cli.running import set_up_vision, settings_of_command
from truename.rules import documents
from truename.rules.documents import Expiry, SupportedDocument
from truename.rules.evidence import DocumentEvidence, FieldName
from truename.vision.document.layouts.load import countries, read_country
from truename.vision.document.layouts.model import FIELD_OF, Country, LayoutField
from truename.vision.document.layouts.own import trying
from truename.vision.document.layouts.supported import supported_by
from truename.vision.document.layouts.unheeded import unheeded
from truename.vision.document.layouts.wrong import WrongLayout

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
NAMES = frozenset({FieldName.SURNAMES, FieldName.GIVEN_NAMES})


@dataclass(frozen=True)
class Listed:
    """One document, as `list` shows it."""

    country: str
    kind: str
    version: str
    known_from: str
    form: str
    zone: str | None
    barcode: str | None
    years: tuple[int, ...]
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Reading:
    """One field of a picture."""

    field: str
    value: str
    source: str
    confidence: float


@dataclass(frozen=True)
class Tried:
    """What a file made of one picture."""

    picture: str
    back: str | None
    """The picture of the other side, where it was read too."""
    country: str | None
    kind: str | None
    recognised: bool
    """As a document of the file."""
    read: tuple[Reading, ...]
    missed: tuple[str, ...]
    """Fields that the file's documents of this kind print on the sides that were given and that were not read."""


def register(app: typer.Typer) -> None:
    """Hang the commands of this module on the command line."""
    group = typer.Typer(no_args_is_help=True)
    group.command("list")(list_layouts)
    group.command("check")(check_layout)
    group.command("draw")(draw_layouts)
    app.add_typer(
        group,
        name="layouts",
        help="Documents as data: list those that are known, try a file of your own, draw its documents.",
    )


def list_layouts(as_json: AsJson = False) -> None:
    """Every document that is described, by country, your own files with them: version, source, zone, fields."""
    set_up_vision(settings_of_command())
    rows = [row for country in countries().values() for row in listed(country)]
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=2, ensure_ascii=False))
        return
    table = Table(title=f"{len(rows)} documents", title_justify="left")
    for heading in ("country", "kind", "version", "known from", "form", "zone or barcode", "fields"):
        table.add_column(heading)
    for row in rows:
        machine = ", ".join(part for part in (row.zone, row.barcode) if part)
        table.add_row(
            row.country, row.kind, row.version, row.known_from, row.form, machine or "–", str(len(row.fields))
        )
    Console().print(table)


def listed(country: Country) -> list[Listed]:
    """The documents of one country."""
    return [
        Listed(
            country.country,
            document.kind.value,
            document.version,
            document.known_from.value,
            document.form.value,
            document.zone.value if document.zone else None,
            document.barcode,
            document.years,
            tuple(name.value for name in document.fields),
        )
        for document in country.documents
    ]


def check_layout(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A layout file, XX.toml.")],
    pictures: Annotated[
        list[Path] | None, typer.Argument(help="Pictures of fronts (JPEG or PNG) to try it on.")
    ] = None,
    backs: Annotated[
        bool, typer.Option("--backs", help="With each ‹name›front.jpg read the ‹name›back.jpg that lies beside it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Is a layout file right, and what does it make of pictures? The file takes the place of its country's own.

    Ends with 1 when the file is wrong, a picture is not recognised as one of its documents, or a field was missed.
    """
    try:
        country = read_country(file)
    except WrongLayout as fault:
        if as_json:
            print(json.dumps({"file": str(file), "problems": list(fault.problems)}, indent=2, ensure_ascii=False))
            raise typer.Exit(ExitCode.NEGATIVE) from None
        raise complain(*str(fault).splitlines(), code=ExitCode.NEGATIVE) from None
    tried = _try(country, [(one, _back_of(one) if backs else None) for one in pictures or []])
    if as_json:
        answer = {
            "file": str(file),
            "problems": [],
            "without_effect": unheeded(country),
            "documents": [asdict(row) for row in listed(country)],
            "pictures": [asdict(one) for one in tried],
        }
        print(json.dumps(answer, indent=2, ensure_ascii=False))
    else:
        count = len(country.documents)
        print(f"{file} is right: {count} document{'' if count == 1 else 's'} of {country.country}.")
        for row in supported_by([country]):
            print(f"  {_accepted(row)}")
        for said in unheeded(country):
            print(f"  Without effect: {said}")
        for one in tried:
            _show(one)
    if any(not one.recognised or one.missed for one in tried):
        raise typer.Exit(ExitCode.NEGATIVE)


def _accepted(row: SupportedDocument) -> str:
    """How the service treats a kind: as its own table says, or as the file does where the table has no such kind."""
    known = documents.find(row.country, row.type)
    by = ", ".join(source.value.lower() for source in (known or row).read_by)
    sides = "both sides" if (known or row).back else "the front alone"
    told = (
        "accepted as listed"
        if known
        else f"accepted once TRUENAME_LAYOUTS names the folder of {row.country.lower()}.toml"
    )
    must_end = known is not None and known.expiry is Expiry.BEARS_DATE and row.expiry is not Expiry.BEARS_DATE
    ends = "; without a date of expiry it is refused, whatever the file says" if must_end else ""
    return f"{row.type.value}: {told}; {sides}, read by {by}{ends}"


def _back_of(front: Path) -> Path | None:
    """The picture of the other side beside this one, by its name; None where there is none."""
    head, found, tail = front.name.rpartition("front")
    back = front.with_name(f"{head}back{tail}")
    return back if found and back.exists() else None


def _try(country: Country, pictures: Sequence[tuple[Path, Path | None]]) -> list[Tried]:
    """Read each front, with its back where there is one."""
    if not pictures:
        return []
    from truename.vision.captures import Picture
    from truename.vision.decoding.decoder import DecodingLimits, OneDecoder
    from truename.vision.decoding.header import ImageRefused
    from truename.vision.document.read import read_document

    settings = settings_of_command()
    set_up_vision(settings)
    today = datetime.now(UTC).date()
    limits = DecodingLimits(1, settings.decoder_memory_mb, settings.decoder_seconds)
    found = []
    with trying(country), OneDecoder(limits) as decoder:

        def decoded(file: Path) -> Picture:
            try:
                return decoder.decode(picture_of(file))
            except ImageRefused as fault:
                raise complain(f"{file} cannot be read: {fault}") from None

        for front, back in pictures:
            reading = read_document(decoded(front), decoded(back) if back else None, today)
            found.append(_tried(country, front, back, reading.evidence))
    return found


def _tried(country: Country, file: Path, back: Path | None, found: DocumentEvidence) -> Tried:
    recognised = found.country == country.country and any(one.kind is found.type for one in country.documents)
    read = tuple(
        Reading(name.value, field.value, field.source.value, field.confidence) for name, field in found.fields.items()
    )
    return Tried(
        str(file),
        str(back) if back else None,
        found.country,
        found.type.value if found.type else None,
        recognised,
        read,
        tuple(_missed(country, found, with_back=back is not None)) if recognised else (),
    )


def _missed(country: Country, found: DocumentEvidence, *, with_back: bool) -> list[str]:
    """Of the version of which most was read: what it prints on the sides that were given and was not read."""
    best: list[str] | None = None
    for document in country.documents:
        if document.kind is not found.type:
            continue
        wanted: dict[str, None] = {}
        for name, field in document.fields.items():
            if with_back or field.side.value == "front":
                parts = NAMES if name is LayoutField.FULL_NAME else {FIELD_OF[name]} if name in FIELD_OF else set()
                wanted |= {part.value: None for part in sorted(parts) if part not in found.fields}
        if best is None or len(wanted) < len(best):
            best = list(wanted)
    return best or []


def _show(one: Tried) -> None:
    said = f"{one.country or 'unknown country'}, {one.kind or 'unknown kind'}"
    sides = f"{one.picture}, {one.back}" if one.back else one.picture
    print(f"\n{sides}: {said}" + ("" if one.recognised else "  (no document of the file)"))
    for reading in one.read:
        print(f"  {reading.field:18} {reading.value}  ({reading.source.lower()}, {reading.confidence:.2f})")
    for name in one.missed:
        print(f"  {name:18} missed")
