"""Open an account, with its first client and its webhook secret."""

from collections.abc import Iterable

import psycopg

from truename.accounts import store
from truename.accounts.clients import add_client
from truename.accounts.model import SCOPES, AccountSettings, NewAccount, is_readable_name
from truename.accounts.webhook_secrets import add_secret
from truename.audit.model import INSTALLATION, Action
from truename.audit.record import record
from truename.plumbing.database.ids import new_id
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
    """An account and its first client, which has every scope unless told otherwise: it is the administrator.

    The secrets in the answer are shown once: only a hash of the first is kept, the second is kept sealed.
    """
    if not is_readable_name(name):
        raise ValueError("The name of an account must have 1 to 200 printable characters.")
    account_id = new_id()
    try:
        async with plumbing.database.system() as connection:
            await store.insert_account(connection, account_id, name, settings or AccountSettings())
            for chain in (INSTALLATION, account_id):
                subject = f"account:{account_id}"
                await record(connection, chain, actor=actor, action=Action.ACCOUNT_CREATED, subject=subject)
            first = await add_client(connection, account_id, scopes, name="first", actor=actor)
            webhook_secret = await add_secret(connection, plumbing.vault, account_id)
    except psycopg.errors.UniqueViolation:
        raise NameTaken(f"There is already an account named {name!r}.") from None
    return NewAccount(account_id, first.client.client_id, first.client_secret, webhook_secret)
