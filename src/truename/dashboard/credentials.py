"""Clients, the webhook secret and operators of an account: made, replaced, ended. A secret is shown once."""

from datetime import timedelta
from typing import Final

from starlette.responses import Response

from truename.accounts import clients
from truename.accounts.clients import ListedClient
from truename.accounts.model import SCOPES
from truename.accounts.webhook_secrets import rotate_secret, secrets_expire_at
from truename.audit.model import Action
from truename.audit.record import record
from truename.dashboard.guard import Screen
from truename.dashboard.settings import PATH, settings_page
from truename.dashboard.visit import Notice, Visit
from truename.operators.challenges import first_time
from truename.operators.change import create_operator, grant_role, readable_email, take_role
from truename.operators.model import Operator, Role
from truename.operators.passwords import new_password
from truename.operators.store import find_operator, memberships
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import NotFound, WrongState
from truename.plumbing.http.queries import uuid_of

HOURS: Final = 24 * 30


async def post_client(visit: Visit) -> Response:
    """Add a client; its secret is on this answer only."""
    scopes = [scope for scope in visit.form.texts("scopes") if scope in SCOPES]
    await _once(visit)
    try:
        async with visit.connection() as connection:
            made = await clients.add_client(
                connection, visit.account_id, scopes, name=visit.form.text("name", 200), actor=visit.actor
            )
    except ValueError as refused:
        return await settings_page(visit, 400, str(refused), "clients")
    return visit.page("secret.html", what="client", client=made.client, secret=made.client_secret, until=None)


async def post_rotation(visit: Visit) -> Response:
    """Give a client a new secret; the old one works for the hours chosen."""
    client = await _confirmed_client(visit)
    if client is None:
        return await settings_page(visit, 400, NOT_CONFIRMED, "clients")
    await _once(visit)
    overlap = _overlap(visit)
    async with visit.connection() as connection:
        made = await clients.rotate_client(
            connection, visit.account_id, client.client_id, overlap=overlap, actor=visit.actor
        )
    until = made.client.previous_secret_expires_at
    return visit.page("secret.html", what="client", client=made.client, secret=made.client_secret, until=until)


async def post_revocation(visit: Visit) -> Response:
    """Revoke a client for good."""
    client = await _confirmed_client(visit)
    if client is None:
        return await settings_page(visit, 400, NOT_CONFIRMED, "clients")
    async with visit.connection() as connection:
        await clients.revoke_client(connection, visit.account_id, client.client_id, actor=visit.actor)
    return visit.redirect(f"{PATH}#clients", Notice.CLIENT_REVOKED)


async def post_webhook_secret(visit: Visit) -> Response:
    """A new secret signs webhooks from now on, beside the old one for the hours chosen."""
    if visit.form.text("confirm", 4).lower() != str(visit.account_id)[-4:]:
        return await settings_page(visit, 400, NOT_CONFIRMED, "webhooks")
    await _once(visit)
    overlap = _overlap(visit)
    async with visit.connection() as connection:
        secret = await rotate_secret(connection, visit.plumbing.vault, visit.account_id, overlap)
        until = await secrets_expire_at(connection, visit.account_id)
        await record(
            connection,
            visit.account_id,
            actor=visit.actor,
            action=Action.WEBHOOK_SECRET_ROTATED,
            subject=f"account:{visit.account_id}",
            details={"overlap_seconds": int(overlap.total_seconds())},
        )
    return visit.page("secret.html", what="webhook", client=None, secret=secret, until=until)


