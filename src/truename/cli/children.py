"""Further processes of one `truename serve`: started, started again when they die, and stopped with it."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Collection
from typing import Final

import structlog

log = structlog.get_logger(__name__)

LIFELINE: Final = "_TRUENAME_LIFELINE"
LONE_WORK: Final = "_TRUENAME_LONE_WORK"
"""In a child: run the jobs that must be run alone, then end."""
SHARED_SOCKET: Final = "_TRUENAME_SHARED_SOCKET"
STOP_WITHIN = 30.0


class Child:
    """One process, kept alive. It holds the reading end of a pipe: when we are gone, however, the pipe says so."""

    def __init__(self, arguments: list[str], environment: dict[str, str], pass_fds: tuple[int, ...] = ()) -> None:
        self.arguments, self.environment, self.pass_fds = arguments, environment, pass_fds
        self.process: asyncio.subprocess.Process | None = None
        self._keeper: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._keeper = asyncio.create_task(self._keep())

    async def _keep(self) -> None:
        wait = 0.2
        while True:
            began = asyncio.get_running_loop().time()
            try:
                self.process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    "-m",
                    "truename.cli",
                    *self.arguments,
                    env={**os.environ, **self.environment, LIFELINE: "1"},
                    stdin=subprocess.PIPE,
                    start_new_session=True,
                    pass_fds=self.pass_fds,
                )
            except OSError as error:  # no memory, no room for a process: so it may be for a while
                self.process = None
                wait = min(wait * 2, 10)
                log.error("process cannot be started", process=self.arguments[0], error=error.strerror)
            else:
                status = await self.process.wait()
                wait = 0.2 if asyncio.get_running_loop().time() - began > 10 else min(wait * 2, 10)
                log.warning("process died, starting it again", process=self.arguments[0], status=status)
            await asyncio.sleep(wait)

    async def stop(self) -> None:
        """Ask it to finish what it has begun; insist if it does not."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        if self.process is None or self.process.returncode is not None:
            return
        await _end(self.process)


async def run_lone_worker(queues: Collection[str]) -> None:
    """A process that runs the jobs of these queues which must be run alone, until it ends, however.

    It is stopped with us, by force where it does not heed.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "truename.cli",
        "worker",
        "--queues",
        ",".join(queues),
        env={**os.environ, LIFELINE: "1", LONE_WORK: "1"},
        stdin=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        status = await process.wait()
        if status:
            log.warning("lone worker died", status=status)
    except asyncio.CancelledError:
        await _end(process)
        raise


async def _end(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), STOP_WITHIN)
        except TimeoutError:
            process.kill()
            await process.wait()


def live_no_longer_than_parent() -> None:
    """In a child: stop cleanly when the parent is gone, even after kill -9."""
    if os.environ.pop(LIFELINE, None) is None:
        return

    def watch() -> None:
        while os.read(0, 64):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()
