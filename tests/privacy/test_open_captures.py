"""An erased customer leaves no capture open."""

from tests.support.api import KYC, a_transaction
from truename.plumbing.jobs.worker import run_pending
from truename.wiring import load_jobs


async def test_open_transactions_of_an_erased_customer_are_cancelled(client, plumbing):
    load_jobs()
    made = await a_transaction(client)
    other = await a_transaction(client)
    async with client.delete(f"{KYC}/customer/{made['customer_id']}") as answer:
        assert answer.status == 200
    await run_pending(plumbing)
    for transaction, status in ((made, "CANCELLED"), (other, "CREATED")):
        async with client.get(f"{KYC}/transaction/{transaction['transaction_id']}") as answer:
            assert (await answer.json())["status"] == status
