"""`truename blocklist …`: faces that are not to be let in again, of one account or of the whole installation."""

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Annotated, Final, TypeVar
from uuid import UUID

import typer
from rich.table import Column, Table

from truename.accounts.store import find_account, list_accounts
from truename.audit.model import INSTALLATION, Action
from truename.audit.record import record
from truename.cli.console import Console
from truename.cli.exit_codes import complain
from truename.cli.running import run, settings_of_command
from truename.face_search.blocklist import BlocklistEntry, NewEntry, add_entry, list_entries, remove_entry
from truename.face_search.take_face import NoUsableFace, face_of_picture
from truename.plumbing.errors import Refusal
from truename.plumbing.http.answers import instant
from truename.plumbing.resources import Plumbing
from truename.rules.json_values import Json
from truename.vision.decoding.header import ImageRefused
from truename.wiring import wired

OPERATOR: Final = "operator"
LONGEST_REASON: Final = 500
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OfAccount = Annotated[
    str | None, typer.Option("--account", help="Name or id of the account. Without it: the installation's own list.")
]
Result = TypeVar("Result")


def register(app: typer.Typer) -> None:
    """Hang the commands of this module on the command line."""
    group = typer.Typer(no_args_is_help=True)
    group.command("add")(add)
    group.command("list")(show_all)
    group.command("remove")(remove)
    app.add_typer(group, name="blocklist", help="Blocklists of faces, of an account or of all: add, list, remove.")


def add(
    picture: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A JPEG or PNG that shows one face.")],
    reason: Annotated[str, typer.Option(help="Why; kept sealed.")],
    account: OfAccount = None,
    until: Annotated[str | None, typer.Option(help="Last day on the list: 2027-12-31, say; else no end.")] = None,
    as_json: AsJson = False,
) -> None:
    """Put the face of a picture on a blocklist. Searches of accounts that have `face_search` on find it from now on."""
    reason = reason.strip()
    if not 1 <= len(reason) <= LONGEST_REASON or not reason.isprintable():
        raise complain(f"--reason: write 1 to {LONGEST_REASON} characters without control characters.")
    end = _end(until)
    data = picture.read_bytes()

    async def work(plumbing: Plumbing, owner: UUID) -> BlocklistEntry:
        taken = await face_of_picture(plumbing, f"account:{owner}", data)
        async with plumbing.database.account(owner) as connection:
            new = NewEntry(taken.template, taken.picture, reason, end)
            return await add_entry(connection, plumbing.vault, owner, new, actor=OPERATOR)

    entry = _done(account, work)
    print(json.dumps(_shown(entry)) if as_json else f"{entry.entry_id} is on the list.")


def show_all(account: OfAccount = None, as_json: AsJson = False) -> None:
    """Every entry of a blocklist, the newest first; never a face. The reading is written into the audit log."""

    async def work(plumbing: Plumbing, owner: UUID) -> list[BlocklistEntry]:
        found: list[BlocklistEntry] = []
        async with plumbing.database.account(owner) as connection:
            while page := await list_entries(
                connection, plumbing.vault, owner, before=found[-1].entry_id if found else None
            ):
                found += page
            await record(
                connection,
                owner,
                actor=OPERATOR,
                action=Action.BLOCKLIST_LISTED,
                subject=f"account:{owner}",
                details={"count": len(found)},
            )
        return found

    found = _done(account, work)
    if as_json:
        print(json.dumps([_shown(one) for one in found]))
        return
    table = Table(Column("entry_id", no_wrap=True, min_width=36), "added", "until", "customer", "reason")
    for one in found:
        until = f"{one.expires_at:%Y-%m-%d %H:%M}" if one.expires_at else ""
        table.add_row(
            str(one.entry_id),
            f"{one.created_at:%Y-%m-%d %H:%M}",
            until,
            str(one.customer_id) if one.customer_id else "",
            one.reason,
        )
    Console().print(table)


def remove(
    entry_id: Annotated[UUID, typer.Argument(metavar="ENTRY_ID")], account: OfAccount = None, as_json: AsJson = False
) -> None:
    """Take a face off a blocklist: its picture, its template and its key are destroyed."""

    async def work(plumbing: Plumbing, owner: UUID) -> None:
        async with plumbing.database.account(owner) as connection:
            await remove_entry(connection, owner, entry_id, actor=OPERATOR)

    _done(account, work)
    print(json.dumps({"entry_id": str(entry_id), "removed": True}) if as_json else f"{entry_id} is off the list.")


def _done(account: str | None, work: Callable[[Plumbing, UUID], Awaitable[Result]]) -> Result:
    """Do this to the list of the account of that name or id, or of the installation; a refusal is one sentence."""

    async def within() -> Result:
        async with wired(settings_of_command()) as plumbing:
            owner = INSTALLATION
            if account is not None:
                async with plumbing.database.system() as connection:
                    found = find_account(await list_accounts(connection), account)
                if found is None:
                    raise LookupError(f"There is no account {account!r}.")
                owner = found.account_id
            return await work(plumbing, owner)

    try:
        return run(within())
    except NoUsableFace as error:
        raise complain(f"The picture shows no face that could be searched for: {error.reason}.") from None
    except ImageRefused as error:
        raise complain(error.sentence) from None
    except (LookupError, Refusal) as error:
        raise complain(str(error)) from None


def _end(until: str | None) -> datetime | None:
    """The end of that day, in UTC."""
    if until is None:
        return None
    try:
        day = date.fromisoformat(until)
    except ValueError:
        raise complain(f"--until {until}: give a day such as 2027-12-31.") from None
    return datetime.combine(day, time(), UTC) + timedelta(days=1)


def _shown(entry: BlocklistEntry) -> dict[str, Json]:
    return {
        "entry_id": str(entry.entry_id),
        "customer_id": str(entry.customer_id) if entry.customer_id else None,
        "reason": entry.reason,
        "added_by": entry.added_by,
        "created_at": instant(entry.created_at),
        "expires_at": instant(entry.expires_at),
    }
