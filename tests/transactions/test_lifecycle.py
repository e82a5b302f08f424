"""Can a transaction only move as the table says, at the right instant, once, with its event?"""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from tests.support.transactions import a_customer, a_transaction, alter_audit_head, expire_now, submitted
from truename.accounts.model import NewAccount
from truename.plumbing.errors import NotFound, WrongState
from truename.plumbing.resources import Plumbing
from truename.transactions.cancel import cancel
from truename.transactions.expire import expire_due
from truename.transactions.lifecycle import FINAL, MOVES, OPEN, Status, begin, move

WEBHOOK = {"webhook": {"url": "https://hooks.example.com/x"}}


@pytest.fixture
async def transaction(plumbing: Plumbing, an_account: NewAccount) -> UUID:
    return await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account), config=WEBHOOK)


async def stored(plumbing: Plumbing, account: NewAccount, transaction_id: UUID) -> dict[str, Any]:
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute("SELECT * FROM transactions WHERE transaction_id = %s", (transaction_id,))
        row = await cursor.fetchone()
    assert row is not None
    return row


async def events(plumbing: Plumbing, account: NewAccount) -> list[tuple[str, int]]:
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute("SELECT type, sequence FROM webhook_events ORDER BY sequence")
        return [(row["type"], row["sequence"]) for row in await cursor.fetchall()]


async def put(plumbing: Plumbing, account: NewAccount, transaction_id: UUID, status: Status) -> None:
    """Only a test writes a status past the lifecycle."""
    async with plumbing.database.account(account.account_id) as connection:
        await connection.execute(
            "UPDATE transactions SET status = %s WHERE transaction_id = %s", (status, transaction_id)
        )


def test_every_status_has_its_row_and_final_ones_lead_nowhere() -> None:
    assert set(MOVES) == set(Status)
    assert {Status.APPROVED, Status.REJECTED, Status.FAILED, Status.EXPIRED, Status.CANCELLED} == FINAL
    assert OPEN.isdisjoint(FINAL)


@pytest.mark.parametrize("was", Status)
async def test_only_the_moves_of_the_table_can_be_made(plumbing, an_account, transaction, was: Status) -> None:
    for to in Status:
        await put(plumbing, an_account, transaction, was)
        await expire_now(plumbing, an_account, transaction, 1 if to is Status.EXPIRED else -60)
        async with plumbing.database.account(an_account.account_id) as connection:
            if to in MOVES[was]:
                changed = await move(connection, an_account.account_id, transaction, to)
                assert changed.status == to
            else:
                with pytest.raises(WrongState):
                    await move(connection, an_account.account_id, transaction, to)


async def test_each_move_counts_up_and_records_one_event(plumbing, an_account, transaction) -> None:
    await submitted(plumbing, an_account, transaction)
    async with plumbing.database.account(an_account.account_id) as connection:
        await move(connection, an_account.account_id, transaction, Status.REJECTED, decided_by="ENGINE")
    row = await stored(plumbing, an_account, transaction)
    assert (row["status"], row["sequence"], row["outcome"], row["decided_by"]) == ("REJECTED", 3, "REJECTED", "ENGINE")
    assert row["created_at"] <= row["started_at"] <= row["submitted_at"] <= row["completed_at"]
    assert await events(plumbing, an_account) == [
        ("transaction.in_progress", 1),
        ("transaction.processing", 2),
        ("transaction.rejected", 3),
    ]


async def test_a_move_that_is_rolled_back_leaves_no_event(plumbing, an_account, transaction) -> None:
    async def cancel_and_fail() -> None:
        async with plumbing.database.account(an_account.account_id) as connection:
            await cancel(connection, an_account.account_id, transaction)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await cancel_and_fail()
    assert (await stored(plumbing, an_account, transaction))["status"] == "CREATED"
    assert await events(plumbing, an_account) == []


async def test_without_a_webhook_nothing_is_recorded(plumbing, an_account) -> None:
    silent = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    async with plumbing.database.account(an_account.account_id) as connection:
        await cancel(connection, an_account.account_id, silent)
    assert await events(plumbing, an_account) == []


