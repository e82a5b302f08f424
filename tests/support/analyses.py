"""Submitted transactions, their analysis, and what it left in the database."""

from typing import Any
from uuid import UUID

import orjson

from tests.support.transactions import a_transaction, store_capture, submitted
from truename.accounts.model import NewAccount
from truename.analysis.analyse import analyse
from truename.plumbing.crypto import seals
from truename.plumbing.resources import Plumbing

LENIENT = {"biometric_policy": {"liveness_min_score": 0.1}, "webhook": {"url": "https://hooks.example.com/x"}}


async def run(plumbing: Plumbing, account: NewAccount, transaction_id: UUID) -> None:
    await analyse(plumbing, account_id=str(account.account_id), transaction_id=str(transaction_id))


async def row_of(plumbing: Plumbing, account: NewAccount, table: str, column: str, value: object) -> dict[str, Any]:
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute(f"SELECT * FROM {table} WHERE {column} = %s", (value,))
        row = await cursor.fetchone()
    assert row is not None
    return row


async def status_of(plumbing: Plumbing, account: NewAccount, transaction_id: UUID) -> str:
    row = await row_of(plumbing, account, "transactions", "transaction_id", transaction_id)
    found: str = row["status"]
    return found


async def with_signals(plumbing: Plumbing, account: NewAccount, transaction_id: UUID, **signals: Any) -> None:
    """What a native SDK reported of its device."""
    customer = (await row_of(plumbing, account, "transactions", "transaction_id", transaction_id))["customer_id"]
    wrapped = (await row_of(plumbing, account, "customers", "customer_id", customer))["data_key"]
    key = plumbing.vault.customer_key(bytes(wrapped), account.account_id, customer)
    told = orjson.dumps({"signals": {"platform": "ANDROID", **signals}, "addresses": []})
    async with plumbing.database.account(account.account_id) as connection:
        await connection.execute(
            "INSERT INTO device_signals (transaction_id, account_id, reported, sealed) VALUES (%s, %s, true, %s)",
            (transaction_id, account.account_id, key.seal(told, seals.device_signals(transaction_id))),
        )


def every_second_frame() -> list[tuple[bytes, str, int]]:
    """Of a living person's sequence: half the work, and enough for the threshold of `LENIENT`."""
    from tests.support.faces import a_live_sequence

    return [(frame.image, frame.step.value, frame.at_ms) for frame in a_live_sequence()[1::2]]


async def a_live_transaction(
    plumbing: Plumbing, account: NewAccount, customer: UUID, frames: list[tuple[bytes, str, int]]
) -> UUID:
    from tests.support.faces import CHALLENGE

    one = await a_transaction(plumbing, account, customer, "BIOMETRIC_ONLY", LENIENT)
    steps = [step.value for step in CHALLENGE]
    await store_capture(plumbing, account, customer, one, "LIVENESS", list(frames), steps)
    await submitted(plumbing, account, one)
    return one


async def a_submitted(plumbing: Plumbing, account: NewAccount, customer: UUID, **options: Any) -> UUID:
    one = await a_transaction(plumbing, account, customer, **options)
    await submitted(plumbing, account, one)
    return one
