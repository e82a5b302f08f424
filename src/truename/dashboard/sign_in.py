"""The sign-in: e-mail and password, then a code; or a passkey alone. And the way out."""

import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from truename.audit.model import Action
from truename.capture.signals import origin_data
from truename.dashboard import cookies
from truename.dashboard.cookies import Cookie
from truename.dashboard.guard import SIGN_IN, AnyScreen, OpenScreen, PersonScreen, Screen, return_path
from truename.dashboard.user_agents import browser_words
from truename.dashboard.visit import Notice, Stranger, Visit, redirect
from truename.device.origin import origin_of
from truename.operators.change import note
from truename.operators.model import Operator, Origin, Role, SignedIn, SignInRefused
from truename.operators.passkeys import PasskeyRefused, Site, operator_of_passkey, options_to_sign_in
from truename.operators.sessions import end_session, end_session_of, look_at
from truename.operators.sign_in import begin, device_mark, note_failure, second_step, sign_in, slow_down
from truename.operators.store import read_operator
from truename.plumbing.errors import NotFound, TooMany
from truename.plumbing.http.client_address import client_address
from truename.plumbing.http.queries import uuid_of
from truename.plumbing.http.rate_limits import RateLimiter
from truename.plumbing.resources import Plumbing

WRONG: Final = "That did not work: the e-mail address, the password or the code is wrong."
DEVICE_SECONDS: Final = 90 * 24 * 3600
STEP_SECONDS: Final = 300


async def show_sign_in(stranger: Stranger) -> Response:
    """The form, and nothing that says who exists."""
    return _form(stranger)


async def post_password(stranger: Stranger) -> Response:
    """Look at e-mail and password."""
    email, password = stranger.form.text("email", 320), stranger.form.secret("password")
    plumbing, origin = stranger.plumbing, origin_of_request(stranger.request, stranger.plumbing)
    device = cookies.read(stranger.request, plumbing.settings, Cookie.DEVICE)
    try:
        await slow_down(plumbing, stranger.request.app.state.rate_limiter, origin, email, device)
        step = await sign_in(plumbing, email, password, origin)
    except SignInRefused:
        return _form(stranger, 401, WRONG)
    except TooMany as many:
        return _too_many(stranger, many)
    if step.session_token is not None:
        return await _signed_in(stranger, step.operator, step.session_token)
    response = _code_form(stranger, step.operator.has_totp)
    challenge = urlsafe_b64encode(step.challenge or b"").decode()
    cookies.put(response, plumbing.settings, Cookie.STEP, challenge, seconds=STEP_SECONDS)
    return response


async def post_code(stranger: Stranger) -> Response:
    """Look at the code of an authenticator app, or a recovery code."""
    plumbing, origin = stranger.plumbing, origin_of_request(stranger.request, stranger.plumbing)
    sent = cookies.read(stranger.request, plumbing.settings, Cookie.STEP) or ""
    try:
        challenge = urlsafe_b64decode(sent)
        limiter: RateLimiter = stranger.request.app.state.rate_limiter
        await slow_down(plumbing, limiter, origin, f"step:{sent}", None)
        token, operator = await second_step(plumbing, limiter, challenge, stranger.form.text("code", 40), origin)
    except (SignInRefused, ValueError):  # also a cookie that is none of ours
        return _code_form(stranger, True, 401, "The code is wrong, was used before, or the five minutes are over.")
    except TooMany as many:
        return _too_many(stranger, many)
    return await _signed_in(stranger, operator, token)


async def post_passkey_options(stranger: Stranger) -> Response:
    """What the browser needs to ask for a passkey."""
    await slow_down_address(stranger)
    async with stranger.plumbing.database.system() as connection:
        options = await options_to_sign_in(connection, site_of(stranger.request, stranger.plumbing))
    return Response(options, 200, {"Cache-Control": "no-store"}, "application/json")


async def post_passkey(stranger: Stranger) -> Response:
    """Look at what the passkey signed."""
    try:
        await slow_down_address(stranger)
    except TooMany as many:
        return _too_many(stranger, many)
    plumbing, origin = stranger.plumbing, origin_of_request(stranger.request, stranger.plumbing)
    site = site_of(stranger.request, plumbing)
    try:
        async with plumbing.database.system() as connection:
            operator_id = await operator_of_passkey(connection, site, stranger.form.secret("credential"))
            operator = await read_operator(connection, operator_id)
            if operator is None:
                raise PasskeyRefused("The passkey is not known.")
            token = await begin(connection, operator, origin, "passkey", second_factor=True)
    except PasskeyRefused:
        async with plumbing.database.system() as connection:
            await note_failure(connection, None, "WRONG_PASSKEY")
        return _form(stranger, 401, "The passkey was not accepted. Sign in with your password, or try again.")
    return await _signed_in(stranger, operator, token)


