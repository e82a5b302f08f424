"""Work in a thread that never comes back: a thread in native code cannot be ended, so its process ends itself.

The event loop turns on meanwhile and the worker gives signs of life: nobody else would take the job out of its hands.
With the process dead, what it had in its hands is others', and who was alone in it is suspected
(`engine.recover_stalled`).
"""

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Final, TypeVar

import structlog

log = structlog.get_logger(__name__)

LOOK_SECONDS: Final = 1.0

Made = TypeVar("Made")


def within_time(seconds: float, work: Callable[[], Made], **said: str) -> Made:
    """Do this work in this thread. If it takes longer than so many seconds, this process is killed.

    What is counted is looks, a second apart, and not time: while the process is frozen none is made. `said` is what
    the log tells of the work beside the lines of code at which it stands. Raises what the work raises.
    """
    over = threading.Event()
    watch = threading.Thread(target=_watch, args=(over, threading.get_ident(), seconds, said), daemon=True)
    watch.start()
    try:
        return work()
    finally:
        over.set()


def _watch(over: threading.Event, worker: int, seconds: float, said: dict[str, str]) -> None:
    looked = 0.0
    while looked < seconds:
        wait = min(LOOK_SECONDS, seconds - looked)
        if over.wait(wait):
            return
        looked += wait
    log.error("work in a thread is over its time: this process ends itself", at=_where(worker), **said)
    os.kill(os.getpid(), signal.SIGKILL)


def _where(worker: int) -> str:
    """The lines of code at which the thread stands, without a value."""
    frame = sys._current_frames().get(worker)
    return "".join(traceback.format_stack(frame)) if frame is not None else ""
