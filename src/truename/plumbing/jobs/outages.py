"""Regular tasks whose database or store is away: a line when it begins and a line when it is over, for each task.

The pages of a traceback say nothing of an outage, and twenty tasks that each write them again and again hide the rest.
"""

from typing import Final

import structlog
from procrastinate.exceptions import ConnectorException

from truename.plumbing.error_text import error_text, traceback_text
from truename.plumbing.jobs.engine import is_outage
from truename.plumbing.storage.objects import StorageUnavailable
from truename.vision.decoding.decoder import DecoderStarved

log = structlog.get_logger(__name__)


class Outages:
    """Which regular tasks of this process wait for what they need; they are started anew meanwhile, this is not."""

    def __init__(self) -> None:
        self._waiting: set[str] = set()

    def note_failure(self, task: str, error: Exception) -> None:
        """One line for each outage, one with a traceback for each fault of ours."""
        cause = error.__cause__ if isinstance(error, ConnectorException) else error  # the engine wraps the driver's
        if cause is None or not is_outage(cause):
            log.error("regular task failed", task=task, traceback=traceback_text(error))
        elif task not in self._waiting:
            self._waiting.add(task)
            words = "regular task waits for what it needs"
            log.warning(words, task=task, reason=_reason(cause), error=error_text(cause))

    def note_success(self, task: str) -> None:
        """What it waited for is back."""
        if task in self._waiting:
            self._waiting.discard(task)
            log.warning("regular task goes on", task=task)


outages: Final = Outages()


def _reason(error: BaseException) -> str:
    if isinstance(error, StorageUnavailable):
        return "The store of pictures does not answer."
    return str(error) if isinstance(error, DecoderStarved) else "The database does not answer."
