"""Is the id of a request borne on to the jobs, log lines and webhooks that it causes?"""

import subprocess
import sys
import textwrap
from pathlib import Path

import structlog

from tests.support.api import TRANSACTION, a_transaction
from tests.support.collector import collecting
from tests.support.served import environment_of
from truename.plumbing.jobs.queue import enqueue
from truename.plumbing.jobs.worker import run_pending
from truename.plumbing.tracing import add_request_id, caused_by, current_cause
from truename.wiring import load_jobs

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


async def test_the_id_of_a_request_goes_with_its_event_and_its_job(client, plumbing, an_account):
    load_jobs()
    made = await a_transaction(client, config={"webhook": {"url": "https://127.0.0.1:9/hook"}})
    headers = {"X-Request-Id": "request-4711", "traceparent": PARENT}
    async with client.post(f"{TRANSACTION}/{made['transaction_id']}/cancel", headers=headers) as answer:
        assert answer.headers["X-Request-Id"] == "request-4711"
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute("SELECT cause FROM webhook_events")
        causes = [row["cause"] for row in await cursor.fetchall()]
        cursor = await connection.execute(
            "SELECT cause FROM procrastinate_jobs WHERE args ->> 'account_id' = %s", (str(an_account.account_id),)
        )
        causes += [row["cause"] for row in await cursor.fetchall()]
    assert len(causes) == 2
    assert all(cause.startswith(f"request-4711 {PARENT[:35]}") for cause in causes)
    with structlog.testing.capture_logs([add_request_id]) as lines:
        await run_pending(plumbing)
    told = [line for line in lines if line["event"] in ("webhook attempt", "webhooks tried")]
    assert {line["event"]: line.get("request_id") for line in told} == dict.fromkeys(
        ("webhook attempt", "webhooks tried"), "request-4711"
    )


async def test_work_of_our_own_has_no_cause_and_nonsense_is_none(plumbing):
    assert current_cause() is None
    for written in (None, "", "short", "'; DROP TABLE accounts; --", "ümlaut-request"):
        with caused_by(written) as within:
            assert (current_cause(), within) == (None, None)
    with caused_by("request-4711 no traceparent") as within:
        assert (current_cause(), within) == ("request-4711", None)
        with caused_by(None):
            assert current_cause() is None
        assert current_cause() == "request-4711"
        async with plumbing.database.system() as connection:
            await enqueue(connection, "tests.nothing", {})
            cursor = await connection.execute("SELECT cause FROM procrastinate_jobs WHERE task_name = 'tests.nothing'")
            assert [row["cause"] for row in await cursor.fetchall()] == ["request-4711"]
            await connection.execute("DELETE FROM procrastinate_jobs WHERE task_name = 'tests.nothing'")
    async with plumbing.database.system() as connection:
        cursor = await connection.execute("SELECT current_setting('truename.cause', true) AS cause")
        assert not (await cursor.fetchone())["cause"]


FAILS = textwrap.dedent("""
    from truename.plumbing.settings import load_settings
    from truename.plumbing.tracing import caused_by, exporting, span

    with exporting(load_settings()), caused_by("request-4711") as within:
        try:
            with span("job that fails", within):
                raise ValueError("Ana Canary, born 1979-11-23, cannot be read")
        except ValueError:
            pass
""")


def test_an_error_is_told_in_a_span_by_its_class_and_not_by_its_words(tmp_path: Path):
    with collecting() as collector:  # in a process of its own: a process sends its spans to one place for ever
        told = environment_of(tmp_path, TRUENAME_TRACES_ENDPOINT=collector.url)
        subprocess.run([sys.executable, "-c", FAILS], env=told, check=True, timeout=60)
    [failed] = collector.spans
    assert (failed.name, failed.status.message) == ("job that fails", "ValueError")
    assert b"Canary" not in failed.SerializeToString()
    assert not failed.events
