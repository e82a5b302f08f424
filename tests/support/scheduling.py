"""Which tests stay together in one xdist worker, which begin first, and who loads what first.

`xdist_group` marks would say the first, but xdist 3.8 hands them on in a way that pytest 9 no longer reads: a mark has
no effect there, silently.
"""

import contextlib
import importlib
from pathlib import PurePosixPath

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

TOGETHER = ("tests/installation", "tests/faults", "tests/browser")
"""Folders whose files share one thing that takes long (an installed wheel, a Chromium that has loaded the capture page
and compiled its face model), or should not disturb each other."""
LONGEST_FIRST = (
    *("installation", "faults", "browser", "journeys"),
    *("plumbing", "cli", "accounts", "webhooks"),
    *("dashboard", "sandbox", "capture", "vision", "analysis", "api"),
)
"""The rooms whose files take longest: they begin first, so that no core waits for the other at the end. Of the fast
tests those begin before that wait more than they work, while the type checkers beside them have use for a core."""


def place(nodeid: str) -> int:
    """Where among all a test is run: by its room."""
    room = PurePosixPath(nodeid).parts[1]
    return LONGEST_FIRST.index(room) if room in LONGEST_FIRST else len(LONGEST_FIRST)


def import_tests(config: pytest.Config) -> None:
    """In a worker of many: import every test, each worker from another place on.

    To compile a module takes longer than to load it. Workers that went through the tests side by side would compile
    each of them at the same moment; so they find what the others have compiled.
    """
    if not hasattr(config, "workerinput") or config.args != config.getini("testpaths"):
        return
    files = sorted((config.rootpath / "tests").rglob("test_*.py"))
    number, workers = int(config.workerinput["workerid"].removeprefix("gw")), config.workerinput["workercount"]
    begin = len(files) * number // workers
    for file in files[begin:] + files[:begin]:
        with contextlib.suppress(Exception, pytest.skip.Exception):  # pytest will say what is wrong with it
            importlib.import_module(".".join(file.relative_to(config.rootpath).with_suffix("").parts))


class ByFile(LoadScopeScheduling):  # type: ignore[misc]  # xdist is not typed
    """The tests of a file go to one worker, which draws, serves and examines once for all of them."""

    def _split_scope(self, nodeid: str) -> str:
        file = PurePosixPath(nodeid.partition("::")[0])
        return str(file.parent if str(file.parent) in TOGETHER else file)


def by_file(config: pytest.Config) -> ByFile:
    """The scheduler; it keeps the order in which tests were collected."""
    config.option.loadscopereorder = False
    # Without a log of its own it writes a line for each test.
    return ByFile(config, Producer("xdist", enabled=bool(config.option.debug)))
