"""Which otherwise forbidden addresses are open to an account: the operator's allow-list, and loopback in tests."""

from uuid import UUID

from truename.accounts.store import account_settings, is_live
from truename.plumbing.database.pool import Connection
from truename.plumbing.settings import Settings
from truename.webhooks.addresses import LOOPBACK, AllowList, allow_list


async def addresses_open_to(connection: Connection, settings: Settings, account_id: UUID) -> AllowList:
    """Where webhooks of this account may go besides the public internet; LookupError for an unknown account."""
    opened = allow_list(settings.webhook_allow)
    return opened | LOOPBACK if await may_use_loopback(connection, settings, account_id) else opened


async def may_use_loopback(connection: Connection, settings: Settings, account_id: UUID) -> bool:
    """May its webhooks go to this machine, also by plain http? Only those of sandbox and trial accounts.

    And only while the service is for this machine: to who reaches it from elsewhere, loopback is a stranger's inside.
    """
    if not settings.opens_loopback:
        return False
    return not await is_live(connection, account_id) or (await account_settings(connection, account_id)).trial
