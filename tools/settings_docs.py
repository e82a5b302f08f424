"""Write docs/reference/settings.md from the settings themselves."""

import sys
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from truename.accounts.model import AccountSettings
from truename.plumbing.settings import PREFIX, Settings

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "settings.md"

HEAD = """# Settings

Everything is set by environment variables. Nothing needs to be: each has a default that suits a first try.
A value that cannot be used, or a name that starts with `TRUENAME_` and is none of these, stops the start with a
sentence that says so.
Written by `make docs` from `src/truename/plumbing/settings.py`; do not edit.

| Variable | Default | Meaning |
|-|-|-|
"""


ACCOUNTS = """
## What an account decides for itself

Set by `truename account set NAME SETTING=VALUE`, or by its administrators in the dashboard; `null` takes a choice back.
Written from `src/truename/accounts/model.py`.

| Setting | Default | Meaning |
|-|-|-|
"""


def page() -> str:
    """The whole page."""
    service = "".join(row(f"{PREFIX}{name.upper()}", field) for name, field in Settings.model_fields.items())
    return HEAD + service + ACCOUNTS + "".join(row(name, field) for name, field in AccountSettings.model_fields.items())


def row(name: str, field: Any) -> str:
    description = field.description.replace("|", "\\|")
    bounds = [
        f"{word} {getattr(part, key)}"
        for part in field.metadata
        for key, word in (("ge", "from"), ("le", "to"))
        if hasattr(part, key)
    ]
    if bounds:
        description += f" ({' '.join(bounds)})"
    return f"| `{name}` | {shown(field.default)} | {description} |\n"


def shown(value: Any) -> str:
    if value is None or value in ((), {}) or isinstance(value, SecretStr):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value}`"


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(Path.cwd()) if PAGE.is_relative_to(Path.cwd()) else PAGE}", file=sys.stderr)
