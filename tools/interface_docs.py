"""Writes the reference pages that are tables of the code: `python tools/interface_docs.py [--check]`.

results-and-statuses.md, rate-limits.md, pagination.md, versioning.md, and the enumerations in sdk-interface.md.
"""
# ruff: noqa: E501 - words of pages

import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from truename.accounts.model import SCOPE_MEANINGS
from truename.api.app import OPERATIONS
from truename.capture.caps import CHALLENGES, IN_ONE_DAY, IN_ONE_TRANSACTION
from truename.capture.challenge import (
    CHALLENGE_SECONDS,
    CLOCK_SLACK_MS,
    DRAWS_IN_ONE_DAY,
    FRAME_MAX_PX,
    FRAMES_MAX,
    FRAMES_MIN,
    number_of_challenges,
)
from truename.capture.handoff import LIFETIME
from truename.capture.model import CONSENT_VERSIONS
from truename.capture.session import IMAGE_BYTES
from truename.capture.store import TAKES_MAX
from truename.device.signals import Permission, Platform, Provider
from truename.plumbing.error_codes import PROBLEMS
from truename.plumbing.http.pagination import DEFAULT_LIMIT, MAX_LIMIT
from truename.plumbing.http.request_context import API_VERSION
from truename.plumbing.settings import Settings
from truename.rules.config import TransactionType
from truename.rules.evidence import DocumentType, QualityReason
from truename.rules.issues import Severity
from truename.rules.reasons import REASONS
from truename.rules.results import CheckName, Outcome
from truename.transactions.lifecycle import FINAL, MOVES, Status
from truename.vision.captures import Step
from truename.vision.liveness.light import COLOURS
from truename.vision.liveness.targets import AIMS, SIZES

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
MADE = "<!-- Made by tools/interface_docs.py from the code. Do not edit by hand. -->"

