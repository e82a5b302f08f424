"""Receivers that are slow or say nothing: what waits for them, and who does not."""

import asyncio
import functools
import secrets
from contextlib import asynccontextmanager

import pytest

from tests.support.jobs import working
from tests.support.waiting import until
from tests.support.webhooks import a_transaction, events_of, jobs_of, make_due, start
from truename.accounts.create import create_account
from truename.accounts.model import AccountSettings
from truename.plumbing.jobs.queue_names import Queue
from truename.plumbing.jobs.worker import run_pending
from truename.webhooks import places
from truename.webhooks.deliver import bring_back_due_events, deliver
from truename.webhooks.outbox import ask_for_delivery


@pytest.mark.slow
async def test_what_slow_receivers_kept_waiting_is_given_back_untried(house, an_account, receiver, monkeypatch):
    monkeypatch.setattr("truename.webhooks.deliver.BEGIN_WITHIN_SECONDS", 0.1)
    monkeypatch.setattr("truename.webhooks.deliver.GO_ON_SECONDS", 0.0)
    monkeypatch.setattr("truename.webhooks.deliver.LANES", 1)
    receiver.delay = 0.2
    ids = [await a_transaction(house, an_account, receiver.url) for _ in range(3)]
    for transaction_id in ids:
        await start(house, an_account, transaction_id)
    await deliver(house, account_id=str(an_account.account_id), event_id="evt_any")
    assert len(receiver.received) == 1
    for _ in range(2):
        await bring_back_due_events(house)
        await run_pending(house)
    assert len({got.headers["webhook-id"] for got in receiver.received}) == 3


@pytest.mark.slow
async def test_a_receiver_that_never_answers_keeps_no_other_accounts_webhooks_waiting(
    house, an_account, receiver, monkeypatch
):
    """With every second that one account's receiver said nothing, its jobs took one more of the worker's places."""
    monkeypatch.setattr("truename.webhooks.send.ANSWER_WITHIN", 90.0)
    monkeypatch.setattr("truename.webhooks.deliver.AT_ONCE", 2)
    monkeypatch.setattr(places, "shared", places.Places())
    honest = await a_trial_account(house)
    at_once = house.settings.worker_concurrency
    share = 2 * (at_once // 2)
    """Connections: half of the places, two events in each."""

    async def more_or_enough(asked):
        return len(connections) >= min(2 * asked, share)

    async def none_waits():
        return await jobs_of(house, an_account.account_id) == 0

    async with a_silent_server() as (address, connections):
        for _ in range(2 * at_once):
            await start(house, an_account, await a_transaction(house, an_account, address))
        async with working(house, {Queue.DELIVERY: at_once}):
            for asked in range(1, at_once + 1):
                await until(functools.partial(more_or_enough, asked))
                async with house.database.account(an_account.account_id) as connection:
                    await ask_for_delivery(connection, an_account.account_id, "evt_any")
                await until(none_waits)
            await start(house, honest, await a_transaction(house, honest, receiver.url))
            await receiver.wait_for(1, seconds=30)
            assert len(connections) == share, "as many as are free, up to a half"
            for one in connections:
                one.close()  # so that the worker need not wait for them


@pytest.mark.slow
async def test_many_accounts_whose_receivers_never_answer_leave_half_of_the_places_to_others(
    house, receiver, monkeypatch
):
    """As many of them as there are places kept everybody waiting, for as long as they had something due."""
    monkeypatch.setattr(places, "shared", places.Places())
    monkeypatch.setattr(places, "SLOW_SECONDS", 0.3)
    monkeypatch.setattr("truename.webhooks.send.ANSWER_WITHIN", 1.0)
    # A machine that stood still for some seconds is no death: what is held would be taken away and count as waiting.
    monkeypatch.setattr("truename.plumbing.jobs.engine.DEAD_AFTER_SECONDS", 90)
    at_once = house.settings.worker_concurrency
    mute = [await a_trial_account(house) for _ in range(at_once + 2)]
    honest = await a_trial_account(house)

    async def was_tried(account, transaction_id):
        """Once, or on a busy machine again: the second attempt is due after five seconds."""
        return all(event.attempts for event, _ in await events_of(house, account, transaction_id))

    async with a_silent_server() as (address, connections):
        theirs = [(account, await a_transaction(house, account, address)) for account in mute]
        for account, transaction_id in theirs:
            await start(house, account, transaction_id)
        async with working(house, {Queue.DELIVERY: at_once}):
            for account, transaction_id in theirs:
                await until(functools.partial(was_tried, account, transaction_id))
        monkeypatch.setattr("truename.webhooks.send.ANSWER_WITHIN", 90.0)
        connections.clear()
        for account in mute:
            await make_due(house, account)
            async with house.database.account(account.account_id) as connection:
                await ask_for_delivery(connection, account.account_id, "evt_any")
        async with working(house, {Queue.DELIVERY: at_once}):

            async def half_is_held():
                return len(connections) == at_once // 2

            async def waiting():
                return sum([await jobs_of(house, account.account_id) for account in mute])

            async def others_are_put_off():
                return await waiting() == len(mute) - at_once // 2

            await until(half_is_held)
            await until(others_are_put_off)
            for _ in range(3):
                await bring_back_due_events(house)
            assert await waiting() <= len(mute) - at_once // 2 + 1, "no more are asked for, but for one just in hand"
            await start(house, honest, await a_transaction(house, honest, receiver.url))
            await receiver.wait_for(1, seconds=30)
            assert len(connections) == at_once // 2
            for one in connections:
                one.close()  # so that the worker need not wait for them


async def a_trial_account(house):
    return await create_account(house, f"test {secrets.token_hex(8)}", settings=AccountSettings(trial=True))


@asynccontextmanager
async def a_silent_server():
    """Takes connections and says nothing; its address, and the connections."""
    taken = []

    async def take(_, writer):
        taken.append(writer)

    async with await asyncio.start_server(take, "127.0.0.1", 0) as server:
        try:
            yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/", taken
        finally:
            for writer in taken:
                writer.close()
