"""Sent again: which events, in which order, and by a schedule that begins anew."""

from datetime import UTC, datetime, timedelta

from aiohttp import web

from tests.support.webhooks import a_transaction, events_of, make_due, start
from truename.plumbing.jobs.worker import run_pending
from truename.transactions.lifecycle import Status, move
from truename.webhooks import deliver, store  # noqa: F401 - the job of deliveries is known by its module
from truename.webhooks.redeliver import redeliver, redeliver_last, redeliver_range

ACTOR = "operator:somebody"


async def test_a_redelivery_begins_its_schedule_anew(house, an_account, receiver):
    """Counted on from where it was, an event that was given up would be given up again by its first failure."""
    receiver.answer_next(web.Response(status=503))
    transaction_id = await a_transaction(house, an_account, receiver.url)
    await start(house, an_account, transaction_id)
    await run_pending(house)
    [(event, _)] = await events_of(house, an_account, transaction_id)
    assert event.attempts == 1
    async with house.database.account(an_account.account_id) as connection:
        shown = await redeliver(connection, an_account.account_id, event.event_id, actor=ACTOR)
    assert (shown.state, shown.attempts) == ("PENDING", 0)


async def test_of_each_transaction_the_newest_event_is_sent_again(house, an_account, receiver):
    account = an_account.account_id
    ids = [await a_transaction(house, an_account, receiver.url) for _ in range(3)]
    for transaction_id in ids:
        await start(house, an_account, transaction_id)
        async with house.database.account(account) as connection:
            await move(connection, account, transaction_id, Status.CANCELLED)
    await run_pending(house)
    await receiver.wait_for(6)
    async with house.database.account(account) as connection:
        assert await redeliver_last(connection, account, ids[:2], actor=ACTOR) == 2
    await run_pending(house)
    await receiver.wait_for(8)
    for number, transaction_id in enumerate(ids):
        (newest, attempts), (_, earlier) = await events_of(house, an_account, transaction_id)
        assert newest.type == "transaction.cancelled"
        assert (len(attempts), len(earlier)) == (2 if number < 2 else 1, 1)


async def test_of_a_range_only_what_did_not_arrive_is_sent_again_where_that_is_asked(house, an_account, receiver):
    account = an_account.account_id
    arrived, *others = [await a_transaction(house, an_account, receiver.url) for _ in range(3)]
    await start(house, an_account, arrived)
    await run_pending(house)
    for other, status in zip(others, (503, 410), strict=True):
        receiver.answer_next(web.Response(status=status))
        await start(house, an_account, other)
        await run_pending(house)
    hour = (datetime.now(UTC) - timedelta(minutes=30), datetime.now(UTC) + timedelta(minutes=30))
    async with house.database.account(account) as connection:
        assert await redeliver_range(connection, account, *hour, failed_only=True, actor=ACTOR) == 2
        assert await redeliver_range(connection, account, *hour, failed_only=False, actor=ACTOR) == 3
        before = (hour[0] - timedelta(hours=1), hour[0])
        assert await redeliver_range(connection, account, *before, failed_only=False, actor=ACTOR) == 0


async def test_what_has_been_due_for_the_longest_is_taken_first(house, an_account, receiver):
    account = an_account.account_id
    ids = [await a_transaction(house, an_account, receiver.url) for _ in range(3)]
    for transaction_id in ids:
        await start(house, an_account, transaction_id)
    await make_due(house, an_account)
    async with house.database.account(account) as connection:
        for number, transaction_id in enumerate(ids):
            waits = timedelta(minutes=(2, 3, 1)[number])
            await connection.execute(
                "UPDATE webhook_events SET next_attempt_at = now() - %s WHERE transaction_id = %s",
                (waits, transaction_id),
            )
        taken = [(await store.claim_due_events(connection, account, 1))[0].event_id for _ in ids]
    events = [(await events_of(house, an_account, one))[0][0].event_id for one in (ids[1], ids[0], ids[2])]
    assert taken == events
