"""Open an account, with its first client and its webhook secret."""

import secrets
from collections.abc import Iterable
from uuid import UUID

import psycopg

from truename.accounts import store
from truename.accounts.model import SCOPES, AccountSettings, Client, NewAccount
from truename.accounts.webhook_secrets import add_secret
from truename.audit.model import INSTALLATION, Action
from truename.audit.record import record
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.resources import Plumbing


class NameTaken(Exception):
    """Another account has this name."""


async def create_account(
    plumbing: Plumbing,
    name: str,
    *,
    settings: AccountSettings | None = None,
    scopes: Iterable[str] = SCOPES,
    actor: str = "operator",
) -> NewAccount:
    """The secrets in the answer are shown once: only a hash of the first is kept, the second is kept sealed."""
    if not name.strip() or len(name) > 200 or not name.isprintable():
        raise ValueError("The name of an account must have 1 to 200 printable characters.")
    account_id = new_id()
    try:
        async with plumbing.database.system() as connection:
            await store.insert_account(connection, account_id, name, settings or AccountSettings())
            client_id, client_secret = await add_client(connection, account_id, scopes)
            webhook_secret = await add_secret(connection, plumbing.vault, account_id)
            for chain in (INSTALLATION, account_id):
                await record(
                    connection,
                    chain,
                    actor=actor,
                    action=Action.ACCOUNT_CREATED,
                    subject=f"account:{account_id}",
                    details={"client_id": client_id},
                )
    except psycopg.errors.UniqueViolation:
        raise NameTaken(f"There is already an account named {name!r}.") from None
    return NewAccount(account_id, client_id, client_secret, webhook_secret)


async def add_client(connection: Connection, account_id: UUID, scopes: Iterable[str] = SCOPES) -> tuple[str, str]:
    """A further client of an account: its id and its secret."""
    wanted = frozenset(scopes)
    if unknown := wanted - set(SCOPES):
        raise ValueError(f"There is no scope {', '.join(sorted(unknown))}.")
    client_id, client_secret = f"client_{secrets.token_hex(12)}", f"secret_{secrets.token_urlsafe(32)}"
    await store.insert_client(connection, Client(client_id, account_id, store.secret_hash(client_secret), wanted))
    return client_id, client_secret


async def revoke_client(connection: Connection, account_id: UUID, client_id: str) -> bool:
    """The client gets no further tokens; says whether there was such a client."""
    cursor = await connection.execute(
        "UPDATE clients SET revoked_at = now() WHERE account_id = %s AND client_id = %s AND revoked_at IS NULL",
        (account_id, client_id),
    )
    return cursor.rowcount == 1
