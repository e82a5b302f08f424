"""Is everything named that the wheel brings along, and do the scanners find nothing in what we wrote?"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from tools.sbom import bill_of_materials, pinned

from tests.support.installed import ROOT
from truename.bundled.npm import npm_packages
from truename.vision.model_table import SHIPPED

PROGRAMS = Path(sys.executable).parent
WRITTEN = (
    "src",
    "client",
    "tests",
    "docs",
    "examples",
    "tools",
    "benchmarks",
    "training",
    "deploy",
    "spec",
    "Makefile",
)


def secrets_in(folder: Path, *paths: str) -> list[str]:
    """Where the scanner sees a secret; it asks nobody whether the secret is good."""
    found = folder / "found.jsonl"
    call = [str(PROGRAMS / "kingfisher"), "scan", *paths, "--no-validate", "--no-update-check", "--git-history", "none"]
    for elsewhere in ("src/truename/bundled", "src/truename/api/guide", "__pycache__"):
        call += ["--exclude", elsewhere]
    call += ["--skip-regex", "CLIENT_ID:CLIENT_SECRET", "--format", "json", "--output", str(found)]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 200), done.stderr  # 200: something was found
    return [one["finding"]["path"] for one in json.loads(found.read_text())["findings"]]


def test_nothing_that_we_wrote_holds_a_secret(tmp_path: Path):
    assert secrets_in(tmp_path, *WRITTEN, "README.md", "pyproject.toml") == []


def test_a_planted_secret_is_found(tmp_path: Path):
    planted = tmp_path / "settings.py"
    letters = "".join(reversed("K2wQ7xZa9sesUydoboNtahTsretteLm0dn4R"))  # else this file would be found, too
    planted.write_text(f'TOKEN = "ghp_{letters}"\n', encoding="utf-8")
    assert secrets_in(tmp_path, str(planted)) == [str(planted)]


def bandit(*paths: str) -> subprocess.CompletedProcess[str]:
    call = [str(PROGRAMS / "bandit"), "-q", "-r", *paths, "-c", "pyproject.toml"]
    return subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_bandit_finds_nothing():
    """It takes fifteen seconds of a core; ruff's `S` rules, the same list, look at every change."""
    done = bandit("src", "client/src")
    assert done.returncode == 0, done.stdout


def test_bandit_finds_a_planted_weakness(tmp_path: Path):
    (tmp_path / "planted.py").write_text("import subprocess\nsubprocess.run(input(), shell=True)\n", encoding="utf-8")
    done = bandit(str(tmp_path))
    assert (done.returncode, "B602" in done.stdout) == (1, True), done.stdout + done.stderr


@pytest.mark.slow
def test_the_bill_of_materials_is_valid_and_names_every_library_browser_file_and_model():
    bom = bill_of_materials()
    written = JsonV1Dot6(bom).output_as_string()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(written) is None
    names = {component.name for component in bom.components}
    here = {
        requirement.name
        for requirement, hashes in pinned((ROOT / "requirements" / "run.txt").read_text())
        if hashes and (requirement.marker is None or requirement.marker.evaluate())
    }
    assert len(here) > 60
    assert here | {package.name for package in npm_packages()} | {row.name for row in SHIPPED} <= names
    for component in bom.components:
        assert component.licenses, component.name


def test_every_download_of_an_installation_is_pinned_by_hash():
    for file in (ROOT / "requirements").glob("*.txt"):
        for requirement, hashes in pinned(file.read_text(encoding="utf-8")):
            assert hashes, f"{file.name}: {requirement}"
