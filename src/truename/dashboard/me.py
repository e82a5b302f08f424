"""What belongs to the operator: password, codes, passkeys, sessions, time zone, keys."""

from dataclasses import replace
from typing import Final

from starlette.responses import Response

from truename.audit.model import Action
from truename.dashboard import cookies, words
from truename.dashboard.guard import SECURITY, Screen
from truename.dashboard.sign_in import site_of
from truename.dashboard.visit import Notice, Visit
from truename.operators.change import note, set_password
from truename.operators.model import Role
from truename.operators.one_time_codes import (
    begin_totp,
    confirm_totp,
    new_recovery_codes,
    pending_secret,
    remove_totp,
    totp_picture,
)
from truename.operators.passkeys import PasskeyRefused, add_passkey, list_passkeys, options_to_add, remove_passkey
from truename.operators.passwords import PasswordRefused, is_password
from truename.operators.sessions import (
    end_other_sessions,
    end_session,
    list_sessions,
    mark_second_factor,
    rotate_token,
    sign_in_before,
)
from truename.operators.sign_in import slow_down_proofs
from truename.operators.store import password_hash, set_preferences
from truename.plumbing.errors import Invalid, NotFound
from truename.plumbing.http.queries import uuid_of

ME: Final = "/dashboard/me"
WRONG_PASSWORD: Final = "The present password is wrong."  # noqa: S105 - a sentence


async def show_security(visit: Visit) -> Response:
    """Everything that keeps the operator's account safe."""
    return await _security(visit)


async def _security(visit: Visit, status: int = 200, *, fault: str = "", codes: list[str] | None = None) -> Response:
    settings, operator = visit.plumbing.settings, visit.operator
    async with visit.plumbing.database.system() as connection:
        sessions = await list_sessions(connection, settings, operator.operator_id)
        passkeys = await list_passkeys(connection, operator.operator_id)
        before = await sign_in_before(connection, settings, visit.signed_in)
        secret = None if operator.has_totp else await pending_secret(visit.plumbing, connection, operator)
    owed = visit.settings.require_second_factor and not visit.signed_in.session.second_factor
    return visit.page(
        "security.html",
        status,
        sessions=sessions,
        passkeys=passkeys,
        before=before,
        totp_secret=secret,
        fault=fault,
        codes=codes,
        owed=owed,
        zones=words.zones(),
    )


async def post_password(visit: Visit) -> Response:
    """Change the password: the present one must be known, every other session ends."""
    session_id = visit.signed_in.session.session_id
    if not await _knows_password(visit):
        return await _security(visit, 400, fault=WRONG_PASSWORD)
    new = visit.form.secret("new_password")
    if new == visit.form.secret("password"):
        return await _security(visit, 400, fault="That is the present password. Choose another one.")
    try:
        async with visit.plumbing.database.system() as connection:
            await set_password(connection, visit.operator, new, by=visit.actor, kept=session_id)
            token = await rotate_token(connection, session_id)
    except PasswordRefused as refused:
        return await _security(visit, 400, fault=str(refused))
    response = visit.redirect(SECURITY, Notice.PASSWORD_CHANGED)
    cookies.put_session(response, visit.plumbing.settings, token)
    return response


async def post_totp_begin(visit: Visit) -> Response:
    """Make the secret that an authenticator app shall know."""
    if not await _knows_password(visit):
        return await _security(visit, 400, fault=WRONG_PASSWORD)
    async with visit.plumbing.database.system() as connection:
        await begin_totp(visit.plumbing, connection, visit.operator)
    return visit.redirect(f"{SECURITY}#totp")


async def show_totp_picture(visit: Visit) -> Response:
    """The QR code of a secret that is not confirmed yet; afterwards it is never shown again."""
    async with visit.plumbing.database.system() as connection:
        secret = await pending_secret(visit.plumbing, connection, visit.operator)
    if secret is None or visit.operator.has_totp:
        raise NotFound
    return Response(totp_picture(visit.operator, secret), 200, {"Cache-Control": "no-store"}, "image/svg+xml")


async def post_totp_confirm(visit: Visit) -> Response:
    """Switch codes on; the recovery codes are shown on this answer only."""
    session_id = visit.signed_in.session.session_id
    async with visit.plumbing.database.system() as connection:
        codes = await confirm_totp(visit.plumbing, connection, visit.operator, visit.form.text("code", 20))
        if codes is not None:
            await mark_second_factor(connection, session_id)
            await end_other_sessions(connection, visit.operator.operator_id, session_id)
            token = await rotate_token(connection, session_id)
    if codes is None:
        return await _security(visit, 400, fault="The code is wrong. Is the clock of your phone right?")
    renewed = replace(visit, signed_in=replace(visit.signed_in, token=token))
    response = renewed.page("recovery_codes.html", codes=codes)
    cookies.put_session(response, visit.plumbing.settings, token)
    return response


async def post_recovery_codes(visit: Visit) -> Response:
    """Ten new recovery codes in the place of the old ones."""
    if not await _knows_password(visit) or not visit.operator.has_second_factor:
        return await _security(visit, 400, fault=WRONG_PASSWORD)
    async with visit.plumbing.database.system() as connection:
        codes = await new_recovery_codes(visit.plumbing, connection, visit.operator)
    return visit.page("recovery_codes.html", codes=codes)


