"""A worker that runs by itself tells its health to anybody, and its metrics to whoever has the token."""

import socket
from collections.abc import Callable
from urllib.request import urlopen
from wsgiref.util import setup_testing_defaults

import pytest
from pydantic import SecretStr

from truename.cli.worker_port import answering, listen

TOKEN = SecretStr("a token of metrics")


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
    body = b"".join(answering(token)(environ, start))
    assert answers == [status]
    assert (b"truename_jobs" in body) == (path == "/metrics" and status == "200 OK")


def test_a_connection_that_says_nothing_keeps_no_health_check_waiting():
    port = listen("127.0.0.1", 0, None)
    with (
        socket.create_connection(("127.0.0.1", port)),
        urlopen(f"http://127.0.0.1:{port}/healthz", timeout=3) as answer,
    ):
        assert (answer.status, answer.read()) == (200, b"ok\n")
