"""One application from every room's part of the interface."""

import asyncio
import secrets
from collections.abc import Iterable
from functools import cache
from typing import Final

import orjson
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.datastructures import State
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Scope

from truename.accounts import operations as accounts
from truename.accounts.admission import whose_request
from truename.accounts.authentication import bearer_token
from truename.api import guide, health, pages
from truename.api.openapi import described, member_names
from truename.backtest import endpoints as backtest
from truename.capture import operations as capture
from truename.customers import operations as customers
from truename.customers.create import customer_batcher
from truename.face_search import endpoints as blocklist
from truename.plumbing import metrics
from truename.plumbing.errors import NotAuthenticated, RouteNotFound
from truename.plumbing.http.answers import encode
from truename.plumbing.http.body_memory import MEBIBYTE, BodyMemory
from truename.plumbing.http.connection import STREAM_KEY
from truename.plumbing.http.operations import ExactPaths, Operation, routes
from truename.plumbing.http.problems import answer_to
from truename.plumbing.http.rate_limits import RateLimiter, charging
from truename.plumbing.http.request_context import FOR_A_YEAR, WAITED_KEY, RequestContext, Sharing
from truename.plumbing.http.request_log import RequestLog
from truename.plumbing.http.turns import Turns
from truename.plumbing.jobs.backlog import backlog_metrics
from truename.plumbing.resources import Plumbing
from truename.privacy import endpoints as privacy
from truename.receipts import endpoints as receipts
from truename.sandbox import operations as sandbox
from truename.transactions import decision_endpoints as decisions
from truename.transactions import operations as transactions
from truename.transactions.create import transaction_batcher
from truename.webhooks import operations as webhooks
from truename.webhooks.lateness import webhook_metrics


def refuse_stranger(request: Request, token: SecretStr | None) -> None:
    """Let in only who shows the operator's token; without one there is nothing to see (404)."""
    if token is None:
        raise RouteNotFound("There are no metrics here: TRUENAME_METRICS_TOKEN is not set.")
    if not secrets.compare_digest(bearer_token(request).encode(), token.get_secret_value().encode()):
        raise NotAuthenticated("The token is not the one of TRUENAME_METRICS_TOKEN.")


OPERATIONS: Final[tuple[Operation, ...]] = (
    *transactions.operations,
    *decisions.operations,
    *customers.operations,
    *capture.operations,
    *privacy.operations,
    *accounts.operations,
    *receipts.operations,
    *backtest.operations,
    *blocklist.operations,
    *webhooks.operations,
    *sandbox.operations,
    *health.operations,
)
"""In this order they are tried, so the busiest stand first."""


class Shared(State):
    """What all requests share. The framework's own finds a name only after an AttributeError for it was made, which
    takes fifty times as long; a creation asks for five."""

    def __setattr__(self, key: str, value: object) -> None:
        object.__setattr__(self, key, value)

    def __delattr__(self, key: str) -> None:
        object.__delattr__(self, key)


class Application(Starlette):
    """The framework's application with our one layer around the routes instead of its three."""

    def __init__(self) -> None:
        super().__init__()
        self.state = Shared()

    def build_middleware_stack(self) -> ASGIApp:
        settings = self.state.plumbing.settings
        transport = None
        if settings.base_url.startswith("https://"):
            transport = FOR_A_YEAR + (b"; includeSubDomains" if settings.hsts_subdomains else b"")
        return RequestContext(
            ExactPaths(self.router),
            on_fault=answer_to,
            observe=self.observe,
            transport=transport,
            sharing=Sharing(self.state.turns, whose_request(self.state.plumbing)),
        )

    def observe(self, scope: Scope, status: int, seconds: float) -> None:
        """Count each finished request, and log it for the developers of its account.

        That a caller wished to wait, or that a stream was listened to for hours, is not time that an answer took.
        """
        metrics.count_request(scope, status, None if STREAM_KEY in scope else seconds - scope.get(WAITED_KEY, 0.0))
        requests: RequestLog | None = self.state.requests
        if requests is not None:
            requests.note(scope, status, seconds)


def create_app(plumbing: Plumbing, more: Iterable[BaseRoute] = ()) -> Starlette:
    """The application; `more` are the routes of other doors, such as the capture page."""
    app = Application()
    app.router.redirect_slashes = False
    app.state.plumbing = plumbing
    settings = plumbing.settings
    app.state.turns = Turns(
        settings.account_requests_at_once,
        settings.account_requests_waiting,
        BodyMemory(settings.account_bodies_mb * MEBIBYTE),
    )
    app.state.rate_limiter = RateLimiter(charging(plumbing.database))
    app.state.new_customers = customer_batcher(plumbing.database)
    app.state.new_transactions = transaction_batcher(plumbing.database)
    app.router.routes[:] = [*routes(OPERATIONS), *pages.routes, *guide.routes, *more]

    @cache
    def description() -> bytes:
        return encode(described(OPERATIONS, settings.base_url))

    def names() -> set[str]:
        return member_names(orjson.loads(description()))

    logs = settings.request_log_days > 0
    app.state.leaving = asyncio.Event()  # set once this process is asked to end: whoever waits is answered now
    app.state.requests = RequestLog(plumbing.database, names) if logs else None

    async def get_openapi(_: Request) -> Response:
        # Written when it is first asked for, in a thread: it takes most of a second, which no start need wait for.
        written = await asyncio.to_thread(description)
        return Response(written, 200, {"Cache-Control": "no-cache"}, "application/json")

    async def get_metrics(request: Request) -> Response:
        refuse_stranger(request, plumbing.settings.metrics_token)
        page = metrics.written() + await backlog_metrics(plumbing.database) + await webhook_metrics(plumbing.database)
        return Response(page, 200, None, metrics.CONTENT_TYPE)

    app.router.routes.extend(
        routes(
            Operation("GET", path, endpoint, summary=path, tag="Service", answers={})
            for path, endpoint in (("/openapi.json", get_openapi), ("/metrics", get_metrics))
        )
    )
    return app
