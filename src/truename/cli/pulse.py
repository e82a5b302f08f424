"""Does the event loop of a process that serves turn? A thread beside it looks, for a loop that is stuck tells nobody.

What is counted is the looks and not the time: they are put off as the loop is while the process is frozen or the
machine starves it, so that neither passes for a loop that is stuck.
"""

import asyncio
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Final

import structlog

log = structlog.get_logger(__name__)

LOOK_SECONDS: Final = 1.0
STUCK_LOOKS = 60
"""After so many looks between which the loop did not turn, it is stuck: `/healthz` and the log say so."""
END_LOOKS = 180
"""After so many the process ends itself: where nobody asks for its health, nobody else would."""


class Pulse:
    """The turns of one loop."""

    def __init__(self) -> None:
        self.looks_without_a_turn = 0
        self._turns = 0
        self._loop_thread: int | None = None

    async def beat(self) -> None:
        """Be watched until cancelled."""
        self._loop_thread = threading.get_ident()
        threading.Thread(target=self._watch, daemon=True).start()
        try:
            while True:
                self._turns += 1
                await asyncio.sleep(LOOK_SECONDS / 2)
        finally:
            self._loop_thread = None

    @property
    def fault(self) -> str | None:
        """What is wrong, or None: nobody is watched, or the loop turns."""
        if self.looks_without_a_turn < STUCK_LOOKS:
            return None
        return f"The event loop has been stuck for {self.looks_without_a_turn * LOOK_SECONDS:.0f} seconds."

    def _watch(self) -> None:
        before = self._turns
        while self._loop_thread is not None:
            time.sleep(LOOK_SECONDS)
            turned, before = self._turns != before, self._turns
            self.looks_without_a_turn = 0 if turned else self.looks_without_a_turn + 1
            if self.looks_without_a_turn == STUCK_LOOKS:
                log.error("the event loop is stuck", at=self._where())
            if self.looks_without_a_turn >= END_LOOKS:
                # A worker's jobs are others' since it was silent for eight seconds, and whoever called an API process
                # has gone; whoever started it starts it again.
                log.error("the event loop is stuck for good: this process ends itself", at=self._where())
                os.kill(os.getpid(), signal.SIGKILL)
        self.looks_without_a_turn = 0

    def _where(self) -> str:
        """The lines of code at which the loop's thread stands, without a value."""
        frame = sys._current_frames().get(self._loop_thread or 0)
        return "".join(traceback.format_stack(frame)) if frame is not None else ""


@asynccontextmanager
async def beside(work: Coroutine[object, None, None]) -> AsyncGenerator[None]:
    """Do this meanwhile, for no longer than the block."""
    doing = asyncio.create_task(work)
    try:
        yield
    finally:
        doing.cancel()
        await asyncio.gather(doing, return_exceptions=True)
