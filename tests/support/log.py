"""What a command sets up for its log is over with it, where it runs within the tests' process."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import structlog


@contextmanager
def log_restored() -> Iterator[None]:
    """Leave levels, handlers and processors as they were: a level that stays would hide the lines of later tests."""
    root, engine = logging.getLogger(), logging.getLogger("procrastinate")
    before, handlers, level, engines = structlog.get_config(), root.handlers[:], root.level, engine.level
    try:
        yield
    finally:
        structlog.configure(**before)
        root.handlers[:] = handlers
        root.setLevel(level)
        engine.setLevel(engines)
