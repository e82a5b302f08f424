"""`truename` with a fault built in: an event is sent before the change that it tells of has committed.

    python -m benchmarks.faults.planted serve …

It is what services do that call the receiver from within the request. The check must find it.
"""

import asyncio
import os
import ssl
from datetime import UTC, datetime

import aiohttp

from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.http.answers import encode
from truename.transactions import lifecycle
from truename.webhooks import outbox
from truename.webhooks.outbox import ChangedStatus
from truename.webhooks.sign import signed_headers

record_event = outbox.record_event


async def sent_before_commit(connection: Connection, changed: ChangedStatus, previous_status: str) -> str | None:
    """Tell the receiver first, then write it down, as if it were sure that the rest goes well."""
    event_id = await record_event(connection, changed, previous_status)
    if event_id is None or changed.webhook_url is None:
        return event_id
    body = encode(outbox.event_of(changed, previous_status)).decode()
    headers = signed_headers(event_id or f"evt_{new_id()}", datetime.now(UTC), body, [os.environ["PLANTED_SECRET"]])
    tls = ssl.create_default_context(cafile=os.environ["TRUENAME_WEBHOOK_CA_FILE"])
    try:
        async with (
            aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=tls)) as http,
            http.post(changed.webhook_url, data=body, headers=headers),
        ):
            pass
    except aiohttp.ClientError:
        return event_id
    await asyncio.sleep(0.05)  # what else such a request does before it commits
    return event_id


if __name__ == "__main__":
    outbox.record_event = sent_before_commit
    lifecycle.record_event = sent_before_commit  # type: ignore[attr-defined,unused-ignore]
    from truename.cli import app

    app(prog_name="truename")
