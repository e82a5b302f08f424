"""The SQL of accounts; that of clients is in `clients.py`."""

import hashlib
from collections.abc import Iterable
from uuid import UUID

from psycopg.types.json import Jsonb

from truename.accounts.model import Account, AccountSettings
from truename.plumbing.database.pool import Connection


async def insert_account(
    connection: Connection,
    account_id: UUID,
    name: str,
    settings: AccountSettings,
    *,
    livemode: bool = True,
    sandbox_of: UUID | None = None,
) -> None:
    """Insert an account; psycopg.errors.UniqueViolation when the name is taken."""
    await connection.execute(
        "INSERT INTO accounts (account_id, name, settings, livemode, sandbox_of) VALUES (%s, %s, %s, %s, %s)",
        (account_id, name, Jsonb(settings.model_dump(mode="json")), livemode, sandbox_of),
    )


async def is_live(connection: Connection, account_id: UUID) -> bool:
    """Is it a live account, and no sandbox?"""
    cursor = await connection.execute("SELECT livemode FROM accounts WHERE account_id = %s", (account_id,))
    row = await cursor.fetchone()
    if row is None:
        raise LookupError(f"There is no account {account_id}.")
    return bool(row["livemode"])


async def account_settings(connection: Connection, account_id: UUID) -> AccountSettings:
    """What the account has chosen, with defaults for the rest."""
    cursor = await connection.execute("SELECT settings FROM accounts WHERE account_id = %s", (account_id,))
    row = await cursor.fetchone()
    if row is None:
        raise LookupError(f"There is no account {account_id}.")
    return AccountSettings.model_validate_json(_text(row["settings"]))


async def change_settings(connection: Connection, account_id: UUID, settings: AccountSettings) -> None:
    """Replace all settings of an account."""
    await connection.execute(
        "UPDATE accounts SET settings = %s WHERE account_id = %s",
        (Jsonb(settings.model_dump(mode="json")), account_id),
    )


async def list_accounts(connection: Connection) -> list[Account]:
    """Every account, the oldest first."""
    cursor = await connection.execute(
        "SELECT account_id, name, settings, created_at, livemode, sandbox_of FROM accounts "
        "ORDER BY created_at, account_id"
    )
    return [
        Account(
            row["account_id"],
            row["name"],
            AccountSettings.model_validate_json(_text(row["settings"])),
            row["created_at"],
            row["livemode"],
            row["sandbox_of"],
        )
        for row in await cursor.fetchall()
    ]


def secret_hash(secret: str) -> bytes:
    """A secret of 256 random bits needs no slow hash: nobody guesses it."""
    return hashlib.sha256(secret.encode()).digest()


def _text(value: object) -> bytes:
    # jsonb arrives as Python values; JSON in strict mode knows tuples where Python mode would not.
    import orjson

    return orjson.dumps(value)


def find_account(accounts: Iterable[Account], named: str) -> Account | None:
    """The account of that name or id."""
    return next((one for one in accounts if named in (one.name, str(one.account_id))), None)
