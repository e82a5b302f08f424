"""A look at a picture that never comes back: its worker ends itself, others' work is done, and it is FAILED at last."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.analyses import a_submitted, row_of, status_of
from tests.support.jobs import count
from tests.support.served import environment_of
from tests.support.transactions import a_customer, a_transaction, store_capture, submitted
from tests.support.waiting import until, within
from truename.plumbing.jobs.engine import DEATHS_ALONE
from truename.plumbing.resources import Plumbing

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

HANGS = textwrap.dedent("""
    import ctypes, os
    from pathlib import Path
    from truename.analysis import analyse
    from truename.plumbing.jobs import engine

    engine.HEARTBEAT_SECONDS, engine.DEAD_AFTER_SECONDS = 0.3, 1.5
    real = analyse.examine

    def examine(captures, *others, **more):
        if captures.document_front is not None:
            with Path(os.environ["HUNG"]).open("a") as told:
                told.write(f"{os.getpid()}\\n")
            ctypes.CDLL(None).pause()  # native code: the loop turns on beside it
        return real(captures, *others, **more)

    analyse.examine = examine
""")
"""As `sitecustomize`: every Python that is started, the lone worker too, never comes back from a picture."""


class Worker:
    """A worker of analyses, as a process."""

    def __init__(self, plumbing: Plumbing, folder: Path) -> None:
        (folder / "sitecustomize.py").write_text(HANGS)
        self.log, self.told = folder / "log", folder / "hung"
        settings = plumbing.settings
        assert settings.database_url is not None
        assert settings.master_key is not None
        self.environment = environment_of(
            settings.data_dir,
            TRUENAME_DATABASE_URL=settings.database_url.get_secret_value(),
            TRUENAME_MASTER_KEY=settings.master_key.get_secret_value(),
            TRUENAME_ANALYSIS_SECONDS="3",
            PYTHONPATH=os.pathsep.join([str(folder), *sys.path]),
            HUNG=str(self.told),
        )
        self.process = self.start()

    def start(self) -> subprocess.Popen[bytes]:
        with self.log.open("a") as log:
            command = [sys.executable, "-m", "truename.cli", "worker", "--queues", "analysis"]
            self.process = subprocess.Popen(command, env=self.environment, stderr=log)
        return self.process

    def hung(self) -> list[int]:
        """The processes that went into that picture, in order."""
        return [int(line) for line in self.told.read_text().split()] if self.told.exists() else []


@contextmanager
def a_worker(plumbing: Plumbing, folder: Path) -> Iterator[Worker]:
    worker = Worker(plumbing, folder)
    try:
        yield worker
    finally:
        worker.process.kill()
        worker.process.wait(60)
        within(60, lambda: not any(Path(f"/proc/{one}").exists() for one in worker.hung()))


async def test_a_look_that_never_ends_costs_its_worker_then_its_own_transaction_and_nobody_elses(
    plumbing, an_account, tmp_path
):
    customer = await a_customer(plumbing, an_account)
    hangs = await a_transaction(plumbing, an_account, customer)
    await store_capture(plumbing, an_account, customer, hangs, "DOCUMENT_FRONT", [(b"a picture", None, 0)])
    await submitted(plumbing, an_account, hangs)
    with a_worker(plumbing, tmp_path) as worker:
        assert worker.process.wait(120) == -signal.SIGKILL, "nobody else ends a thread in native code"
        assert worker.hung() == [worker.process.pid]
        assert "over its time" in worker.log.read_text()
        assert "in examine" in worker.log.read_text(), "the log says where it stood"
        assert str(hangs) in worker.log.read_text()
        innocent = await a_submitted(plumbing, an_account, customer)
        worker.start()

        async def others_are_done():
            return await status_of(plumbing, an_account, innocent) not in ("IN_PROGRESS", "PROCESSING")

        await until(others_are_done, 120)
        deaths = f"SELECT max(attempts) FROM procrastinate_jobs WHERE args ->> 'transaction_id' = '{hangs}'"

        async def died_alone_once():
            return await count(plumbing, deaths) == 1

        await until(died_alone_once, 120)
        assert worker.hung()[1] != worker.process.pid, "it was in a process of its own"
        assert worker.process.poll() is None, "beside which the worker works on"
        assert await status_of(plumbing, an_account, hangs) == "PROCESSING"
        async with plumbing.database.system() as connection:
            await connection.execute(
                "UPDATE procrastinate_jobs SET attempts = %s WHERE args ->> 'transaction_id' = %s",
                (DEATHS_ALONE - 2, str(hangs)),  # as after all deaths but two
            )

        async def failed():
            return await status_of(plumbing, an_account, hangs) == "FAILED"

        await until(failed, 180)
        assert worker.process.poll() is None
    moved = "details ->> 'to' = 'FAILED' AND subject"
    line = await row_of(plumbing, an_account, "audit_log", moved, f"transaction:{hangs}")
    assert line["details"] == {"from": "PROCESSING", "to": "FAILED", "reason": "WORKER_DIED"}
