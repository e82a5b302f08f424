"""From a change of status to a signed webhook at the integrator's: at least once, never lost."""

import asyncio
import json
import time
from datetime import timedelta

import pytest
import structlog
from aiohttp import web
from standardwebhooks import Webhook

from tests.support.waiting import until_locked_out
from tests.support.webhooks import a_transaction, events_of, jobs_of, make_due, start
from truename.accounts.jobs import forget_old_keys
from truename.accounts.webhook_secrets import list_secrets, rotate_secret, secrets_in_force
from truename.plumbing.errors import WrongState
from truename.plumbing.jobs.worker import run_pending
from truename.transactions.lifecycle import Status, begin, move
from truename.webhooks import store
from truename.webhooks.deliver import bring_back_due_events, deliver
from truename.webhooks.send import Attempt


async def test_a_change_of_status_arrives_signed_and_without_personal_data(house, an_account, receiver):
    transaction_id = await a_transaction(house, an_account, receiver.url)
    await start(house, an_account, transaction_id)
    await run_pending(house)
    [got] = await receiver.wait_for(1)
    body = Webhook(an_account.webhook_secret).verify(got.body, got.headers)
    assert body["type"] == "transaction.in_progress"
    assert set(body) == {"type", "timestamp", "data"}
    assert set(body["data"]) == {
        "transaction_id",
        "customer_id",
        "external_customer_id",
        "transaction_type",
        "status",
        "previous_status",
        "sequence",
    }
    assert (body["data"]["transaction_id"], body["data"]["previous_status"]) == (str(transaction_id), "CREATED")
    [(event, attempts)] = await events_of(house, an_account, transaction_id)
    assert (event.state, [attempt.outcome for attempt in attempts]) == ("DELIVERED", ["DELIVERED"])
    assert got.headers["webhook-id"] == event.event_id


async def test_a_change_that_is_undone_sends_nothing(house, an_account, receiver):
    transaction_id = await a_transaction(house, an_account, receiver.url)
    with pytest.raises(ZeroDivisionError):  # noqa: PT012 (the change and its undoing are one story)
        async with house.database.account(an_account.account_id) as connection:
            await begin(connection, an_account.account_id, transaction_id)
            raise ZeroDivisionError
    await run_pending(house)
    assert receiver.received == []


async def test_every_change_has_one_event_with_a_rising_sequence(house, an_account, receiver):
    transaction_id = await a_transaction(house, an_account, receiver.url)
    await start(house, an_account, transaction_id)
    async with house.database.account(an_account.account_id) as connection:
        await move(connection, an_account.account_id, transaction_id, Status.CANCELLED)
    await run_pending(house)
    got = [json.loads(received.body) for received in await receiver.wait_for(2)]
    assert sorted((body["data"]["sequence"], body["type"]) for body in got) == [
        (1, "transaction.in_progress"),
        (2, "transaction.cancelled"),
    ]


async def test_a_failed_attempt_is_logged_and_tried_again_with_the_same_id(house, an_account, receiver):
    receiver.answer_next(web.Response(status=500))
    transaction_id = await a_transaction(house, an_account, receiver.url)
    await start(house, an_account, transaction_id)
    await run_pending(house)
    [(event, attempts)] = await events_of(house, an_account, transaction_id)
    assert (event.state, attempts[0].status_code) == ("PENDING", 500)
    assert 4.0 < (event.next_attempt_at - attempts[0].at).total_seconds() < 8.0
    await make_due(house, an_account)
    await bring_back_due_events(house)
    await run_pending(house)
    [(event, attempts)] = await events_of(house, an_account, transaction_id)
    assert (event.state, len(attempts)) == ("DELIVERED", 2)
    assert len({received.headers["webhook-id"] for received in receiver.received}) == 1


async def test_the_log_says_of_which_account_a_receiver_failed(house, an_account, receiver):
    """The alert on late webhooks sends whoever runs the service there: the line named the event alone."""
    receiver.answer_next(web.Response(status=503))
    await start(house, an_account, await a_transaction(house, an_account, receiver.url))
    with structlog.testing.capture_logs() as lines:
        await run_pending(house)
    [told] = [line for line in lines if line["event"] == "webhook attempt"]
    assert (told["account_id"], told["status"]) == (str(an_account.account_id), 503)


async def test_the_schedule_ends_after_ten_attempts(house, an_account, receiver):
    receiver.answer_next(*(web.Response(status=503) for _ in range(12)))
    transaction_id = await a_transaction(house, an_account, receiver.url)
    await start(house, an_account, transaction_id)
    for _ in range(11):
        await make_due(house, an_account)
        await bring_back_due_events(house)
        await run_pending(house)
    [(event, attempts)] = await events_of(house, an_account, transaction_id)
    assert (event.state, len(attempts), len(receiver.received)) == ("EXHAUSTED", 10, 10)


