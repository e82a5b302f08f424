"""What Prometheus reads is true for the whole service, whichever of its processes is asked."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.routing import Route

from tests.support.api import TRANSACTION
from tests.support.migrated import migrate_by_copy
from tests.support.served import Served, served
from tests.support.small_disk import a_small_disk
from tests.support.transactions import a_customer, a_transaction
from truename.cli.doors import application
from truename.plumbing import metrics
from truename.plumbing.metrics_folder import FOLDER, PREFIX

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


async def test_methods_that_no_path_of_ours_knows_make_no_rows_of_their_own(client):
    """Each of a stranger's made eighteen rows for each page of the dashboard, in every scrape from then on."""
    for path in ("/dashboard", "/healthz", "/nowhere"):
        for method in ("PROPFIND", "MKCOL"):
            assert (await client.request(method, path)).status in (404, 405)
    page = metrics.written().decode()
    assert 'method="PROPFIND"' not in page
    assert 'method="MKCOL"' not in page
    assert value(page, "truename_http_requests_total", path="other", method="any") >= 6


ONE_PROCESS = """
import os, sys
from truename.cli.doors import application
from truename.plumbing import metrics
from truename.plumbing.metrics_folder import FOLDER, PREFIX
metrics.count_process(sys.argv[1])
metrics.count_request({"truename.path": "/healthz", "method": "GET"}, 200, 0.1)
print("counted", flush=True)
sys.stdin.readline()
print(metrics.written().decode(), flush=True)
"""


