"""`truename backtest`: judge stored transactions again under another policy, and show what would have been decided."""

import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Annotated

import orjson
import typer
from pydantic import ValidationError
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column, Table

from truename.accounts.model import Account
from truename.accounts.store import find_account, list_accounts
from truename.audit.model import Action
from truename.audit.record import record
from truename.backtest.model import BEGINNING, OtherConfig, policy_of, shown_result
from truename.backtest.policy import Mode, OtherPolicy
from truename.backtest.run import backtest
from truename.backtest.stored import Range, count_stored
from truename.backtest.tally import BacktestResult, Counted
from truename.cli.console import Console
from truename.cli.exit_codes import complain
from truename.cli.running import run, settings_of_command
from truename.plumbing.clock import now
from truename.plumbing.http.answers import encode
from truename.plumbing.http.queries import instant_of
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import Settings
from truename.rules.config import TransactionType
from truename.rules.faults import faults_of
from truename.wiring import wired

SHOWN_FLIPS = 20
SHOWN_ACCOUNTS = 20


def register(app: typer.Typer) -> None:
    """Hang the command of this module on the command line."""
    app.command("backtest")(backtest_policy)


def backtest_policy(
    config: Annotated[Path, typer.Option(help="The other policy: a config as JSON.", exists=True, dir_okay=False)],
    since: Annotated[str, typer.Option(help="From this day (UTC) or moment on.")] = "",
    until: Annotated[str, typer.Option(help="Up to this day (UTC) or moment, which is left out.")] = "",
    account: Annotated[
        str, typer.Option(help="Name or id; may be left out where there is one account, or one live one.")
    ] = "",
    mode: Annotated[
        Mode,
        typer.Option(help="REPLACE: as if each had been created with it. CHANGE: only the fields that stand in it."),
    ] = Mode.REPLACE,
    transaction_type: Annotated[TransactionType | None, typer.Option("--type", help="Only this type.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Judge stored transactions again under another policy: how many decisions flip, which, and by which codes."""
    policy = _policy(config, mode)
    begin, end = _moment("--since", since, BEGINNING), _moment("--until", until, now())
    if begin >= end:
        raise complain("The range is empty: --since must be earlier than --until, and in the past.")
    result = run(_backtest(settings_of_command(), account, begin, end, transaction_type, policy))
    if as_json:
        print(encode(shown_result(result)).decode())
    else:
        _show(Console(), result)


def _policy(file: Path, mode: Mode) -> OtherPolicy:
    try:
        sent = orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise complain(f"{file} is no JSON that can be read: {error}.") from None
    try:
        return policy_of(OtherConfig.model_validate(sent), mode)
    except ValidationError as error:
        faults = faults_of(error, OtherConfig)
        raise complain(*(f"{file}: {fault.pointer or '/'}: {fault.detail}" for fault in faults)) from None


def _moment(option: str, text: str, otherwise: datetime) -> datetime:
    if not text:
        return otherwise
    found = instant_of(text)
    if found is not None:
        return found
    try:
        return datetime.combine(date.fromisoformat(text), time(), UTC)
    except ValueError:
        raise complain(f"{option} must be a day (2026-11-01) or a moment (2026-11-01T09:30:00Z).") from None


async def _backtest(
    settings: Settings,
    account: str,
    since: datetime,
    until: datetime,
    kind: TransactionType | None,
    policy: OtherPolicy,
) -> BacktestResult:
    async with wired(settings) as plumbing:
        range_ = Range((await _account(plumbing, account)).account_id, since, until, kind)
        async with plumbing.database.account(range_.account_id) as connection:
            total = await count_stored(connection, range_)
            await record(
                connection,
                range_.account_id,
                actor="operator",
                action=Action.POLICY_BACKTESTED,
                subject=f"account:{range_.account_id}",
                details={"count": total},
            )
        columns = (TextColumn("Judging"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty()) as bar:
            task = bar.add_task("", total=total)

            async def progress(done: int) -> None:
                bar.update(task, completed=done)

            return await backtest(plumbing, range_, policy, progress)


async def _account(plumbing: Plumbing, wanted: str) -> Account:
    async with plumbing.database.system() as connection:
        accounts = await list_accounts(connection)
    if wanted:
        found = find_account(accounts, wanted)
        if found is None:
            raise complain(f"There is no account {wanted}.")
        return found
    return _only_account(accounts)


def _only_account(accounts: Sequence[Account]) -> Account:
    """The only account there is, or else the only live one; ends the command where somebody must choose."""
    for meant in (accounts, [one for one in accounts if one.livemode]):
        if len(meant) == 1:
            return meant[0]
    if not accounts:
        raise complain("There is no account yet: `truename account create NAME` makes one.")
    named = ", ".join(f"{one.name} ({'live' if one.livemode else 'sandbox'})" for one in accounts[:SHOWN_ACCOUNTS])
    more = f" and {len(accounts) - SHOWN_ACCOUNTS:,} more" if len(accounts) > SHOWN_ACCOUNTS else ""
    raise complain(f"Say which account with --account. There are: {named}{more}.")


def _show(console: Console, result: BacktestResult) -> None:
    table = Table(Column(no_wrap=True))
    for heading in ("judged", "approved then", "approved now", "flips to APPROVED", "flips to REJECTED"):
        table.add_column(heading, justify="right")
    table.add_row("decided by the engine", *_cells(result.decisions))
    table.add_row("by, or waiting for, a person", *_cells(result.reviewed))
    console.print(table)
    for direction, by_code in (("APPROVED", result.to_approved_by_code), ("REJECTED", result.to_rejected_by_code)):
        for code, number in by_code.items():
            console.print(f"  to {direction}: {number:,} by {code}")
    for flip in result.flips[:SHOWN_FLIPS]:
        words = f"  {flip.transaction_id} {flip.was.value} → {flip.now.value}: {', '.join(flip.codes)}"
        console.print(words, soft_wrap=True)
    left = len(result.flips) + result.flips_left_out - SHOWN_FLIPS
    if left > 0:
        console.print(f"  … and {left:,} more; --json lists the first 1,000.")
    if result.cannot_be_judged:
        console.print(f"{result.cannot_be_judged:,} cannot be judged: their evidence was redacted or erased.")
    if result.changed_rules:
        console.print(f"{result.changed_rules:,} are judged otherwise by today's rules even under their own config.")


def _cells(counts: Counted) -> tuple[str, ...]:
    numbers = counts.judged, counts.approved_then, counts.approved_now, counts.to_approved, counts.to_rejected
    return tuple(f"{number:,}" for number in numbers)
