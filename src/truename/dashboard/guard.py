"""Between the route and the handler: who is it, may they, did their own page send it; and refusals as pages."""

import secrets
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from truename.accounts.store import account_settings
from truename.dashboard import cookies, policy
from truename.dashboard.cookies import Cookie
from truename.dashboard.forms import MOST_FIELDS, Form, read_form, refuse_other_sites
from truename.dashboard.rendering import render
from truename.dashboard.visit import HTML, Notice, Stranger, Visit, csrf_field, notice_of
from truename.dashboard.words import seconds_left
from truename.operators.model import Membership, Role, SignedIn
from truename.operators.sessions import look_at, read_session, sign_in_before
from truename.plumbing.errors import MethodNotAllowed, NotFound, Refusal, RoleMissing, WrongSite
from truename.plumbing.http.request_context import CODE_KEY, PATH_KEY, request_id
from truename.plumbing.resources import Plumbing

SIGN_IN: Final = "/dashboard/sign-in"
SECURITY: Final = "/dashboard/me/security"
LONGEST_RETURN: Final = 2000

Handler = Callable[[Visit], Awaitable[Response]]
OpenHandler = Callable[[Stranger], Awaitable[Response]]
PersonHandler = Callable[[Plumbing, SignedIn], Awaitable[Response]]


@dataclass(frozen=True)
class Screen:
    """One method of one path for operators who have this role, or one that includes it, in the account looked at."""

    method: str
    path: str
    handler: Handler
    role: Role
    by_itself: bool = False
    """The page asks by itself, not a person: it does not keep the session from idling."""
    of_security: bool = False
    """Open also to a session that still owes the second factor which the account demands, or a password of its own."""


@dataclass(frozen=True)
class OpenScreen:
    """One method of one path for whoever comes: the sign-in."""

    method: str
    path: str
    handler: OpenHandler


@dataclass(frozen=True)
class PersonScreen:
    """One method of one path for whoever is signed in, also without any role: the way out."""

    method: str
    path: str
    handler: PersonHandler


AnyScreen = Screen | OpenScreen | PersonScreen


def routes(screens: Iterable[AnyScreen]) -> list[Route]:
    """One route for each path."""
    paths: dict[str, dict[str, AnyScreen]] = {}
    for screen in screens:
        paths.setdefault(screen.path, {})[screen.method] = screen
    return [Route(path, _Methods(path, methods)) for path, methods in paths.items()]


def return_path(path: str) -> str:
    """Where to go after the sign-in: a page of ours, whatever was asked for."""
    parts = urlsplit(path)
    plain = not parts.scheme and not parts.netloc and "\\" not in path and path.isprintable()
    ours = parts.path == "/dashboard" or parts.path.startswith("/dashboard/")
    good = plain and ours and ".." not in parts.path and len(path) <= LONGEST_RETURN
    return path if good and not path.startswith(SIGN_IN) else "/dashboard"


class _Methods:
    """The methods of one path, as an ASGI application."""

    def __init__(self, path: str, methods: dict[str, AnyScreen]) -> None:
        self.path = path
        self.methods = methods
        self.allowed = ", ".join(sorted({*methods, *(["HEAD"] if "GET" in methods else [])}))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, send)
        screen = self.methods.get("GET" if request.method == "HEAD" else request.method)
        try:
            if screen is None:
                raise MethodNotAllowed(headers={"Allow": self.allowed})
            scope[PATH_KEY] = self.path  # not before: a stranger's methods would be counted, each by itself
            if "\x00" in scope["path"] or b"%00" in scope["query_string"]:
                raise NotFound  # the database takes no such text, so nothing can have that name
            if scope["query_string"].count(b"&") >= MOST_FIELDS:
                raise NotFound
            response = await _answer(request, screen)
        except HTTPException:
            raise
        except Refusal as refusal:
            response = refused(request, refusal)
        await response(scope, receive, send)


