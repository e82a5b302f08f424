"""Writes docs/reference/errors.md from the one table of error codes: `python tools/errors_docs.py [--check]`."""

import sys
from itertools import groupby
from pathlib import Path

from truename.plumbing.error_codes import FAULTS, OF_THE_DASHBOARD, PROBLEMS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "errors.md"


def page() -> str:
    lines = [
        "# Errors",
        "",
        "<!-- Made by tools/errors_docs.py from src/truename/plumbing/error_codes.py. Do not edit by hand. -->",
        "",
        "Every error is `application/problem+json` (RFC 9457), but for those of `POST /oauth/token`, which are "
        "RFC 6749's.",
        "",
        "```json",
        "{",
        '  "type": "https://verify.example.com/docs/errors/validation_failed",',
        '  "title": "The request is not valid",',
        '  "status": 400,',
        '  "detail": "One or more fields are wrong; each is named in `errors`.",',
        '  "instance": "/api/account/integration/kyc/transaction",',
        '  "code": "validation_failed",',
        '  "request_id": "5f2c0f6a4be14c1d8f0e5d9b7a3c2e10",',
        '  "errors": [',
        '    {"pointer": "/config/device_policy/on_emulater", "code": "field_unknown", '
        '"detail": "There is no such field. Did you mean on_emulator?"}',
        "  ]",
        "}",
        "```",
        "",
        "- Decide by `code`; words may change. `type` is the address of the page that explains the code.",
        "- `errors` names every fault of the request at once: of the body by JSON pointer (RFC 6901), of a "
        "parameter or header as `/name`.",
        "- `request_id` is also the header `X-Request-Id`. The service's log has a line with it, the `code`, the route "
        "and the client; it holds no personal data.",
        "- Nothing is created or changed on any 4xx. An error never repeats a secret, an image or personal data.",
        "- What belongs to another account is answered exactly as what does not exist.",
        "",
        "## Codes of a problem",
    ]
    for status, rows in groupby(PROBLEMS.items(), key=lambda row: row[1].status):
        lines += ["", f"### {status}", "", "| `code` | Meaning | What to do |", "| - | - | - |"]
        lines += [f"| `{code}` | {row.meaning} | {row.remedy} |" for code, row in rows]
    lines += ["", "## Codes of one fault", "", "Entries of `errors`.", ""]
    lines += ["| `code` | Meaning | What to do |", "| - | - | - |"]
    lines += [f"| `{code}` | {row.meaning} | {row.remedy} |" for code, row in FAULTS.items()]
    lines += [
        "",
        "## `POST /oauth/token`",
        "",
        'Errors are those of RFC 6749 §5.2: `{"error": "…", "error_description": "…"}`.',
        "",
        "| Status | `error` | Meaning |",
        "| - | - | - |",
        "| 400 | `invalid_request` | A field is missing, repeated or malformed, or the credentials came in two ways. |",
        "| 400 | `unsupported_grant_type` | Only `client_credentials` is supported. |",
        "| 400 | `invalid_scope` | A scope is not known, or not granted to this client. |",
        "| 401 | `invalid_client` | The client is not known, or its secret is wrong. |",
    ]
    lines += [
        "",
        "## Pages of the dashboard",
        "",
        "Refusals of `/dashboard` are pages, and these codes stand only in the service's log: the interface never "
        "answers them.",
        "",
        "| `code` | Status | Meaning | What to do |",
        "| - | - | - | - |",
    ]
    lines += [f"| `{code}` | {row.status} | {row.meaning} | {row.remedy} |" for code, row in OF_THE_DASHBOARD.items()]
    return "\n".join(lines) + "\n"


def main() -> int:
    stale = not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page()
    if stale and "--check" not in sys.argv:
        PAGE.write_text(page(), encoding="utf-8")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
