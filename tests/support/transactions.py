"""Builders of customers and transactions at the level of the rooms, for tests that need them in some state."""

import secrets
from typing import Any
from uuid import UUID

import psycopg

from truename.accounts.authentication import Caller
from truename.accounts.model import SCOPES, NewAccount
from truename.customers import create as customers
from truename.customers.model import NewCustomer
from truename.media.pictures import object_key
from truename.plumbing.crypto import seals
from truename.plumbing.database.ids import new_id
from truename.plumbing.resources import Plumbing
from truename.transactions import create as transactions
from truename.transactions.lifecycle import begin
from truename.transactions.model import NewTransaction
from truename.transactions.submit import submit


def caller_of(account: NewAccount) -> Caller:
    return Caller(account.account_id, account.client_id, frozenset(SCOPES))


async def a_customer(plumbing: Plumbing, account: NewAccount, **fields: Any) -> UUID:
    new = NewCustomer(**{"external_customer_id": secrets.token_hex(8), **fields})
    prepared = await customers.prepare(plumbing, caller_of(account), new)
    async with plumbing.database.account(account.account_id) as connection:
        row = await customers.insert(connection, plumbing.vault, prepared)
    found: UUID = row.customer_id
    return found


async def a_transaction(
    plumbing: Plumbing,
    account: NewAccount,
    customer_id: UUID,
    kind: str = "DOCUMENT_AND_BIOMETRIC",
    config: dict[str, Any] | None = None,
) -> UUID:
    new = NewTransaction.model_validate(
        {"customer_id": str(customer_id), "transaction_type": kind, "config": config or {}}
    )
    prepared = await transactions.prepare(plumbing, caller_of(account), new)
    async with plumbing.database.account(account.account_id) as connection:
        await transactions.insert(connection, prepared)
    return prepared.transaction_id


async def submitted(plumbing: Plumbing, account: NewAccount, transaction_id: UUID) -> None:
    """Begin and submit, as the capture room does."""
    async with plumbing.database.account(account.account_id) as connection:
        await begin(connection, account.account_id, transaction_id)
        await submit(connection, account.account_id, transaction_id)


async def expire_now(plumbing: Plumbing, account: NewAccount, transaction_id: UUID, seconds_ago: float = 0) -> None:
    """Let the time of a transaction run out."""
    async with plumbing.database.account(account.account_id) as connection:
        await connection.execute(
            "UPDATE transactions SET expires_at = clock_timestamp() - make_interval(secs => %s) "
            "WHERE transaction_id = %s",
            (seconds_ago, transaction_id),
        )


async def store_capture(
    plumbing: Plumbing,
    account: NewAccount,
    customer_id: UUID,
    transaction_id: UUID,
    slot: str,
    pictures: list[tuple[bytes, str | None, int]],
    challenge: list[str] | None = None,
) -> None:
    """Pictures of one slot, sealed and stored as the capture room stores them: (image, step, at_ms)."""
    from psycopg.types.json import Jsonb

    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute("SELECT data_key FROM customers WHERE customer_id = %s", (customer_id,))
        row = await cursor.fetchone()
        assert row is not None
        key = plumbing.vault.customer_key(bytes(row["data_key"]), account.account_id, customer_id)
        listed = []
        kind = "LIVENESS_FRAME" if slot == "LIVENESS" else slot
        for image, step, at_ms in pictures:
            media_id = new_id()
            where = object_key(account.account_id, customer_id, media_id)
            await plumbing.objects.put(where, key.seal(image, seals.picture(media_id)))
            kind = "LIVENESS_FRAME" if slot == "LIVENESS" else slot
            await connection.execute(
                "INSERT INTO media (media_id, account_id, customer_id, transaction_id, kind, content_type, size, "
                "storage_key) VALUES (%s, %s, %s, %s, %s, 'image/jpeg', %s, %s)",
                (media_id, account.account_id, customer_id, transaction_id, kind, len(image), where),
            )
            listed.append({"media_id": str(media_id), "step": step, "at_ms": at_ms})
        await connection.execute(
            "INSERT INTO captures (transaction_id, account_id, slot, usable, media, challenge) "
            "VALUES (%s, %s, %s, true, %s, %s)",
            (transaction_id, account.account_id, slot, Jsonb(listed), challenge or []),
        )


async def alter_audit_head(plumbing: Plumbing, account: NewAccount, by: int) -> None:
    """As somebody does who goes past our rules, or a damaged page: no further line finds a place then."""
    async with await psycopg.AsyncConnection.connect(plumbing.database.url, autocommit=True) as owner:
        await owner.execute("SET session_replication_role = replica")
        await owner.execute("UPDATE audit_heads SET count = count + %s WHERE account_id = %s", (by, account.account_id))
