"""Delivering events: a job tries what its account has due; the schedule is in each event's row, so no kill loses it."""

import asyncio
import random
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog
from opentelemetry.trace import SpanKind

from truename.accounts.webhook_secrets import secrets_in_force
from truename.plumbing import clock
from truename.plumbing.database.batching import Batcher
from truename.plumbing.error_text import error_text
from truename.plumbing.jobs.engine import is_outage
from truename.plumbing.jobs.registry import PutOff, job, periodic
from truename.plumbing.resources import Plumbing
from truename.plumbing.tracing import caused_by, span
from truename.webhooks import places, store
from truename.webhooks.allowed import addresses_open_to
from truename.webhooks.model import AttemptOutcome, EventState
from truename.webhooks.outbox import ask_for_delivery
from truename.webhooks.schedule import LONGEST_WAIT, next_wait
from truename.webhooks.send import Attempt, Line, shared_sender
from truename.webhooks.sign import signed_headers

log = structlog.get_logger()

AT_ONCE: Final = 100
"""Events that a job takes together."""
LANES: Final = 16
"""Events that a job has under way at the same time, so that a receiver is not overrun."""
GO_ON_SECONDS: Final = 2.0
"""For so long a job takes more; what is due then waits for its turn behind other accounts."""
RECORD_AGAIN_SECONDS: Final = 0.5
BEGIN_WITHIN_SECONDS: Final = 5.0
"""Of the events that were taken, those that slow receivers kept waiting for longer are given back untried: for as long
the job has one of the worker's places, which somebody else may wait for."""
PUT_OFF_SECONDS: Final = 8.0
"""About so long an account whose receivers are slow waits until it asks again for a place."""


@job("webhooks.deliver")
async def deliver(plumbing: Plumbing, *, account_id: str, event_id: str) -> None:
    """Try what the account has due, each event once; `event_id` is the one that caused the job.

    The sweep asks for the next try of each, and for what was recorded just as a job ended.
    """
    account = UUID(account_id)
    if places.shared.has_its_share(account, plumbing.settings.worker_concurrency):
        return  # the sweep asks again
    if places.shared.is_slow_and_must_wait(account, plumbing.settings.worker_concurrency):
        raise PutOff(PUT_OFF_SECONDS * random.uniform(0.5, 1.0))
    with places.shared.one_more(account):
        await _deliver(plumbing, account, event_id)


async def _deliver(plumbing: Plumbing, account: UUID, event_id: str) -> None:
    until = time.monotonic() + GO_ON_SECONDS
    sender = await asyncio.to_thread(shared_sender, plumbing.settings.webhook_ca_file)
    async with plumbing.database.account(account) as connection:
        allowed = await addresses_open_to(connection, plumbing.settings, account)
    async with sender.line(allowed) as line:
        while True:
            async with plumbing.database.account(account) as connection:
                events = await store.claim_due_events(connection, account, AT_ONCE)
                if not events:
                    return
                secrets = await secrets_in_force(connection, plumbing.vault, account)
            await _try_all(plumbing, account, events, secrets, line)
            if time.monotonic() > until:
                break
    async with plumbing.database.account(account) as connection:
        await ask_for_delivery(connection, account, event_id)


@periodic(seconds=1)
async def bring_back_due_events(plumbing: Plumbing) -> None:
    """Ask for a job for each account that has something due; where one waits already, that one will do."""
    async with plumbing.database.system() as connection:
        for telling in await store.accounts_with_due_events(connection):
            await ask_for_delivery(connection, telling.account_id, telling.event_id)


@periodic(seconds=60)
async def bring_back_from_the_future(plumbing: Plumbing) -> None:
    """Try now what was put off while the database's clock was ahead, and lies further away than any wait reaches."""
    async with plumbing.database.system() as connection:
        if events := await store.hasten_far_events(connection, LONGEST_WAIT):
            log.warning("the clock was set back: webhooks that were put off far too long are due now", events=events)