STATUSES: Mapping[Status, str] = {
    Status.CREATED: "Created; the SDK has not called yet.",
    Status.IN_PROGRESS: "The person is being captured.",
    Status.PROCESSING: "Submitted; the analysis is at work.",
    Status.APPROVED: "No issue is a rejection, or a reviewer approved.",
    Status.REJECTED: "At least one issue is a rejection, or a reviewer rejected.",
    Status.IN_REVIEW: "The account reviews by hand, and a person must decide.",
    Status.FAILED: "The analysis could not be finished after its retries. Never a silent decision.",
    Status.EXPIRED: "The time for the capture is over; its SDK token stops working at that instant.",
    Status.CANCELLED: "The integrator cancelled it before it was submitted.",
}
OUTCOMES: Mapping[Outcome, str] = {
    Outcome.PASSED: "Asked and answered well.",
    Outcome.FAILED: "Asked and answered badly; where an issue code exists, the issue is emitted.",
    Outcome.INCONCLUSIVE: "Asked, and could not be told.",
    Outcome.NOT_RUN: "Not asked: nothing was expected, or nothing is known. Never a pass.",
}
SEVERITIES: Mapping[Severity, str] = {
    Severity.REJECTION: "Rejects the transaction.",
    Severity.WARNING: "Is told and does not change the decision.",
    Severity.INFORMATIONAL: "Is recorded only.",
}
QUALITIES: Mapping[QualityReason, str] = {
    QualityReason.NO_DOCUMENT: "No document is in the picture.",
    QualityReason.BLURRED: "Out of focus or shaken.",
    QualityReason.GLARE: "A reflection covers a part.",
    QualityReason.TOO_SMALL: "The document does not fill the picture.",
    QualityReason.CROPPED: "A part lies outside the picture.",
    QualityReason.TOO_DARK: "Too little light.",
    QualityReason.SCREEN: "A screen was photographed.",
    QualityReason.PHOTOCOPY: "A copy was photographed.",
    QualityReason.BACK_NEEDED: "The other side is needed as well.",
    QualityReason.WRONG_SIDE: "It looks like the other side.",
    QualityReason.NO_FACE: "No face was found.",
    QualityReason.SEVERAL_FACES: "More than one face was found.",
    QualityReason.FACE_TOO_SMALL: "The face is too far away.",
    QualityReason.FACE_COVERED: "A part of the face is covered.",
    QualityReason.UNREADABLE: "The picture cannot be read.",
}
STEPS: Mapping[Step, str] = {
    Step.LOOK_STRAIGHT: "Look into the camera.",
    **{
        step: f"Look on while the whole screen shows `rgb({red * 255}, {green * 255}, {blue * 255})`."
        for step, (red, green, blue) in COLOURS.items()
    },
    **{
        step: f"Point the nose {aim.yaw:+.1f}° across and {aim.pitch:+.1f}° up from there (left and up are positive)."
        for step, aim in AIMS.items()
    },
    **{step: f"Look straight, the face {size:g} times as large as there." for step, size in SIZES.items()},
}
NOT_OF_THE_SDK = {
    *("customer_already_exists", "webhook_address_not_allowed", "token_expired", "scope_missing", "gone"),
    *("wrong_state", "customer_blocked", "client_is_administrator", "too_many_webhook_secrets", "demo_not_available"),
    *("no_usable_face", "client_revoked", "transaction_redacted"),
}
"""Codes that only integrators meet."""


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    titles = list(head)
    lines = [titles, ["-"] * len(titles), *([str(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def code(word: object) -> str:
    return f"`{word}`"


def words(kinds: Mapping[object, str] | Mapping[Status, str]) -> list[tuple[str, str]]:
    return [(code(getattr(kind, "value", kind)), meaning) for kind, meaning in kinds.items()]


def results_page() -> str:
    moves = [
        (
            code(status.value),
            STATUSES[status],
            "yes" if status in FINAL else "",
            ", ".join(code(to.value) for to in Status if to in MOVES[status]),
        )
        for status in Status
    ]
    return (
        "\n\n".join(
            [
                "# Results and statuses",
                MADE,
                "Read a transaction by `GET /api/account/integration/kyc/transaction/{transaction_id}`, with `?wait=30` until its "
                "status is final, or be told by a [webhook](../how-to/receive-webhooks.md). Whole answers of each type and "
                "decision stand in `/docs`, taken from real runs.",
                "## Transaction status",
                table(("Status", "Meaning", "Final", "Can become"), moves),
                "## Decision",
                "`decision` is null until there is one; then `outcome` is `APPROVED` or `REJECTED`, and `decided_by` is `ENGINE` or "
                "`REVIEWER`. It is `REJECTED` if and only if at least one issue is a rejection, or a reviewer said so.",
                "## Issues",
                "The list of codes is closed: [issue-codes.md](issue-codes.md). Each issue has a severity:",
                table(("Severity", "Effect"), [(code(kind.value), told) for kind, told in SEVERITIES.items()]),
                "## Checks",
                "`checks` lists every question that applies to the transaction's type: "
                + ", ".join(code(name.value) for name in CheckName)
                + ".",
                table(("Result", "Meaning"), [(code(kind.value), told) for kind, told in OUTCOMES.items()]),
                "## Reasons",
                "`reason` of a check, and `details.reason` of an issue:",
                table(("Reason", "Meaning"), [(code(reason), told) for reason, told in REASONS.items()]),
                "## What is wrong with a picture",
                "`document.quality`, and `reasons` of the SDK's answers:",
                table(("Reason", "Meaning"), [(code(kind.value), told) for kind, told in QUALITIES.items()]),
            ]
        )
        + "\n"
    )


def limits_page() -> str:
    fields = Settings.model_fields
    names = [
        "client_requests_per_minute",
        "client_burst",
        "token_requests_per_minute",
        "sdk_requests_per_minute",
        "sdk_burst",
    ]
    return (
        "\n\n".join(
            [
                "# Rate limits",
                MADE,
                "Every answer of a limited call bears `RateLimit-Policy` (how many calls in how many seconds) and `RateLimit` (`r`: how many "
                "are left, `t`: seconds until all are back). Beyond the limit: `429 too_many_requests` with `Retry-After` in "
                "seconds. Limits are shared by all processes of the service; the operator sets them:",
                table(
                    ("Setting", "Default", "Meaning"),
                    [
                        (code(f"TRUENAME_{name.upper()}"), fields[name].default, fields[name].description)
                        for name in names
                    ],
                ),
                "## Caps of a capture",
                "No waiting of seconds lifts these; they have no `Retry-After`.",
                table(
                    ("Of", "At most", "Then"),
                    [
                        ("takes of one side of a document", TAKES_MAX, "`429 too_many_takes`"),
                        ("tries of the live face in one transaction", IN_ONE_TRANSACTION, "`429 too_many_attempts`"),
                        (
                            "tries of the live face of one customer in a day, since the last approval",
                            IN_ONE_DAY,
                            "`429 too_many_attempts`",
                        ),
                        ("challenges in one transaction", CHALLENGES, "`429 too_many_attempts`"),
                    ],
                ),
            ]
        )
        + "\n"
    )


def pagination_page() -> str:
    return (
        "\n\n".join(
            [
                "# Pagination",
                MADE,
                'Lists answer `{"data": […], "has_more": true, "next_cursor": "…"}`, newest first. Send `next_cursor` as `cursor` for the '
                "next page, with the same filters; on the last page `has_more` is false and `next_cursor` null. A cursor stands for "
                "a place in the list, so rows that arrive meanwhile neither repeat nor hide any. It is opaque: do not build one.",
                f"`limit` is 1 to {MAX_LIMIT}, {DEFAULT_LIMIT} when left out. An unknown parameter, or a malformed one, is a `400` "
                "that names each.",
                "`created_after` and `created_before` are RFC 3339 timestamps with their offset; both are exclusive.",
            ]
        )
        + "\n"
    )


def versioning_page() -> str:
    scopes = [(code(scope), meaning) for scope, meaning in SCOPE_MEANINGS.items()]
    needed = [
        (code(f"{operation.method} {operation.path}"), code(operation.operation_id), code(operation.scope))
        for operation in OPERATIONS
        if operation.scope
    ]
    return (
        "\n\n".join(
            [
                "# Versions and scopes",
                MADE,
                "## Versions",
                f"Every answer bears `Truename-Version: {API_VERSION}`, the date of the interface that is spoken. Paths stay as they are and "
                "changes are additive: new fields in answers, new optional fields in requests, new operations, new codes. So ignore "
                "fields of an answer that you do not know, and treat a code that you do not know by its HTTP status or severity. "
                "`info.version` of `/openapi.json` is the version of the software.",
                "## Scopes",
                table(("Scope", "Opens"), scopes),
                "## Which call needs which scope",
                table(("Call", "operationId", "Scope"), needed),
            ]
        )
        + "\n"
    )


SDK_PARTS = {
    "quality reasons": table(("`reasons`", "Meaning"), [(code(kind.value), told) for kind, told in QUALITIES.items()]),
    "steps": table(("Step", "Meaning"), [(code(kind.value), told) for kind, told in STEPS.items()]),
    "limits": table(
        ("Limit", "Value"),
        [
            ("time from a challenge to the arrival of its frames", f"{CHALLENGE_SECONDS} s"),
            ("frames", f"{FRAMES_MIN} to {FRAMES_MAX}, long side at most {FRAME_MAX_PX} px"),
            ("picture of a document", f"{IMAGE_BYTES:,} bytes"),
            ("takes of one side", TAKES_MAX),
            ("challenges in one transaction", CHALLENGES),
            ("tries of the live face", f"{IN_ONE_TRANSACTION} in a transaction, {IN_ONE_DAY} of a customer in a day"),
            ("versions of the consent text", ", ".join(code(one) for one in CONSENT_VERSIONS)),
        ],
    ),
    "times": table(
        ("Time", "Rule"),
        [
            ("the SDK token", "lives as long as the transaction, `config.transaction_ttl_minutes` from its creation"),
            ("a challenge", f"{CHALLENGE_SECONDS} s from the asking to the arrival of its frames"),
            ("`at_ms` of a frame", f"rises strictly; at most {CLOCK_SLACK_MS} ms later than the frames arrived"),
            ("challenges that a customer meets in a day", f"at most {DRAWS_IN_ONE_DAY} of {number_of_challenges():,}"),
            ("a hand-off", f"{LIFETIME.seconds // 60} minutes from the offer, never longer than the transaction"),
            ("an answer to an `Idempotency-Key`", "is kept for 24 hours"),
        ],
    ),
    "words": table(
        ("Of", "Words"),
        [
            ("`transaction_type`", ", ".join(code(one.value) for one in TransactionType)),
            ("`type` of a document", ", ".join(code(one.value) for one in DocumentType)),
            ("`status`", ", ".join(code(one.value) for one in Status)),
            ("`platform`", ", ".join(code(one.value) for one in Platform)),
            ("`location.permission`", ", ".join(code(one.value) for one in Permission)),
            ("`attestation.provider`", ", ".join(code(one.value) for one in Provider)),
        ],
    ),
    "error codes": table(
        ("Status", "`code`", "Meaning", "What to do"),
        [
            (row.status, code(name), row.meaning, row.remedy)
            for name, row in PROBLEMS.items()
            if name not in NOT_OF_THE_SDK and not (name.endswith("_not_found") and name != "route_not_found")
        ],
    ),
}
"""Parts of sdk-interface.md between `<!-- NAME -->` and `<!-- /NAME -->`."""


def sdk_page(text: str) -> str:
    for name, part in SDK_PARTS.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        if not pattern.search(text):
            raise SystemExit(f"sdk-interface.md has no place for {name}")
        text = pattern.sub(lambda found, part=part: f"{found[1]}{part}\n{found[2]}", text)  # type: ignore[misc]
    return text


def pages() -> dict[Path, str]:
    sdk = FOLDER / "sdk-interface.md"
    return {
        FOLDER / "results-and-statuses.md": results_page(),
        FOLDER / "rate-limits.md": limits_page(),
        FOLDER / "pagination.md": pagination_page(),
        FOLDER / "versioning.md": versioning_page(),
        sdk: sdk_page(sdk.read_text(encoding="utf-8")),
    }


def main() -> int:
    stale = {path: text for path, text in pages().items() if not path.exists() or path.read_text("utf-8") != text}
    if "--check" in sys.argv:
        return 1 if stale else 0
    for path, text in stale.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