async def test_gone_stops_the_attempts(house, an_account, receiver):
    receiver.answer_next(web.Response(status=410))
    transaction_id = await a_transaction(house, an_account, receiver.url)
    await start(house, an_account, transaction_id)
    await run_pending(house)
    [(event, _)] = await events_of(house, an_account, transaction_id)
    assert event.state == "STOPPED"


async def test_two_workers_on_one_event_send_it_once(house, an_account, receiver):
    transaction_id = await a_transaction(house, an_account, receiver.url)
    await start(house, an_account, transaction_id)
    [(event, _)] = await events_of(house, an_account, transaction_id)
    for _ in range(2):
        await deliver(house, account_id=str(an_account.account_id), event_id=event.event_id)
    assert len(receiver.received) == 1


async def test_while_a_secret_rotates_the_old_and_the_new_verify(house, an_account, receiver):
    async with house.database.account(an_account.account_id) as connection:
        new_secret = await rotate_secret(connection, house.vault, an_account.account_id)
    await start(house, an_account, await a_transaction(house, an_account, receiver.url))
    await run_pending(house)
    [got] = await receiver.wait_for(1)
    for secret in (an_account.webhook_secret, new_secret):
        assert Webhook(secret).verify(got.body, got.headers)


async def test_of_rotations_at_once_only_the_newest_secret_stays(house, an_account):
    """An integrator whose answer was lost asks again, and a repeated request overtakes the first."""
    account_id = an_account.account_id

    async def rotate() -> None:
        async with house.database.account(account_id) as connection:
            await rotate_secret(connection, house.vault, account_id)

    async with house.database.account(account_id) as connection:
        await rotate_secret(connection, house.vault, account_id)
        repeated = [asyncio.create_task(rotate()) for _ in range(3)]
        await until_locked_out(house.database.url, len(repeated))
    await asyncio.gather(*repeated)
    async with house.database.account(account_id) as connection:
        listed = await list_secrets(connection, account_id)
    assert [one.expires_at is None for one in listed] == [True, False, False, False, False]


async def test_no_more_than_five_secrets_sign_and_the_one_that_the_receiver_knows_is_never_dropped_for_another(
    house, an_account, receiver
):
    """A client in a loop made hundreds, and each webhook was signed by all of them."""
    account_id, secrets = an_account.account_id, [an_account.webhook_secret]
    for _ in range(4):
        async with house.database.account(account_id) as connection:
            secrets.append(await rotate_secret(connection, house.vault, account_id))
    with pytest.raises(WrongState) as refused:
        async with house.database.account(account_id) as connection:
            await rotate_secret(connection, house.vault, account_id)
    assert refused.value.code == "too_many_webhook_secrets"
    await start(house, an_account, await a_transaction(house, an_account, receiver.url))
    await run_pending(house)
    [got] = await receiver.wait_for(1)
    for secret in secrets:
        assert Webhook(secret).verify(got.body, got.headers)
    async with house.database.account(account_id) as connection:
        newest = await rotate_secret(connection, house.vault, account_id, timedelta(0))
        assert await secrets_in_force(connection, house.vault, account_id) == [newest]


async def test_secrets_that_have_expired_are_deleted_regularly_and_those_that_sign_stay(house, an_account):
    account_id = an_account.account_id
    async with house.database.account(account_id) as connection:
        for _ in range(3):
            await rotate_secret(connection, house.vault, account_id, timedelta(0))
        await rotate_secret(connection, house.vault, account_id)
        before = await secrets_in_force(connection, house.vault, account_id)
    await forget_old_keys(house)
    async with house.database.account(account_id) as connection:
        assert await secrets_in_force(connection, house.vault, account_id) == before
        cursor = await connection.execute("SELECT count(*) AS n FROM webhook_secrets")
        assert await cursor.fetchone() == {"n": 2}


async def test_an_account_without_a_secret_sends_nothing_unsigned_and_the_log_says_so(house, an_account, receiver):
    transaction_id = await a_transaction(house, an_account, receiver.url)
    async with house.database.account(an_account.account_id) as connection:
        await begin(connection, an_account.account_id, transaction_id)
        await connection.execute("UPDATE webhook_secrets SET expires_at = now() - interval '1 hour'")
    await run_pending(house)
    [(event, attempts)] = await events_of(house, an_account, transaction_id)
    assert (event.state, attempts[0].outcome) == ("PENDING", "NO_SECRET")
    assert receiver.received == []


async def test_an_account_without_the_trial_sends_nothing_to_loopback(house, another_account, receiver):
    """The address was stored while it was allowed (or a name began to lead there): the delivery refuses and says so."""
    transaction_id = await a_transaction(house, another_account, "https://hooks.example.com/")
    async with house.database.account(another_account.account_id) as connection:
        await begin(connection, another_account.account_id, transaction_id)
        await connection.execute("UPDATE webhook_events SET url = %s", (receiver.url,))
    await run_pending(house)
    [(event, attempts)] = await events_of(house, another_account, transaction_id)
    assert (event.state, attempts[0].outcome) == ("PENDING", "ADDRESS_FORBIDDEN")
    assert receiver.received == []


