"""What a command sets up for its log and its sight is over with it, where it runs within the tests' process."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from truename.vision.configuration import configuration, configured

UVICORN_LOGGERS = ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi")


@contextmanager
def as_found() -> Iterator[None]:
    """Leave the log and what vision is set to as they were: a command sets both for its whole process."""
    with log_restored(), configured(configuration()):
        yield


@contextmanager
def log_restored() -> Iterator[None]:
    """Leave levels, handlers and processors as they were: a level that stays would hide the lines of later tests."""
    root, engine = logging.getLogger(), logging.getLogger("procrastinate")
    before, handlers, level, engines = structlog.get_config(), root.handlers[:], root.level, engine.level
    try:
        with uvicorn_untouched():
            yield
    finally:
        structlog.configure(**before)
        root.handlers[:] = handlers
        _set_level(root, level)
        _set_level(engine, engines)


@contextmanager
def uvicorn_untouched() -> Iterator[None]:
    """uvicorn's loggers as in our own server, which sets nothing of them; a server of another test may have."""
    loggers = [logging.getLogger(name) for name in UVICORN_LOGGERS]
    states = [(one.handlers[:], one.level, one.propagate) for one in loggers]
    try:
        for one in loggers:
            one.handlers[:] = []
            _set_level(one, logging.NOTSET)
            one.propagate = True
        yield
    finally:
        for one, (handlers, level, propagate) in zip(loggers, states, strict=True):
            one.handlers[:] = handlers
            _set_level(one, level)
            one.propagate = propagate


def _set_level(logger: logging.Logger, level: int) -> None:
    """Only where it is another one: each time all loggers of the process forget what they are enabled for."""
    if logger.level != level:
        logger.setLevel(level)
