"""Write docs/reference/scopes.md from the table of scopes and the operations that ask for them."""

import sys
from pathlib import Path

from truename.accounts.model import SCOPE_MEANINGS, USUAL_SCOPES
from truename.api.app import OPERATIONS

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "scopes.md"

HEAD = f"""# Scopes

What a token may do is said by its scopes. A client has some of them, chosen when it is added; a token has those of its
client, or fewer if it asked for fewer (`scope` at `POST /oauth/token`). No scope includes another: who may write may
not read for that, and `admin` opens the management of clients and nothing else. A call without the scope it needs is
refused with 403 and `scope_missing`.

Without `--scopes` a new client gets `{" ".join(USUAL_SCOPES)}`. The first client of an account has every scope, unless
`truename account create` is told otherwise: it is the administrator. Only the operator grants `admin`
(`truename client add ACCOUNT --scopes admin`); an administrator grants every other scope by API.

Answers of a write (a change of status, cancel, review, redact) show the whole only to a token that may also read;
otherwise ids, status, decision and times.

Written by `make docs` from `src/truename/accounts/model.py` and the operations; do not edit.

"""


def page() -> str:
    """The whole page."""
    return HEAD + "\n".join(section(scope, meaning) for scope, meaning in SCOPE_MEANINGS.items())


def section(scope: str, meaning: str) -> str:
    rows = "".join(f"| `{one.method} {one.path}` | {one.summary} |\n" for one in OPERATIONS if one.scope == scope)
    return f"## `{scope}`\n{meaning}\n\n| Call | |\n|-|-|\n{rows}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}", file=sys.stderr)