async def test_of_many_who_try_one_move_at_once_one_succeeds(plumbing, an_account, transaction) -> None:
    async def attempt() -> str:
        try:
            async with plumbing.database.account(an_account.account_id) as connection:
                await cancel(connection, an_account.account_id, transaction)
                return "done"
        except WrongState:
            return "refused"

    found = await asyncio.gather(*(attempt() for _ in range(8)))
    assert sorted(found) == ["done"] + ["refused"] * 7
    assert await events(plumbing, an_account) == [("transaction.cancelled", 1)]


async def test_beginning_twice_moves_once(plumbing, an_account, transaction) -> None:
    for _ in range(2):
        async with plumbing.database.account(an_account.account_id) as connection:
            await begin(connection, an_account.account_id, transaction)
    assert (await stored(plumbing, an_account, transaction))["sequence"] == 1


async def test_a_transaction_of_nobody_or_another_account_cannot_be_moved(
    plumbing, an_account, another_account, transaction
) -> None:
    for account, one in ((another_account, transaction), (an_account, uuid4())):
        async with plumbing.database.account(account.account_id) as connection:
            with pytest.raises(NotFound):
                await cancel(connection, account.account_id, one)


# ── time ───────────────────────────────────────────────────────────────────────────────────────────────────


async def test_at_the_instant_itself_nothing_but_expiry_is_possible(plumbing, an_account, transaction) -> None:
    await expire_now(plumbing, an_account, transaction)
    async with plumbing.database.account(an_account.account_id) as connection:
        for to in (Status.IN_PROGRESS, Status.CANCELLED):
            with pytest.raises(WrongState, match="EXPIRED"):
                await move(connection, an_account.account_id, transaction, to)
        await move(connection, an_account.account_id, transaction, Status.EXPIRED)


async def test_nothing_expires_before_its_time(plumbing, an_account, transaction) -> None:
    async with plumbing.database.account(an_account.account_id) as connection:
        with pytest.raises(WrongState):
            await move(connection, an_account.account_id, transaction, Status.EXPIRED)


async def test_an_account_whose_audit_log_takes_no_more_lines_keeps_no_other_from_expiring(
    plumbing, an_account, another_account, transaction
) -> None:
    """What is due is moved in batches, the oldest first: one that cannot be moved stopped them all, for ever."""
    theirs = await a_transaction(plumbing, another_account, await a_customer(plumbing, another_account))
    await alter_audit_head(plumbing, another_account, -1)
    await expire_now(plumbing, another_account, theirs, 50)
    await expire_now(plumbing, an_account, transaction, 5)
    with pytest.raises(psycopg.errors.UniqueViolation):
        await expire_due(plumbing)
    assert (await stored(plumbing, an_account, transaction))["status"] == "EXPIRED"
    assert (await stored(plumbing, another_account, theirs))["status"] == "CREATED"
    await alter_audit_head(plumbing, another_account, 1)
    await expire_due(plumbing)
    assert (await stored(plumbing, another_account, theirs))["status"] == "EXPIRED"


async def test_the_sweep_expires_what_is_due_and_nothing_else(plumbing, an_account, transaction) -> None:
    customer = await a_customer(plumbing, an_account)
    fresh = await a_transaction(plumbing, an_account, customer)
    sent_in_time = await a_transaction(plumbing, an_account, customer)
    await submitted(plumbing, an_account, sent_in_time)
    for one in (transaction, sent_in_time):
        await expire_now(plumbing, an_account, one, 5)
    await asyncio.gather(expire_due(plumbing), expire_due(plumbing))
    row = await stored(plumbing, an_account, transaction)
    assert (row["status"], row["completed_at"]) == ("EXPIRED", row["expires_at"])
    assert (await stored(plumbing, an_account, fresh))["status"] == "CREATED"
    assert (await stored(plumbing, an_account, sent_in_time))["status"] == "PROCESSING"
    assert await events(plumbing, an_account) == [("transaction.expired", 1)]
