"""What caused this work: the id of a request and its place in a trace, from the call through jobs to webhooks.

The cause stands in a context variable. Transactions of the database carry it (`truename.cause`), so that a job or an
event that is stored in one keeps it; whoever takes the job up later goes on with it, in whichever process. Log lines
bear the request's id by it. Spans are made only where an address for them is set (OpenTelemetry, OTLP over HTTP).
Nothing of a person is in a span: names of routes, jobs and models, statuses, codes, times.
"""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from structlog.typing import EventDict

from truename import __version__
from truename.plumbing.settings import Settings

SANE_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{7,127}")
"""What may be the id of a request, whoever has chosen it."""
_TRACEPARENT: Final = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
_PROPAGATOR: Final = TraceContextTextMapPropagator()
_tracer: Final = trace.get_tracer("truename", __version__)
_exported: list[Settings] = []
"""The settings by which spans are sent, while they are: to make one that nobody sees costs every request."""
_cause: ContextVar["Cause | None"] = ContextVar("cause", default=None)


class Cause(NamedTuple):
    """The request behind the work that is under way."""

    request_id: str

    def written(self) -> str:
        """The cause and the span that is open now, in letters that need no quoting anywhere."""
        carrier: dict[str, str] = {}
        _PROPAGATOR.inject(carrier)
        return " ".join([self.request_id, *carrier.values()][:2])


def current_cause() -> str | None:
    """What stands behind the work of this task, to be stored beside what it asks for; None for work of our own."""
    found = _cause.get()
    return None if found is None else found.written()


@contextmanager
def caused_by(written: str | None) -> Iterator[Context | None]:
    """Go on with what was stored; gives the trace that spans of this work belong to. What cannot be read is nothing.

    With None it is work of our own, also where a request has set it off: a sweep concerns everybody.
    """
    identity, _, parent = (written or "").partition(" ")
    known = SANE_ID.fullmatch(identity) is not None
    token = _cause.set(Cause(identity) if known else None)
    try:
        yield trace_of(parent) if known else None
    finally:
        _cause.reset(token)


class RequestCause:
    """Everything inside `with` is the work of this request, whose id is known to be sane; gives its span.

    No generator, as its neighbours are: every request pays for it.
    """

    __slots__ = ("_identity", "_span", "_token", "_traceparent")

    def __init__(self, identity: str, traceparent: str) -> None:
        self._identity, self._traceparent = identity, traceparent
        self._span: AbstractContextManager[Span] | None = None

    def __enter__(self) -> Span:
        self._token = _cause.set(Cause(self._identity))
        if not (self._traceparent or _exported):
            return trace.INVALID_SPAN
        self._span = span("request", trace_of(self._traceparent), SpanKind.SERVER)
        return self._span.__enter__()

    def __exit__(self, *fault: Any) -> None:
        if self._span is not None:
            self._span.__exit__(*fault)
        _cause.reset(self._token)


def add_request_id(_: object, __: str, line: EventDict) -> EventDict:
    """For the log: a line that is written on behalf of a request says of which.

    Asked for when a line is written, since few requests write any.
    """
    found = _cause.get()
    if found is not None:
        line.setdefault("request_id", found.request_id)
    return line


def trace_of(traceparent: str) -> Context | None:
    """The trace that a `traceparent` (W3C Trace Context) names; None where it names none."""
    return _PROPAGATOR.extract({"traceparent": traceparent}) if _TRACEPARENT.fullmatch(traceparent) else None


@contextmanager
def span(name: str, within: Context | None = None, kind: SpanKind = SpanKind.INTERNAL) -> Iterator[Span]:
    """One piece of work in the trace; an error that leaves it is told by its class alone: words may be personal."""
    if within is None and not _exported:
        yield trace.INVALID_SPAN  # nobody will see it, and no trace of others goes on in it
        return
    with _tracer.start_as_current_span(
        name, within, kind, record_exception=False, set_status_on_exception=False
    ) as made:
        try:
            yield made
        except BaseException as error:
            made.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise


@contextmanager
def exporting(settings: Settings) -> Iterator[None]:
    """Send the spans of this process to the address that is set, if one is; the last ones when the block ends."""
    if settings.traces_endpoint is None:
        yield
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(
        resource=Resource.create({"service.name": "truename", "service.version": __version__}), shutdown_on_exit=False
    )
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(settings.traces_endpoint, timeout=5)))
    trace.set_tracer_provider(provider)
    _exported.append(settings)
    try:
        yield
    finally:
        _exported.remove(settings)
        provider.shutdown()
