"""Are the units as systemd wants them, and do they call commands that there are?"""

import shlex
import shutil
import subprocess
from configparser import RawConfigParser
from pathlib import Path

import pytest

from tests.support.installed import ROOT
from truename.cli import load
from truename.plumbing.jobs.queue_names import Queue

UNITS = sorted((ROOT / "deploy" / "systemd").iterdir())
PROGRAM = "/opt/truename/bin/truename"


def service(unit: Path) -> dict[str, str]:
    told = RawConfigParser(strict=False, delimiters=("=",))
    told.optionxform = str  # type: ignore[assignment,method-assign]  # systemd knows capitals from small letters
    told.read_string(unit.read_text(encoding="utf-8"))
    return dict(told["Service"])


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_each_unit_calls_a_command_that_there_is_and_stops_as_the_service_wants(unit: Path):
    told = service(unit)
    program, command, *rest = shlex.split(told["ExecStart"])
    assert program == PROGRAM
    for queue in Queue if "%i" in rest else ("",):
        load(command).make_context(command, [word.replace("%i", queue) for word in rest]).close()
    assert (told["User"], told["KillMode"], told["NoNewPrivileges"]) == ("truename", "mixed", "yes")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here")
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_understands_each_unit_and_finds_it_narrow(unit: Path, tmp_path: Path):
    copy = tmp_path / unit.name.replace("@", "@analysis")
    copy.write_text(unit.read_text().replace(PROGRAM, "/bin/true"))
    verified = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False)
    assert not [line for line in verified.stderr.splitlines() if unit.stem.rstrip("@") in line], verified.stderr
    call = ["systemd-analyze", "security", "--offline=true", "--threshold=30", str(copy)]
    judged = subprocess.run(call, capture_output=True, text=True, check=False)
    assert judged.returncode == 0, judged.stdout[-300:]
