"""The command line. A command's module is imported only when it is called, so that `--help` answers at once."""

import os
import select
import sys
from difflib import get_close_matches
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer._click.core import Command, Context  # Typer brings a click of its own, and these are its types
from typer._click.exceptions import UsageError
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from truename import __version__
from truename.cli.exit_codes import NO_ROOM, NOT_TO_BE_USED, ExitCode
from truename.cli.exit_codes import complain as complain  # where commands look for it

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "serve": ("service", "Serve the API, with a worker and, unless told otherwise, an embedded PostgreSQL."),
    "worker": ("service", "Work off jobs: analysis, webhooks, expiry."),
    "migrate": ("service", "Bring the database up to date."),
    "database": ("database", "The database: dump it into a file, restore it from one, make it ready for face search."),
    "backup": ("backups", "Write database and pictures of one moment into one file, while the service runs."),
    "restore": ("backups", "Put a backup into an empty database and its store."),
    "healthcheck": ("health", "Ask a running service whether it can work: for containers."),
    "doctor": ("doctor", "Check database, storage, files, clock and disk, and say what to do."),
    "account": ("accounts", "Accounts: create, list, set."),
    "client": ("clients", "Programs that act for an account: add, list, rotate, revoke."),
    "operator": ("operators", "People who sign in to the dashboard: create, list, role, reset, disable."),
    "review": ("reviews", "Reviews: say what is true of control cases, so that each reviewer's errors can be counted."),
    "blocklist": ("blocklist", "Blocklists of faces, of an account or of all: add, list, remove."),
    "keys": ("keys", "Keys: rotate those that sign tokens, rewrap what master keys seal, move those of customers."),
    "scrub": ("privacy", "Rewrite the tables that held erased people, so that no dead row stays in a file."),
    "audit": ("audit", "The audit log: show it, verify that nobody altered it, anchor it elsewhere."),
    "replay": ("replay", "Judge a stored transaction again from its stored evidence, config and dates."),
    "backtest": ("backtest", "Judge stored transactions again under another policy, and show what would flip."),
    "mcp": ("mcp", "Read-only tools for an assistant (MCP over stdio), blind to personal data."),
    "receipt": ("receipts", "Receipts of decisions: show, verify offline, hand out evidence and keys, rotate the key."),
    "webhook": ("webhooks", "Webhooks on your own machine: listen to them, send a test event."),
    "simulate": ("simulate", "Verify people who do not exist, with drawn documents and a drawn head: for sandboxes."),
    "demo": ("demo", "Make a link that opens a fresh trial verification in the capture page."),
    "examine": ("examine", "Examine pictures as a transaction would, and show evidence, issues and decision."),
    "layouts": ("layouts", "Documents as data: list those that are known, try a layout file on pictures."),
    "models": ("models", "Every model: file, hash, licence; add one that is not installed; change the face recipe."),
    "calibrate": ("examine", "Refit the face score on pairs of your own."),
}
"""Each command, the module of this folder that registers it, and its line in the help."""


class Lazily(TyperGroup):
    """Lists commands from the table; imports one when it is called."""

    def list_commands(self, ctx: Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        return TyperCommand(cmd_name, help=COMMANDS[cmd_name][1]) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        if args and args[0] in COMMANDS:
            return args[0], load(args[0]), args[1:]
        try:
            return super().resolve_command(ctx, args)
        except UsageError as wrong:
            if meant := get_close_matches(args[0], COMMANDS, n=1):
                wrong.message += f" Did you mean {meant[0]}?"
            raise

    def main(self, *args: Any, **named: Any) -> Any:
        """Help is printed by a library that ends with 1, "the answer is no", when nobody reads it."""
        _fill_closed_streams()
        output = _kept_output()
        try:
            return super().main(*args, **named)
        except SystemExit as end:
            if end.code == ExitCode.NEGATIVE and output is not None and _nobody_reads(output):
                raise SystemExit(int(ExitCode.OUTPUT_CLOSED)) from None
            raise
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            _write_nowhere()
            full = complain(f"It cannot be written: {error.strerror}.", code=ExitCode.NOT_REACHABLE)
            raise SystemExit(full.exit_code) from None
        finally:
            if output is not None:
                os.close(output)

    def invoke(self, ctx: Context) -> Any:
        from truename.cli.running import troubles_in_words

        try:
            try:
                with troubles_in_words():
                    return super().invoke(ctx)
            finally:
                sys.stdout.flush()  # here, where a closed pipe can still be answered
        except BrokenPipeError:
            _write_nowhere()
            raise typer.Exit(ExitCode.OUTPUT_CLOSED) from None
        except (typer.Exit, typer.Abort, TyperException):
            raise
        except Exception as error:
            if isinstance(error, OSError) and error.errno in NO_ROOM:
                raise  # said in words below
            if isinstance(error, OSError) and error.errno in NOT_TO_BE_USED and error.filename is not None:
                raise complain(f"{error.filename} cannot be used: {error.strerror}.") from None
            from truename.plumbing.error_text import traceback_text

            # Without a value: these lines are kept in logs, and sent to whoever mends it.
            print(traceback_text(error), file=sys.stderr)
            raise complain("This is a defect of Truename: please report these lines.", code=ExitCode.DEFECT) from None


def _fill_closed_streams() -> None:
    """Who starts us with a stream closed (`>&-`) gets one into nothing: else the next file would be our output."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))


def _write_nowhere() -> None:
    """What is still to be written goes nowhere: else Python complains when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _kept_output() -> int | None:
    """A second handle of standard output, for the library puts another file in its place; None when there is none."""
    try:
        return os.dup(sys.stdout.fileno())
    except (OSError, ValueError):
        return None


def _nobody_reads(output: int) -> bool:
    """Is this a pipe whose other end is closed?"""
    asked = select.poll()
    asked.register(output, select.POLLOUT)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in asked.poll(0))


def load(name: str) -> Command:
    """The real command."""
    holder = typer.Typer(add_completion=False)
    holder.callback()(lambda: None)  # one command alone would otherwise take the place of the group
    import_module(f"truename.cli.{COMMANDS[name][0]}").register(holder)
    group: Any = typer.main.get_command(holder)
    command: Command = group.commands[name]
    return command


app = typer.Typer(cls=Lazily, no_args_is_help=True, pretty_exceptions_enable=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"truename {__version__}")
        raise typer.Exit


@app.callback(epilog="Exit codes: docs/reference/exit-codes.md. Settings: docs/reference/settings.md.")
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Self-hosted identity verification whose every decision can be explained."""
