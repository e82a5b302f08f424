"""Which otherwise forbidden addresses are open to an account: the operator's allow-list, and loopback on trial."""

from uuid import UUID

from truename.accounts.store import account_settings
from truename.plumbing.database.pool import Connection
from truename.plumbing.settings import Settings
from truename.webhooks.addresses import LOOPBACK, AllowList, allow_list


async def addresses_open_to(connection: Connection, settings: Settings, account_id: UUID) -> AllowList:
    """Where webhooks of this account may go besides the public internet; LookupError for an unknown account."""
    opened = allow_list(settings.webhook_allow)
    account = await account_settings(connection, account_id)
    return opened | LOOPBACK if account.allow_loopback_webhooks else opened
