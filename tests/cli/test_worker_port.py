"""A worker that runs by itself tells its health to anybody, and its metrics to whoever has the token."""

import base64
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.request import Request, urlopen
from uuid import uuid4
from wsgiref.util import setup_testing_defaults

import psycopg
import pytest
from psycopg.types.json import Jsonb
from pydantic import SecretStr

from tests.support.served import environment_of
from tests.support.waiting import free_port, within
from truename.cli.pulse import Pulse
from truename.cli.worker_port import answering, listen

TOKEN = SecretStr("a token of metrics")
MUST_BE_RUN_ALONE = """
INSERT INTO jobs.procrastinate_jobs (queue_name, task_name, args, status)
VALUES ('upkeep.alone', 'media.delete_of_customer', %s, 'todo')
"""
"""As after the death of a worker that had it in its hands."""


@pytest.mark.parametrize(
    ("path", "token", "sent", "status"),
    [
        ("/healthz", None, "", "200 OK"),
        ("/metrics", None, "Bearer None", "404 Not Found"),
        ("/metrics", TOKEN, "", "401 Unauthorized"),
        ("/metrics", TOKEN, "Bearer another token", "401 Unauthorized"),
        ("/metrics", TOKEN, f"Bearer {TOKEN.get_secret_value()}", "200 OK"),
        ("/", TOKEN, f"Bearer {TOKEN.get_secret_value()}", "404 Not Found"),
    ],
)
def test_who_learns_what(path: str, token: SecretStr | None, sent: str, status: str):
    answers: list[str] = []

    def start(line: str, *_: object) -> Callable[[bytes], object]:
        answers.append(line)
        return lambda _: None

    environ = {"PATH_INFO": path, "HTTP_AUTHORIZATION": sent}
    setup_testing_defaults(environ)
    body = b"".join(answering(token, Pulse())(environ, start))
    assert answers == [status]
    assert (b"truename_jobs" in body) == (path == "/metrics" and status == "200 OK")


def test_a_connection_that_says_nothing_keeps_no_health_check_waiting():
    port = listen("127.0.0.1", 0, None, Pulse())
    with (
        socket.create_connection(("127.0.0.1", port)),
        urlopen(f"http://127.0.0.1:{port}/healthz", timeout=30) as answer,
    ):
        assert (answer.status, answer.read()) == (200, b"ok\n")


@pytest.mark.slow
def test_what_a_worker_runs_in_a_process_apart_is_counted_and_that_process_is_forgotten(
    new_database: Callable[[], str], tmp_path: Path
):
    url, port = new_database(), free_port()
    with psycopg.connect(url, options="-c search_path=public,jobs") as connection:
        connection.execute(MUST_BE_RUN_ALONE, (Jsonb({"account_id": str(uuid4()), "customer_id": str(uuid4())}),))
    given = {
        "TRUENAME_DATABASE_URL": url,
        "TRUENAME_METRICS_TOKEN": TOKEN.get_secret_value(),
        "TRUENAME_MASTER_KEY": base64.b64encode(secrets.token_bytes(32)).decode(),
    }
    command = [sys.executable, "-m", "truename.cli", "worker", "--queues", "upkeep", "--metrics-port", str(port)]
    asked = Request(f"http://127.0.0.1:{port}/metrics", headers={"Authorization": f"Bearer {TOKEN.get_secret_value()}"})
    page = ""

    def is_counted() -> bool:
        nonlocal page
        assert worker.poll() is None
        try:
            with urlopen(asked, timeout=10) as answer:
                page = answer.read().decode()
        except OSError:
            return False
        done = 'truename_jobs_total{job="media.delete_of_customer",outcome="done"} 1.0'
        return done in page and 'truename_processes{kind="worker"} 1.0' in page

    with subprocess.Popen(command, env=environment_of(tmp_path / "data", **given)) as worker:
        try:
            within(120, is_counted)
        finally:
            print(page)
            worker.send_signal(signal.SIGTERM)
