"""Is this webhook from the service, unchanged and fresh? Standard Webhooks 1.0, on the raw bytes of the body."""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from truename_client.answers import WebhookEvent
from truename_client.decode import decoded
from truename_client.errors import BadArgument, UnexpectedAnswer, WebhookNotVerified

PREFIX: Final = "whsec_"
Headers = Mapping[str, str] | Iterable[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class ReceivedEvent(WebhookEvent):
    """An event that was verified: what changed, and the id by which a repetition is known."""

    id: str
    """The `webhook-id`: the same on every attempt. Keep it, and ignore an event whose id you have."""
    sent_at: datetime
    """When this attempt was made."""


def verify_webhook(
    headers: Headers, body: bytes, secret: str | Iterable[str], *, tolerance: float = 300.0
) -> ReceivedEvent:
    """The event that a webhook tells of, or WebhookNotVerified.

    headers: those of the request, in any case. body: the raw bytes, exactly as they came; parsed and written again,
    they would be others. secret: the account's `webhook_secret` (whsec_…), or the new and the old one while it is
    rotated. tolerance: how many seconds the clocks may differ and the delivery may take; an older one may be a
    recording that somebody plays again.
    """
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise BadArgument("body must be the raw bytes of the request, not text or parsed JSON.")
    keys = [_key(one) for one in ([secret] if isinstance(secret, str) else secret)]
    if not keys:
        raise BadArgument("secret is empty: give the account's webhook_secret.")
    content = bytes(body)
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    given = {name.lower(): value for name, value in pairs}
    event_id, sent = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not event_id or not sent or not given.get("webhook-signature"):
        raise WebhookNotVerified("A header is missing: webhook-id, webhook-timestamp or webhook-signature.")
    if not (sent.isascii() and sent.isdigit() and len(sent) <= 12):
        raise WebhookNotVerified("webhook-timestamp is no number of seconds.")
    _refuse_wrong_signature(f"{event_id}.{sent}.".encode() + content, given["webhook-signature"], keys)
    # Only now: of a forged one, nothing is told but that it is forged.
    if abs(time.time() - int(sent)) > tolerance:
        raise WebhookNotVerified("The webhook is too old or from the future; are both clocks right?")
    try:
        event = decoded(WebhookEvent, json.loads(content))
    except (ValueError, UnexpectedAnswer):
        raise WebhookNotVerified("The body is signed but is no event of a transaction.") from None
    return ReceivedEvent(**vars(event), id=event_id, sent_at=datetime.fromtimestamp(int(sent), UTC))


def _key(secret: str) -> bytes:
    try:
        found = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError, AttributeError):
        found = b""
    if not found:
        raise BadArgument("secret is none: it begins with whsec_ and continues in base64, as the service showed it.")
    return found


def _refuse_wrong_signature(signed: bytes, written: str, keys: list[bytes]) -> None:
    """Every signature is compared with every key, in a time that tells nothing."""
    wanted = [base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in keys]
    shown = [
        part.removeprefix("v1,").encode() for part in written.split(" ") if part.startswith("v1,") and part.isascii()
    ]
    right = False
    for one in shown[:16]:
        for other in wanted:
            right |= hmac.compare_digest(one, other)
    if not right:
        raise WebhookNotVerified("No signature fits: another secret, another sender, or a body that was changed.")
