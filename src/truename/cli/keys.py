"""`truename keys …`: the keys that sign tokens, and the master keys that seal everything."""

import json
import sys
from typing import Annotated

import typer

from truename.accounts.signing_keys import rotate
from truename.audit.model import INSTALLATION, Action
from truename.audit.record import record
from truename.cli.exit_codes import ExitCode, complain
from truename.cli.privacy import move_keys_over
from truename.cli.running import run, settings_of_command
from truename.plumbing.crypto.vault import CannotOpen
from truename.plumbing.rewrap import BATCH, left_to_rewrap, rewrap
from truename.plumbing.settings import Settings
from truename.wiring import wired

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(app: typer.Typer) -> None:
    """Hang the commands of this module on the command line."""
    keys = typer.Typer(no_args_is_help=True)
    keys.command("rotate")(rotate_keys)
    keys.command("rewrap")(rewrap_all)
    keys.command("status")(status)
    keys.command("move")(move_keys_over)
    app.add_typer(keys, name="keys", help="Keys: rotate, rewrap, move.")


def rotate_keys() -> None:
    """Sign tokens with a new key, within a minute everywhere; those of the old one stay good until they expire."""
    kid = run(_rotate(settings_of_command()))
    print(f"Within a minute every process signs tokens with the key {kid}.")


def rewrap_all(
    batch: Annotated[int, typer.Option(min=1, max=10_000, help="Values in one database transaction.")] = BATCH,
    as_json: AsJson = False,
) -> None:
    """Seal everything under the first master key, while the service goes on. Broken off, it goes on where it was."""
    try:
        key_id, done, left, earlier = run(_rewrap(settings_of_command(), batch))
    except CannotOpen as error:
        words = f"{error} Give the earlier master key too, after the new one."
        raise complain(words, code=ExitCode.CONFIGURATION) from None
    if as_json:
        print(json.dumps({"key_id": key_id, "rewrapped": done, "left": left}))
    elif not any(left.values()):
        ends = " The earlier one can go." if earlier else " There is no other."
        print(f"{done} values were sealed anew; everything is under the key {key_id}.{ends}")
    if any(left.values()):
        raise complain(
            f"{sum(left.values())} values were sealed meanwhile by a process that does not know the new key. "
            "Restart it, then run this again.",
            code=ExitCode.NEGATIVE,
        )


def status(as_json: AsJson = False) -> None:
    """How many values are not under the first master key yet; exit 1 when there are any."""
    key_id, left = run(_status(settings_of_command()))
    if as_json:
        print(json.dumps({"key_id": key_id, "left": left}))
    else:
        print(f"The key that seals is {key_id}. Under an earlier one:")
        for column, count in left.items():
            print(f"  {column:24} {count}")
    if any(left.values()):
        raise typer.Exit(ExitCode.NEGATIVE)


async def _rewrap(settings: Settings, batch: int) -> tuple[str, int, dict[str, int], bool]:
    """The key that seals now, how many values it sealed anew, those left of each column; were there earlier keys?"""

    def show(column: str, done: int, total: int) -> None:
        print(f"{column}: {done} of {total}", file=sys.stderr, flush=True)

    async with wired(settings) as plumbing:
        done = await rewrap(plumbing, batch=batch, progress=show)
        key_id = plumbing.vault.current_key_id
        async with plumbing.database.system() as connection:
            await record(
                connection,
                INSTALLATION,
                actor="operator",
                action=Action.MASTER_KEY_REWRAPPED,
                subject=f"master_key:{key_id}",
                details={"count": done},
            )
        return key_id, done, await left_to_rewrap(plumbing), len(plumbing.vault.known_prefixes) > 1


async def _status(settings: Settings) -> tuple[str, dict[str, int]]:
    async with wired(settings) as plumbing:
        return plumbing.vault.current_key_id, await left_to_rewrap(plumbing)


async def _rotate(settings: Settings) -> str:
    async with wired(settings) as plumbing:
        return await rotate(plumbing)
