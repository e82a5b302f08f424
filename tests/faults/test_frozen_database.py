"""PostgreSQL is frozen under a service: it keeps every connection and says nothing. Who hears what, and when?"""

import json
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.support.frozen import frozen
from tests.support.integrator import Integrator, postgres_of, ready
from tests.support.migrated import migrate_by_copy
from tests.support.served import forked
from tests.support.waiting import within
from truename.plumbing.database.embedded import Embedded

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[str]:
    """The address of a database of the test's own, which it may ask beside the service."""
    migrate_by_copy(tmp_path / "data")
    embedded = Embedded(tmp_path / "data")
    embedded.attach()
    try:
        yield embedded.url
    finally:
        embedded.close()


def refusal(url: str, **sent: str) -> tuple[int, dict[str, object]]:
    """Status and body of a refusal, which says when to try again."""
    body = "&".join(f"{name}={value}" for name, value in sent.items()).encode() or None
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(url, data=body, timeout=120)
    with caught.value as answer:
        assert answer.headers["Retry-After"]
        return answer.code, json.loads(answer.read())


def test_a_frozen_database_is_answered_with_a_refusal_and_a_worker_that_is_asked_to_end_ends(
    tmp_path: Path, database: str
) -> None:
    """Seen before: calls waited for as long as it was frozen, and the worker had to be killed."""
    with forked(tmp_path / "data", TRUENAME_LOG_FORMAT="json", TRUENAME_DATABASE_URL=database) as service:
        integrator = Integrator(service)
        made = integrator.new_transaction()
        worker = service._processes[1]
        within(120, lambda: is_at_work(database))
        with frozen(postgres_of(service.data)):
            status, told = refusal(
                f"{service.url}/oauth/token",
                grant_type="client_credentials",
                client_id=service.credential("client_id"),
                client_secret=service.credential("client_secret"),
            )
            assert (status, told["code"]) == (503, "not_ready")
            status, told = refusal(f"{service.url}/readyz")
            assert (status, told["detail"]) == (503, "The database does not answer.")
            with urllib.request.urlopen(f"{service.url}/healthz", timeout=30) as answer:
                assert answer.status == 200
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(60) == 0
        within(60, lambda: ready(service.url))
        assert integrator.get(f"/transaction/{made}")["status"] == "CREATED"
    written = [json.loads(line) for line in service.errors if line.startswith("{")]
    assert "database away" in {line["event"] for line in written}
    assert not [line for line in written if "traceback" in line]


def is_at_work(url: str) -> bool:
    """Does a worker look for jobs? One that still starts says that the database is away, and ends so."""
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT count(*) > 0 FROM jobs.procrastinate_workers").fetchone() == (True,)
