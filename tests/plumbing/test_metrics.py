"""What Prometheus reads is true for the whole service, whichever of its processes is asked."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request

import pytest

from tests.support.api import TRANSACTION
from tests.support.migrated import migrate_by_copy
from tests.support.served import Served, served
from tests.support.transactions import a_customer, a_transaction
from truename.plumbing import metrics

TOKEN = "the metrics of tests"


def value(page: str, name: str, **labels: str) -> float:
    """The sum of a metric's rows with these labels."""
    rows = re.findall(rf"^{name}\{{(.*?)\}} (\S+)$", page, re.MULTILINE)
    wanted = {f'{label}="{word}"' for label, word in labels.items()}
    return sum(float(number) for row, number in rows if wanted <= set(row.split(",")))


def page_of(service: Served) -> str:
    asked = urllib.request.Request(f"{service.url}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(asked, timeout=10) as answer:
        return answer.read().decode()


async def test_an_attempt_at_a_job_is_counted_by_how_it_ended():
    for outcome in ("done", "done", "given_up"):
        metrics.count_job("test.metrics", outcome, 0.2)
    page = metrics.written().decode()
    assert value(page, "truename_jobs_total", job="test.metrics", outcome="done") == 2
    assert value(page, "truename_jobs_total", job="test.metrics", outcome="given_up") == 1
    assert value(page, "truename_job_seconds_count", job="test.metrics") == 3


async def test_that_a_caller_wished_to_wait_does_not_make_the_service_look_slow(client, plumbing, an_account):
    """Else an integrator who polls as the interface says keeps the alert for slow answers ringing."""
    one = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    own = {"method": "GET", "path": f"{TRANSACTION}/{{transaction_id}}"}

    def so_far() -> tuple[float, float]:
        page = metrics.written().decode()
        return value(page, "truename_http_seconds_count", **own), value(page, "truename_http_seconds_sum", **own)

    count, seconds = so_far()
    began = time.monotonic()
    assert (await client.get(f"{TRANSACTION}/{one}", params={"wait": 2})).status == 200
    assert time.monotonic() - began >= 2
    count_after, seconds_after = so_far()
    assert count_after == count + 1
    assert seconds_after - seconds < 1.9


ONE_PROCESS = """
import os, sys
from truename.plumbing import metrics
metrics.count_process(sys.argv[1])
metrics.count_request({"truename.path": "/healthz", "method": "GET"}, 200, 0.1)
print("counted", flush=True)
sys.stdin.readline()
metrics.forget_the_dead()
print(metrics.written().decode(), flush=True)
"""


@pytest.mark.slow
def test_who_comes_after_a_process_that_died_goes_on_in_its_files(tmp_path):
    """By the ids of processes each death left two more, which every scrape read from then on."""
    told = {**os.environ, metrics.FOLDER: str(tmp_path)}

    def a_process(kind: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", ONE_PROCESS, kind]
        one = subprocess.Popen(command, env=told, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert one.stdout is not None
        assert one.stdout.readline() == "counted\n"
        return one

    with a_process("api") as living:
        for kind in ("worker", "api", "worker"):
            with a_process(kind) as killed:
                files = sorted(tmp_path.glob("*.db"))
                killed.kill()
        assert sorted(tmp_path.glob("*.db")) == files, "as many as lived at once have, and no more"
        assert {path.stem.rpartition("_")[2] for path in files} == {"0", "1"}
        page, _ = living.communicate("and now?\n", timeout=60)
    assert value(page, "truename_http_requests_total", path="/healthz") == 4, "what the dead have counted is kept"
    assert value(page, "truename_processes", kind="api") == 1
    assert value(page, "truename_processes", kind="worker") == 0


@pytest.mark.slow
def test_all_processes_of_a_service_are_counted_together(tmp_path):
    migrate_by_copy(tmp_path / "data")
    with served(tmp_path / "data", "--processes", "2", TRUENAME_METRICS_TOKEN=TOKEN) as service:
        for _ in range(60):
            urllib.request.urlopen(f"{service.url}/healthz", timeout=10).close()
        for _ in range(10):  # whoever answers says the same
            page = page_of(service)
            assert value(page, "truename_http_requests_total", path="/healthz", status="200") == 60
        _wait_for(service, api=2, worker=1)
        killed = service.child("worker")
        assert killed is not None
        os.kill(killed, signal.SIGKILL)
        _wait_for(service, api=2, worker=0)
        _wait_for(service, api=2, worker=1)
        assert value(page_of(service), "truename_http_requests_total", path="/healthz", status="200") == 60


def _wait_for(service: Served, **wanted: int) -> None:
    until = time.monotonic() + 60
    while True:
        page = page_of(service)
        if all(value(page, "truename_processes", kind=kind) == number for kind, number in wanted.items()):
            return
        assert time.monotonic() < until, page
        time.sleep(0.05)
