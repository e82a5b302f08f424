"""Uploads of pictures: asked about before they are read, kept in one database transaction after they were stored."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import Response

from truename.accounts.tokens import SdkClaims
from truename.media.delete import delete_loose
from truename.media.pictures import StoredPicture
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import Refusal
from truename.plumbing.http.idempotency import IdempotentRequest, key_of
from truename.plumbing.resources import Plumbing

Asked = TypeVar("Asked")


async def ask_first(
    request: Request, claims: SdkClaims, ask: Callable[[Connection], Awaitable[Asked]]
) -> Asked | Refusal:
    """Ask whether the capture may go on, before megabytes of a body are read or looked at.

    With an idempotency key the refusal must wait: the same request may have been answered before, and only its body
    tells. So it is answered, not raised.
    """
    plumbing: Plumbing = request.app.state.plumbing
    try:
        async with plumbing.database.account(claims.account_id) as connection:
            return await ask(connection)
    except Refusal as refusal:
        if key_of(request) is None:
            raise
        return refusal


async def keep_pictures(
    plumbing: Plumbing,
    idempotent: IdempotentRequest,
    stored: list[StoredPicture],
    keep: Callable[[Connection], Awaitable[tuple[Response, list[str]]]],
) -> Response:
    """Make stored pictures known in one database transaction, and delete those that are loose once it has committed."""
    loose: list[str] | None = None

    async def work(connection: Connection) -> Response:
        nonlocal loose
        answer, loose = await keep(connection)
        return answer

    fresh = [picture.object_key for picture in stored]
    try:
        answer = await idempotent.run(work)
    except BaseException:
        # Failed after the work was done: whether it committed is not known, so every picture stays.
        if loose is None:
            await plumbing.objects.discard(fresh)
        raise
    if loose is None:
        await plumbing.objects.discard(fresh)
    else:
        await delete_loose(plumbing, loose)
    return answer