async def test_an_endless_retry_after_is_one_attempt_like_any_other(house, an_account, receiver):
    receiver.answer_next(web.Response(status=503, headers={"Retry-After": "9" * 5000}))
    transaction_id = await a_transaction(house, an_account, receiver.url)
    await start(house, an_account, transaction_id)
    await run_pending(house)
    [(event, attempts)] = await events_of(house, an_account, transaction_id)
    assert (event.state, event.attempts, len(attempts)) == ("PENDING", 1, 1)


@pytest.mark.parametrize(("outcome", "state"), [("REFUSED_BY_RECEIVER", "EXHAUSTED"), ("GONE", "STOPPED")])
async def test_a_redelivery_asked_for_during_the_last_attempt_is_not_lost(house, an_account, receiver, outcome, state):
    transaction_id = await a_transaction(house, an_account, receiver.url)
    await start(house, an_account, transaction_id)
    [(event, _)] = await events_of(house, an_account, transaction_id)
    account = an_account.account_id
    async with house.database.account(account) as connection:
        [claimed] = await store.claim_due_events(connection, account, 10)
    async with house.database.account(account) as connection:
        await store.renew_event(connection, event.event_id)
    tried = store.TriedEvent(claimed, Attempt(outcome, 503), time.monotonic(), state, None)
    async with house.database.account(account) as connection:
        await store.record_attempts(connection, account, [tried])
    await run_pending(house)
    [(event, attempts)] = await events_of(house, an_account, transaction_id)
    assert (event.state, [one.outcome for one in attempts]) == ("DELIVERED", [outcome, "DELIVERED"])
    assert len(receiver.received) == 1


async def test_what_an_account_has_due_is_delivered_by_one_job_each_transaction_in_its_order(
    house, an_account, receiver
):
    ids = [await a_transaction(house, an_account, receiver.url) for _ in range(5)]
    account = an_account.account_id
    for transaction_id in ids:
        await start(house, an_account, transaction_id)
    for transaction_id in ids:
        async with house.database.account(account) as connection:
            await move(connection, account, transaction_id, Status.CANCELLED)
    assert await jobs_of(house, account) == 1
    await run_pending(house)
    told = [json.loads(got.body)["data"] for got in receiver.received]
    assert len(told) == 10
    for transaction_id in ids:
        assert [one["sequence"] for one in told if one["transaction_id"] == str(transaction_id)] == [1, 2]
    assert len({got.peer for got in receiver.received}) < 10, "connections are kept"


async def test_an_event_that_failed_keeps_no_other_of_its_transaction_waiting(house, an_account, receiver):
    receiver.answer_next(web.Response(status=500))
    transaction_id = await a_transaction(house, an_account, receiver.url)
    await start(house, an_account, transaction_id)
    async with house.database.account(an_account.account_id) as connection:
        await move(connection, an_account.account_id, transaction_id, Status.CANCELLED)
    await run_pending(house)
    states = {event.type: event.state for event, _ in await events_of(house, an_account, transaction_id)}
    assert states == {"transaction.in_progress": "PENDING", "transaction.cancelled": "DELIVERED"}


async def test_an_event_that_was_recorded_while_the_only_job_ended_is_found_by_the_sweep(house, an_account, receiver):
    account = an_account.account_id
    await start(house, an_account, await a_transaction(house, an_account, receiver.url))
    async with house.database.system() as connection:  # as if it had been taken before the change committed
        await connection.execute(
            "DELETE FROM procrastinate_jobs WHERE args ->> 'account_id' = %s AND task_name = 'webhooks.deliver'",
            (str(account),),
        )
    for _ in range(2):
        await bring_back_due_events(house)
    assert await jobs_of(house, account) == 1
    await run_pending(house)
    assert len(receiver.received) == 1


async def test_the_sweep_finds_what_every_account_has_due_whoever_else_waits(
    house, an_account, another_account, receiver
):
    accounts = (an_account, another_account)
    for account in accounts:
        url = receiver.url if account is an_account else "https://hooks.example.com/"
        await start(house, account, await a_transaction(house, account, url))
    assert [await jobs_of(house, account.account_id) for account in accounts] == [1, 1]
    async with house.database.system() as connection:
        await connection.execute("DELETE FROM procrastinate_jobs WHERE task_name = 'webhooks.deliver'")
    await bring_back_due_events(house)
    assert [await jobs_of(house, account.account_id) for account in accounts] == [1, 1]
    async with house.database.account(another_account.account_id) as connection:
        await connection.execute("UPDATE webhook_events SET state = 'STOPPED'")
    await run_pending(house)
    assert len(receiver.received) == 1
