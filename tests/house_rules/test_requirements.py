"""Nothing is installed that was not named by its hash."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "requirements").glob("*.txt"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_requirement_is_pinned_and_has_a_hash(file: Path):
    entries = re.sub(r"\\\n\s*", "", file.read_text(encoding="utf-8")).splitlines()
    assert entries
    for entry in entries:
        assert re.match(r"[\w.\-\[\],]+==\S+", entry), entry
        assert "--hash=sha256:" in entry, entry


def test_the_makefile_installs_by_hash_only_and_locks_every_file():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    installs = [line for line in makefile.splitlines() if "pip install" in line]
    assert len(installs) >= 5
    for line in installs:
        own = "--no-deps --no-build-isolation -e ." in line  # this project, or ./client
        assert own or "--require-hashes" in line, line
    lock = makefile.partition("\nlock:")[2].partition("\n\n")[0]
    for file in FILES:
        assert file.stem in lock, f"`make lock` leaves {file.name} out"


def test_every_group_of_dependencies_has_its_file():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert {*project["dependency-groups"], "run"} == {file.stem for file in FILES}


def test_no_file_of_others_is_committed():
    """`make install` brings them; a forced `git add` once put 60 MB of weights into the repository."""
    tracked = subprocess.run(
        ["git", "ls-files", "src/truename/bundled"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert {Path(name).suffix for name in tracked} == {".py", ".toml"}
