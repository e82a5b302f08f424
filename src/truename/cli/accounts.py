"""`truename account …`."""

import difflib
import json
from collections.abc import Iterator
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.table import Column, Table

from truename.accounts.change import change_account
from truename.accounts.create import NameTaken, create_account, create_with_sandbox, refuse_unreadable_name
from truename.accounts.model import SCOPES, Account, AccountSettings, NewAccount, known_scopes
from truename.accounts.store import list_accounts
from truename.cli.console import Console
from truename.cli.exit_codes import complain
from truename.cli.running import run, say_what_is_made, settings_of_command
from truename.plumbing.settings import Settings
from truename.wiring import wired

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(app: typer.Typer) -> None:
    """Hang the commands of this module on the command line."""
    account = typer.Typer(no_args_is_help=True)
    account.command("create")(create)
    account.command("list")(show_all)
    account.command("set")(change)
    app.add_typer(account, name="account", help="Accounts: create, list, set.")


def create(
    name: str,
    scopes: Annotated[
        str,
        typer.Option(help="What its first client, the administrator, may do; separated by commas."),
    ] = ",".join(SCOPES),
    sandbox: Annotated[
        bool, typer.Option("--sandbox", help="Only a sandbox: nothing in it is a real verification. Stays one.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Open an account and print its credentials, which are shown only now. Makes the data folder if there is none.

    Beside a live account its sandbox is made, NAME-sandbox, with a client of its own for tests.
    """
    try:
        refuse_unreadable_name(name)  # before a data folder is made for nothing
        wanted = known_scopes(scopes.replace(",", " ").split())
        settings = settings_of_command()
        say_what_is_made(settings)
        made, twin = run(_create(settings, name, wanted, sandbox))
    except (NameTaken, ValueError) as error:
        raise complain(str(error)) from None
    if as_json:
        print(json.dumps({**made.credentials(), **({"sandbox": twin.credentials()} if twin else {})}))
        return
    _print_credentials(made)
    if twin is not None:
        print()
        print("Its sandbox, for tests: the same service, marked livemode: false.")
        _print_credentials(twin)
    print("Keep the secrets now: they are not shown again.")


def _print_credentials(made: NewAccount) -> None:
    for key, value in made.credentials().items():
        print(f"{key:15} {json.dumps(value) if isinstance(value, bool) else value}")


def show_all(as_json: AsJson = False) -> None:
    """Every account."""
    accounts = run(_list(settings_of_command()))
    if as_json:
        rows = [
            {
                "account_id": str(one.account_id),
                "name": one.name,
                "created_at": one.created_at.isoformat(),
                "livemode": one.livemode,
                "sandbox_of": str(one.sandbox_of) if one.sandbox_of else None,
                "settings": one.settings.model_dump(mode="json"),
            }
            for one in accounts
        ]
        print(json.dumps(rows))
        return
    copied = Column("account_id", no_wrap=True, min_width=36)
    table = Table(copied, "name", "mode", "created")
    for one in accounts:
        mode = "live" if one.livemode else "sandbox"
        table.add_row(str(one.account_id), one.name, mode, f"{one.created_at:%Y-%m-%d %H:%M}")
    Console().print(table)


def change(
    name: str, choices: Annotated[list[str], typer.Argument(metavar="SETTING=VALUE…")], as_json: AsJson = False
) -> None:
    """Change what an account decides for itself, such as `retention_days=90` or `capture_origins=https://shop.example`.

    Lists are separated by commas; `null` takes a choice back. Settings: manual_review, review_hold_seconds,
    review_four_eyes, review_blind_first, review_quality_percent, face_search, policy_second_person, suspicious_rule,
    retention_days, require_second_factor, request_log, language, capture_origins, return_url, privacy_url, file_upload,
    handoff, trial, webhook_listener. The texts of the capture page (capture_texts) are edited in the dashboard.
    """
    try:
        account = run(_change(settings_of_command(), name, choices))
    except (LookupError, ValueError) as error:
        sentences = list(_faults(error)) if isinstance(error, ValidationError) else [str(error)]
        raise complain(*sentences) from None
    if as_json:
        print(account.model_dump_json())
        return
    for key, value in account.model_dump(mode="json").items():
        print(f"{key:24} {json.dumps(value)}")


def _faults(error: ValidationError) -> Iterator[str]:
    """A sentence for each choice that cannot be, with its name, and the one that was probably meant."""
    for fault in error.errors(include_url=False):
        field = ".".join(str(part) for part in fault["loc"])
        if fault["type"] == "extra_forbidden":
            near = difflib.get_close_matches(field, AccountSettings.model_fields, n=1)
            known = f"Did you mean {near[0]}?" if near else f"Settings: {', '.join(AccountSettings.model_fields)}."
            yield f"{field} is not a setting of an account. {known}"
        else:
            words = fault["msg"].removeprefix("Value error, ")
            yield f"{field}: {words[:1].lower()}{words[1:]}."


async def _create(
    settings: Settings, name: str, scopes: list[str], sandbox: bool
) -> tuple[NewAccount, NewAccount | None]:
    async with wired(settings, may_create=True) as plumbing:
        if sandbox:
            return await create_account(plumbing, name, scopes=scopes, livemode=False), None
        return await create_with_sandbox(plumbing, name, scopes=scopes)


async def _change(settings: Settings, name: str, choices: list[str]) -> AccountSettings:
    async with wired(settings) as plumbing, plumbing.database.system() as connection:
        found = next((one for one in await list_accounts(connection) if one.name == name), None)
        if found is None:
            raise LookupError(f"There is no account named {name!r}.")
        choices_made = dict(_choice(text) for text in choices)
        return await change_account(connection, found.account_id, choices_made, actor="operator")


def _choice(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"Write SETTING=VALUE, not {text!r}.")
    if name == "capture_origins" and value.lower() != "null":
        return name, [part.strip() for part in value.split(",") if part.strip()]
    words: dict[str, object] = {"null": [] if name == "capture_origins" else None, "true": True, "false": False}
    return name, words.get(value.lower(), int(value) if value.isascii() and value.isdigit() else value)


async def _list(settings: Settings) -> list[Account]:
    async with wired(settings) as plumbing, plumbing.database.system() as connection:
        return await list_accounts(connection)
