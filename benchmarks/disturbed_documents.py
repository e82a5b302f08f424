"""How well are whole documents read when the same ones are photographed less well?

    python -m benchmarks.disturbed_documents [--seed 1] [--people 1] [--only tilted,dim] [--json out.json]

Documents of a dozen layout files, each of another kind, are drawn with invented people and photographed, both sides
where there is a back; every photograph is changed as a phone or a hand would (as in `benchmarks.disturbed_zones`, and
lying on its side, or with another card beside it) and read whole. Counted by disturbance: country and kind, numbers,
names and dates that are exact (names also as the zone spells them); values that are wrong, and how many of those were
stated surely; zones that are valid but wrong. A value that is missing is not wrong. Nothing is chosen here.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.layouts import TODAY, same, somebody
from benchmarks.worse_photographs import DISTURBANCES as OF_ALL
from truename.rules.evidence import DocumentEvidence, DocumentField, FieldName, Source
from truename.rules.text import EXACT, name_similarity
from truename.sandbox.drawing.from_layout import can_draw, draw
from truename.sandbox.drawing.photography import photograph
from truename.sandbox.drawing.subjects import SyntheticDocument
from truename.vision.captures import Picture
from truename.vision.document.layouts.load import countries
from truename.vision.document.layouts.model import DocumentLayout, LayoutField
from truename.vision.document.read import read_document
from truename.vision.memory import keep_freed_memory

DOCUMENTS: Final = (
    ("ES", "DNI 3.0 (2015), 4.0 (2021)"), ("DE", "1987"), ("RS", "2008"), ("FR", "European model"), ("US", "AAMVA"),
    ("CO", "PPT 2021"), ("US", "permanent resident card 2017"), ("UA", "2016"), ("GE", "2011"), ("IL", "Teudat Zehut"),
    ("VN", "citizen's card with chip 2021"), ("PL", "2019, 2021"),
)  # fmt: skip
"""Cards with the zone on the back, on the front and without one, a passport's page, licences with numbered fields, a
permit, print by places, and four scripts."""
NAMES: Final = (FieldName.SURNAMES, FieldName.GIVEN_NAMES)
DATES: Final = (FieldName.DATE_OF_BIRTH, FieldName.DATE_OF_ISSUE, FieldName.DATE_OF_EXPIRY)
NUMBERS: Final = (FieldName.DOCUMENT_NUMBER, FieldName.PERSONAL_NUMBER)
SURE: Final = 0.7
"""What is stated at least as surely as this is taken for known by whoever reads the answer."""


def on_its_side(picture: Picture, chance: Random) -> Picture:
    """Turned by a quarter, either way."""
    return np.ascontiguousarray(np.rot90(picture, chance.choice((1, 3))))


def beside_another(picture: Picture, chance: Random) -> Picture:
    """The lower half of the scene holds a second card, of another country and of somebody else."""
    layout = countries()["AT"].documents[0]
    other = draw("AT", layout, somebody(layout, chance.randrange(1000)), seed=chance.randrange(1000))
    size = picture.shape[1], picture.shape[0]
    below, _ = photograph(other.front, seed=chance.randrange(1000), perspective=0.1, size=size)
    return np.ascontiguousarray(np.concatenate([picture, below]))


DISTURBANCES: Final[dict[str, Callable[[Picture, Random], Picture]]] = {
    **OF_ALL,
    on_its_side.__name__: on_its_side,
    beside_another.__name__: beside_another,
}


@dataclass(frozen=True)
class Wrong:
    """A value that stands in the evidence and not on the document."""

    field: str
    read: str
    printed: str
    confidence: float
    source: str


@dataclass(frozen=True)
class Reading:
    """What was read of one document under one disturbance."""

    disturbance: str
    document: str
    seed: int
    recognised: bool
    taken_for: str
    """Country and kind, where they are wrong."""
    exact: tuple[str, ...]
    missing: tuple[str, ...]
    wrong: tuple[Wrong, ...]
    zone_valid_but_wrong: bool
    seconds: float


def chosen() -> Iterator[tuple[str, DocumentLayout]]:
    """The documents that this machine can draw."""
    for code, version in DOCUMENTS:
        layout = next(one for one in countries()[code].documents if one.version == version)
        if can_draw(layout):
            yield code, layout


def photographed(page: Picture | None, seed: int) -> Picture | None:
    """A page on a table, as somebody takes it who takes care."""
    return None if page is None else photograph(page, seed=seed, rotation=3, perspective=0.2, background="wood")[0]


def is_right(field: FieldName, read: str, printed: str) -> bool:
    """To the letter; a name of the zone as Doc 9303 spells it, and without marks upon letters."""
    return same(read, printed) or (field in NAMES and name_similarity(printed, read) == EXACT)


def _numbers(field: FieldName, found: DocumentEvidence) -> list[DocumentField]:
    """All numbers, where one is asked for: a zone that counts the card names the holder's otherwise than the print."""
    return [found.fields[name] for name in NUMBERS if name in found.fields] if field in NUMBERS else []


