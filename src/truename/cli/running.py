"""What every command does first: read the settings, set up the log, and turn known troubles into sentences."""

import asyncio
import logging
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

import structlog
import uvloop

from truename.cli import complain
from truename.plumbing.crypto.master_key import MasterKeyError
from truename.plumbing.database.embedded import EmbeddedError
from truename.plumbing.database.migrate import DatabaseError
from truename.plumbing.settings import Settings, SettingsError, load_settings

Result = TypeVar("Result")


def settings_of_command(**given: Any) -> Settings:
    """The settings, or the sentences that say what is wrong with them."""
    try:
        settings = load_settings(**given)
    except SettingsError as error:
        raise complain(*error.sentences) from None
    set_up_log(settings)
    return settings


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run to the end; a known trouble is one sentence, not a traceback."""
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(work)
    except (MasterKeyError, EmbeddedError, DatabaseError) as error:
        raise complain(str(error)) from None


def set_up_log(settings: Settings) -> None:
    """Lines go to stderr, one for each event, for people or for machines."""
    level = getattr(logging, settings.log_level.upper())
    before: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if settings.log_format == "json":
        shown: list[Any] = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    else:
        shown = [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]
    structlog.configure(
        processors=[*before, *shown],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=before,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *shown],
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    logging.basicConfig(level=max(level, logging.WARNING), handlers=[handler], force=True)
    # Our own line says that a job failed; the engine would repeat it with a traceback of its own.
    logging.getLogger("procrastinate").setLevel(logging.CRITICAL)
