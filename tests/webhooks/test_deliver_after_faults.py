"""A worker dies, the database goes away, a clock is wrong: is every webhook told, and told in time?"""

import time

import pytest

from tests.support.way import a_way
from tests.support.webhooks import a_transaction, events_of, start
from truename.plumbing import clock
from truename.plumbing.database.pool import Database
from truename.plumbing.jobs.worker import run_pending
from truename.plumbing.resources import Plumbing
from truename.webhooks import store
from truename.webhooks.deliver import bring_back_due_events, bring_back_from_the_future, deliver
from truename.webhooks.model import AttemptOutcome, EventState
from truename.webhooks.send import Attempt


async def test_a_worker_that_dies_in_the_middle_loses_nothing(house, an_account, receiver):
    """It claimed the event and never came back: after its lease the event is due again."""
    transaction_id = await a_transaction(house, an_account, receiver.url)
    await start(house, an_account, transaction_id)
    [(event, _)] = await events_of(house, an_account, transaction_id)
    async with house.database.account(an_account.account_id) as connection:
        [claimed] = await store.claim_due_events(connection, an_account.account_id, 10)
        assert claimed.event_id == event.event_id
    await run_pending(house)
    assert receiver.received == []
    async with house.database.account(an_account.account_id) as connection:
        await connection.execute(
            "UPDATE webhook_events SET next_attempt_at = next_attempt_at - %s, queued_at = queued_at - %s",
            (store.LEASE, store.LEASE),
        )
    await bring_back_due_events(house)
    await run_pending(house)
    assert len(receiver.received) == 1


@pytest.mark.slow
async def test_what_was_told_while_the_database_went_away_is_written_down_and_not_told_again(
    house, an_account, receiver
):
    """It waited for its lease to run out, and was told again then."""
    transaction_id = await a_transaction(house, an_account, receiver.url)
    await start(house, an_account, transaction_id)
    async with house.database.system() as connection:

        async def goes_away() -> None:
            await connection.execute("SET LOCAL ROLE NONE")  # who logged in may do it, and only until this is over
            await connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )

        receiver.before_answer = goes_away
        await deliver(house, account_id=str(an_account.account_id), event_id="asked for by nobody")
    receiver.before_answer = None
    await house.database.pool.check()
    [(event, attempts)] = await events_of(house, an_account, transaction_id)
    assert (event.state, [attempt.outcome for attempt in attempts]) == ("DELIVERED", ["DELIVERED"])
    assert len(receiver.received) == 1


async def test_attempts_whose_record_was_confirmed_to_nobody_are_logged_once(house, an_account, receiver):
    transaction_id = await a_transaction(house, an_account, receiver.url)
    await start(house, an_account, transaction_id)
    for again in (False, True):
        async with house.database.account(an_account.account_id) as connection:
            if not again:
                [claimed] = await store.claim_due_events(connection, an_account.account_id, 10)
                attempt = Attempt(AttemptOutcome.DELIVERED, 200)
                tried = store.TriedEvent(claimed, attempt, time.monotonic(), EventState.DELIVERED, None)
            await store.record_attempts(connection, an_account.account_id, [tried], again=again)
    [(event, attempts)] = await events_of(house, an_account, transaction_id)
    assert (event.state, event.attempts, len(attempts)) == ("DELIVERED", 1, 1)


async def test_who_gives_back_what_another_has_taken_meanwhile_takes_it_out_of_nobodys_hands(
    house, an_account, receiver
):
    """It would be told twice: once by who has it, and once by who finds it due."""
    transaction_id = await a_transaction(house, an_account, receiver.url)
    await start(house, an_account, transaction_id)
    account = an_account.account_id
    async with house.database.account(account) as connection:
        slow = await store.claim_due_events(connection, account, 10)
        await connection.execute("UPDATE webhook_events SET next_attempt_at = now() - interval '1 second'")
        taken_over = await store.claim_due_events(connection, account, 10)
        assert len(slow) == len(taken_over) == 1
        await store.release_events(connection, slow)
        assert await store.claim_due_events(connection, account, 10) == []
        await store.release_events(connection, taken_over)
    async with house.database.account(account) as connection:
        assert len(await store.claim_due_events(connection, account, 10)) == 1


async def test_a_commit_that_was_confirmed_to_nobody_is_not_logged_twice(house, an_account, receiver):
    """The database did what it was asked, and the connection broke under its answer: all of it is asked again."""
    transaction_id = await a_transaction(house, an_account, receiver.url)
    await start(house, an_account, transaction_id)
    async with a_way(house.database.url) as way:
        behind = Database(way.url, connections=2)
        await behind.open()

        async def breaks() -> None:
            way.breaks_at = b"COMMIT"

        receiver.before_answer = breaks
        own = Plumbing(house.settings, behind, house.objects, house.vault)
        await deliver(own, account_id=str(an_account.account_id), event_id="asked for by nobody")
        await behind.close()
    assert way.breaks_at is None, "it broke"
    [(event, attempts)] = await events_of(house, an_account, transaction_id)
    assert (event.state, event.attempts, len(attempts)) == ("DELIVERED", 1, 1)


@pytest.mark.parametrize("days", [10, -10])
async def test_a_webhook_is_dated_by_the_databases_clock_whatever_this_machine_says(
    house, an_account, receiver, monkeypatch, days
):
    """By a wrong time a receiver would refuse it, ten times over, and it would be lost."""
    monkeypatch.setattr(clock, "_began", clock._began + days * 24 * 3600 * 10**9)  # as the database was last heard
    transaction_id = await a_transaction(house, an_account, receiver.url)
    await start(house, an_account, transaction_id)
    await run_pending(house)
    [got] = await receiver.wait_for(1)
    assert abs(int(got.headers["webhook-timestamp"]) - time.time() - days * 24 * 3600) < 60


async def test_a_webhook_that_waits_for_its_next_try_is_not_hastened_while_the_clock_is_right(
    house, an_account, receiver
):
    """The longest wait is a day and a tenth: only what lies behind it was put off by another clock."""
    await start(house, an_account, await a_transaction(house, an_account, receiver.url))
    async with house.database.account(an_account.account_id) as connection:
        await connection.execute("UPDATE webhook_events SET next_attempt_at = now() + interval '26 hours'")
    await bring_back_from_the_future(house)
    async with house.database.account(an_account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT next_attempt_at > now() + interval '25 hours' AS waits FROM webhook_events"
        )
        assert [row["waits"] for row in await cursor.fetchall()] == [True]


async def test_a_webhook_that_was_put_off_by_a_clock_that_was_ahead_is_told_when_it_is_set_back(
    house, an_account, receiver
):
    transaction_id = await a_transaction(house, an_account, receiver.url)
    await start(house, an_account, transaction_id)
    async with house.database.account(an_account.account_id) as connection:
        await connection.execute("UPDATE webhook_events SET next_attempt_at = now() + interval '10 days'")
    await run_pending(house)
    assert receiver.received == []
    await bring_back_from_the_future(house)
    await bring_back_due_events(house)
    await run_pending(house)
    assert len(await receiver.wait_for(1)) == 1
