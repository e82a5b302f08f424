"""`truename layouts draw`: documents of invented people, drawn from a layout file, to try integrations on."""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from truename.cli.exit_codes import ExitCode, complain, not_written
from truename.cli.running import set_up_vision, settings_of_command
from truename.vision.document.layouts.load import countries, read_country
from truename.vision.document.layouts.model import Country, DocumentLayout
from truename.vision.document.layouts.own import trying
from truename.vision.document.layouts.wrong import WrongLayout


@dataclass(frozen=True)
class Drawing:
    """One document to be drawn."""

    layout: DocumentLayout
    seed: int
    stem: str
    """How its files begin."""


def draw_layouts(
    file: Annotated[str, typer.Argument(help="A layout file, XX.toml, or the two letters of a country that has one.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the pictures; it is made if it is not there.")],
    count: Annotated[int, typer.Option("--count", min=1, max=1000, help="So many of each document, seed by seed.")] = 1,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Another draws other numbers and light; even: a woman.")
    ] = 1,
    flat: Annotated[bool, typer.Option("--flat", help="The pages alone, not photographed on a table.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the files as JSON.")] = False,
) -> None:
    """Draw every document of a layout file with invented people: a JPEG of each side, and what is printed as JSON.

    Nothing is overwritten: files that are there already end the command before it draws.
    """
    set_up_vision(settings_of_command())
    country = _country(file)
    drawings = [
        Drawing(
            layout, number, f"{country.country.lower()}-{_plain(layout.kind.value)}-{_plain(layout.version)}-{number}"
        )
        for layout in country.documents
        for number in range(seed, seed + count)
    ]
    if there := [one.stem for one in drawings if (out / f"{one.stem}.json").exists()]:
        raise complain(f"{out} holds {there[0]}.json already. Name another folder or another --seed.")
    try:
        out.mkdir(parents=True, exist_ok=True)
        with trying(country):
            files = [made for one in drawings for made in _draw(country, one, out, flat)]
    except OSError as fault:
        raise not_written(f"--out: {fault.filename or out}", fault) from None
    if as_json:
        print(json.dumps({"files": [str(made) for made in files]}, indent=2))
        return
    for made in files:
        print(made)


def _country(file: str) -> Country:
    if (known := countries().get(file.upper())) is not None and not Path(file).exists():
        return known
    if not Path(file).is_file():
        raise complain(f"There is no layout file {file}, and no country of these two letters has one.")
    try:
        return read_country(Path(file))
    except WrongLayout as fault:
        raise complain(*str(fault).splitlines(), code=ExitCode.NEGATIVE) from None


def _draw(country: Country, one: Drawing, out: Path, flat: bool) -> list[Path]:
    """Draw one document; the files that it made, none where this machine cannot set its script."""
    from truename.sandbox.drawing.from_layout import can_draw, draw
    from truename.sandbox.drawing.number_making import CannotMake
    from truename.sandbox.drawing.photography import photograph
    from truename.vision.images import encode_jpeg

    if not can_draw(one.layout):
        print(f"{one.stem} is left out: its script needs the library fribidi, which is not here.", file=sys.stderr)
        return []
    try:
        document = draw(country.country, one.layout, seed=one.seed)
    except CannotMake as fault:
        raise complain(f"{one.stem} cannot be drawn: {fault}", code=ExitCode.NEGATIVE) from None
    files = []
    for name, page in (("front", document.front), ("back", document.back)):
        if page is not None:
            seen = page if flat else photograph(page, seed=one.seed, rotation=3, perspective=0.2)[0]
            files.append(out / f"{one.stem}-{name}.jpg")
            files[-1].write_bytes(encode_jpeg(seen))
    printed = {name.value: value for name, value in (document.fields | document.back_fields).items()}
    told = {"country": country.country, "type": one.layout.kind.value, "fields": printed, "mrz": document.mrz}
    files.append(out / f"{one.stem}.json")
    files[-1].write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return files


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
