"""`truename operator …`: the people who may sign in to the dashboard."""

import getpass
import json
import sys
from typing import Annotated

import typer
from rich.table import Table

from truename.accounts.store import find_account, list_accounts
from truename.audit.model import Action
from truename.cli.console import Console
from truename.cli.exit_codes import complain
from truename.cli.running import run, settings_of_command
from truename.operators.change import create_operator, disable_operator, grant_role, note, reset_operator, take_role
from truename.operators.model import Membership, Operator, Role
from truename.operators.passwords import new_password
from truename.operators.sessions import end_other_sessions, list_sessions
from truename.operators.store import find_operator, list_operators, memberships
from truename.plumbing.database.pool import Connection
from truename.plumbing.settings import Settings
from truename.wiring import wired

ACTOR = "operator"
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Roles = Annotated[
    list[str],
    typer.Option("--role", help="ACCOUNT=ROLE (viewer, reviewer or admin); repeat it for several accounts."),
]
Typed = Annotated[bool, typer.Option("--type-password", help="Ask for the password instead of making one.")]


def register(app: typer.Typer) -> None:
    """Hang the commands of this module on the command line."""
    operator = typer.Typer(no_args_is_help=True)
    operator.command("create")(create)
    operator.command("list")(show_all)
    operator.command("role")(role)
    operator.command("reset")(reset)
    operator.command("disable")(disable)
    operator.command("sign-out")(sign_out)
    app.add_typer(
        operator, name="operator", help="People who sign in to the dashboard: create, list, role, reset, sign out."
    )


def create(
    email: str,
    roles: Roles,
    name: Annotated[str, typer.Option(help="How the pages call this person.")] = "",
    type_password: Typed = False,
    as_json: AsJson = False,
) -> None:
    """Let a person sign in at /dashboard. The password is made and shown once, unless it is typed."""
    password = _password(type_password)
    try:
        made = run(_create(settings_of_command(), email, password, name, roles, given=not type_password))
    except (LookupError, ValueError) as error:
        raise complain(str(error)) from None
    _tell(made, None if type_password else password, as_json)


def show_all(as_json: AsJson = False) -> None:
    """Every operator, with roles and second factors."""
    found = run(_list(settings_of_command()))
    if as_json:
        print(json.dumps([_shown(one, roles) for one, roles in found]))
        return
    table = Table("email", "name", "roles", "second factor", "created", "state")
    for one, roles in found:
        held = "\n".join(f"{role.account_name}: {role.role}" for role in roles)
        state = "disabled" if one.disabled_at else "may sign in"
        table.add_row(one.email, one.name, held, _factors(one), f"{one.created_at:%Y-%m-%d %H:%M}", state)
    Console().print(table)


def role(email: str, roles: Roles, as_json: AsJson = False) -> None:
    """Give roles in accounts, or take one away with ACCOUNT=none."""
    try:
        changed = run(_roles(settings_of_command(), email, roles))
    except (LookupError, ValueError) as error:
        raise complain(str(error)) from None
    _tell(changed, None, as_json)


def reset(email: str, type_password: Typed = False, as_json: AsJson = False) -> None:
    """For who has lost everything: a new password, no second factor, every session ended; enables again."""
    password = _password(type_password)
    try:
        changed = run(_reset(settings_of_command(), email, password, given=not type_password))
    except (LookupError, ValueError) as error:
        raise complain(str(error)) from None
    _tell(changed, None if type_password else password, as_json)


def disable(email: str, as_json: AsJson = False) -> None:
    """From now on this person cannot sign in, and every session of theirs has ended."""
    try:
        changed = run(_disable(settings_of_command(), email))
    except LookupError as error:
        raise complain(str(error)) from None
    _tell(changed, None, as_json)


def sign_out(
    email: Annotated[str | None, typer.Argument(help="Whose sessions end.")] = None,
    everybody: Annotated[bool, typer.Option("--everybody", help="Of every operator there is.")] = False,
    as_json: AsJson = False,
) -> None:
    """End every session of one person, or of all: whoever may sign in can do so again at once."""
    if (email is None) is not everybody:
        raise complain("Name one operator, or --everybody.")
    try:
        ended = run(_sign_out(settings_of_command(), email))
    except LookupError as error:
        raise complain(str(error)) from None
    if as_json:
        print(json.dumps({"sessions_ended": ended}))
    else:
        print(f"{sum(ended.values())} sessions of {len(ended)} operators were ended.")


def _password(typed: bool) -> str:
    if not typed:
        return new_password()
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    first = getpass.getpass("Password: ")
    if first != getpass.getpass("Again: "):
        raise complain("The two passwords differ.")
    return first


