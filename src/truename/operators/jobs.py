"""Regular tidying: sessions and challenges that nobody needs any more."""

from truename.operators import challenges, sessions
from truename.plumbing.jobs.registry import periodic
from truename.plumbing.resources import Plumbing


@periodic(seconds=600)
async def forget_old_sign_ins(plumbing: Plumbing) -> None:
    """Delete what is too old to be of use."""
    async with plumbing.database.system() as connection:
        await challenges.forget_old(connection)
        await sessions.forget_old(connection, plumbing.settings)
