"""What Prometheus may know: how many requests, how long they took, how they ended."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.types import Scope

from truename.plumbing.http.request_context import PATH_KEY


class Metrics:
    """The counters of one application; paths are counted by their pattern, so that ids make no new rows."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "truename_http_requests", "Answered requests.", ("method", "path", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "truename_http_seconds", "Time to answer.", ("method", "path"), registry=self._registry
        )
        self._up = Gauge("truename_up", "The process answers.", registry=self._registry)
        self._up.set(1)
        self._known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def observe(self, scope: Scope, status: int, seconds: float) -> None:
        path: str = scope.get(PATH_KEY, "other")
        method: str = scope["method"] if path != "other" else "any"
        found = self._known.get((method, path, status))
        if found is None:
            found = self._requests.labels(method, path, status), self._seconds.labels(method, path)
            self._known[method, path, status] = found
        found[0].inc()
        found[1].observe(seconds)

    def written(self) -> bytes:
        return generate_latest(self._registry)
