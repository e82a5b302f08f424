"""Do the commands of the README heed the settings that the reference names?"""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("given", "port"),
    [({}, "8000"), ({"TRUENAME_PORT": "8123"}, "8123"), ({"TRUENAME_PORT": "8123", "PORT": "1"}, "1")],
)
def test_make_run_listens_where_the_setting_says(given: dict[str, str], port: str):
    rest = {name: value for name, value in os.environ.items() if "PORT" not in name and "MAKE" not in name}
    told = subprocess.run(
        ["make", "--dry-run", "run"], cwd=ROOT, env={**rest, **given}, capture_output=True, text=True, check=True
    )
    assert told.stdout.splitlines()[-1].endswith(f"serve --port {port}")
