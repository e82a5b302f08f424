"""A port of a worker that runs by itself: `/healthz` for the container, `/metrics` for Prometheus with the token."""

import secrets
import threading
from collections.abc import Callable, Iterable
from http import HTTPStatus
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server
from wsgiref.types import StartResponse, WSGIEnvironment

from pydantic import SecretStr

from truename.cli.pulse import Pulse
from truename.plumbing import metrics


def listen(host: str, port: int, token: SecretStr | None, pulse: Pulse) -> int:
    """Answer beside the work until the process ends; the port in answer. Raises OSError when it cannot be had."""
    server = make_server(host, port, answering(token, pulse), _Threads, _Silent)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return int(server.server_port)


def answering(token: SecretStr | None, pulse: Pulse) -> Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]:
    """The application; without a token there are no metrics, as with the API.

    Health is the loop's, of which `pulse` tells: these threads would answer for one that is stuck.
    """

    def answer(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        status, kind, body = HTTPStatus.NOT_FOUND, "text/plain; charset=utf-8", b"Not found.\n"
        if environ["PATH_INFO"] == "/healthz":
            fault = pulse.fault
            status = HTTPStatus.SERVICE_UNAVAILABLE if fault else HTTPStatus.OK
            body = f"{fault or 'ok'}\n".encode()
        elif environ["PATH_INFO"] == "/metrics" and token is not None:
            expected = f"Bearer {token.get_secret_value()}".encode()
            if secrets.compare_digest(environ.get("HTTP_AUTHORIZATION", "").encode(), expected):
                status, kind, body = HTTPStatus.OK, metrics.CONTENT_TYPE, metrics.written()
            else:
                status, body = HTTPStatus.UNAUTHORIZED, b"Send the token of TRUENAME_METRICS_TOKEN.\n"
        start(f"{status.value} {status.phrase}", [("Content-Type", kind), ("Content-Length", str(len(body)))])
        return [body]

    return answer


class _Threads(ThreadingMixIn, WSGIServer):
    """One for each connection: one that sends nothing must not keep the health check waiting."""

    daemon_threads = True


class _Silent(WSGIRequestHandler):
    """Health is asked for often: no line for each time."""

    timeout = 10

    def log_message(self, *_: object) -> None:
        return
