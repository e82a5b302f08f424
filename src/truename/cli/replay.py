"""`truename replay TRANSACTION_ID`: judge a stored transaction again and show whether the result is the same."""

import json
from typing import Annotated
from uuid import UUID

import typer
from rich.table import Table

from truename.analysis.replay import NothingToReplay, Replay, replay
from truename.cli.console import Console
from truename.cli.exit_codes import ExitCode, complain
from truename.cli.running import run, settings_of_command
from truename.plumbing.errors import NotFound
from truename.plumbing.settings import Settings
from truename.wiring import wired

COLOURS = {"REJECTION": "red", "WARNING": "yellow", "INFORMATIONAL": "cyan"}


def register(app: typer.Typer) -> None:
    """Hang the command of this module on the command line."""
    app.command("replay")(replay_transaction)


def replay_transaction(
    transaction_id: UUID,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of colours.")] = False,
) -> None:
    """Judge a stored transaction again from its stored evidence, config and dates."""
    try:
        result = run(_replay(settings_of_command(), transaction_id))
    except NotFound:
        raise complain(f"There is no transaction {transaction_id}.") from None
    except NothingToReplay as reason:
        raise complain(str(reason)) from None
    if as_json:
        print(json.dumps({**result.verdict.as_dict(), "same": result.same, "differences": result.differences}))
    else:
        _show(Console(), result)
    if not result.same:
        raise typer.Exit(ExitCode.NEGATIVE)


async def _replay(settings: Settings, transaction_id: UUID) -> Replay:
    async with wired(settings) as plumbing:
        return await replay(plumbing, transaction_id)


def _show(console: Console, result: Replay) -> None:
    table = Table("severity", "code", "policy", "details", title=f"Transaction {result.transaction_id}")
    for issue in result.verdict.issues:
        colour = COLOURS[issue.severity.value]
        details = json.dumps(dict(issue.details))
        table.add_row(f"[{colour}]{issue.severity.value}[/]", issue.code.name, issue.policy or "", details)
    console.print(table)
    console.print(f"Stored status {result.status}; judged again: {result.verdict.decision.value}")
    if result.same:
        console.print("[green]The same issues and checks as then.[/]")
    else:
        console.print(f"[red]Different from then: {', '.join(result.differences)}.[/]")