def counting_in(folder: Path, kind: str = "worker") -> subprocess.Popen[str]:
    """A process that has counted itself and one request there; asked anything, it says what all have counted."""
    command, told = [sys.executable, "-c", ONE_PROCESS, kind], {**os.environ, FOLDER: str(folder)}
    one = subprocess.Popen(command, env=told, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert one.stdout is not None
    assert one.stdout.readline() == "counted\n"
    return one


@pytest.mark.slow
def test_who_comes_after_a_process_that_died_goes_on_in_its_files(tmp_path):
    """By the ids of processes each death left two more, which every scrape read from then on."""
    with counting_in(tmp_path, "api") as living:
        for kind in ("worker", "api", "worker"):
            with counting_in(tmp_path, kind) as killed:
                files = sorted(tmp_path.glob("*.db"))
                killed.kill()
        assert sorted(tmp_path.glob("*.db")) == files, "as many as lived at once have, and no more"
        assert {path.stem.rpartition("_")[2] for path in files} == {"0", "1"}
        page, _ = living.communicate("and now?\n", timeout=60)
    assert value(page, "truename_http_requests_total", path="/healthz") == 4, "what the dead have counted is kept"
    assert value(page, "truename_processes", kind="api") == 1
    assert value(page, "truename_processes", kind="worker") == 0


WHAT_THE_DATABASE_SAID = """
from truename.plumbing import metrics
print(metrics.gauges([metrics.QueueGauges("analysis", 3, 300.0, 1.0)]).decode(), "and then", metrics.written().decode())
"""


@pytest.mark.slow
def test_no_process_keeps_what_the_database_said_when_it_was_last_asked(tmp_path):
    """An age of a queue stood in every page from then on, beside the real one: the alert rang, workers were added."""
    told = {**os.environ, FOLDER: str(tmp_path)}
    asked = subprocess.run([sys.executable, "-c", WHAT_THE_DATABASE_SAID], env=told, capture_output=True, text=True)
    page, _, later = asked.stdout.partition("and then")
    assert value(page, "truename_queue_age_seconds", queue="analysis") == 300, asked
    assert "truename_database_up 1.0" in page
    assert "truename_requests_unlogged" in later
    assert "truename_queue" not in later
    assert "truename_database" not in later


A_FULL_DISK = """
import os, shutil, sys
from pathlib import Path
from truename.plumbing import metrics
disk = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])
metrics.count_process("api")
with (disk / "something else").open("wb") as other:
    while chunk := shutil.disk_usage(disk).free:
        os.posix_fallocate(other.fileno(), other.seek(0, 2), chunk)
for number in range(60):
    metrics.count_request({"truename.path": f"/{number}", "method": "GET"}, 200, 0.1)
print(metrics.written().decode())
"""


@pytest.mark.slow
def test_a_full_disk_ends_nobody_who_counts():
    """The system ended (SIGBUS) whoever counted something new: room that a file does not have yet cannot be had."""
    with a_small_disk("5m") as disk:
        told = {**os.environ, FOLDER: str(disk)}
        counted = subprocess.run([sys.executable, "-c", A_FULL_DISK], env=told, capture_output=True, text=True)
        assert counted.returncode == 0, counted
        assert value(counted.stdout, "truename_http_requests_total", status="200") == 60
        # One that comes now finds no room for its numbers, and works all the same.
        (disk / "place-0.lock").unlink()
        for file in disk.glob("*.db"):
            file.rename(file.with_suffix(".of another"))
        late = subprocess.run([sys.executable, "-c", A_FULL_DISK], env=told, capture_output=True, text=True)
        assert late.returncode == 0, late
        assert "no room" in late.stdout, "it says so"


COUNT_EVERYTHING = """
import json, os, sys
from pathlib import Path
from truename.plumbing import metrics
before = {file.name: file.stat().st_size for file in Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]).glob("*.db")}
for method, path in json.load(sys.stdin):
    for status in (200, 201, 400, 401, 403, 404, 409, 413, 422, 429, 500, 503):
        metrics.count_request({"truename.path": path, "method": method}, status, 0.1)
for number in range(60):
    for outcome in ("done", "failed", "given_up", "interrupted"):
        metrics.count_job(f"transactions.some_job_{number}", outcome, 0.1)
after = {file.name: file.stat().st_size for file in Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]).glob("*.db")}
print(json.dumps([before, after]))
"""


async def test_the_room_that_is_kept_holds_every_path_under_every_status(plumbing, tmp_path):
    """What grew beyond it would not be safe from a full disk."""
    served_paths = [route for route in application(plumbing).routes if isinstance(route, Route)]
    paths = [
        (method, route.path)
        for route in served_paths
        for method in {*(getattr(route.endpoint, "methods", None) or route.methods or ()), "HEAD"}
    ]
    assert len(paths) > 200
    counted = subprocess.run(
        [sys.executable, "-c", COUNT_EVERYTHING],
        env={**os.environ, FOLDER: str(tmp_path)},
        input=json.dumps(paths),
        capture_output=True,
        text=True,
        check=True,
    )
    before, after = json.loads(counted.stdout)
    assert before == after


A_SERVICE = """
import os, sys
from truename.plumbing.metrics_folder import make_folder
make_folder()
print(os.environ["PROMETHEUS_MULTIPROC_DIR"], flush=True)
sys.stdin.readline()
"""


@contextmanager
def a_service(temporary: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process that has made a folder to count in, and the folder."""
    told = {name: found for name, found in os.environ.items() if name != FOLDER} | {"TMPDIR": str(temporary)}
    with subprocess.Popen(
        [sys.executable, "-c", A_SERVICE], env=told, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as one:
        assert one.stdout is not None
        yield one, Path(one.stdout.readline().strip())


@pytest.mark.slow
def test_what_a_killed_service_counted_in_is_taken_away_by_the_next(tmp_path):
    """Each death left a folder, in a container one of its memory, and nobody ever looked at it again."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / f"{PREFIX}strange").symlink_to(elsewhere)
    of_version_before = tmp_path / "truename-metrics-abcdefgh"
    of_version_before.mkdir()
    with a_service(tmp_path) as (killed, of_killed):
        killed.kill()
    with a_service(tmp_path) as (_, of_living), a_service(tmp_path) as (killed, of_orphan):
        assert not of_killed.exists()
        with counting_in(of_orphan) as orphan:
            killed.kill()
            killed.wait(10)
            with a_service(tmp_path) as (_, of_next):
                assert of_living.is_dir(), "somebody lives there"
                assert of_orphan.is_dir(), "its maker is dead, and somebody else counts there"
            assert not of_next.exists(), "who ends well takes its own away"
            orphan.kill()
        with a_service(tmp_path):
            assert not of_orphan.exists()
            assert of_living.is_dir()
    assert elsewhere.is_dir()
    assert of_version_before.is_dir(), "it locks nothing, and may count there while it is replaced"


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
