"""Write down who did what to whose data, in the same database transaction as the deed."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection


async def record(
    connection: Connection, account_id: UUID, *, actor: str, action: str, subject: str, details: Mapping[str, Any]
) -> None:
    """One line of the audit log; its details never hold personal data."""
    await connection.execute(
        "INSERT INTO audit_log (audit_id, account_id, actor, action, subject, details) VALUES (%s, %s, %s, %s, %s, %s)",
        (new_id(), account_id, actor, action, subject, Jsonb(dict(details))),
    )
