"""Regular tidying: keys and secrets that nothing needs any more."""

from truename.accounts.signing_keys import forget_retired
from truename.accounts.webhook_secrets import forget_expired
from truename.plumbing.jobs.registry import periodic
from truename.plumbing.resources import Plumbing


@periodic(seconds=600)
async def forget_old_keys(plumbing: Plumbing) -> None:
    """Delete the signing keys whose last token has expired, and the webhook secrets that sign no more."""
    async with plumbing.database.system() as connection:
        await forget_retired(connection, plumbing)
        await forget_expired(connection)