def _tell(found: tuple[Operator, tuple[Membership, ...]], password: str | None, as_json: bool) -> None:
    shown = _shown(*found)
    if password is not None:
        shown["password"] = password
    if as_json:
        print(json.dumps(shown))
        return
    operator, roles = found
    print(f"{operator.email}: {', '.join(f'{one.role} of {one.account_name}' for one in roles) or 'no role'}")
    if operator.disabled_at:
        print("Disabled.")
    if password is not None:
        print(f"Password: {password}")
        print("Keep it now: it is not shown again. For seven days it signs in at /dashboard, to choose another.")


def _shown(operator: Operator, roles: tuple[Membership, ...]) -> dict[str, object]:
    return {
        "operator_id": str(operator.operator_id),
        "email": operator.email,
        "name": operator.name,
        "roles": [{"account": one.account_name, "account_id": str(one.account_id), "role": one.role} for one in roles],
        "second_factor": _factors(operator),
        "created_at": operator.created_at.isoformat(),
        "disabled_at": operator.disabled_at.isoformat() if operator.disabled_at else None,
    }


def _factors(operator: Operator) -> str:
    parts = ["codes"] if operator.has_totp else []
    parts += [f"{operator.passkeys} passkey{'s' if operator.passkeys > 1 else ''}"] if operator.passkeys else []
    return ", ".join(parts) or "none"


async def _create(
    settings: Settings, email: str, password: str, name: str, roles: list[str], *, given: bool
) -> tuple[Operator, tuple[Membership, ...]]:
    async with wired(settings) as plumbing, plumbing.database.system() as connection:
        made = await create_operator(connection, email, password, [], name=name, by=ACTOR, given=given)
        await _grant(connection, made, roles)
        return made, await memberships(connection, made.operator_id)


async def _roles(settings: Settings, email: str, roles: list[str]) -> tuple[Operator, tuple[Membership, ...]]:
    async with wired(settings) as plumbing, plumbing.database.system() as connection:
        found = await _named(connection, email)
        await _grant(connection, found, roles)
        return found, await memberships(connection, found.operator_id)


async def _reset(
    settings: Settings, email: str, password: str, *, given: bool
) -> tuple[Operator, tuple[Membership, ...]]:
    async with wired(settings) as plumbing, plumbing.database.system() as connection:
        found = await _named(connection, email)
        await reset_operator(connection, found, password, by=ACTOR, given=given)
        return await _named(connection, email), await memberships(connection, found.operator_id)


async def _disable(settings: Settings, email: str) -> tuple[Operator, tuple[Membership, ...]]:
    async with wired(settings) as plumbing, plumbing.database.system() as connection:
        found = await _named(connection, email)
        await disable_operator(connection, found, by=ACTOR)
        return await _named(connection, email), await memberships(connection, found.operator_id)


async def _sign_out(settings: Settings, email: str | None) -> dict[str, int]:
    """How many sessions that were alive have ended, by e-mail address; nobody is left out, `email` None means all."""
    ended: dict[str, int] = {}
    async with wired(settings) as plumbing, plumbing.database.system() as connection:
        for one in await list_operators(connection) if email is None else [await _named(connection, email)]:
            alive = len(await list_sessions(connection, settings, one.operator_id))
            await end_other_sessions(connection, one.operator_id)
            if alive:
                ended[one.email] = alive
                await note(connection, one.operator_id, Action.OPERATOR_SESSION_ENDED, ACTOR)
    return ended


async def _list(settings: Settings) -> list[tuple[Operator, tuple[Membership, ...]]]:
    async with wired(settings) as plumbing, plumbing.database.system() as connection:
        return [(one, await memberships(connection, one.operator_id)) for one in await list_operators(connection)]


async def _grant(connection: Connection, operator: Operator, roles: list[str]) -> None:
    accounts = await list_accounts(connection)
    for text in roles:
        named, equals, wanted = text.rpartition("=")
        found = find_account(accounts, named)
        if not equals or wanted not in (*Role, "none"):
            raise ValueError(f"Write ACCOUNT=ROLE with one of {', '.join(Role)} (or none), not {text!r}.")
        if found is None:
            raise LookupError(f"There is no account named {named!r}.")
        if wanted == "none":
            await take_role(connection, operator.operator_id, found.account_id, by=ACTOR)
        else:
            await grant_role(connection, operator.operator_id, found.account_id, Role(wanted), by=ACTOR)


async def _named(connection: Connection, email: str) -> Operator:
    found = await find_operator(connection, email)
    if found is None:
        raise LookupError(f"There is no operator {email!r}.")
    return found
