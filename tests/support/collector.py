"""A collector of OpenTelemetry spans on loopback (OTLP over HTTP), and what it was sent."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


@dataclass
class Collector:
    """The spans that have arrived so far."""

    url: str = ""
    spans: list[Span] = field(default_factory=list)

    def way_to(self, last: Span) -> list[str]:
        """The names of the spans that lead to this one, itself at the end."""
        by_id = {one.span_id: one for one in self.spans}
        names = [last.name]
        while (before := by_id.get(last.parent_span_id)) is not None and before.trace_id == last.trace_id:
            names.insert(0, before.name)
            last = before
        return names

    def leads(self, *wanted: str) -> bool:
        """Is there a trace in which these stand one below the other, as far as the beginnings of their names say?"""
        ends = [one for one in self.spans if one.name.startswith(wanted[-1])]
        return any(_in_order(self.way_to(one), wanted) for one in ends)

    @property
    def told(self) -> set[str]:
        """The names of all attributes."""
        return {pair.key for one in self.spans for pair in one.attributes}


def _in_order(names: list[str], wanted: tuple[str, ...]) -> bool:
    left = iter(names)
    return all(any(name.startswith(one) for name in left) for one in wanted)


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector that listens until the block ends."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    collector.spans.extend(scope.spans)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing is written to the test's own output."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    collector.url = f"http://127.0.0.1:{server.server_port}/v1/traces"
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
