"""What Prometheus reads is true for the whole service, whichever of its processes is asked."""

import os
import re
import signal
import time
import urllib.request

import pytest

from tests.support.migrated import migrate_by_copy
from tests.support.served import Served, served
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
