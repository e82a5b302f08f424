"""Pictures of people: each address works for a minute in one session, each read is audited, nothing is cached."""

import asyncio
from typing import Final

from starlette.responses import Response

from truename.dashboard import policy
from truename.dashboard.guard import Screen
from truename.dashboard.media_address import PATH, is_good
from truename.dashboard.visit import Visit
from truename.media.read import ReadPicture, read_picture
from truename.operators.model import Role
from truename.plumbing.errors import MediaNotFound
from truename.plumbing.http.queries import path_id
from truename.vision.face.cut import cut_jpeg

HEADERS: Final = {
    "Cache-Control": "no-store, private",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "X-Robots-Tag": "noindex",
}


CUTTING: Final = asyncio.Semaphore(2)
"""So many faces are cut at once at most: a page of pictures does not keep other people's pages waiting."""


async def show_picture(visit: Visit) -> Response:
    """The picture, once the read is written down; an address of another session or of a minute ago leads nowhere."""
    picture = await _read(visit)
    return Response(picture.data, 200, dict(HEADERS), picture.content_type)


async def show_face(visit: Visit) -> Response:
    """The face in the picture, cut so that the eyes lie where they lie in every other; whole where there is none."""
    picture = await _read(visit)
    async with CUTTING:
        data = await asyncio.to_thread(cut_jpeg, picture.data)
    return Response(data, 200, dict(HEADERS), picture.content_type)


async def fresh_address(visit: Visit) -> Response:
    """A fresh address of a picture that the page wants now: what was given with the page is too old by then."""
    media_id = path_id(visit.request, "media_id")
    async with visit.connection() as connection:
        cursor = await connection.execute(
            "SELECT 1 FROM media WHERE account_id = %s AND media_id = %s AND redacted_at IS NULL",
            (visit.account_id, media_id),
        )
        if await cursor.fetchone() is None:
            raise MediaNotFound
    return Response(visit.picture(media_id), 200, dict(policy.HEADERS), "text/plain; charset=utf-8")


async def _read(visit: Visit) -> ReadPicture:
    media_id = path_id(visit.request, "media_id")
    query = visit.request.query_params
    session_id = visit.signed_in.session.session_id
    vault = visit.plumbing.vault
    if not is_good(vault, session_id, visit.account_id, media_id, query.get("until", ""), query.get("proof", "")):
        raise MediaNotFound("The address of the picture is too old: load the page again.")
    return await read_picture(visit.plumbing, visit.account_id, media_id, actor=visit.actor)


screens: Final = (
    Screen("GET", PATH + "/{media_id}", show_picture, Role.VIEWER, by_itself=True),
    Screen("GET", PATH + "/{media_id}/face", show_face, Role.VIEWER, by_itself=True),
    Screen("POST", PATH + "/{media_id}/address", fresh_address, Role.VIEWER),
)