async def _try_all(
    plumbing: Plumbing, account: UUID, events: Sequence[store.ClaimedEvent], secrets: list[str], line: Line
) -> None:
    """Try each event once, some at the same time; what came of them is written down together, as it comes."""

    async def record(account: UUID, tried: Sequence[store.TriedEvent]) -> Sequence[None]:
        await _record(plumbing, account, tried)
        return [None] * len(tried)

    ledger: Batcher[UUID, store.TriedEvent, None] = Batcher(record)
    waiting, began = iter(events), time.monotonic()
    untried: list[store.ClaimedEvent] = []
    records: list[asyncio.Task[None]] = []
    took: list[float] = []

    async def lane() -> None:
        for event in waiting:
            if time.monotonic() - began > BEGIN_WITHIN_SECONDS:
                untried.append(event)
                continue
            began_at = time.monotonic()
            with places.shared.watching(account):
                tried = await _try(account, event, secrets, line)
            took.append(time.monotonic() - began_at)
            records.append(asyncio.create_task(ledger.do(account, tried)))

    try:
        await asyncio.gather(*(lane() for _ in range(min(LANES, len(events)))))
    finally:
        await asyncio.gather(*records)  # also when the worker stops: what was tried is not tried again
        log.info("webhooks tried", account_id=str(account), events=len(records))
    if took and max(took) < places.SLOW_SECONDS:
        places.shared.note_quick(account)
    if untried:
        async with plumbing.database.account(account) as connection:
            await store.release_events(connection, untried)


async def _record(plumbing: Plumbing, account: UUID, tried: Sequence[store.TriedEvent]) -> None:
    """Write down what came of the attempts, over again while the database is away and they are still in our hands.

    Else a receiver would be told again what it has been told, and only after the lease.
    """
    until, again = time.monotonic() + store.LEASE.total_seconds(), False
    while True:
        try:
            async with plumbing.database.account(account) as connection:
                return await store.record_attempts(connection, account, tried, again=again)
        except Exception as error:
            if not is_outage(error) or time.monotonic() > until:
                raise
            log.warning("webhooks that were tried wait for the database", events=len(tried), error=error_text(error))
        again = True
        await asyncio.sleep(RECORD_AGAIN_SECONDS)


async def _try(account: UUID, event: store.ClaimedEvent, secrets: list[str], line: Line) -> store.TriedEvent:
    with caused_by(event.cause) as within, span("webhook", within, SpanKind.CLIENT) as made:
        tried = await _tried(account, event, secrets, line)
        made.set_attributes({"truename.attempt": event.attempts + 1, "truename.outcome": str(tried.attempt.outcome)})
        if tried.attempt.status_code is not None:
            made.set_attribute("http.response.status_code", tried.attempt.status_code)
        return tried


async def _tried(account: UUID, event: store.ClaimedEvent, secrets: list[str], line: Line) -> store.TriedEvent:
    began = time.monotonic()
    attempt = Attempt(AttemptOutcome.NO_SECRET, error="The account has no webhook secret in force.")
    if secrets:
        headers = signed_headers(event.event_id, clock.now(), event.body, secrets)
        attempt = await line.post(event.url, event.body, headers)
    state, wait = _what_next(attempt, event.attempts + 1)
    if attempt.outcome is not AttemptOutcome.DELIVERED:
        words = {"outcome": attempt.outcome, "status": attempt.status_code, "state": state}
        log.info("webhook attempt", account_id=str(account), event_id=event.event_id, **words)
    return store.TriedEvent(event, attempt, began, state, wait)


def _what_next(attempt: Attempt, attempts_made: int) -> tuple[EventState, timedelta | None]:
    if attempt.outcome is AttemptOutcome.DELIVERED:
        return EventState.DELIVERED, None
    if attempt.outcome is AttemptOutcome.GONE:
        return EventState.STOPPED, None
    wait = next_wait(attempts_made, attempt.retry_after)
    return (EventState.PENDING, wait) if wait is not None else (EventState.EXHAUSTED, None)
