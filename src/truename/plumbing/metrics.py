"""What Prometheus may know: requests and jobs, of all processes of one `truename serve` together.

Where PROMETHEUS_MULTIPROC_DIR names a folder (`truename serve` makes one before this module is loaded), each process
counts in files of its own there, and whoever is asked answers with the sum. Elsewhere a process counts for itself.
The files bear the number of a place, which a process holds while it lives: who comes after one that died goes on in
its files. By the ids of processes there would be more of them with each death, all read at each scrape.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector
from starlette.types import Scope

from truename.plumbing.metrics_folder import FOLDER, lock, reserve

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
JOB_BUCKETS: Final = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64)

GIVEN_UP: Final = "given_up"

log = structlog.get_logger(__name__)

_held: dict[int, tuple[int, int]] = {}
"""By the id of this process: its place, and the open file whose lock says that it is taken."""


def own_place() -> int:
    """The place of this process, taken when it is first asked for: the lowest that no living process holds.

    Raises OSError where the disk has no room for its files.
    """
    found = _held.get(os.getpid())
    if found is None:
        place, taken = next(filter(None, map(_take, count())))
        try:
            reserve(place)
        except OSError:
            os.close(taken)
            raise
        _held[os.getpid()] = found = place, taken
    return found[0]


def _take(place: int) -> tuple[int, int] | None:
    """This place and its lock, which the system opens when we die, however; None while another lives there."""
    taken = lock(Path(os.environ[FOLDER], f"place-{place}.lock"), os.O_CREAT | os.O_RDWR)
    if taken is None:
        return None
    mark_process_dead(place)  # type: ignore[no-untyped-call]  # what its last holder was counts no longer
    return place, taken


def _way_to_count() -> type:
    """Together with the others where a folder is named; for itself where none is, or where it has no room."""
    if FOLDER not in os.environ:
        return values.MutexValue
    try:
        return values.MultiProcessValue(own_place)  # type: ignore[no-untyped-call, no-any-return]
    except OSError as error:
        log.warning("this process is not counted: no room for its numbers", error=error.strerror)
        return values.MutexValue


values.ValueClass = _way_to_count()
OWN: Final = CollectorRegistry()
_requests = Counter("truename_http_requests", "Answered requests.", ("method", "path", "status"), registry=OWN)
_request_seconds = Histogram("truename_http_seconds", "Time to answer.", ("method", "path"), registry=OWN)
_jobs = Counter("truename_jobs", "Attempts at jobs, by how they ended.", ("job", "outcome"), registry=OWN)
_job_seconds = Histogram("truename_job_seconds", "Time of an attempt.", ("job",), registry=OWN, buckets=JOB_BUCKETS)
_processes = Gauge(
    "truename_processes", "Living processes of this service.", ("kind",), registry=OWN, multiprocess_mode="livesum"
)
_unlogged = Counter("truename_requests_unlogged", "Requests that the log of requests had no room for.", registry=OWN)
_known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}


def count_process(kind: str) -> None:
    """Say once that this process lives; `kind` is api or worker."""
    _processes.labels(kind).set(1)


def _forget_the_dead() -> None:
    """Of processes that are gone the gauges no longer count; their counters still do.

    Looked for when somebody asks: of a process that was alone when it died nobody else would tell.
    """
    for file in Path(os.environ[FOLDER]).glob("place-*.lock"):
        taken = _take(int(file.stem.removeprefix("place-")))
        if taken is not None:
            os.close(taken[1])


def count_request(scope: Scope, status: int, seconds: float | None) -> None:
    """Count an answer; paths are counted by their pattern, so that ids make no new rows.

    `seconds` is None for an answer that goes on for as long as its reader likes: it took no time of its own.
    """
    path: str = scope.get("truename.path", "other")
    method: str = scope["method"] if path != "other" else "any"
    found = _known.get((method, path, status))
    if found is None:
        found = _requests.labels(method, path, status), _request_seconds.labels(method, path)
        _known[method, path, status] = found
    found[0].inc()
    if seconds is not None:
        found[1].observe(seconds)


def count_unlogged_requests(count: int) -> None:
    """Count requests that were dropped from the log of requests."""
    if count:
        _unlogged.inc(count)


def count_job(name: str, outcome: str, seconds: float) -> None:
    """Count an attempt at a job: done, failed, given_up or interrupted."""
    _jobs.labels(name, outcome).inc()
    _job_seconds.labels(name).observe(seconds)


def expect_job(name: str) -> None:
    """Say that a job of this name was given up no time yet.

    Prometheus sees no increase in a number that it meets for the first time: the first one would go unnoticed.
    """
    _jobs.labels(name, GIVEN_UP)


def all_processes() -> CollectorRegistry:
    """Everything that the processes of this service have counted, as of now; gauges of those that live."""
    if FOLDER not in os.environ:
        return OWN
    _forget_the_dead()
    together = CollectorRegistry()
    MultiProcessCollector(together)  # type: ignore[no-untyped-call]
    return together


def written() -> bytes:
    """The page that Prometheus reads."""
    return generate_latest(all_processes())


@dataclass(frozen=True, slots=True)
class QueueGauges:
    """One queue of jobs, as of now."""

    queue: str
    jobs: int
    oldest_seconds: float
    unattended_seconds: float


def gauges(queues: Sequence[QueueGauges] | None, unknown_jobs: int = 0) -> bytes:
    """What the database knew a moment ago, as a part of that page; None: it does not answer.

    `unknown_jobs` are those that wait for a worker of another version.

    Counted nowhere: in the files of the processes each would keep what it was told when it was last asked, for ever.
    """
    asked = CollectorRegistry()
    asked.register(_Told(queues, unknown_jobs))
    return generate_latest(asked)


def gauge(name: str, words: str, value: float) -> bytes:
    """One figure more of that kind, as a part of that page."""
    asked = CollectorRegistry()
    asked.register(_One(GaugeMetricFamily(name, words, value)))
    return generate_latest(asked)


class _One(Collector):
    """A row for one page."""

    def __init__(self, row: Metric) -> None:
        self.row = row

    def collect(self) -> Iterator[Metric]:
        yield self.row


class _Told(Collector):
    """Rows for one page."""

    def __init__(self, queues: Sequence[QueueGauges] | None, unknown_jobs: int) -> None:
        self.queues, self.unknown_jobs = queues, unknown_jobs

    def collect(self) -> Iterator[Metric]:
        up = 0 if self.queues is None else 1
        yield GaugeMetricFamily("truename_database_up", "Whether the database answers.", up)
        if self.queues is not None:
            of_queue = ("queue",)
            jobs = GaugeMetricFamily("truename_queue_jobs", "Jobs that are due and in nobody's hands.", labels=of_queue)
            age = GaugeMetricFamily("truename_queue_age_seconds", "Wait of the oldest of them.", labels=of_queue)
            words = "Since a worker was last there."
            unattended = GaugeMetricFamily("truename_queue_unattended_seconds", words, labels=of_queue)
            for one in self.queues:
                jobs.add_metric((one.queue,), one.jobs)
                age.add_metric((one.queue,), one.oldest_seconds)
                unattended.add_metric((one.queue,), one.unattended_seconds)
            words = "Jobs that no worker at hand knows."
            yield from (jobs, age, unattended, GaugeMetricFamily("truename_unknown_jobs", words, self.unknown_jobs))
