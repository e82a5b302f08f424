"""`truename audit …`: read the audit log, and check that nobody altered it."""

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from rich.table import Column, Table

from truename.accounts.store import find_account, list_accounts
from truename.audit.model import INSTALLATION, Action, Line
from truename.audit.read import Filters, read_lines
from truename.audit.verify import Anchor, Verified, read_heads, verify
from truename.cli.console import Console
from truename.cli.exit_codes import ExitCode, complain
from truename.cli.running import run, settings_of_command
from truename.customers.reasons import opened_reason
from truename.plumbing.clock import now
from truename.plumbing.database.pool import Connection
from truename.plumbing.http.answers import instant
from truename.plumbing.settings import Settings
from truename.rules.json_values import Json
from truename.wiring import wired

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OfAccount = Annotated[
    str | None,
    typer.Option("--account", help="Name or id of an account; `installation` for what concerns no account."),
]


def register(app: typer.Typer) -> None:
    """Hang the commands of this module on the command line."""
    audit = typer.Typer(no_args_is_help=True)
    audit.command("show")(show)
    audit.command("verify")(check)
    audit.command("anchor")(anchor)
    app.add_typer(audit, name="audit", help="The audit log: show, verify, anchor.")


class KeptAnchor(BaseModel):
    """One line of what `audit anchor` prints."""

    model_config = ConfigDict(extra="forbid")

    account_id: UUID
    count: int
    hash: str


def show(
    account: OfAccount = None,
    since: Annotated[str | None, typer.Option(help="A time (2026-11-15T09:00Z), or an age (90m, 12h, 7d).")] = None,
    subject: Annotated[str | None, typer.Option(help="Such as customer:ID or transaction:ID.")] = None,
    actor: Annotated[str | None, typer.Option(help="Such as client:ID, operator or engine.")] = None,
    action: Annotated[str | None, typer.Option(help="Such as media.read.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="At most so many lines, the newest.")] = 100,
    reasons: Annotated[bool, typer.Option("--reasons", help="Open the reasons that people gave.")] = False,
    as_json: AsJson = False,
) -> None:
    """Who did what to whose data: the newest lines that fit, the oldest of them first."""
    if action is not None and action not in tuple(Action):
        raise complain(f"There is no action {action}. Actions: {', '.join(Action)}.")
    given = Filters(subject=subject, actor=actor, action=action, limit=limit, since=_moment(since))
    lines = run(_lines(settings_of_command(), account, given, reasons))
    if as_json:
        print(json.dumps([_shown(line, reason, reasons) for line, reason in lines]))
        return
    Console().print(table_of(lines))


def table_of(lines: Iterable[tuple[Line, str | None]]) -> Table:
    """The lines as a table that cuts nothing off, however narrow the terminal: what is long is folded."""
    table = Table(*(Column(name, overflow="fold") for name in ("time", "actor", "action", "subject", "details")))
    for line, reason in lines:
        details = [f"{name}={value}" for name, value in line.details.items() if value is not None]
        details += [f"“{reason}”"] if reason else ["(reason sealed)"] if line.sealed_reason else []
        table.add_row(f"{line.at:%Y-%m-%d %H:%M:%S}", line.actor, line.action, line.subject, " ".join(details))
    return table


def check(
    account: OfAccount = None,
    anchors: Annotated[
        Path | None, typer.Option("--anchor", exists=True, dir_okay=False, help="What `audit anchor` printed earlier.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check every chain, or one: exit 0 when nothing was altered, removed, moved or added; 1 otherwise."""
    found = run(_verified(settings_of_command(), account, _read_anchors(anchors)))
    if as_json:
        breaks = [
            {
                "account_id": str(one.account_id),
                "sequence": one.sequence,
                "audit_id": str(one.audit_id) if one.audit_id else None,
                "what": one.what,
            }
            for one in found.breaks
        ]
        print(json.dumps({"whole": found.whole, "chains": found.chains, "lines": found.lines, "breaks": breaks}))
    elif found.whole:
        print(f"The audit log is whole: {found.lines} lines in {found.chains} chains.")
    for one in () if as_json else found.breaks:
        where = "installation" if one.account_id == INSTALLATION else f"account {one.account_id}"
        line = f", line {one.sequence}" if one.sequence else ""
        print(f"BROKEN  {where}{line}{f' ({one.audit_id})' if one.audit_id else ''}: {one.what}")
    if not found.whole:
        raise typer.Exit(ExitCode.NEGATIVE)


def anchor() -> None:
    """Print the end of every chain, to be kept where this database's owner cannot reach it."""
    print(json.dumps(run(_heads(settings_of_command()))))


async def _lines(
    settings: Settings, account: str | None, wanted: Filters, reasons: bool
) -> list[tuple[Line, str | None]]:
    async with wired(settings) as plumbing, plumbing.database.system() as connection:
        lines = await read_lines(connection, replace(wanted, account_id=await _account(connection, account)))
        return [(line, await opened_reason(connection, plumbing.keys, line) if reasons else None) for line in lines]


async def _verified(settings: Settings, account: str | None, anchors: list[Anchor]) -> Verified:
    async with wired(settings) as plumbing:
        async with plumbing.database.system() as connection:
            account_id = await _account(connection, account)
        return await verify(plumbing, account_id, anchors)


async def _heads(settings: Settings) -> list[dict[str, Json]]:
    async with wired(settings) as plumbing, plumbing.database.system() as connection:
        heads = await read_heads(connection)
    return [
        {"account_id": str(head.account_id), "count": head.count, "hash": head.hash.hex()} for head in heads.values()
    ]


async def _account(connection: Connection, named: str | None) -> UUID | None:
    if named is None:
        return None
    if named == "installation":
        return INSTALLATION
    found = find_account(await list_accounts(connection), named)
    if found is None:
        raise complain(f"There is no account {named!r}.")
    return found.account_id


def _shown(line: Line, reason: str | None, with_reason: bool) -> dict[str, Json]:
    shown: dict[str, Json] = {
        "sequence": line.sequence,
        "audit_id": str(line.audit_id),
        "account_id": None if line.account_id == INSTALLATION else str(line.account_id),
        "at": instant(line.at),
        "actor": line.actor,
        "action": line.action,
        "subject": line.subject,
        "details": dict(line.details),
        "has_reason": line.sealed_reason is not None,
    }
    return {**shown, "reason": reason} if with_reason else shown


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    units = {"m": "minutes", "h": "hours", "d": "days"}
    if text[:-1].isascii() and text[:-1].isdigit() and text[-1] in units:
        with suppress(OverflowError, ValueError):  # longer ago than any date, or than Python reads figures
            return now() - timedelta(**{units[text[-1]]: int(text[:-1])})
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise complain(f"--since {text}: give a time such as 2026-11-15T09:00Z, or an age such as 12h.") from None
    return found if found.tzinfo else found.astimezone()


def _read_anchors(path: Path | None) -> list[Anchor]:
    if path is None:
        return []
    try:
        kept = TypeAdapter(list[KeptAnchor]).validate_json(path.read_bytes())
        return [Anchor(one.account_id, one.count, bytes.fromhex(one.hash)) for one in kept]
    except (ValidationError, ValueError):
        raise complain(f"{path} is not what `truename audit anchor` prints.") from None
