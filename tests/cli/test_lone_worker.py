"""The process in which a worker runs jobs alone ends with it, also where it heeds nobody; others are kept alive."""

import asyncio
import errno
import signal

import psutil
import pytest

from tests.support.waiting import until
from truename.cli import children


@pytest.mark.slow
async def test_a_worker_that_is_asked_to_end_does_not_wait_for_ever_for_a_lone_process_that_is_frozen(monkeypatch):
    """It waited until somebody killed it, and what else it had in hand was taken for the work of a dead one."""
    monkeypatch.setattr(children, "STOP_WITHIN", 1.0)
    before = set(psutil.Process().children())
    working = asyncio.create_task(children.run_lone_worker(["upkeep"]))

    async def is_waited_for() -> bool:
        """It has loaded some of its code: whoever is cancelled while it is being made kills it in any case."""
        return any(sum(one.cpu_times()[:2]) > 0.3 for one in set(psutil.Process().children()) - before)

    await until(is_waited_for)
    [lone] = set(psutil.Process().children()) - before
    lone.send_signal(signal.SIGSTOP)

    async def stands_still() -> bool:
        return lone.status() == psutil.STATUS_STOPPED

    await until(stands_still)
    try:
        working.cancel()
        await asyncio.wait([working], timeout=60)
        assert working.cancelled()
        assert not lone.is_running()
    finally:
        if lone.is_running():
            lone.kill()


async def test_a_process_that_the_system_has_no_room_for_is_started_as_soon_as_it_has(monkeypatch):
    """It was given up for good, without a word: the service went on without a worker until it was started anew."""
    started, refusals = asyncio.Event(), iter((OSError(errno.ENOMEM, "no memory"), OSError(errno.EAGAIN, "no room")))

    class Running:
        returncode = None

        async def wait(self) -> int:
            started.set()
            await asyncio.Event().wait()
            return 0

        def terminate(self) -> None:
            raise ProcessLookupError

    async def start(*_: object, **__: object) -> Running:
        for refusal in refusals:
            raise refusal
        return Running()

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start)
    child = children.Child(["worker"], {})
    child.start()
    await asyncio.wait_for(started.wait(), 30)
    await child.stop()
