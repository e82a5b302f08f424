"""Hand cases to somebody: the queue gives them to that person first, and to nobody else by itself for a day.

Nobody is locked out: whoever opens an assigned case may take it by hand, as any other.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final, LiteralString
from uuid import UUID

from truename.audit.model import Action, Entry
from truename.audit.record import write
from truename.plumbing.database.pool import Connection

FOR: Final = timedelta(hours=24)
"""After so long an assigned case is anybody's again."""

ASSIGN: LiteralString = """
INSERT INTO review_cases AS c (transaction_id, account_id, version, assigned_to, assigned_until)
SELECT t.transaction_id, t.account_id, 0, %(assignee)s, clock_timestamp() + %(span)s FROM transactions t
WHERE t.account_id = %(account_id)s AND t.transaction_id = ANY(%(ids)s) AND t.status = 'IN_REVIEW'
ON CONFLICT (transaction_id) DO UPDATE
SET assigned_to = excluded.assigned_to, assigned_until = excluded.assigned_until
RETURNING transaction_id
"""
LOCK: LiteralString = """
SELECT 1 FROM transactions WHERE account_id = %(account_id)s AND transaction_id = ANY(%(ids)s)
ORDER BY transaction_id FOR UPDATE
"""
"""First, and by itself: a statement that waits for a lock does not see what was decided during the wait."""

FREE: LiteralString = """
UPDATE review_cases c SET holder = NULL, held_until = NULL, version = c.version + 1, assigned_to = NULL,
       assigned_until = NULL
FROM (SELECT r.transaction_id, r.holder, r.assigned_to FROM review_cases r
      WHERE r.account_id = %(account_id)s AND r.transaction_id = ANY(%(ids)s) FOR UPDATE) AS before
WHERE c.account_id = %(account_id)s AND c.transaction_id = before.transaction_id
  AND (before.holder IS NOT NULL OR before.assigned_to IS NOT NULL)
  AND (%(anybody)s OR coalesce(before.holder, before.assigned_to) = %(actor)s)
  AND NOT EXISTS (SELECT 1 FROM review_opinions o WHERE o.account_id = c.account_id
                  AND o.transaction_id = c.transaction_id AND o.state = 'PENDING')
RETURNING c.transaction_id, coalesce(before.holder, before.assigned_to) AS whose
"""
ASSIGNED: LiteralString = """
SELECT transaction_id, assigned_to FROM review_cases
WHERE account_id = %(account_id)s AND transaction_id = ANY(%(ids)s) AND assigned_to IS NOT NULL
  AND assigned_until > clock_timestamp()
"""


async def assign(
    connection: Connection, account_id: UUID, transaction_ids: Sequence[UUID], assignee: str, *, actor: str
) -> int:
    """Hand these cases to somebody, `operator:ID`; says how many: only what waits for a person can be handed on."""
    own = {"account_id": account_id, "ids": list(transaction_ids), "assignee": assignee, "span": FOR}
    cursor = await connection.execute(ASSIGN, own)
    found = [row["transaction_id"] for row in await cursor.fetchall()]
    for one in found:
        write(connection, Entry(account_id, actor, Action.REVIEW_ASSIGNED, f"transaction:{one}", {"to": assignee}))
    return len(found)


async def free(
    connection: Connection, account_id: UUID, transaction_ids: Sequence[UUID], *, actor: str, anybody: bool
) -> int:
    """Put these cases back into the queue; says how many. `anybody`: also those that others hold, as an admin may.

    A case whose decision is held stays: its author may take it back, and nobody else touches it.
    """
    own = {"account_id": account_id, "ids": list(transaction_ids), "actor": actor, "anybody": anybody}
    await connection.execute(LOCK, own)
    cursor = await connection.execute(FREE, own)
    found = await cursor.fetchall()
    for row in found:
        details = {"reason": "RELEASED", "from": row["whose"]}
        subject = f"transaction:{row['transaction_id']}"
        write(connection, Entry(account_id, actor, Action.REVIEW_RELEASED, subject, details))
    return len(found)


async def assigned(connection: Connection, account_id: UUID, transaction_ids: Sequence[UUID]) -> Mapping[UUID, str]:
    """To whom which of these cases was handed."""
    cursor = await connection.execute(ASSIGNED, {"account_id": account_id, "ids": list(transaction_ids)})
    return {row["transaction_id"]: row["assigned_to"] for row in await cursor.fetchall()}
