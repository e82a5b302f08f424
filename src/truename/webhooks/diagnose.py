"""Why does a signature fail? Looks at what a receiver got, part by part, and names the one that is wrong."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from truename.webhooks.sign import signed_headers

NEEDED: Final = ("webhook-id", "webhook-timestamp", "webhook-signature")
TOLERANCE: Final = timedelta(minutes=5)
"""How old a webhook may be before libraries of the standard refuse it."""


@dataclass(frozen=True)
class Finding:
    """One part that was looked at."""

    part: str
    state: Literal["right", "wrong", "unsure"]
    words: str


def headers_of(text: str) -> dict[str, str]:
    """The headers in a pasted text, one on each line, by their names in small letters."""
    pairs = (line.partition(":") for line in text.splitlines() if ":" in line)
    return {name.strip().strip("'\"").lower(): value.strip().strip("',\"") for name, _, value in pairs}


def diagnose(
    headers: dict[str, str], body: str, secrets: Sequence[str], now: datetime, sent_body: str | None
) -> list[Finding]:
    """What is right and what is wrong, in the order in which a receiver looks; `sent_body`: what we sent, if known."""
    missing = [name for name in NEEDED if not headers.get(name)]
    if missing:
        words = f"There is no {', '.join(missing)}. Did a proxy or a framework drop or rename it?"
        return [Finding("headers", "wrong", words)]
    found = [Finding("headers", "right", "All three are there.")]
    moment = _moment(headers["webhook-timestamp"])
    if moment is None:
        return [*found, Finding("timestamp", "wrong", "webhook-timestamp is no number of seconds since 1970.")]
    found += [_age(moment, now), _event(sent_body)]
    given = [part for part in headers["webhook-signature"].split() if part.startswith("v1,")]
    if not given:
        words = "webhook-signature holds no part that begins with “v1,”. Give the whole header, not only its end."
        return [*found, Finding("signature", "wrong", words)]
    if _matches(headers["webhook-id"], moment, body, secrets, given):
        return [*found, Finding("signature", "right", "Valid: signed by us with a secret that is in force.")]
    return [*found, *_why(headers["webhook-id"], moment, body, secrets, given, sent_body)]


def _age(moment: datetime, now: datetime) -> Finding:
    gap = now - moment
    if abs(gap) <= TOLERANCE:
        return Finding("timestamp", "right", "Within five minutes of now.")
    when = f"{moment:%Y-%m-%d %H:%M:%S} UTC"
    words = f"It says {when}; libraries refuse what is more than five minutes off. Fine for a check afterwards; "
    return Finding("timestamp", "unsure", words + "if it failed at once, the clock of your server is wrong.")


def _event(sent_body: str | None) -> Finding:
    if sent_body is not None:
        return Finding("event", "right", "webhook-id names an event of this account.")
    words = "webhook-id names no event of this account: is the webhook of another account, or of the sandbox?"
    return Finding("event", "wrong", words)


def _why(
    event_id: str, moment: datetime, body: str, secrets: Sequence[str], given: list[str], sent_body: str | None
) -> list[Finding]:
    for words, other in _variants(body, sent_body):
        if _matches(event_id, moment, other, secrets, given):
            return [Finding("body", "wrong", words), Finding("signature", "wrong", "Right for the body that we sent.")]
    if sent_body is not None and body == sent_body:
        words = "Body, id and time are as we sent them, so it was made with another secret: an old one whose time is "
        return [Finding("signature", "wrong", words + "over, that of another account, or the header was altered.")]
    words = "It fits no secret in force, whichever way the body is read: body or timestamp was changed on the way."
    return [Finding("signature", "wrong", words)]


def _variants(body: str, sent_body: str | None) -> list[tuple[str, str]]:
    """Bodies that the receiver may have had before it was changed, each with what happened to it."""
    found = [
        ("There is white space around it that was not sent.", body.strip()),
        ("The line break at its end was not sent.", body.rstrip("\r\n")),
    ]
    if sent_body is not None and body != sent_body:
        at = next((n for n, (a, b) in enumerate(zip(body, sent_body, strict=False)) if a != b), len(sent_body))
        words = f"It differs from what we sent, from character {at + 1} on"
        if _same_json(body, sent_body):
            words += ", though it is the same JSON: your framework parsed it and wrote it anew. Verify the raw bytes"
        found.append((f"{words}.", sent_body))
    return found


def _same_json(one: str, two: str) -> bool:
    try:
        return bool(json.loads(one) == json.loads(two))
    except (ValueError, RecursionError):
        return False


def _matches(event_id: str, moment: datetime, body: str, secrets: Sequence[str], given: list[str]) -> bool:
    ours = signed_headers(event_id, moment, body, secrets)["webhook-signature"].split()
    return bool(set(ours) & set(given))


def _moment(text: str) -> datetime | None:
    if not (text.isascii() and text.isdigit() and len(text) <= 11):
        return None
    return datetime.fromtimestamp(int(text), UTC)
