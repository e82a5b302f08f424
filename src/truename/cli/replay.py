"""`truename replay TRANSACTION_ID`: judge a stored transaction again and show whether the result is the same."""

import asyncio
import json
from typing import Annotated
from uuid import UUID

import typer
from rich.console import Console
from rich.table import Table

from truename.analysis.replay import NothingToReplay, Replay, replay
from truename.plumbing.errors import NotFound
from truename.plumbing.settings import load_settings
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
    console = Console()
    try:
        result = asyncio.run(_replay(transaction_id))
    except NotFound:
        console.print("There is no such transaction.")
        raise typer.Exit(1) from None
    except NothingToReplay as reason:
        console.print(str(reason))
        raise typer.Exit(1) from None
    if as_json:
        print(json.dumps({**result.verdict.as_dict(), "same": result.same, "differences": result.differences}))
    else:
        _show(console, result)
    if not result.same:
        raise typer.Exit(2)


async def _replay(transaction_id: UUID) -> Replay:
    async with wired(load_settings()) as plumbing:
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
