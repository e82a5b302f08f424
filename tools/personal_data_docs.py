"""Write docs/reference/personal-data.md from the list in the code."""

import sys
from pathlib import Path

from truename.privacy.forget import KEPT_DETAILS
from truename.privacy.personal_data import COLUMNS, PLACES, Column, Kept

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "personal-data.md"

HEAD = """# Where something of a person is kept

Every table, file and log that may hold something of a person, how it is protected there, and what erasure
(`DELETE …/customer/{id}`), redaction (`POST …/transaction/{id}/redact`) and retention (`retention_days` of the account:
the same as redaction, and what was enrolled goes too) do with it. A test compares this list with the schema of the
running database, and another puts canaries in, erases, and looks everywhere.
Written by `make docs` from `src/truename/privacy/personal_data.py`; do not edit.

What is "sealed under the customer's key" is unreadable wherever a copy may lie, once that key is gone. Where the key
itself may still lie is said in the second table and in
[how keys and backups go together](../decisions/encryption-at-rest.md).

## In the database
| table | columns | what | kept | erasure | redaction and retention |
|-|-|-|-|-|-|
"""
ELSEWHERE = """
## Elsewhere
| where | what | kept | erasure | redaction and retention |
|-|-|-|-|-|
"""
BARE = """
## What stays after an erasure
Bare facts: that there was a customer and a check, identifiers of ours, statuses, codes, scores and times. Of an issue's
details these stay: DETAILS. Columns that never hold more than that:

| table | columns | what |
|-|-|-|
"""


def page() -> str:
    """The whole page."""
    personal = [row for row in COLUMNS if row.kept is not Kept.NOT_PERSONAL]
    bare = [row for row in COLUMNS if row.kept is Kept.NOT_PERSONAL]
    written = HEAD + "".join(
        f"| `{row.table}` | {_names(row)} | {row.holds} | {row.kept} | {row.erasure} | {row.redaction} |\n"
        for row in personal
    )
    written += ELSEWHERE + "".join(
        f"| {place.where} | {place.holds} | {place.kept} | {place.erasure} | {place.redaction} |\n" for place in PLACES
    )
    details = ", ".join(f"`{name}`" for name in KEPT_DETAILS)
    return (
        written
        + BARE.replace("DETAILS", details)
        + "".join(f"| `{row.table}` | {_names(row)} | {row.holds} |\n" for row in bare)
    )


def _names(row: Column) -> str:
    return ", ".join(f"`{name}`" for name in row.columns)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print("wrote docs/reference/personal-data.md", file=sys.stderr)
