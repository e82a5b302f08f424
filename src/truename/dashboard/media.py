"""Pictures of people: each address works for a minute in one session, each read is audited, nothing is cached."""

from typing import Final

from starlette.responses import Response

from truename.dashboard.guard import Screen
from truename.dashboard.media_address import PATH, is_good
from truename.dashboard.visit import Visit
from truename.media.read import read_picture
from truename.operators.model import Role
from truename.plumbing.errors import MediaNotFound
from truename.plumbing.http.queries import path_id

HEADERS: Final = {
    "Cache-Control": "no-store, private",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Robots-Tag": "noindex",
}


async def show_picture(visit: Visit) -> Response:
    """The picture, once the read is written down; an address of another session or of a minute ago leads nowhere."""
    media_id = path_id(visit.request, "media_id")
    query = visit.request.query_params
    session_id = visit.signed_in.session.session_id
    vault = visit.plumbing.vault
    if not is_good(vault, session_id, visit.account_id, media_id, query.get("until", ""), query.get("proof", "")):
        raise MediaNotFound("The address of the picture is too old: load the page again.")
    picture = await read_picture(visit.plumbing, visit.account_id, media_id, actor=visit.actor)
    return Response(picture.data, 200, dict(HEADERS), picture.content_type)


screens: Final = (Screen("GET", PATH + "/{media_id}", show_picture, Role.VIEWER, by_itself=True),)
