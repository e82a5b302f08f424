"""What happens when a person is erased while something is under way?"""

import asyncio

import pytest

from tests.support.api import KYC
from tests.support.people import a_verified_person
from tests.support.transactions import a_customer, a_transaction, submitted
from tests.support.waiting import until_locked_out
from truename.accounts.tokens import SdkClaims
from truename.capture.access import open_capture
from truename.plumbing.errors import NotAuthenticated
from truename.privacy.erase import erase
from truename.transactions.lifecycle import Status, begin, move
from truename.transactions.review import review

LOCK = "SELECT FROM transactions WHERE transaction_id = %s FOR UPDATE"


async def erased(plumbing, account, customer_id):
    async with plumbing.database.account(account.account_id) as connection:
        return await erase(connection, account.account_id, customer_id, actor="test")


async def test_a_capture_that_waited_for_the_erasure_is_refused(plumbing, an_account):
    """It began to wait while the customer was alive, so that only the row it waited for can tell it otherwise."""
    account_id = an_account.account_id
    customer_id = await a_customer(plumbing, an_account)
    transaction_id = await a_transaction(plumbing, an_account, customer_id)

    async def capture():
        async with plumbing.database.account(account_id) as connection:
            return await open_capture(connection, SdkClaims(account_id, transaction_id, "jti", 2**40))

    async with plumbing.database.account(account_id) as connection:
        await begin(connection, account_id, transaction_id)
    async with plumbing.database.account(account_id) as connection:
        await connection.execute(LOCK, (transaction_id,))
        erasing = asyncio.create_task(erased(plumbing, an_account, customer_id))
        await until_locked_out(plumbing.database.url, 1)
        capturing = asyncio.create_task(capture())
        await until_locked_out(plumbing.database.url, 2)
    assert (await erasing).transactions_kept == 1
    with pytest.raises(NotAuthenticated):
        await capturing


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "once"}], ids=["in a batch", "with a key"])
async def test_a_transaction_that_waited_for_the_erasure_of_its_customer_is_not_opened(
    client, plumbing, an_account, headers
):
    """Its token would open nothing, and nothing would cancel it: the job that does has been there by then."""
    customer_id = await a_customer(plumbing, an_account)
    body = {"customer_id": str(customer_id), "transaction_type": "DOCUMENT_ONLY"}
    async with plumbing.database.account(an_account.account_id) as connection:
        await erase(connection, an_account.account_id, customer_id, actor="test")
        opening = asyncio.create_task(client.post(f"{KYC}/transaction", json=body, headers=headers))
        await until_locked_out(plumbing.database.url, 1)
    async with await opening as answer:
        assert (answer.status, (await answer.json())["code"]) == (404, "customer_not_found")


async def test_a_conclusion_and_an_erasure_never_wait_for_each_other_in_a_circle(plumbing, an_account):
    account_id = an_account.account_id
    customer_id = await a_customer(plumbing, an_account)
    transaction_id = await a_transaction(plumbing, an_account, customer_id)
    await submitted(plumbing, an_account, transaction_id)
    async with plumbing.database.account(account_id) as connection:
        await move(connection, account_id, transaction_id, Status.APPROVED, decided_by="ENGINE")
        erasing = asyncio.create_task(erased(plumbing, an_account, customer_id))
        await until_locked_out(plumbing.database.url, 1)
        # What an approval does next: enrol. It must not have to wait for the erasure, which waits for it.
        await connection.execute("SET LOCAL lock_timeout = '5s'")
        await connection.execute(
            "UPDATE customers SET status = 'SUSPICIOUS' WHERE account_id = %s AND customer_id = %s",
            (account_id, customer_id),
        )
    assert (await erasing).transactions_kept == 1


async def test_a_review_and_an_erasure_never_wait_for_each_other_in_a_circle(plumbing, an_account):
    account_id = an_account.account_id
    customer_id = await a_customer(plumbing, an_account)
    transaction_id = await a_transaction(plumbing, an_account, customer_id)
    await submitted(plumbing, an_account, transaction_id)
    async with plumbing.database.account(account_id) as connection:
        await move(connection, account_id, transaction_id, Status.IN_REVIEW)

    async def approve():
        async with plumbing.database.account(account_id) as connection:
            own = account_id, transaction_id
            await review(connection, plumbing, *own, Status.APPROVED, "a test", actor="client:a test")

    async with plumbing.database.account(account_id) as connection:
        await connection.execute(LOCK, (transaction_id,))
        reviewing = asyncio.create_task(approve())
        await until_locked_out(plumbing.database.url, 1)
        # What an erasure does next: it has locked the transactions, and now wants the customer.
        await connection.execute("SET LOCAL lock_timeout = '5s'")
        await connection.execute("UPDATE customers SET status = status WHERE customer_id = %s", (customer_id,))
    await reviewing


async def test_two_erasures_at_once_give_one_receipt(plumbing, an_account):
    person = await a_verified_person(plumbing, an_account)
    both = await asyncio.gather(
        *(erased(plumbing, an_account, person.customer_id) for _ in range(2)), return_exceptions=True
    )
    assert sorted(type(one).__name__ for one in both) == ["CustomerNotFound", "Erased"]
