"""What the log says of regular tasks whose database or store is away: who reads it must see what fails, and once."""

import psycopg
import psycopg_pool
import pytest
from procrastinate.exceptions import ConnectorException
from structlog.testing import capture_logs

from truename.plumbing.database.pool import Database
from truename.plumbing.jobs.outages import Outages
from truename.plumbing.jobs.registry import Tick
from truename.plumbing.jobs.worker import is_our_turn
from truename.plumbing.storage.objects import StorageUnavailable


async def no_work(_: object) -> None:
    """A task that does nothing."""


async def when_nobody_listens() -> Exception:
    """What a regular task is told where the database is not there."""
    database = Database("postgresql://nobody@127.0.0.1:1/none", connections=1)
    database.pool.timeout = 0.2
    await database.pool.open(wait=False)
    try:
        await is_our_turn(Tick("test.task", no_work, 1), database)
    except Exception as error:
        return error
    finally:
        await database.close()
    raise AssertionError("Somebody listened on port 1.")


async def test_an_outage_is_one_line_for_each_task_with_its_reason_and_no_traceback():
    """Seen before: pages of it from each of twenty tasks, every few seconds."""
    outages, error = Outages(), await when_nobody_listens()
    assert isinstance(error, psycopg_pool.PoolTimeout)
    with capture_logs() as lines:
        for _ in range(3):
            outages.note_failure("one", error)
            outages.note_failure("other", error)
    assert [line["task"] for line in lines] == ["one", "other"]
    assert {line["reason"] for line in lines} == {"The database does not answer."}
    assert {line["log_level"] for line in lines} == {"warning"}
    assert all("traceback" not in line for line in lines)


async def test_what_is_back_is_said_once_and_the_next_outage_is_a_line_again():
    outages = Outages()
    with capture_logs() as lines:
        outages.note_success("one")
        outages.note_failure("one", StorageUnavailable("gone"))
        outages.note_success("one")
        outages.note_success("one")
        outages.note_failure("one", psycopg.errors.AdminShutdown())
    said = [line["event"] for line in lines]
    waits = "regular task waits for what it needs"
    assert said == [waits, "regular task goes on", waits]
    assert [line.get("reason") for line in lines] == [
        "The store of pictures does not answer.",
        None,
        "The database does not answer.",
    ]


@pytest.mark.parametrize(
    "fault", [ValueError("ours"), psycopg.errors.DeadlockDetected(), psycopg.errors.UniqueViolation()]
)
async def test_a_fault_of_ours_is_told_with_its_traceback_each_time(fault):
    outages = Outages()
    with capture_logs() as lines:
        for _ in range(2):
            outages.note_failure("one", fault)
    assert [line["event"] for line in lines] == ["regular task failed"] * 2
    assert all(line["traceback"] for line in lines)


async def test_what_the_engine_wraps_is_judged_by_what_is_inside():
    outages = Outages()
    away, ours = ConnectorException(), ConnectorException()
    away.__cause__ = psycopg.OperationalError("gone")
    ours.__cause__ = psycopg.errors.UndefinedTable()
    with capture_logs() as lines:
        outages.note_failure("one", away)
        outages.note_failure("two", ours)
    assert [line["event"] for line in lines] == ["regular task waits for what it needs", "regular task failed"]
