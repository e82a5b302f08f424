"""The captures and the config of `truename examine`, from files; a wrong file is said in one sentence."""

import csv
import difflib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from truename.cli.exit_codes import complain
from truename.rules.config import Config
from truename.rules.faults import Fault, faults_of
from truename.vision.captures import Captures, Frame, Step

SIGNATURES: Final = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")
"""How a JPEG and a PNG begin."""


def captures_from_files(front: Path | None, back: Path | None, selfie: Path | None, folder: Path | None) -> Captures:
    """The captures of a transaction from files."""
    frames: tuple[Frame, ...] = ()
    if selfie:
        frames = (Frame(picture_of(selfie)),)
    elif folder:
        files = sorted(file for file in folder.iterdir() if file.suffix.lower() in (".jpg", ".jpeg", ".png"))
        if not files:
            raise complain(f"There is no .jpg or .png file in {folder}.")
        frames = tuple(_frame(file, number) for number, file in enumerate(files))
    steps = [frame.step for frame in frames]
    challenge = tuple(step for at, step in enumerate(steps) if at == 0 or step != steps[at - 1])
    return Captures(
        document_front=picture_of(front) if front else None,
        document_back=picture_of(back) if back else None,
        frames=frames,
        challenge=challenge if len(challenge) > 1 else (),
        wants_document=front is not None or back is not None,
        wants_liveness=bool(frames),
    )


def _frame(file: Path, number: int) -> Frame:
    """A frame whose name may tell its step and its time."""
    named = [step for step in Step if step.value in file.stem.upper()]
    step = max(named, key=len, default=Step.LOOK_STRAIGHT)  # AIM_NEAR_UP stands in AIM_NEAR_UP_LEFT too
    last = file.stem.rpartition("_")[2]
    at_ms = int(last) if last.isdigit() and "_" in file.stem else 200 * number
    return Frame(picture_of(file), step, at_ms)


def picture_of(file: Path) -> bytes:
    """The bytes of a picture file. Something else, named by mistake, must not pass for a bad photograph."""
    if not file.is_file():
        raise complain(f"There is no file {file}.")
    data = file.read_bytes()
    if not data.startswith(SIGNATURES):
        raise complain(f"{file} is no JPEG or PNG picture.")
    return data


def read_config(file: Path) -> Config:
    """The `config` object of a JSON file; what is wrong with it is said fault by fault."""
    text = file.read_bytes()
    try:
        json.loads(text)
    except ValueError as fault:
        raise complain(f"{file} is not JSON: {fault}.") from None
    try:
        return Config.model_validate_json(text)
    except ValidationError as error:
        raise complain(*(_sentence(file, fault) for fault in faults_of(error))) from None


def read_rows(file: Path, *columns: str) -> list[dict[str, str]]:
    """The rows of a CSV file that must have these columns."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines)
            if missing := [column for column in columns if column not in (reader.fieldnames or ())]:
                raise complain(f"{file} has no column {', '.join(missing)}.")
            rows = []
            for row in reader:
                if empty := [column for column in columns if not row[column]]:
                    raise complain(f"{file}, line {reader.line_num}: nothing stands in {', '.join(empty)}.")
                rows.append(row)
            return rows
    except (UnicodeDecodeError, csv.Error) as fault:
        raise complain(f"{file} is no CSV in UTF-8: {fault}.") from None


def _sentence(file: Path, fault: Fault) -> str:
    place = f"{file} at {fault.pointer}" if fault.pointer else str(file)
    near: list[str] = []
    if fault.code == "field_unknown" and "did you mean" not in fault.detail.lower():
        near = difflib.get_close_matches(
            fault.pointer.rpartition("/")[2], set(_fields(Config.model_json_schema())), n=1
        )
    return f"{place}: {fault.detail}" + (f" Did you mean {near[0]}?" if near else "")


def _fields(schema: dict[str, Any]) -> Iterator[str]:
    """Every name of a field anywhere in the config."""
    for part in (schema, *schema.get("$defs", {}).values()):
        yield from part.get("properties", {})
