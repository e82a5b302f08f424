"""`truename client …`: the programs that act for an account."""

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Final, TypeVar
from uuid import UUID

import typer
from rich.table import Column, Table

from truename.accounts.clients import (
    ListedClient,
    NewSecret,
    add_client,
    list_clients,
    revoke_client,
    rotate_client,
)
from truename.accounts.model import SCOPES, USUAL_SCOPES
from truename.accounts.store import find_account, list_accounts
from truename.cli.console import Console
from truename.cli.exit_codes import complain
from truename.cli.running import run, settings_of_command
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import Refusal
from truename.plumbing.http.answers import instant
from truename.rules.json_values import Json
from truename.wiring import wired

OPERATOR: Final = "operator"
UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OfAccount = Annotated[str, typer.Argument(metavar="ACCOUNT", help="Name or id of the account.")]
TheClient = Annotated[str, typer.Argument(metavar="CLIENT_ID")]
Result = TypeVar("Result")


def register(app: typer.Typer) -> None:
    """Hang the commands of this module on the command line."""
    client = typer.Typer(no_args_is_help=True)
    client.command("add")(add)
    client.command("list")(show_all)
    client.command("rotate")(rotate)
    client.command("revoke")(revoke)
    app.add_typer(client, name="client", help="Programs that act for an account: add, list, rotate, revoke.")


def add(
    account: OfAccount,
    scopes: Annotated[
        str, typer.Option(help=f"What it may do, separated by commas. Scopes: {', '.join(SCOPES)}.")
    ] = ",".join(USUAL_SCOPES),
    name: Annotated[str, typer.Option(help="What you call it.")] = "",
    as_json: AsJson = False,
) -> None:
    """Add a client and print its secret, which is shown only now."""
    wanted = [part for part in re.split(r"[,\s]+", scopes) if part]
    _print_secret(_done(account, lambda one, own: add_client(one, own, wanted, name=name, actor=OPERATOR)), as_json)


def show_all(account: OfAccount, as_json: AsJson = False) -> None:
    """Every client of an account, revoked ones too; never a secret."""
    found = _done(account, list_clients)
    if as_json:
        print(json.dumps([_shown(one) for one in found]))
        return
    table = Table(Column("client_id", no_wrap=True, min_width=31), "name", "scopes", "created", "secret", "revoked")
    for one in found:
        until = one.previous_secret_expires_at
        table.add_row(
            one.client_id,
            one.name,
            " ".join(one.scopes),
            f"{one.created_at:%Y-%m-%d %H:%M}",
            f"rotated, the old one works until {until:%Y-%m-%d %H:%M}" if until else "",
            f"{one.revoked_at:%Y-%m-%d %H:%M}" if one.revoked_at else "",
        )
    Console().print(table)


def rotate(
    account: OfAccount,
    client_id: TheClient,
    overlap: Annotated[str, typer.Option(help="How long the old secret still works: 0s, 30m, 24h, 7d.")] = "24h",
    as_json: AsJson = False,
) -> None:
    """Give a client a new secret; the old one works until the overlap has passed. Tokens stay good."""
    length = re.fullmatch(r"([0-9]{1,7})([smhd])", overlap)
    if length is None:
        raise complain(f"--overlap {overlap}: give a length of time such as 30m, 24h or 7d.")
    wanted = timedelta(**{UNITS[length[2]]: int(length[1])})
    _print_secret(
        _done(account, lambda one, own: rotate_client(one, own, client_id, overlap=wanted, actor=OPERATOR)), as_json
    )


def revoke(account: OfAccount, client_id: TheClient, as_json: AsJson = False) -> None:
    """Revoke a client for good: it gets no token any more, and those it has are refused at once."""
    revoked = _done(account, lambda one, own: revoke_client(one, own, client_id, actor=OPERATOR))
    print(json.dumps(_shown(revoked)) if as_json else f"{client_id} is revoked; its tokens are refused from now on.")


def _done(account: str, work: Callable[[Connection, UUID], Awaitable[Result]]) -> Result:
    """Do this to the account of that name or id; a refusal is one sentence."""

    async def within() -> Result:
        async with wired(settings_of_command()) as plumbing, plumbing.database.system() as connection:
            found = find_account(await list_accounts(connection), account)
            if found is None:
                raise LookupError(f"There is no account {account!r}.")
            return await work(connection, found.account_id)

    try:
        return run(within())
    except (LookupError, ValueError, Refusal) as error:
        raise complain(str(error)) from None


def _print_secret(made: NewSecret, as_json: bool) -> None:
    if as_json:
        print(json.dumps({**_shown(made.client), "client_secret": made.client_secret}))
        return
    print(f"client_id      {made.client.client_id}")
    print(f"client_secret  {made.client_secret}")
    print(f"scopes         {' '.join(made.client.scopes)}")
    print("Keep the secret now: it is not shown again.")


def _shown(client: ListedClient) -> dict[str, Json]:
    times = ("created_at", "rotated_at", "previous_secret_expires_at", "revoked_at")
    return {
        name: instant(value) if name in times else list(value) if isinstance(value, tuple) else value
        for name, value in asdict(client).items()
    }
