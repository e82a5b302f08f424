"""The reference pages in docs/ are those that the spec and the rules give today."""

from pathlib import Path

import pytest
from tools.reference_docs import pages


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_the_committed_page_is_current(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == pages()[path], "run: python tools/reference_docs.py"
