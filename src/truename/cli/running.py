"""What every command does first: read the settings, set up the log, and turn known troubles into sentences."""

import asyncio
import logging
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Final, TextIO, TypeVar, cast

import psycopg
import psycopg_pool
import structlog
import uvloop
from structlog.typing import EventDict, Processor

from truename.cli.exit_codes import ExitCode, complain
from truename.device.unusable import OriginFileUnusable
from truename.plumbing.crypto.master_key import MasterKeyError
from truename.plumbing.customer_keys import KeysElsewhere
from truename.plumbing.database.embedded import NoDataHere, OutOfReach, holds_data
from truename.plumbing.database.embedded_programs import EmbeddedError
from truename.plumbing.database.migrate import DatabaseError, DatabaseOutdated, DatabaseUnfit
from truename.plumbing.error_text import traceback_text
from truename.plumbing.private_files import FolderUnavailable
from truename.plumbing.settings import Settings, SettingsError, load_settings
from truename.plumbing.storage.objects import StorageUnavailable
from truename.plumbing.tracing import add_request_id
from truename.vision.decoding.decoder import DecoderStarved
from truename.vision.document.layouts.wrong import WrongLayout
from truename.vision.models import ModelUnavailable

Result = TypeVar("Result")


def settings_of_command(**given: object) -> Settings:
    """The settings, or the sentences that say what is wrong with them."""
    try:
        settings = load_settings(**given)
    except SettingsError as error:
        raise complain(*error.sentences, code=ExitCode.CONFIGURATION) from None
    set_up_log(settings)
    return settings


def set_up_vision(settings: Settings) -> None:
    """Tell vision what is set; a layout file that is wrong is said in sentences."""
    from truename.wiring import configure_vision  # most commands do not look at pictures

    with troubles_in_words():
        configure_vision(settings)


def run(
    work: Coroutine[object, None, Result],
    loop_factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop,
) -> Result:
    """Run to the end; a known trouble is one sentence, not a traceback."""
    with troubles_in_words(), asyncio.Runner(loop_factory=loop_factory) as runner:
        return runner.run(work)


async def until_asked_to_stop(work: Coroutine[object, None, Result]) -> Result:
    """Await it; SIGTERM breaks it off as Ctrl-C does, so that it takes away what it has begun to write."""
    task = asyncio.ensure_future(work)
    asked = False

    def stop() -> None:
        nonlocal asked
        asked = True
        task.cancel()

    if threading.current_thread() is threading.main_thread():  # nobody else may say what becomes of a signal
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
    try:
        return await task
    except asyncio.CancelledError:
        if not asked:
            raise
        raise complain("Asked to stop: broken off.", code=ExitCode.INTERRUPTED) from None


UNUSABLE: Final = (
    FolderUnavailable,
    MasterKeyError,
    KeysElsewhere,
    NoDataHere,
    OutOfReach,
    DatabaseOutdated,
    DatabaseUnfit,
    ModelUnavailable,
    OriginFileUnusable,
)
AWAY: Final = (
    EmbeddedError,
    DatabaseError,
    psycopg.OperationalError,
    psycopg_pool.PoolTimeout,
    DecoderStarved,
    StorageUnavailable,
)


@contextmanager
def troubles_in_words() -> Iterator[None]:
    """Turn what is wrong outside of our code into one sentence and the exit code that belongs to it."""
    try:
        yield
    except UNUSABLE as error:
        raise complain(str(error), code=ExitCode.CONFIGURATION) from None
    except WrongLayout as error:
        raise complain(*str(error).splitlines(), code=ExitCode.CONFIGURATION) from None
    except AWAY as error:
        raise complain(str(error).strip(), code=ExitCode.NOT_REACHABLE) from None


def say_what_is_made(settings: Settings) -> None:
    """Before a command that may make a data folder: say so when it will, for it may be the wrong folder."""
    if settings.database_url is None and not holds_data(settings.data_dir):
        print(f"Making a new data folder, {settings.data_dir.absolute()}.", file=sys.stderr)


class PresentStderr:
    """Stderr as it is when a line is written: a logger keeps its file for ever, while stderr may be replaced."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


def without_values(_: object, __: str, line: EventDict) -> EventDict:
    """An error that is logged, by us or by a library, is told without a value that it or its functions have held.

    The renderers would show local variables, above all tokens and bodies, and what a library says quotes its input.
    """
    given = line.pop("exc_info", None)
    error = given[1] if isinstance(given, tuple) else sys.exc_info()[1] if given is True else given
    if isinstance(error, BaseException):
        line["exception"] = traceback_text(error)
        line["event"] = str(line.get("event", "")).partition("\n")[0]  # asyncio's next lines quote the error
    return line


def set_up_log(settings: Settings) -> None:
    """Lines go to stderr, one for each event, for people or for machines."""
    level = getattr(logging, settings.log_level.upper())
    stderr = cast(TextIO, PresentStderr())
    before: list[Processor] = [
        without_values,
        add_request_id,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if settings.log_format == "json":
        shown: list[Processor] = [structlog.processors.JSONRenderer()]
    else:
        shown = [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]
    structlog.configure(
        processors=[*before, *shown],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(stderr),
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=before,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *shown],
    )
    handler = logging.StreamHandler(stderr)
    handler.setFormatter(formatter)
    logging.basicConfig(level=max(level, logging.WARNING), handlers=[handler], force=True)
    # Our own line says that a job failed; the engine would repeat it with a traceback of its own.
    logging.getLogger("procrastinate").setLevel(logging.CRITICAL)


def keep_loggers() -> None:
    """For a process that serves: a logger is made once, not for each line. What is set up later does not reach it."""
    structlog.configure(cache_logger_on_first_use=True)