async def _answer(request: Request, screen: AnyScreen) -> Response:
    plumbing: Plumbing = request.app.state.plumbing
    changes = request.method not in ("GET", "HEAD")
    if isinstance(screen, OpenScreen):
        sent = cookies.read(request, plumbing.settings, Cookie.VISITOR)
        form = await read_form(request) if changes else Form()
        if changes:
            refuse_other_sites(request, plumbing.settings, form, sent)
        return await screen.handler(Stranger(request, plumbing, form, sent or secrets.token_urlsafe(24)))
    token = cookies.read(request, plumbing.settings, Cookie.SESSION)
    by_itself = isinstance(screen, Screen) and screen.by_itself
    signed_in = await _signed_in(plumbing, token, stays_alive=not by_itself) if token else None
    if signed_in is None:
        return _to_sign_in(request)
    form = await read_form(request) if changes else Form()
    if changes:
        refuse_other_sites(request, plumbing.settings, form, signed_in.token)
    if isinstance(screen, PersonScreen):
        return await screen.handler(plumbing, signed_in)
    membership = signed_in.current
    if membership is None:
        return refused(request, RoleMissing(screen.role), signed_in)
    if signed_in.was_moved and changes:
        raise WrongSite("You have no role any more in the account of this page; nothing was done. Load it again.")
    if signed_in.was_moved and not screen.by_itself:
        return await _turned(request, plumbing, signed_in, membership)
    before = None
    async with plumbing.database.system() as connection:
        settings = await account_settings(connection, membership.account_id)
        told = notice_of(request, plumbing)
        if told is not None and told.notice is Notice.SIGNED_IN:
            before = await sign_in_before(connection, plumbing.settings, signed_in)
    visit = Visit(request, plumbing, signed_in, membership, settings, form, before)
    owes_factor = settings.require_second_factor and not signed_in.session.second_factor
    if (owes_factor or signed_in.operator.owes_password) and not screen.of_security:
        return visit.redirect(SECURITY)
    visit.demand(screen.role)
    response = await screen.handler(visit)
    response.headers["X-Session-Left"] = seconds_left(signed_in.session.ends_at)
    return response


async def _turned(request: Request, plumbing: Plumbing, signed_in: SignedIn, to: Membership) -> Response:
    """The same page again, in the account that is left: with a new token, so that no form of the one before counts."""
    async with plumbing.database.system() as connection:
        token = await look_at(connection, signed_in.session.session_id, to.account_id)
    again = RedirectResponse(_wanted(request), 303, {"Cache-Control": "no-store"})
    cookies.put_session(again, plumbing.settings, token)
    return again


async def _signed_in(plumbing: Plumbing, token: str, *, stays_alive: bool) -> SignedIn | None:
    async with plumbing.database.system() as connection:
        return await read_session(connection, plumbing.settings, token, stays_alive=stays_alive)


def _to_sign_in(request: Request) -> Response:
    """Ask to sign in and come back; a page that asks by itself is told so instead of being shown the sign-in."""
    wanted = _wanted(request)
    back = f"?next={quote(wanted)}" if request.method == "GET" and wanted != "/dashboard" else ""
    headers = {"Cache-Control": "no-store"}
    if "hx-request" in request.headers or request.headers.get("sec-fetch-dest") == "empty":
        return Response("", 401, {**headers, "HX-Redirect": SIGN_IN})
    return RedirectResponse(SIGN_IN + back, 303, headers)


def _wanted(request: Request) -> str:
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")


def refused(request: Request, refusal: Refusal, roleless: SignedIn | None = None) -> Response:
    """A refusal as a page: what happened, what to do, the id of the request; who has no role may sign out there."""
    request.scope[CODE_KEY] = refusal.code
    values: dict[str, object] = {
        "visit": None,
        "notice": None,
        "refusal": refusal,
        "request_id": request_id(request),
        "csrf_token": "",
        "roleless": roleless,
        "csrf": csrf_field(roleless.token) if roleless else "",
    }
    return Response(render("refused.html", values), refusal.status, {**policy.HEADERS, **refusal.headers}, HTML)
