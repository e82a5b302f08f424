"""Regular tidying: signing keys that nothing needs any more, and rate limits long past."""

from truename.accounts.signing_keys import forget_retired
from truename.plumbing.jobs.registry import periodic
from truename.plumbing.resources import Plumbing


@periodic(seconds=600)
async def forget_old_keys(plumbing: Plumbing) -> None:
    async with plumbing.database.system() as connection:
        await forget_retired(connection, plumbing)


@periodic(seconds=600)
async def forget_old_rate_limits(plumbing: Plumbing) -> None:
    async with plumbing.database.system() as connection:
        await connection.execute("DELETE FROM rate_limits WHERE tat < now() - interval '1 hour'")
