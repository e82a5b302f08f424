"""Open an account, with its first client and its webhook secret; a live one with its sandbox beside it."""

from collections.abc import Iterable
from uuid import UUID

import psycopg

from truename.accounts import store
from truename.accounts.clients import add_client
from truename.accounts.model import SCOPES, AccountSettings, NewAccount, is_readable_name
from truename.accounts.webhook_secrets import add_secret
from truename.audit.model import INSTALLATION, Action
from truename.audit.record import record
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.resources import Plumbing

OF_SANDBOX = "-sandbox"
"""What the name of a sandbox ends with that was made beside a live account."""


class NameTaken(Exception):
    """Another account has this name."""


def refuse_unreadable_name(name: str) -> None:
    """Raises ValueError for a name that no account can have."""
    if not is_readable_name(name):
        raise ValueError("The name of an account must have 1 to 200 printable characters.")


async def create_account(
    plumbing: Plumbing,
    name: str,
    *,
    settings: AccountSettings | None = None,
    scopes: Iterable[str] = SCOPES,
    actor: str = "operator",
    livemode: bool = True,
) -> NewAccount:
    """An account and its first client, which has every scope unless told otherwise: it is the administrator.

    Without `livemode` it is a sandbox, for good. The secrets in the answer are shown once: only a hash of the first is
    kept, the second is kept sealed. Raises ValueError for an unreadable name, NameTaken when there is one already.
    """
    try:
        async with plumbing.database.system() as connection:
            return await _open(connection, plumbing, name, settings, scopes, actor, livemode)
    except psycopg.errors.UniqueViolation:
        raise NameTaken(f"There is already an account named {name!r}.") from None


async def create_with_sandbox(
    plumbing: Plumbing, name: str, *, scopes: Iterable[str] = SCOPES, actor: str = "operator"
) -> tuple[NewAccount, NewAccount]:
    """A live account and, beside it, its sandbox with a test client; both or none. Raises as `create_account` does."""
    scopes, twin = tuple(scopes), name + OF_SANDBOX
    try:
        async with plumbing.database.system() as connection:
            live = await _open(connection, plumbing, name, None, scopes, actor, True)
            sandbox = await _open(connection, plumbing, twin, None, scopes, actor, False, live.account_id)
    except psycopg.errors.UniqueViolation:
        async with plumbing.database.system() as connection:
            there = store.find_account(await store.list_accounts(connection), name)
        raise NameTaken(f"There is already an account named {(name if there else twin)!r}.") from None
    return live, sandbox


async def _open(
    connection: Connection,
    plumbing: Plumbing,
    name: str,
    settings: AccountSettings | None,
    scopes: Iterable[str],
    actor: str,
    livemode: bool,
    sandbox_of: UUID | None = None,
) -> NewAccount:
    refuse_unreadable_name(name)
    account_id, chosen = new_id(), settings or AccountSettings()
    await store.insert_account(connection, account_id, name, chosen, livemode=livemode, sandbox_of=sandbox_of)
    for chain in (INSTALLATION, account_id):
        subject, details = f"account:{account_id}", {"livemode": livemode}
        await record(connection, chain, actor=actor, action=Action.ACCOUNT_CREATED, subject=subject, details=details)
    first = await add_client(connection, account_id, scopes, name="first", actor=actor)
    webhook_secret = await add_secret(connection, plumbing.vault, account_id)
    return NewAccount(account_id, first.client.client_id, first.client_secret, webhook_secret, livemode)
