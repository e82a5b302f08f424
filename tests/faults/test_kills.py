"""Is anything lost or left behind when processes are killed?"""

import os
import signal
import threading
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import psycopg
import pytest

from tests.support.integrator import Integrator, postgres_of, ready
from tests.support.served import Served, served
from tests.support.waiting import within
from truename.plumbing.database.embedded import Embedded

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def stored(data: Path) -> set[str]:
    """The transactions that the database holds, asked when no service runs."""
    embedded = Embedded(data)
    embedded.attach()
    try:
        with psycopg.connect(embedded.url) as connection:
            return {str(row[0]) for row in connection.execute("SELECT transaction_id FROM transactions")}
    finally:
        embedded.close()


def test_a_killed_service_leaves_nothing_running_and_loses_nothing(tmp_path):
    service = Served(tmp_path / "data").wait_until_ready()
    made = {Integrator(service).new_transaction() for _ in range(3)}
    within(60, lambda: service.child("worker"))
    worker = service.child("worker")
    service.stop(signal.SIGKILL)
    print(f"postgres gone after {within(20, lambda: not postgres_of(tmp_path / 'data')):.1f} s")
    within(60, lambda: not Path(f"/proc/{worker}").exists())
    assert stored(tmp_path / "data") == made
    with served(tmp_path / "data") as again:
        assert ready(again.url)


def test_a_killed_worker_is_started_again(tmp_path):
    with served(tmp_path / "data") as service:
        within(60, lambda: service.child("worker"))
        first = service.child("worker")
        assert first is not None
        os.kill(first, signal.SIGKILL)
        took = within(30, lambda: service.child("worker") not in (None, first))
        print(f"worker back after {took:.1f} s")
        assert ready(service.url)


def test_the_service_heals_after_its_database_was_killed(tmp_path):
    with served(tmp_path / "data") as service:
        integrator = Integrator(service)
        made = integrator.new_transaction()
        postmaster = int((tmp_path / "data/postgres/postmaster.pid").read_text().split()[0])
        os.kill(postmaster, signal.SIGKILL)
        within(10, lambda: not Path(f"/proc/{postmaster}").exists())
        print(f"ready again after {within(30, lambda: ready(service.url)):.1f} s")
        again = integrator.new_transaction()
    assert stored(tmp_path / "data") == {made, again}


def test_sigterm_under_load_finishes_what_was_begun_and_keeps_every_201(tmp_path):
    service = Served(tmp_path / "data").wait_until_ready()
    integrator = Integrator(service)
    customer = integrator.post("/customer", {"external_customer_id": "one"})["customer_id"]
    confirmed: list[str] = []
    failures: list[int] = []

    def load() -> None:
        while True:
            try:
                made = integrator.post("/transaction", {"customer_id": customer, "transaction_type": "DOCUMENT_ONLY"})
            except urllib.error.HTTPError as error:
                failures.append(error.code)
                return
            except OSError:
                return  # the door is closed: nothing was promised
            confirmed.append(made["transaction_id"])

    threads = [threading.Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    within(60, lambda: len(confirmed) > 20 or failures)
    assert service.stop() == 0
    for thread in threads:
        thread.join()
    assert not postgres_of(tmp_path / "data")
    assert failures == []
    assert set(confirmed) <= stored(tmp_path / "data")


def listens(process: int, url: str) -> bool:
    """Does this process listen on the service's port?"""
    port = int(url.rpartition(":")[2])
    return any(
        connection.status == psutil.CONN_LISTEN and connection.laddr.port == port
        for connection in psutil.Process(process).net_connections("inet")
    )


def test_several_api_processes_share_one_port(tmp_path):
    with served(tmp_path / "data", "--processes", "2", "--no-worker") as service:
        integrator = Integrator(service)
        within(60, lambda: service.child("serve"))
        second = service.child("serve")
        assert second is not None
        within(60, lambda: listens(second, service.url))
        made = {integrator.new_transaction() for _ in range(20)}
        assert len(made) == 20
        os.kill(second, signal.SIGKILL)
        within(30, lambda: service.child("serve") not in (None, second))
        assert ready(service.url)
