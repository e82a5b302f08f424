"""How well do webhooks arrive? What the page of each address says is counted of its events and attempts."""

from datetime import timedelta

from tests.support.transactions import a_customer, a_transaction
from truename.plumbing.clock import now
from truename.plumbing.database.ids import new_id
from truename.webhooks import health
from truename.webhooks.health import endpoint_health

BUSY, QUIET = "https://busy.example/hook", "https://quiet.example/hook"


async def tell(connection, account_id, transaction_id, number, url, state, *attempts):
    """An event and its attempts, `(minutes ago, how long it took, status, error, outcome)`, the newest last."""
    event_id, at = f"evt_{new_id()}", now()
    await connection.execute(
        "INSERT INTO webhook_events (event_id, account_id, transaction_id, sequence, type, url, body, state, attempts) "
        "VALUES (%s, %s, %s, %s, 'transaction.approved', %s, '{}', %s, %s)",
        (event_id, account_id, transaction_id, number, url, state, len(attempts)),
    )
    for count, (minutes, took, status, error, outcome) in enumerate(attempts, 1):
        await connection.execute(
            "INSERT INTO webhook_attempts (attempt_id, account_id, event_id, number, at, took_ms, status_code, "
            "outcome, error) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
            (new_id(), account_id, event_id, count, at - timedelta(minutes=minutes), took, status, outcome, error),
        )
    return at


async def test_each_address_says_how_many_of_its_newest_events_arrived_the_worst_first(
    plumbing, an_account, monkeypatch
):
    account_id = an_account.account_id
    transaction_id = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    failed, timeout = (500, None, "REFUSED_BY_RECEIVER"), (None, "no answer", "TIMED_OUT")
    async with plumbing.database.account(account_id) as connection:
        await connection.execute("DELETE FROM webhook_events")
        own = connection, account_id, transaction_id
        await tell(*own, 101, "https://former.example/hook", "DELIVERED", (90, 10, 200, None, "DELIVERED"))
        for number in range(102, 106):
            await tell(*own, number, f"{QUIET}?person={number}", "DELIVERED", (5, 10, 200, None, "DELIVERED"))
        await tell(*own, 110, QUIET, "DELIVERED", (5, 10, 200, None, "DELIVERED"))
        await tell(*own, 106, f"{BUSY}#a", "DELIVERED", (60, 3000, *failed), (40, 20, 200, None, "DELIVERED"))
        await tell(*own, 107, f"{BUSY}?b", "EXHAUSTED", (50, 40, *failed), (30, 50, *timeout))
        at = await tell(*own, 108, BUSY, "PENDING", (20, 60, *failed))
        await tell(*own, 109, BUSY, "PENDING")
        monkeypatch.setattr(health, "NEWEST", 9)
        busy, quiet = await endpoint_health(connection, account_id)
    assert (busy.url, busy.events, busy.delivered, busy.failing, busy.attempts) == (BUSY, 4, 1, 2, 5)
    assert (busy.p95_ms, busy.last_trouble) == (3000, "500")
    assert busy.last_delivered is not None
    assert busy.last_failed is not None
    assert abs(busy.last_delivered - (at - timedelta(minutes=40))) < timedelta(minutes=1)
    assert abs(busy.last_failed - (at - timedelta(minutes=20))) < timedelta(minutes=1)
    assert (quiet.url, quiet.events, quiet.delivered, quiet.failing, quiet.attempts) == (QUIET, 5, 5, 0, 5)
    assert (quiet.last_failed, quiet.last_trouble) == (None, None)


async def test_trouble_without_a_status_is_named_by_its_error(plumbing, an_account):
    transaction_id = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    own = an_account.account_id, transaction_id
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("DELETE FROM webhook_events")
        attempts = (
            (9, 15000, None, "timeout", "FAILED"),
            (5, None, None, None, "REFUSED"),
            (2, 1, None, "tls", "FAILED"),
        )
        await tell(connection, *own, 101, BUSY, "PENDING", *attempts)
        (found,) = await endpoint_health(connection, an_account.account_id)
    assert found.last_trouble == "tls"
    assert (found.failing, found.delivered, found.last_delivered) == (1, 0, None)


async def test_an_address_that_wants_no_more_is_switched_off_until_something_arrives_there_again(plumbing, an_account):
    """Nothing failed: the receiver was told of it, and asked for no more. But what it was told did not arrive."""
    transaction_id = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    gone, well = (410, "gone", "GONE"), (200, None, "DELIVERED")
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("DELETE FROM webhook_events")
        own = connection, an_account.account_id, transaction_id
        await tell(*own, 101, BUSY, "DELIVERED", (30, 10, *well))
        await tell(*own, 102, BUSY, "STOPPED", (20, 10, *gone))
        (found,) = await endpoint_health(connection, an_account.account_id)
        assert (found.delivered, found.failing, found.stopped, found.switched_off) == (1, 0, 1, True)
        await tell(*own, 103, BUSY, "DELIVERED", (10, 10, *well))
        (found,) = await endpoint_health(connection, an_account.account_id)
        assert (found.delivered, found.failing, found.stopped, found.switched_off) == (2, 0, 1, False)
