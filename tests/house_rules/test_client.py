"""The Python client says what the interface is, and stands alone."""

import re
import tomllib
from pathlib import Path

from tools.client_models import modules

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "client" / "src" / "truename_client"


def test_what_is_made_from_the_description_is_current() -> None:
    stale = [path.name for path, text in modules().items() if path.read_text("utf-8") != text]
    assert stale == [], "run `.venv/bin/python tools/client_models.py`"


def test_the_client_needs_httpx_and_nothing_of_the_service() -> None:
    project = tomllib.loads((ROOT / "client" / "pyproject.toml").read_text("utf-8"))["project"]
    assert [re.split(r"[<>=]", one)[0] for one in project["dependencies"]] == ["httpx"]
    guilty = [path.name for path in CLIENT.glob("*.py") if re.search(r"\b(import|from) truename\b", path.read_text())]
    assert guilty == []


def test_what_is_written_by_hand_can_be_read() -> None:
    made = {path.name for path in modules()}
    long = [path.name for path in CLIENT.glob("*.py") if path.name not in made and len(path.open().readlines()) > 300]
    assert long == []
