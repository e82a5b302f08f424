"""Seal everything that a master key seals under the newest one: in small bites, while the service goes on.

A value bears the id of its key, so that what was done is seen in the rows themselves: broken off at any point, the work
is resumed by doing it again. Only the wrapping changes; what customers' own keys sealed stays as it is.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Final, LiteralString

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import Vault
from truename.plumbing.resources import Plumbing

BATCH: Final = 500
PASSES: Final = 5
"""Values that a process with the old key sealed meanwhile are found by the next pass; it knows the new key soon."""


@dataclass(frozen=True)
class SealedColumn:
    """A column whose values are sealed under a master key, and how to seal one anew."""

    name: str
    count: LiteralString
    page: LiteralString
    """Rows after `after` that are not under the current key; their key comes as the text `id`."""
    update: LiteralString
    rewrapped: Callable[[Vault, DictRow], bytes]


COLUMNS: Final = (
    SealedColumn(
        "customers.data_key",
        "SELECT count(*) AS n FROM customers WHERE data_key <> '' AND substr(data_key, 1, 5) <> %(prefix)s",
        """SELECT customer_id::text AS id, account_id, customer_id, data_key AS sealed FROM customers
           WHERE customer_id > coalesce(%(after)s::uuid, '00000000-0000-0000-0000-000000000000')
             AND data_key <> '' AND substr(data_key, 1, 5) <> %(prefix)s
           ORDER BY customer_id LIMIT %(limit)s""",
        """UPDATE customers c SET data_key = n.fresh
           FROM unnest(%(ids)s::uuid[], %(old)s::bytea[], %(fresh)s::bytea[]) AS n (id, old, fresh)
           WHERE c.customer_id = n.id AND c.data_key = n.old""",
        lambda vault, row: vault.rewrapped_customer_key(bytes(row["sealed"]), row["account_id"], row["customer_id"]),
    ),
    SealedColumn(
        "blocklist_entries.data_key",
        "SELECT count(*) AS n FROM blocklist_entries WHERE substr(data_key, 1, 5) <> %(prefix)s",
        """SELECT entry_id::text AS id, account_id, entry_id, data_key AS sealed FROM blocklist_entries
           WHERE entry_id > coalesce(%(after)s::uuid, '00000000-0000-0000-0000-000000000000')
             AND substr(data_key, 1, 5) <> %(prefix)s ORDER BY entry_id LIMIT %(limit)s""",
        """UPDATE blocklist_entries e SET data_key = n.fresh
           FROM unnest(%(ids)s::uuid[], %(old)s::bytea[], %(fresh)s::bytea[]) AS n (id, old, fresh)
           WHERE e.entry_id = n.id AND e.data_key = n.old""",
        lambda vault, row: vault.rewrapped_customer_key(bytes(row["sealed"]), row["account_id"], row["entry_id"]),
    ),
    SealedColumn(
        "webhook_secrets.sealed",
        "SELECT count(*) AS n FROM webhook_secrets WHERE substr(sealed, 1, 5) <> %(prefix)s",
        """SELECT secret_id::text AS id, account_id, secret_id, sealed FROM webhook_secrets
           WHERE secret_id > coalesce(%(after)s::uuid, '00000000-0000-0000-0000-000000000000')
             AND substr(sealed, 1, 5) <> %(prefix)s ORDER BY secret_id LIMIT %(limit)s""",
        """UPDATE webhook_secrets w SET sealed = n.fresh
           FROM unnest(%(ids)s::uuid[], %(old)s::bytea[], %(fresh)s::bytea[]) AS n (id, old, fresh)
           WHERE w.secret_id = n.id AND w.sealed = n.old""",
        lambda vault, row: vault.rewrapped_for_account(
            row["account_id"], seals.webhook_secret(row["secret_id"]), bytes(row["sealed"])
        ),
    ),
    SealedColumn(
        "signing_keys.sealed",
        "SELECT count(*) AS n FROM signing_keys WHERE substr(sealed, 1, 5) <> %(prefix)s",
        """SELECT kid AS id, sealed FROM signing_keys
           WHERE kid > coalesce(%(after)s, '') AND substr(sealed, 1, 5) <> %(prefix)s
           ORDER BY kid LIMIT %(limit)s""",
        """UPDATE signing_keys s SET sealed = n.fresh
           FROM unnest(%(ids)s::text[], %(old)s::bytea[], %(fresh)s::bytea[]) AS n (id, old, fresh)
           WHERE s.kid = n.id AND s.sealed = n.old""",
        lambda vault, row: vault.rewrapped_system(seals.signing_key(row["id"]), bytes(row["sealed"])),
    ),
    SealedColumn(
        "receipt_keys.sealed",
        "SELECT count(*) AS n FROM receipt_keys WHERE substr(sealed, 1, 5) <> %(prefix)s",
        """SELECT kid AS id, sealed FROM receipt_keys
           WHERE kid > coalesce(%(after)s, '') AND substr(sealed, 1, 5) <> %(prefix)s
           ORDER BY kid LIMIT %(limit)s""",
        """UPDATE receipt_keys s SET sealed = n.fresh
           FROM unnest(%(ids)s::text[], %(old)s::bytea[], %(fresh)s::bytea[]) AS n (id, old, fresh)
           WHERE s.kid = n.id AND s.sealed = n.old""",
        lambda vault, row: vault.rewrapped_system(seals.receipt_key(row["id"]), bytes(row["sealed"])),
    ),
    SealedColumn(
        "system_secrets.sealed",
        "SELECT count(*) AS n FROM system_secrets WHERE substr(sealed, 1, 5) <> %(prefix)s",
        """SELECT name AS id, sealed FROM system_secrets
           WHERE name > coalesce(%(after)s, '') AND substr(sealed, 1, 5) <> %(prefix)s
           ORDER BY name LIMIT %(limit)s""",
        """UPDATE system_secrets s SET sealed = n.fresh
           FROM unnest(%(ids)s::text[], %(old)s::bytea[], %(fresh)s::bytea[]) AS n (id, old, fresh)
           WHERE s.name = n.id AND s.sealed = n.old""",
        lambda vault, row: vault.rewrapped_system(seals.system_secret(row["id"]), bytes(row["sealed"])),
    ),
    SealedColumn(
        "operators.totp_sealed",
        "SELECT count(*) AS n FROM operators WHERE substr(totp_sealed, 1, 5) <> %(prefix)s",
        """SELECT operator_id::text AS id, operator_id, totp_sealed AS sealed FROM operators
           WHERE operator_id > coalesce(%(after)s::uuid, '00000000-0000-0000-0000-000000000000')
             AND substr(totp_sealed, 1, 5) <> %(prefix)s ORDER BY operator_id LIMIT %(limit)s""",
        """UPDATE operators o SET totp_sealed = n.fresh
           FROM unnest(%(ids)s::uuid[], %(old)s::bytea[], %(fresh)s::bytea[]) AS n (id, old, fresh)
           WHERE o.operator_id = n.id AND o.totp_sealed = n.old""",
        lambda vault, row: vault.rewrapped_system(seals.operator_totp(row["operator_id"]), bytes(row["sealed"])),
    ),
)
"""THE LIST of what a master key seals; a test looks into every column of the database for more."""

ELSEWHERE: Final = SealedColumn(
    "customer_keys.wrapped",
    "SELECT count(*) AS n FROM customer_keys WHERE substr(wrapped, 1, 5) <> %(prefix)s",
    """SELECT customer_id::text AS id, account_id, customer_id, wrapped AS sealed FROM customer_keys
       WHERE customer_id > coalesce(%(after)s::uuid, '00000000-0000-0000-0000-000000000000')
         AND substr(wrapped, 1, 5) <> %(prefix)s ORDER BY customer_id LIMIT %(limit)s""",
    """UPDATE customer_keys c SET wrapped = n.fresh
       FROM unnest(%(ids)s::uuid[], %(old)s::bytea[], %(fresh)s::bytea[]) AS n (id, old, fresh)
       WHERE c.customer_id = n.id AND c.wrapped = n.old""",
    lambda vault, row: vault.rewrapped_customer_key(bytes(row["sealed"]), row["account_id"], row["customer_id"]),
)
"""The same keys where they live in a database of their own."""

Scope = Callable[[], AbstractAsyncContextManager[AsyncConnection[DictRow]]]
"""Opens one database transaction that sees every row of a column."""


def _columns(plumbing: Plumbing) -> list[tuple[SealedColumn, Scope]]:
    """Every column, and in which database it is."""
    found: list[tuple[SealedColumn, Scope]] = [(column, plumbing.database.system) for column in COLUMNS]
    if plumbing.keys_database is not None:
        found.append((ELSEWHERE, plumbing.keys_database.transaction))
    return found


Progress = Callable[[str, int, int], None]
"""Told after each bite: the column, how many values are done, how many there were."""


async def left_to_rewrap(plumbing: Plumbing) -> dict[str, int]:
    """How many values of each column are not sealed under the current master key."""
    found = {}
    for column, scope in _columns(plumbing):
        async with scope() as connection:
            cursor = await connection.execute(column.count, {"prefix": plumbing.vault.current_prefix})
            row = await cursor.fetchone()
        found[column.name] = row["n"] if row else 0
    return found


async def rewrap(plumbing: Plumbing, *, batch: int = BATCH, progress: Progress = lambda *_: None) -> int:
    """Seal everything under the current master key; answers how many values were sealed anew.

    Values that still are not when it returns (`left_to_rewrap`) were sealed meanwhile by a process that does not know
    the new key. Raises CannotOpen when a value was sealed under a key that is not given.
    """
    done = 0
    for _ in range(PASSES):
        left = await left_to_rewrap(plumbing)
        for column, scope in _columns(plumbing):
            if left[column.name]:
                done += await _rewrap_column(plumbing, column, scope, left[column.name], batch, progress)
        if not any((await left_to_rewrap(plumbing)).values()):
            break
    return done


async def _rewrap_column(
    plumbing: Plumbing, column: SealedColumn, scope: Scope, total: int, batch: int, progress: Progress
) -> int:
    done, after = 0, None
    while True:
        given: dict[str, object] = {"prefix": plumbing.vault.current_prefix, "after": after, "limit": batch}
        rows = await _page(scope, column, given)
        if not rows:
            return done
        async with scope() as connection:
            done += await _store(connection, column, plumbing.vault, rows)
        after = rows[-1]["id"]
        progress(column.name, done, max(total, done))


async def _page(scope: Scope, column: SealedColumn, given: dict[str, object]) -> list[DictRow]:
    async with scope() as connection:
        cursor = await connection.execute(column.page, given)
        return await cursor.fetchall()


async def _store(connection: AsyncConnection[DictRow], column: SealedColumn, vault: Vault, rows: list[DictRow]) -> int:
    """Replace each value, unless it was changed meanwhile: a customer who was erased stays erased."""
    cursor = await connection.execute(
        column.update,
        {
            "ids": [row["id"] for row in rows],
            "old": [bytes(row["sealed"]) for row in rows],
            "fresh": [column.rewrapped(vault, row) for row in rows],
        },
    )
    return cursor.rowcount