def compare(
    name: str, one: SyntheticDocument, layout: DocumentLayout, seed: int, found: DocumentEvidence, seconds: float
) -> Reading:
    """Hold what was read against what is printed."""
    counts_the_card = layout.zone_number is LayoutField.CARD_NUMBER
    wrong, missing, exact = [], [], []
    for field in (*NUMBERS, *NAMES, *DATES):
        if (printed := (one.fields | one.back_fields).get(field)) is None:
            continue
        read = found.fields.get(field)
        if any(is_right(field, one.value, printed) for one in (*_numbers(field, found), *([read] if read else []))):
            exact.append(field.value)
        elif read is None or (field in NUMBERS and read.source is Source.MRZ and counts_the_card):
            missing.append(field.value)
        else:
            wrong.append(Wrong(field.value, read.value, printed, round(read.confidence, 2), read.source.value))
    recognised = (found.country, found.type) == (one.country, one.type)
    return Reading(
        disturbance=name,
        document=f"{one.country} {one.type.value} {layout.version}",
        seed=seed,
        recognised=recognised,
        taken_for="" if recognised else f"{found.country} {found.type}",
        exact=tuple(exact),
        missing=tuple(missing),
        wrong=tuple(wrong),
        zone_valid_but_wrong=found.mrz is not None and found.mrz.valid and tuple(found.mrz.lines) != one.mrz,
        seconds=round(seconds, 2),
    )


def measure(name: str, seed: int, people: int) -> Iterator[Reading]:
    """Every document with so many people on it, under one disturbance."""
    for number, (code, layout) in enumerate(chosen()):
        for person in range(seed * 1000, seed * 1000 + people):
            one = draw(code, layout, somebody(layout, person + number), seed=person)
            sides = (photographed(one.front, person), photographed(one.back, person + 1))
            chance = Random(f"{seed}:{number}:{person}")
            front, back = (side if side is None else DISTURBANCES[name](side, chance) for side in sides)
            began = time.process_time()
            found = read_document(front, back, TODAY).evidence
            seconds = time.process_time() - began
            yield compare(name, one, layout, person, found, seconds)


def main() -> None:
    """Print a table by disturbance, and every wrong value, the surest first."""
    arguments = _arguments()
    keep_freed_memory()
    console = Console(width=150)
    table = Table(
        "disturbance", "country and kind", "numbers", "names", "dates", "wrong", f"wrong, {SURE} or surer",
        "zones valid but wrong", "CPU s, mean",
    )  # fmt: skip
    readings: list[Reading] = []
    for name in arguments.only:
        of = list(measure(name, arguments.seed, arguments.people))
        readings += of
        wrong = [one for reading in of for one in reading.wrong]
        table.add_row(
            name, f"{sum(one.recognised for one in of)} of {len(of)}", _share(of, NUMBERS), _share(of, NAMES),
            _share(of, DATES), str(len(wrong)), str(sum(one.confidence >= SURE for one in wrong)),
            str(sum(one.zone_valid_but_wrong for one in of)), f"{sum(one.seconds for one in of) / len(of):.1f}",
        )  # fmt: skip
        if arguments.json:
            arguments.json.write_text(json.dumps([asdict(one) for one in readings], indent=1, ensure_ascii=False))
    console.print(table)
    for line in _told(readings):
        console.print(line, highlight=False, soft_wrap=True, markup=False)


def _share(readings: list[Reading], names: tuple[FieldName, ...]) -> str:
    values = {name.value for name in names}
    exact = sum(field in values for one in readings for field in one.exact)
    other = sum(field in values for one in readings for field in one.missing)
    other += sum(wrong.field in values for one in readings for wrong in one.wrong)
    return f"{exact} of {exact + other}"


def _told(readings: list[Reading]) -> Iterator[str]:
    """Zones that are valid but wrong, wrong values by how sure they were, and what was taken for something else."""
    for one in readings:
        if one.zone_valid_but_wrong:
            yield f"zone valid but wrong: {one.disturbance}, {one.document}, seed {one.seed}"
    pairs = [(wrong, one) for one in readings for wrong in one.wrong]
    for wrong, one in sorted(pairs, key=lambda pair: -pair[0].confidence):
        yield (
            f"{wrong.confidence:.2f} {wrong.source} {wrong.field}: {wrong.read} for {wrong.printed} "
            f"({one.disturbance}, {one.document}, seed {one.seed})"
        )
    for one in readings:
        if not one.recognised:
            yield f"taken for {one.taken_for}: {one.disturbance}, {one.document}, seed {one.seed}"
    for one in readings:
        if one.missing:
            yield f"missing {', '.join(one.missing)}: {one.disturbance}, {one.document}, seed {one.seed}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--people", type=int, default=1, help="so many people for each document")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(DISTURBANCES))
    parser.add_argument("--json", type=Path, help="write every reading here too")
    arguments = parser.parse_args()
    if unknown := set(arguments.only) - set(DISTURBANCES):
        parser.error(f"There is no {', '.join(sorted(unknown))}; there are {', '.join(DISTURBANCES)}.")
    return arguments


if __name__ == "__main__":
    main()
