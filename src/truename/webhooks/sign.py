"""Standard Webhooks 1.0: who sent this, and is it unchanged?"""

from collections.abc import Iterable
from datetime import datetime

from standardwebhooks import Webhook


def signed_headers(event_id: str, sent_at: datetime, body: str, secrets: Iterable[str]) -> dict[str, str]:
    """The standard's three headers, one signature for each secret in force: two while one rotates, at most five."""
    return {
        "webhook-id": event_id,
        "webhook-timestamp": str(int(sent_at.timestamp())),
        "webhook-signature": " ".join(Webhook(secret).sign(event_id, sent_at, body) for secret in secrets),
    }
