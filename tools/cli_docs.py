"""Write docs/reference/cli.md and exit-codes.md from the command line itself: `python tools/cli_docs.py [--check]`."""

import os
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

os.environ.update(COLUMNS="120", NO_COLOR="1", TERM="dumb")

from truename.cli import COMMANDS, load
from truename.cli.exit_codes import ExitCode

ROOT = Path(__file__).resolve().parents[1]
KINDS = {int: "NUMBER", float: "NUMBER", Path: "PATH"}
FOLDER = ROOT / "docs" / "reference"

HEAD = """# Command line

Written by `make docs` from the commands themselves; do not edit. How a command ends: [exit codes](exit-codes.md).
What can be set: [settings](settings.md).

`truename --version` prints the version. `truename --install-completion` teaches your shell (bash, zsh, fish,
PowerShell) to complete commands and options; `truename --show-completion` prints what it would install.

A command that only looks makes no data folder, no schema and no master key. Those that may make them are `serve`,
`migrate`, `account create` and `database restore`; they say so when they do.
"""

EXIT_CODES = """# Exit codes

Written by `make docs` from `src/truename/cli/exit_codes.py`; do not edit.
Sentences about what is wrong go to stderr, results to stdout.

| Code | Meaning |
|-|-|
"""


def command_page() -> str:
    return HEAD + "".join(f"\n{part}" for name in COMMANDS for part in described(load(name), f"truename {name}"))


def described(command: Any, name: str) -> Iterator[str]:
    """The section of one command, or of each command of a group."""
    if hasattr(command, "commands"):
        for inner, one in command.commands.items():
            yield from described(one, f"{name} {inner}")
        return
    words = " ".join((command.help or "").split())
    shown = [one for one in command.params if not getattr(one, "hidden", False) and one.name != "help"]
    arguments = [one.metavar or one.name.upper() for one in shown if is_argument(one)]
    yield f"## `{' '.join([name, *arguments])}`\n\n{words}\n"
    options = [one for one in shown if not is_argument(one)]
    if options:
        yield "| Option | Default | Meaning |\n|-|-|-|\n" + "".join(row(one) for one in options)


def is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def row(option: Any) -> str:
    kind = option.type_descriptor.annotation
    choices = [one.value for one in kind] if isinstance(kind, type) and issubclass(kind, Enum) else []
    default = "" if option.default in (None, False, ()) else f"`{getattr(option.default, 'value', option.default)}`"
    value = "" if option.is_flag else " " + ("WORD" if choices else KINDS.get(kind, "TEXT"))
    names = ", ".join(f"`{name}{value}`" for name in (*option.opts, *option.secondary_opts))
    meaning = (option.help or "").replace("|", "\\|")
    if choices:
        meaning += " One of: " + ", ".join(f"`{one}`" for one in choices) + "."
    if option.min is not None and option.max is not None:
        meaning += f" ({option.min} to {option.max})"
    return f"| {names} | {'required' if option.required else default} | {meaning.strip()} |\n"


def exit_code_page() -> str:
    return EXIT_CODES + "".join(f"| {code.value} | {code.meaning} |\n" for code in ExitCode)


def pages() -> dict[Path, str]:
    return {FOLDER / "cli.md": command_page(), FOLDER / "exit-codes.md": exit_code_page()}


def main() -> int:
    stale = [path for path, text in pages().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{'stale' if '--check' in sys.argv else 'written'}: {path.relative_to(ROOT)}")
        if "--check" not in sys.argv:
            path.write_text(pages()[path], encoding="utf-8")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
