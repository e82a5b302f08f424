"""Processes that do not go on."""

import contextlib
import os
import signal
from collections.abc import Iterator, Sequence


@contextlib.contextmanager
def frozen(processes: Sequence[int]) -> Iterator[None]:
    """None of them goes on meanwhile; one may have ended by itself."""
    try:
        _tell(processes, signal.SIGSTOP)
        yield
    finally:
        _tell(processes, signal.SIGCONT)


def _tell(processes: Sequence[int], what: signal.Signals) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, what)
