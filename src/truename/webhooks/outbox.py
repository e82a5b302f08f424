"""An event for every change of status, written in the same database transaction as the change itself."""

from collections.abc import Mapping
from typing import Any

from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.http.answers import encode, instant
from truename.plumbing.jobs.queue import enqueue


async def record_event(connection: Connection, transaction: Mapping[str, Any], previous_status: str) -> str | None:
    """Write the event of this change and the job that delivers it; nothing when the transaction has no webhook.

    `transaction` is the row after the change, with `external_customer_id` and `changed_at` of the database's clock.
    """
    webhook = transaction["config"].get("webhook")
    if not webhook:
        return None
    event_id = f"evt_{new_id()}"
    kind, body = event_of(transaction, previous_status)
    await connection.execute(
        """
        INSERT INTO webhook_events (event_id, account_id, transaction_id, sequence, type, url, body)
        VALUES (%s, %s, %s, %s, %s, %s, %s)
        """,
        (
            event_id,
            transaction["account_id"],
            transaction["transaction_id"],
            transaction["sequence"],
            kind,
            webhook["url"],
            body.decode(),
        ),
    )
    await enqueue(connection, "webhooks.deliver", {"account_id": str(transaction["account_id"]), "event_id": event_id})
    return event_id


def event_of(transaction: Mapping[str, Any], previous_status: str) -> tuple[str, bytes]:
    """The type and the body of the event of one change: no personal data beyond the integrator's own identifier."""
    kind = f"transaction.{transaction['status'].lower()}"
    body = encode(
        {
            "type": kind,
            "timestamp": instant(transaction["changed_at"]),
            "data": {
                "transaction_id": transaction["transaction_id"],
                "customer_id": transaction["customer_id"],
                "external_customer_id": transaction["external_customer_id"],
                "transaction_type": transaction["transaction_type"],
                "status": transaction["status"],
                "previous_status": previous_status,
                "sequence": transaction["sequence"],
            },
        }
    )
    return kind, body
