"""Chains of the audit log, and who may do anything to them."""

import random
import secrets
from typing import Any
from uuid import UUID

import psycopg

from truename.accounts.create import create_account
from truename.audit.model import Action, Entry
from truename.audit.record import write
from truename.plumbing.database.ids import new_id
from truename.plumbing.resources import Plumbing

ACTIONS = [Action.CUSTOMER_READ, Action.MEDIA_READ, Action.TRANSACTION_STATUS_CHANGED, Action.CLIENT_ADDED]


async def a_chain(plumbing: Plumbing, lines: int = 12) -> UUID:
    """An account whose log has so many realistic lines and a few more."""
    account = await create_account(plumbing, f"test {secrets.token_hex(8)}")
    async with plumbing.database.account(account.account_id) as connection:
        for number in range(lines):
            entry = Entry(
                account.account_id,
                f"client:{secrets.token_hex(4)}",
                random.choice(ACTIONS),
                f"customer:{new_id()}",
                {"from": "ACTIVE", "to": "BLOCKED", "count": number},
                sealed_reason=secrets.token_bytes(40) if number % 3 == 0 else None,
            )
            write(connection, entry)
    return account.account_id


async def superuser(plumbing: Plumbing) -> psycopg.AsyncConnection[Any]:
    connection = await psycopg.AsyncConnection.connect(plumbing.database.url, row_factory=psycopg.rows.dict_row)
    # Not bound by constraints either, as one who edits the files of the database would not be.
    await connection.execute("ALTER TABLE audit_log DROP CONSTRAINT IF EXISTS audit_log_sequence_check")
    cursor = await connection.execute(
        """SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS loosened
           FROM pg_constraint WHERE contype IN ('p', 'u')
           AND conrelid IN (SELECT relid FROM pg_partition_tree('audit_log'))"""
    )
    for row in await cursor.fetchall():
        await connection.execute(row["loosened"].encode())
    await connection.commit()
    return connection
