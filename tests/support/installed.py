"""The wheel, built by `make wheel` and installed into a fresh virtual environment in a folder of its own."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.once import once

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Installed:
    """Where the wheel was installed."""

    wheel: Path
    environment: Path

    @property
    def program(self) -> Path:
        return self.environment / "bin" / "truename"


def built_guide() -> Path:
    """The site of docs/ as `make site` builds it: once for the wheel, which carries it, and for those who read it."""
    return once("the guide", _make_guide)


def _make_guide() -> Path:
    subprocess.run(["make", "-s", "site"], cwd=ROOT, check=True)
    return ROOT / "src" / "truename" / "api" / "guide"


@contextmanager
def installed_wheel() -> Iterator[Installed]:
    """`pip install truename-….whl`, with the versions of requirements/run.txt; uv does it because it keeps a cache."""
    folder = Path(tempfile.mkdtemp(prefix="truename-installed-", dir="/var/tmp"))
    folder.chmod(0o755)  # the container's user is another one
    try:
        built_guide()
        # To squeeze the weights takes longer than everything else about it.
        packing = "PACKING=-C--build-option=--compression=stored"
        subprocess.run(["make", "-s", "-o", "site", "wheel", f"DIST={folder / 'dist'}", packing], cwd=ROOT, check=True)
        (wheel,) = (folder / "dist").glob("truename-*.whl")
        uv, environment = Path(sys.executable).with_name("uv"), folder / "venv"
        subprocess.run([uv, "venv", "-q", "--python", _reachable_python(), environment], check=True)
        python = environment / "bin" / "python"
        pinned = ROOT / "requirements" / "run.txt"
        subprocess.run([uv, "pip", "install", "-q", "--python", python, wheel, "-c", pinned], check=True)
        # pip compiles what it installs and uv does not; without this every command below would, each time anew.
        load = "import truename.cli.serving, truename.cli.working; truename.cli.working.load_jobs()"
        subprocess.run([python, "-I", "-c", load], cwd=folder, check=True)
        yield Installed(wheel, environment)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _reachable_python() -> str:
    """The system's Python where it is new enough: a user other than root cannot reach one in root's home."""
    system = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    check = "import sys; sys.exit(sys.version_info < (3, 11))"
    if os.geteuid() == 0 and system and subprocess.run([system, "-c", check], check=False).returncode == 0:
        return system
    return sys.executable
