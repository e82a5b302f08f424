"""The dashboard's cookies: readable by no script, sent by no other site, `__Host-` and Secure wherever there is TLS."""

from enum import StrEnum

from starlette.requests import Request
from starlette.responses import Response

from truename.plumbing.settings import Settings


class Cookie(StrEnum):
    """Every cookie there is."""

    SESSION = "truename-session"
    """The session's token."""
    VISITOR = "truename-visitor"
    """Random; ties the form of the sign-in to the browser that asked for it."""
    STEP = "truename-step"
    """The challenge of the second step of a sign-in."""
    DEVICE = "truename-device"
    """Proof of an earlier sign-in from this browser, so that strangers cannot lock its owner out. Opens nothing."""
    NOTICE = "truename-notice"
    """A word for what was just done, shown once."""
    PRINTED = "truename-printed"
    """The sections that were printed the last time, by their names."""


def is_https(settings: Settings) -> bool:
    """Do browsers reach us by TLS?"""
    return settings.base_url.startswith("https://")


def read(request: Request, settings: Settings, cookie: Cookie) -> str | None:
    """What the browser sent.

    Not as the library reads it: Python before 3.11.10 takes the square of a value's length to undo escapes, which none
    of ours has, so that a stranger's cookie of 32 kB would keep everybody waiting for five seconds.
    """
    name, found = _name(settings, cookie), ""
    for header in request.headers.getlist("cookie"):
        for part in header.split(";"):
            named, _, value = part.partition("=")
            if named.strip() == name:
                found = value.strip().strip('"')
    return found or None


def put(
    response: Response, settings: Settings, cookie: Cookie, value: str, *, seconds: int | None = None, lax: bool = False
) -> None:
    """Give the browser a cookie; without `seconds` until it is closed."""
    response.set_cookie(
        _name(settings, cookie),
        value,
        max_age=seconds,
        path="/",
        secure=is_https(settings),
        httponly=True,
        samesite="lax" if lax else "strict",
    )


def put_session(response: Response, settings: Settings, token: str) -> None:
    """Give the browser the session's token. Lax: a link in an e-mail leads straight to its page."""
    put(response, settings, Cookie.SESSION, token, seconds=settings.dashboard_session_hours * 3600, lax=True)


def take(response: Response, settings: Settings, cookie: Cookie) -> None:
    """Make the browser forget a cookie."""
    response.delete_cookie(_name(settings, cookie), path="/", secure=is_https(settings), httponly=True)


def _name(settings: Settings, cookie: Cookie) -> str:
    return f"__Host-{cookie}" if is_https(settings) else cookie
