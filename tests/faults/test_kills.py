"""Is anything lost or left behind when processes are killed?"""

import json
import os
import signal
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import psycopg
import pytest

from tests.support.served import Served, served
from truename.plumbing.database.embedded import Embedded
from truename.plumbing.database.embedded_supervisor import processes_in

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("kills"), pytest.mark.timeout(600)]

KYC = "/api/account/integration/kyc"


class Integrator:
    """Calls a service with the credentials of its first start."""

    def __init__(self, service: Served) -> None:
        form = f"grant_type=client_credentials&client_id={service.credential('client_id')}"
        form += f"&client_secret={service.credential('client_secret')}"
        self.url = service.url
        self.token = self._sent("/oauth/token", form.encode(), "application/x-www-form-urlencoded")["access_token"]

    def post(self, path: str, body: dict) -> dict:
        return self._sent(KYC + path, json.dumps(body).encode(), "application/json")

    def get(self, path: str) -> dict:
        request = urllib.request.Request(self.url + KYC + path, headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def _sent(self, path: str, body: bytes, kind: str) -> dict:
        headers = {"Content-Type": kind}
        if kind == "application/json":
            headers["Authorization"] = f"Bearer {self.token}"
        with urllib.request.urlopen(urllib.request.Request(self.url + path, body, headers), timeout=30) as answer:
            return json.load(answer)

    def new_transaction(self) -> str:
        customer = self.post("/customer", {"external_customer_id": os.urandom(8).hex()})["customer_id"]
        made = self.post("/transaction", {"customer_id": customer, "transaction_type": "DOCUMENT_ONLY"})
        return made["transaction_id"]


def ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=10) as answer:
            return answer.status == 200
    except OSError:
        return False


def within(seconds: float, condition) -> float:
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, "it took too long"
        time.sleep(0.1)
    return time.monotonic() - began


def postgres_of(data: Path) -> list[int]:
    return processes_in(data / "postgres")


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
    time.sleep(2)
    assert service.stop() == 0
    for thread in threads:
        thread.join()
    assert not postgres_of(tmp_path / "data")
    assert failures == []
    assert len(confirmed) > 20
    assert set(confirmed) <= stored(tmp_path / "data")


def test_several_api_processes_share_one_port(tmp_path):
    with served(tmp_path / "data", "--processes", "2", "--no-worker") as service:
        integrator = Integrator(service)
        within(60, lambda: service.child("serve"))
        second = service.child("serve")
        time.sleep(8)
        made = {integrator.new_transaction() for _ in range(20)}
        assert len(made) == 20
        assert second is not None
        os.kill(second, signal.SIGKILL)
        within(30, lambda: service.child("serve") not in (None, second))
        assert ready(service.url)
