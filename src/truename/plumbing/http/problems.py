"""Every refusal as application/problem+json (RFC 9457), also those of the framework; no input is ever repeated."""

import re
from typing import Final
from urllib.parse import quote

import structlog
from psycopg import OperationalError
from psycopg.errors import DiskFull
from psycopg_pool import PoolClosed, PoolTimeout
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from truename.plumbing.database.absence import Absent
from truename.plumbing.database.pool import is_away, is_broken_off
from truename.plumbing.error_text import error_text, traceback_text
from truename.plumbing.errors import Defect, Invalid, MethodNotAllowed, NotReady, Refusal, RouteNotFound
from truename.plumbing.http.answers import encode
from truename.plumbing.http.request_context import CODE_KEY, PATH_KEY, request_id
from truename.plumbing.storage.objects import StorageUnavailable
from truename.rules.faults import did_you_mean, nearest
from truename.vision.decoding.decoder import DecoderStarved

MEDIA_TYPE: Final = "application/problem+json"
PAGES: Final = "/docs/errors"
"""Where each code has its page."""
IN_A_PATH: Final = "/:@!$&'()*+,;=%"
"""Beside letters, digits and -._~ (RFC 3986 §3.3)."""
_NO_ESCAPE: Final = re.compile("%(?![0-9A-Fa-f]{2})")

log = structlog.get_logger("truename.plumbing.http")


def problem(request: Request, refusal: Refusal) -> Response:
    """The answer that says why."""
    request.scope[CODE_KEY] = refusal.code
    body = problem_of(refusal, _called(request), request_id(request), request.app.state.plumbing.settings.base_url)
    return Response(body, refusal.status, dict(refusal.headers), MEDIA_TYPE)


def _called(request: Request) -> str:
    """The path that was called, as a URI reference (RFC 3986): its escapes stay, all else that needs one gets it."""
    scope = request.scope
    path = _NO_ESCAPE.sub("%25", quote(scope.get("raw_path") or scope["path"].encode(), safe=IN_A_PATH))
    return "/." + path if path.startswith("//") else path  # which would name a host


def problem_of(refusal: Refusal, instance: str, identity: str, base_url: str) -> bytes:
    """The body of that answer; its `type` is the address of the page that explains the code."""
    content: dict[str, object] = {
        "type": f"{base_url}{PAGES}/{refusal.code}",
        "title": refusal.title,
        "status": refusal.status,
        "detail": refusal.detail,
        "instance": instance,
        "code": refusal.code,
        "request_id": identity,
    }
    if refusal.errors:
        content["errors"] = [{"pointer": f.pointer, "code": f.code, "detail": f.detail} for f in refusal.errors]
    content.update(refusal.extra)
    return encode(content)


async def answer_to(request: Request, error: Exception) -> Response:
    """The answer to whatever went wrong: a refusal of ours or of the framework, or a defect, which is logged."""
    if isinstance(error, Refusal):
        return problem(request, error)
    if isinstance(error, HTTPException):
        return _framework(request, error)
    return await defect(request, error)


def _framework(request: Request, error: HTTPException) -> Response:
    if error.status_code == 405:
        headers = dict(error.headers or {})
        words = f"The address knows {headers['Allow']}." if headers.get("Allow") else ""
        return problem(request, MethodNotAllowed(words, headers=headers))
    if error.status_code != 404:
        return problem(request, Invalid())
    paths = [str(getattr(route, "path", "")) for route in request.app.routes]
    return problem(request, RouteNotFound(RouteNotFound.words + did_you_mean(nearest(request.url.path, paths))))


def is_database_away(error: Exception) -> bool:
    """Is it the database that could not be asked, or that broke the work off? Then the same call may be sent again."""
    return isinstance(error, (OperationalError, PoolTimeout, PoolClosed)) or is_broken_off(error)


async def defect(request: Request, error: Exception) -> Response:
    """A fault of ours: logged with the request's id, answered without any of its insides."""
    route = request.scope.get(PATH_KEY, "unknown")  # never the path itself: what stands in it may be somebody's name
    if isinstance(error, StorageUnavailable):
        log.error("store of pictures away", request_id=request_id(request), route=route, error=str(error))
        return problem(request, NotReady("The store of pictures does not answer."))
    if isinstance(error, DecoderStarved):
        log.error("too busy to decode a picture", request_id=request_id(request), route=route)
        return problem(request, NotReady(str(error)))
    if isinstance(error, DiskFull):
        request.app.state.plumbing.database.had_no_room = True
    if is_away(error):
        if not isinstance(error, Absent):  # of which one line was written when it began
            log.error("database away", request_id=request_id(request), route=route, error=error_text(error))
        return problem(request, NotReady())
    # Written out by hand: a renderer that shows local variables would put tokens and bodies into the log.
    written = traceback_text(error)
    log.error("request_failed", request_id=request_id(request), route=route, traceback=written)
    if is_database_away(error):
        return problem(request, NotReady())
    return problem(request, Defect())