async def post_sign_out(plumbing: Plumbing, signed_in: SignedIn) -> Response:
    """End this session."""
    operator = signed_in.operator
    async with plumbing.database.system() as connection:
        await end_session(connection, operator.operator_id, signed_in.session.session_id)
        await note(connection, operator.operator_id, Action.OPERATOR_SIGNED_OUT, operator.actor)
    response = redirect(plumbing, SIGN_IN, Notice.SIGNED_OUT)
    cookies.take(response, plumbing.settings, Cookie.SESSION)
    response.headers["Clear-Site-Data"] = '"cache", "storage"'
    return response


async def post_account(visit: Visit) -> Response:
    """Look at another account in which the operator has a role; the session gets a new token."""
    wanted = uuid_of(visit.form.text("account_id", 36))
    if wanted is None or all(one.account_id != wanted for one in visit.signed_in.memberships):
        raise NotFound
    async with visit.plumbing.database.system() as connection:
        token = await look_at(connection, visit.signed_in.session.session_id, wanted)
    response = visit.redirect("/dashboard", Notice.SWITCHED)
    cookies.put_session(response, visit.plumbing.settings, token)
    return response


async def slow_down_address(stranger: Stranger) -> None:
    """Count an attempt for which there is no e-mail address."""
    origin = origin_of_request(stranger.request, stranger.plumbing)
    nobody = f"passkey:{secrets.token_hex(8)}"
    await slow_down(stranger.plumbing, stranger.request.app.state.rate_limiter, origin, nobody, None)


def origin_of_request(request: Request, plumbing: Plumbing) -> Origin:
    """Address, place and browser of a request, as far as they can be told."""
    address = client_address(request, plumbing.settings.trusted_proxies) or ""
    country = origin_of(address, origin_data(plumbing.settings)).country
    return Origin(address, country or "an unknown place", browser_words(request.headers.get("user-agent", "")))


def site_of(request: Request, plumbing: Plumbing) -> Site:
    """Our address as the browser of this request knows it: the public one, or on one machine the one it asked."""
    settings = plumbing.settings
    return Site(settings.public_url or f"{request.url.scheme}://{request.headers.get('host', 'localhost')}")


async def _signed_in(stranger: Stranger, operator: Operator, token: str) -> Response:
    plumbing = stranger.plumbing
    before = cookies.read(stranger.request, plumbing.settings, Cookie.SESSION)
    if before is not None:  # this browser forgets that token now: nobody else shall have a use for it
        async with plumbing.database.system() as connection:
            await end_session_of(connection, before)
    response = redirect(plumbing, return_path(stranger.form.text("next")), Notice.SIGNED_IN)
    cookies.put_session(response, plumbing.settings, token)
    mark = device_mark(plumbing, operator.email)
    cookies.put(response, plumbing.settings, Cookie.DEVICE, mark, seconds=DEVICE_SECONDS)
    cookies.take(response, plumbing.settings, Cookie.STEP)
    cookies.take(response, plumbing.settings, Cookie.VISITOR)
    return response


def _form(stranger: Stranger, status: int = 200, fault: str = "") -> Response:
    back = return_path(stranger.form.text("next") or stranger.request.query_params.get("next", ""))
    return stranger.page("sign_in.html", status, fault=fault, email=stranger.form.text("email", 320), back=back)


def _code_form(stranger: Stranger, has_totp: bool, status: int = 200, fault: str = "") -> Response:
    back = return_path(stranger.form.text("next"))
    return stranger.page("sign_in_code.html", status, fault=fault, back=back, has_totp=has_totp)


def _too_many(stranger: Stranger, many: TooMany) -> Response:
    response = _form(stranger, 429, f"Too many attempts. {many.detail}")
    response.headers.update(many.headers)
    return response


screens: Final[tuple[AnyScreen, ...]] = (
    OpenScreen("GET", SIGN_IN, show_sign_in),
    OpenScreen("POST", SIGN_IN, post_password),
    OpenScreen("POST", f"{SIGN_IN}/code", post_code),
    OpenScreen("POST", f"{SIGN_IN}/passkey-options", post_passkey_options),
    OpenScreen("POST", f"{SIGN_IN}/passkey", post_passkey),
    PersonScreen("POST", "/dashboard/sign-out", post_sign_out),
    Screen("POST", "/dashboard/account", post_account, Role.VIEWER, of_security=True),
)
