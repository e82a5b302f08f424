"""Is anything lost or left behind when processes are killed? One installation: its parts die, then all of it."""

import os
import signal
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import psycopg
import pytest

from tests.support.api import KYC, b64, saved
from tests.support.integrator import Integrator, postgres_of, ready
from tests.support.migrated import migrate_by_copy
from tests.support.served import Forked, Served, forked
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


def pictures(data: Path) -> list[Path]:
    return [path for path in (data / "media").rglob("*") if path.is_file()]


def listens(process: int, url: str) -> bool:
    """Does this process listen on the service's port?"""
    port = int(url.rpartition(":")[2])
    return any(
        connection.status == psutil.CONN_LISTEN and connection.laddr.port == port
        for connection in psutil.Process(process).net_connections("inet")
    )


def created(integrator: Integrator) -> set[str]:
    """A new transaction, asked for until every API process has noticed that its database is back."""
    until = time.monotonic() + 30
    while True:
        try:
            return {integrator.new_transaction()}
        except urllib.error.HTTPError as error:
            if error.code != 503 or time.monotonic() > until:
                raise
            time.sleep(0.1)


def test_parts_die_then_the_whole_service_and_nothing_is_lost_or_left_behind(tmp_path):
    data = tmp_path / "data"
    migrate_by_copy(data)
    made = parts_are_killed_one_after_another_and_come_back(data)
    assert stored(data) == made
    the_service_is_killed_right_after_the_answer_to_an_erasure(data)
    assert len(pictures(data)) == 1, "nobody was there to do the job"
    made |= sigterm_under_load_finishes_what_was_begun(data)
    assert made <= stored(data)


def parts_are_killed_one_after_another_and_come_back(data: Path) -> set[str]:
    """Second API process, worker, database; then the service itself, which takes them all with it."""
    service = Served(data, "--processes", "2").wait_until_ready()
    try:
        integrator = Integrator(service)
        within(60, lambda: service.child("serve") and service.child("worker"))
        second = service.child("serve")
        assert second is not None
        within(60, lambda: listens(second, service.url))
        made = {integrator.new_transaction() for _ in range(20)}
        assert len(made) == 20
        for part in ("serve", "worker"):
            first = service.child(part)
            assert first is not None
            os.kill(first, signal.SIGKILL)
            took = within(30, lambda: service.child(part) not in (None, first))  # noqa: B023
            print(f"{part} back after {took:.1f} s")
        postmaster = int((data / "postgres/postmaster.pid").read_text().split()[0])
        os.kill(postmaster, signal.SIGKILL)
        within(10, lambda: not Path(f"/proc/{postmaster}").exists())
        print(f"ready again after {within(30, lambda: ready(service.url)):.1f} s")
        made |= created(integrator)
        children = [service.child(part) for part in ("serve", "worker")]
    finally:
        service.stop(signal.SIGKILL)
    print(f"postgres gone after {within(20, lambda: not postgres_of(data)):.1f} s")
    within(60, lambda: not any(Path(f"/proc/{child}").exists() for child in children))
    return made


def the_service_is_killed_right_after_the_answer_to_an_erasure(data: Path) -> None:
    """No worker runs, so the pictures are still to be deleted."""
    service = Forked(data, "--no-worker").wait_until_ready()
    try:
        integrator = Integrator(service)
        body = {"external_customer_id": "ana", "face_reference_image": b64(saved("JPEG"))}
        customer = integrator.post("/customer", body)["customer_id"]
        assert len(pictures(data)) == 1
        headers = {"Authorization": f"Bearer {integrator.token}"}
        erasure = urllib.request.Request(f"{service.url}{KYC}/customer/{customer}", headers=headers, method="DELETE")
        with urllib.request.urlopen(erasure, timeout=30) as answer:
            assert answer.status == 200
    finally:
        service.stop(signal.SIGKILL)


def sigterm_under_load_finishes_what_was_begun(data: Path) -> set[str]:
    """Also the erasure of before; every 201 is kept, and nobody hears anything worse than a closed door."""
    with forked(data) as service:
        within(60, lambda: pictures(data) == [])
        integrator = Integrator(service)
        customer = integrator.post("/customer", {"external_customer_id": "one"})["customer_id"]
        confirmed: list[str] = []
        failures: list[int] = []

        def load() -> None:
            while True:
                try:
                    asked = {"customer_id": customer, "transaction_type": "DOCUMENT_ONLY"}
                    confirmed.append(integrator.post("/transaction", asked)["transaction_id"])
                except urllib.error.HTTPError as error:
                    failures.append(error.code)
                    return
                except OSError:
                    return  # the door is closed: nothing was promised

        threads = [threading.Thread(target=load) for _ in range(8)]
        for thread in threads:
            thread.start()
        within(60, lambda: len(confirmed) > 20 or failures)
        assert service.stop() == 0
        for thread in threads:
            thread.join()
    assert not postgres_of(data)
    assert failures == []
    return set(confirmed)