async def post_member(visit: Visit) -> Response:
    """Give a person a role here: one whom this admin knows, or a new one whose password is on this answer only.

    Somebody who signs in for others' accounts alone is not let in here: whoever made that address an operator knows, or
    once knew, its password, and need not be the person whom this admin means.
    """
    role, password = visit.form.text("role", 20), None
    try:
        email = readable_email(visit.form.text("email", 320))
        wanted = Role(role)
    except ValueError as refused:
        return await settings_page(visit, 400, str(refused), "operators")
    await _once(visit)
    async with visit.plumbing.database.system() as connection:
        known = await find_operator(connection, email)
        if known is None:
            password = new_password()
            roles = [(visit.account_id, wanted)]
            await create_operator(connection, email, password, roles, by=visit.actor, given=True)
        elif known.operator_id == visit.operator.operator_id:
            return await settings_page(visit, 409, NOT_ONESELF, "operators")
        elif not await _is_of_ours(visit, connection, known):
            return await settings_page(visit, 409, OF_OTHERS, "operators")
        else:
            await grant_role(connection, known.operator_id, visit.account_id, wanted, by=visit.actor)
    if password is None:
        return visit.redirect(f"{PATH}#operators", Notice.OPERATOR_CHANGED)
    return visit.page("secret.html", what="operator", client=None, secret=password, until=None, email=email)


async def post_member_role(visit: Visit) -> Response:
    """Another role for somebody who has one here, or none; nobody takes the last admin's or their own."""
    operator_id, role = uuid_of(visit.form.text("operator_id", 36)), visit.form.text("role", 20)
    if operator_id is None or role not in (*Role, "none"):
        raise NotFound
    if operator_id == visit.operator.operator_id:
        return await settings_page(visit, 409, NOT_ONESELF, "operators")
    async with visit.plumbing.database.system() as connection:
        cursor = await connection.execute(
            "SELECT 1 FROM operator_roles WHERE operator_id = %s AND account_id = %s", (operator_id, visit.account_id)
        )
        if await cursor.fetchone() is None:
            raise NotFound
        if role == "none":
            await take_role(connection, operator_id, visit.account_id, by=visit.actor)
        else:
            await grant_role(connection, operator_id, visit.account_id, Role(role), by=visit.actor)
    return visit.redirect(f"{PATH}#operators", Notice.OPERATOR_CHANGED)


NOT_CONFIRMED: Final = "The four characters do not match. Nothing was changed."
NOT_ONESELF: Final = "You cannot change your own role: another admin can, or the command line."
OF_OTHERS: Final = (
    "This address already signs in for other accounts. Whoever runs this service can give it a role here, on the "
    "command line: truename operator role."
)


async def _is_of_ours(visit: Visit, connection: Connection, operator: Operator) -> bool:
    """Has this person a role in an account in which the admin is an admin, such as this one?"""
    ours = {one.account_id for one in visit.signed_in.memberships if one.role is Role.ADMIN}
    return any(one.account_id in ours for one in await memberships(connection, operator.operator_id))


async def _confirmed_client(visit: Visit) -> ListedClient | None:
    """The client of the form, if its last four characters were typed; raises ClientNotFound."""
    client_id = visit.form.text("client_id", 60)
    async with visit.connection() as connection:
        found = await clients.read_client(connection, visit.account_id, client_id)
    return found if visit.form.text("confirm", 4).lower() == client_id[-4:] else None


async def _once(visit: Visit) -> None:
    """Refuse a form that was sent before: a page that shows a secret must not make another when it is reloaded."""
    async with visit.plumbing.database.system() as connection:
        if not await first_time(connection, f"{visit.signed_in.session.session_id}:{visit.form.text('once', 100)}"):
            raise WrongState("This was done already, and its secret is not shown again.", code="form_sent_twice")


def _overlap(visit: Visit) -> timedelta:
    text = visit.form.text("overlap_hours", 4)
    hours = int(text) if text.isascii() and text.isdigit() else 24
    return timedelta(hours=min(hours, HOURS))


screens: Final = (
    Screen("POST", f"{PATH}/clients/add", post_client, Role.ADMIN),
    Screen("POST", f"{PATH}/clients/rotate", post_rotation, Role.ADMIN),
    Screen("POST", f"{PATH}/clients/revoke", post_revocation, Role.ADMIN),
    Screen("POST", f"{PATH}/webhooks/rotate", post_webhook_secret, Role.ADMIN),
    Screen("POST", f"{PATH}/operators/add", post_member, Role.ADMIN),
    Screen("POST", f"{PATH}/operators/role", post_member_role, Role.ADMIN),
)
