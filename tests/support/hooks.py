"""A receiver of webhooks by plain http on loopback, in a thread: for services in processes of their own."""

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Told:
    """One change of status, as it was told."""

    transaction_id: str
    sequence: int
    status: str


@contextmanager
def a_hook() -> Iterator[tuple[str, list[Told]]]:
    """Its address, and the list that grows with what it is told."""
    told: list[Told] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = json.loads(self.rfile.read(int(self.headers["content-length"])))["data"]
            told.append(Told(data["transaction_id"], data["sequence"], data["status"]))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook", told
    finally:
        server.shutdown()
        server.server_close()