async def post_totp_remove(visit: Visit) -> Response:
    """Switch codes off."""
    if not await _knows_password(visit):
        return await _security(visit, 400, fault=WRONG_PASSWORD)
    async with visit.plumbing.database.system() as connection:
        await remove_totp(connection, visit.operator)
        await end_other_sessions(connection, visit.operator.operator_id, visit.signed_in.session.session_id)
    return visit.redirect(SECURITY, Notice.SECOND_FACTOR_OFF)


async def post_passkey_options(visit: Visit) -> Response:
    """What the browser needs to make a passkey."""
    site = site_of(visit.request, visit.plumbing)
    async with visit.plumbing.database.system() as connection:
        options = await options_to_add(connection, site, visit.operator)
    return Response(options, 200, {"Cache-Control": "no-store"}, "application/json")


async def post_passkey(visit: Visit) -> Response:
    """Keep a passkey that the browser has made."""
    name = visit.form.text("name", 60) or "Passkey"
    if not await _knows_password(visit):
        return await _security(visit, 400, fault=WRONG_PASSWORD)
    try:
        async with visit.plumbing.database.system() as connection:
            site = site_of(visit.request, visit.plumbing)
            await add_passkey(connection, site, visit.operator, visit.form.secret("credential"), name)
            session_id = visit.signed_in.session.session_id
            await mark_second_factor(connection, session_id)
            await end_other_sessions(connection, visit.operator.operator_id, session_id)
            token = await rotate_token(connection, session_id)
    except PasskeyRefused as refused:
        return await _security(visit, 400, fault=str(refused))
    response = visit.redirect(SECURITY, Notice.SECOND_FACTOR_ON)
    cookies.put_session(response, visit.plumbing.settings, token)
    return response


async def post_passkey_remove(visit: Visit) -> Response:
    """Forget one passkey."""
    try:
        credential_id = bytes.fromhex(visit.form.text("credential_id", 2048))
    except ValueError:
        raise NotFound from None
    if not await _knows_password(visit):
        return await _security(visit, 400, fault=WRONG_PASSWORD)
    async with visit.plumbing.database.system() as connection:
        if not await remove_passkey(connection, visit.operator, credential_id):
            raise NotFound
        await end_other_sessions(connection, visit.operator.operator_id, visit.signed_in.session.session_id)
    return visit.redirect(SECURITY, Notice.SECOND_FACTOR_OFF)


async def post_session_end(visit: Visit) -> Response:
    """End another session of one's own."""
    session_id = uuid_of(visit.form.text("session_id", 36))
    async with visit.plumbing.database.system() as connection:
        if session_id is None or not await end_session(connection, visit.operator.operator_id, session_id):
            raise NotFound
        await note(connection, visit.operator.operator_id, Action.OPERATOR_SESSION_ENDED, visit.actor)
    return visit.redirect(SECURITY, Notice.SESSION_ENDED)


async def post_preferences(visit: Visit) -> Response:
    """Time zone, single keys, density of rows."""
    zone = visit.form.text("time_zone", 60)
    if zone not in words.zones():
        raise Invalid(detail="There is no such time zone.")
    async with visit.plumbing.database.system() as connection:
        await set_preferences(
            connection,
            visit.operator.operator_id,
            time_zone=zone,
            single_keys=visit.form.ticked("single_keys"),
            compact=visit.form.ticked("compact"),
        )
    return visit.redirect(SECURITY, Notice.SAVED)


async def post_stay(visit: Visit) -> Response:
    """Somebody is still there: the session goes on."""
    return Response("", 204, {"Cache-Control": "no-store"})  # the guard says until when


async def show_left(visit: Visit) -> Response:
    """A page asks how long the session has: somebody may have gone on with it in another window."""
    return Response("", 204, {"Cache-Control": "no-store"})  # the guard says until when


async def _knows_password(visit: Visit) -> bool:
    """Whoever changes how one signs in shows the password again, so that an open screen is not enough.

    Raises TooMany when it was shown too often: nobody guesses it here.
    """
    await slow_down_proofs(visit.request.app.state.rate_limiter, visit.operator.operator_id, "password")
    async with visit.plumbing.database.system() as connection:
        stored = await password_hash(connection, visit.operator.operator_id)
    return await is_password(stored, visit.form.secret("password"))


screens: Final = (
    Screen("GET", f"{ME}/left", show_left, Role.VIEWER, by_itself=True, of_security=True),
    *(
        Screen(method, path, handler, Role.VIEWER, of_security=True)
        for method, path, handler in (
            ("GET", SECURITY, show_security),
            ("POST", f"{ME}/password", post_password),
            ("POST", f"{ME}/totp", post_totp_begin),
            ("GET", f"{ME}/totp.svg", show_totp_picture),
            ("POST", f"{ME}/totp/confirm", post_totp_confirm),
            ("POST", f"{ME}/totp/remove", post_totp_remove),
            ("POST", f"{ME}/recovery-codes", post_recovery_codes),
            ("POST", f"{ME}/passkey-options", post_passkey_options),
            ("POST", f"{ME}/passkey", post_passkey),
            ("POST", f"{ME}/passkey/remove", post_passkey_remove),
            ("POST", f"{ME}/session/end", post_session_end),
            ("POST", f"{ME}/preferences", post_preferences),
            ("POST", f"{ME}/stay", post_stay),
        )
    ),
)
