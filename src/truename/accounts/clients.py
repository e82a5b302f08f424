"""The programs that act for an account: added, given a new secret, revoked."""

import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from psycopg.rows import DictRow

from truename.accounts.model import USUAL_SCOPES, Client, known_scopes
from truename.accounts.store import secret_hash
from truename.audit.model import Action, Detail
from truename.audit.record import record
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import ClientNotFound, ClientRevoked
from truename.plumbing.http.rate_limits import close_bucket

OVERLAP: Final = timedelta(hours=24)
"""How long the old secret still works after a rotation, unless told otherwise."""
LONGEST_OVERLAP: Final = timedelta(days=30)
BUCKET: Final = "client"
"""The rate limit to which every call of a client is charged, and which is closed when it is revoked."""
NAME_PATTERN: Final = (
    r"[^\s\u0000-\u001f\u007f-\u009f\ufeff]([^\u0000-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f\ufeff])?"
)
"""Whatever name a caller may give; all that JSON Schema can say of it."""


def is_client_name(name: str) -> bool:
    """Is this fit to name a client?"""
    return len(name) <= 200 and re.fullmatch(NAME_PATTERN, name) is not None


@dataclass(frozen=True)
class ListedClient:
    """A client as its administrator sees it: never a secret, nor the hash of one."""

    client_id: str
    name: str
    scopes: tuple[str, ...]
    created_at: datetime
    rotated_at: datetime | None
    previous_secret_expires_at: datetime | None
    """While it lies ahead, the secret from before the last rotation works too."""
    revoked_at: datetime | None


@dataclass(frozen=True)
class NewSecret:
    """What is shown once."""

    client: ListedClient
    client_secret: str


LIST: Final = """
SELECT client_id, name, scopes, created_at, rotated_at, revoked_at,
       CASE WHEN previous_expires_at > clock_timestamp() THEN previous_expires_at END AS previous_secret_expires_at
FROM clients WHERE account_id = %s AND client_id = coalesce(%s, client_id) ORDER BY created_at, client_id
"""


async def add_client(
    connection: Connection, account_id: UUID, scopes: Iterable[str] = USUAL_SCOPES, *, name: str = "", actor: str
) -> NewSecret:
    """A further client of an account; raises ValueError for a scope that does not exist, or an unreadable name."""
    wanted = known_scopes(scopes)
    if name and not is_client_name(name):
        raise ValueError("The name of a client must have 1 to 200 characters: no control characters, no space around.")
    client_id, secret = f"client_{secrets.token_hex(12)}", _new_secret()
    await connection.execute(
        """INSERT INTO clients (client_id, account_id, name, secret_hash, scopes, created_at)
           VALUES (%s, %s, %s, %s, %s, clock_timestamp())""",
        (client_id, account_id, name, secret_hash(secret), wanted),
    )
    details = {"scopes": " ".join(wanted)}
    await _record(connection, account_id, client_id, Action.CLIENT_ADDED, actor, details)
    return NewSecret(await read_client(connection, account_id, client_id), secret)


async def list_clients(connection: Connection, account_id: UUID) -> list[ListedClient]:
    """Every client of the account, the oldest first, revoked ones too."""
    cursor = await connection.execute(LIST, (account_id, None))
    return [_listed(row) for row in await cursor.fetchall()]


async def read_client(connection: Connection, account_id: UUID, client_id: str) -> ListedClient:
    """One client of the account; raises ClientNotFound."""
    cursor = await connection.execute(LIST, (account_id, client_id))
    row = await cursor.fetchone()
    if row is None:
        raise ClientNotFound
    return _listed(row)


async def rotate_client(
    connection: Connection, account_id: UUID, client_id: str, *, overlap: timedelta = OVERLAP, actor: str
) -> NewSecret:
    """A new secret; the one before works until the overlap has passed, any earlier one no more.

    Raises ClientNotFound when the account has no such client, ClientRevoked when it was revoked.
    """
    if not timedelta(0) <= overlap <= LONGEST_OVERLAP:
        raise ValueError("An old secret may go on working for 0 seconds to 30 days.")
    await _locked(connection, account_id, client_id)
    secret = _new_secret()
    await connection.execute(
        """UPDATE clients SET secret_hash = %s, rotated_at = clock_timestamp(), previous_secret_hash = secret_hash,
                  previous_expires_at = clock_timestamp() + %s
           WHERE account_id = %s AND client_id = %s""",
        (secret_hash(secret), overlap, account_id, client_id),
    )
    details = {"overlap_seconds": int(overlap.total_seconds())}
    await _record(connection, account_id, client_id, Action.CLIENT_ROTATED, actor, details)
    return NewSecret(await read_client(connection, account_id, client_id), secret)


async def revoke_client(connection: Connection, account_id: UUID, client_id: str, *, actor: str) -> ListedClient:
    """From the commit on, the client gets no token, and those it has are refused by every process.

    Raises ClientNotFound when the account has no such client, ClientRevoked when it was revoked before.
    """
    await _locked(connection, account_id, client_id)
    await connection.execute(
        """UPDATE clients SET revoked_at = clock_timestamp(), previous_secret_hash = NULL, previous_expires_at = NULL
           WHERE account_id = %s AND client_id = %s""",
        (account_id, client_id),
    )
    await close_bucket(connection, BUCKET, client_id)
    await _record(connection, account_id, client_id, Action.CLIENT_REVOKED, actor, {})
    return await read_client(connection, account_id, client_id)


async def find_client(connection: Connection, client_id: str) -> Client | None:
    """A client by its id, revoked or not; on a system connection: before sign-in the account is not known."""
    cursor = await connection.execute(
        """SELECT c.client_id, c.account_id, c.secret_hash, c.scopes, c.revoked_at IS NOT NULL AS revoked,
                  c.previous_secret_hash, coalesce(c.previous_expires_at > clock_timestamp(), false) AS previous_works,
                  a.livemode
           FROM clients c JOIN accounts a USING (account_id) WHERE c.client_id = %s""",
        (client_id,),
    )
    row = await cursor.fetchone()
    if row is None:
        return None
    return Client(
        row["client_id"],
        row["account_id"],
        bytes(row["secret_hash"]),
        frozenset(row["scopes"]),
        revoked=row["revoked"],
        previous_secret_hash=bytes(row["previous_secret_hash"]) if row["previous_works"] else None,
        livemode=row["livemode"],
    )


async def _locked(connection: Connection, account_id: UUID, client_id: str) -> None:
    cursor = await connection.execute(
        "SELECT revoked_at FROM clients WHERE account_id = %s AND client_id = %s FOR UPDATE", (account_id, client_id)
    )
    row = await cursor.fetchone()
    if row is None:
        raise ClientNotFound
    if row["revoked_at"] is not None:
        raise ClientRevoked


async def _record(
    connection: Connection,
    account_id: UUID,
    client_id: str,
    action: Action,
    actor: str,
    details: Mapping[str, Detail],
) -> None:
    subject = f"client:{client_id}"
    await record(connection, account_id, actor=actor, action=action, subject=subject, details=details)


def _new_secret() -> str:
    return f"secret_{secrets.token_urlsafe(32)}"


def _listed(row: DictRow) -> ListedClient:
    return ListedClient(
        row["client_id"],
        row["name"],
        tuple(row["scopes"]),
        row["created_at"],
        row["rotated_at"],
        row["previous_secret_expires_at"],
        row["revoked_at"],
    )
