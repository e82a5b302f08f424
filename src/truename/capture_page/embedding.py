"""Which pages may show ours in a frame?"""

from uuid import UUID

from starlette.requests import Request

from truename.accounts.model import ORIGIN
from truename.accounts.store import account_settings
from truename.plumbing.resources import Plumbing


async def ancestors_of(request: Request, account_id: str | None) -> tuple[str, ...]:
    """The origins an account allows to embed the capture page; nobody where the account is not known."""
    plumbing: Plumbing | None = getattr(request.app.state, "plumbing", None)
    if account_id is None or plumbing is None:
        return ()
    try:
        account = UUID(account_id)
    except ValueError:
        return ()
    try:
        async with plumbing.database.account(account) as connection:
            settings = await account_settings(connection, account)
    except LookupError:
        return ()
    # What does not look like an origin would end the directive and begin another.
    return tuple(origin for origin in settings.capture_origins if ORIGIN.fullmatch(origin))
