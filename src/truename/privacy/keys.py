"""Upkeep of the database of keys: rewrite what was deleted from, settle what is new, move in what is elsewhere."""

from collections.abc import AsyncIterator
from typing import Final
from uuid import UUID

import structlog

from truename.plumbing.customer_keys import ELSEWHERE
from truename.plumbing.database.keys_database import KeysDatabase, WrappedKey
from truename.plumbing.jobs.registry import periodic
from truename.plumbing.resources import Plumbing

log = structlog.get_logger(__name__)

BATCH: Final = 500
SAFE_SECONDS: Final = 3600.0
"""No creation of a customer takes as long as this between its key and its row."""

EXIST: Final = "SELECT customer_id FROM customers WHERE customer_id = ANY(%s) AND erased_at IS NULL"
BESIDE: Final = """
SELECT customer_id, account_id, data_key FROM customers
WHERE customer_id > %s AND data_key IS NOT NULL AND data_key <> '' ORDER BY customer_id LIMIT %s FOR UPDATE
"""


@periodic(seconds=60)
async def rewrite_parts(plumbing: Plumbing) -> None:
    """Leave no bytes of destroyed keys in the files of the database of keys."""
    if plumbing.keys_database is not None and (parts := await plumbing.keys_database.rewrite_parts()):
        log.info("keys rewritten", parts=parts)


@periodic(seconds=600)
async def settle_keys(plumbing: Plumbing) -> None:
    """Look once for the customer of each new key; delete the keys of those that never came to be."""
    if plumbing.keys_database is not None:
        await settle(plumbing, plumbing.keys_database, SAFE_SECONDS)


async def settle(plumbing: Plumbing, keys: KeysDatabase, older_than_seconds: float) -> int:
    """Settle every key of that age; says how many were orphans."""
    orphans = 0
    while found := await keys.unsettled(older_than_seconds, BATCH):
        ids = [key.customer_id for key in found]
        async with plumbing.database.system() as connection:
            cursor = await connection.execute(EXIST, (ids,))
            exist = [row["customer_id"] for row in await cursor.fetchall()]
        gone = sorted(set(ids) - set(exist))
        await keys.settle(exist)
        await keys.delete(gone)
        orphans += len(gone)
    if orphans:
        log.info("keys of customers that never came to be deleted", keys=orphans)
    return orphans


async def move_keys(plumbing: Plumbing, keys: KeysDatabase) -> AsyncIterator[int]:
    """Move keys that stand beside their customers into the database of keys; yields how many each time.

    First there, then here: a stop in between leaves a key in both places, and the next run goes on. The service may
    run meanwhile. Old row versions keep the keys until the table is rewritten (`truename scrub`).
    """
    last = UUID(int=0)
    while True:
        async with plumbing.database.system() as connection:
            cursor = await connection.execute(BESIDE, (last, BATCH))
            rows = await cursor.fetchall()
            if not rows:
                return
            await keys.insert_settled(
                [WrappedKey(row["customer_id"], row["account_id"], bytes(row["data_key"])) for row in rows]
            )
            await connection.execute(
                "UPDATE customers SET data_key = %s WHERE customer_id = ANY(%s)",
                (ELSEWHERE, [row["customer_id"] for row in rows]),
            )
        last = rows[-1]["customer_id"]
        yield len(rows)
