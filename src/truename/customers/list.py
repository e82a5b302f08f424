"""List customers, newest first, and tell what became of one: for people who look, not for the interface."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from psycopg.rows import class_row

from truename.accounts.authentication import Caller
from truename.audit.model import Action, Detail, Entry
from truename.audit.read import Filters, read_lines
from truename.audit.reads import record_reading
from truename.customers.reasons import opened_reason
from truename.plumbing.database.pool import Connection
from truename.plumbing.resources import Plumbing
from truename.rules.dossier import CustomerStatus

LIST: Final = """
SELECT c.customer_id, c.external_customer_id, CASE WHEN c.erased_at IS NULL THEN c.status ELSE 'ERASED' END AS status,
       c.created_at, c.erased_at, c.reference_face_id IS NOT NULL AS has_face,
       (SELECT count(*) FROM (SELECT 1 FROM transactions t WHERE t.customer_id = c.customer_id
        LIMIT %(counted_to)s) AS own)
           AS transactions
FROM customers c
WHERE c.account_id = %(account_id)s AND (%(before)s::uuid IS NULL OR c.customer_id < %(before)s)
  AND (%(status)s::text IS NULL OR (c.status = %(status)s AND c.erased_at IS NULL))
ORDER BY c.customer_id DESC LIMIT %(limit)s
"""
ONE: Final = """
SELECT c.customer_id, c.external_customer_id, CASE WHEN c.erased_at IS NULL THEN c.status ELSE 'ERASED' END AS status,
       c.created_at, c.erased_at, c.reference_face_id IS NOT NULL AS has_face, 0::bigint AS transactions
FROM customers c WHERE c.account_id = %(account_id)s AND c.customer_id = %(customer_id)s
"""
REFERENCE: Final = """
SELECT f.media_id FROM customers c JOIN faces f ON f.face_id = c.reference_face_id AND f.account_id = c.account_id
WHERE c.account_id = %s AND c.customer_id = %s AND f.media_id IS NOT NULL
"""
HISTORY: Final = 200
COUNTED_TO: Final = 100
"""Transactions of one customer of a list that are counted: a page counts those of fifty customers."""
CHANGES: Final = (Action.CUSTOMER_CHANGED, Action.CUSTOMER_STATUS_CHANGED, Action.CUSTOMER_ERASED)


@dataclass(frozen=True)
class ListedCustomer:
    """A customer in a list: no contact data, no picture."""

    customer_id: UUID
    external_customer_id: str | None
    """None once the customer was erased."""
    status: str
    """ACTIVE, SUSPICIOUS, BLOCKED or ERASED."""
    created_at: datetime
    erased_at: datetime | None
    has_face: bool
    transactions: int
    """At most COUNTED_TO."""


@dataclass(frozen=True)
class Happening:
    """Something that was done to a customer."""

    at: datetime
    actor: str
    action: str
    details: dict[str, Detail]
    reason: str | None
    """In free text; None when there is none, or when the customer was erased."""


async def list_customers(
    plumbing: Plumbing, caller: Caller, *, status: CustomerStatus | None, before: UUID | None, limit: int
) -> list[ListedCustomer]:
    """One page after `before`, newest first, which leaves a line in the audit log."""
    async with plumbing.database.account(caller.account_id) as connection:
        cursor = await connection.cursor(row_factory=class_row(ListedCustomer)).execute(
            LIST,
            {
                "account_id": caller.account_id,
                "status": status,
                "before": before,
                "limit": limit,
                "counted_to": COUNTED_TO,
            },
        )
        found = await cursor.fetchall()
    subject = f"account:{caller.account_id}"
    entry = Entry(caller.account_id, caller.actor, Action.CUSTOMERS_LISTED, subject, {"count": len(found)})
    await record_reading(plumbing.database, entry)
    return found


async def find_customer(connection: Connection, account_id: UUID, customer_id: UUID) -> ListedCustomer | None:
    """One customer, erased or not, without anything that must be written down."""
    cursor = await connection.cursor(row_factory=class_row(ListedCustomer)).execute(
        ONE, {"account_id": account_id, "customer_id": customer_id}
    )
    return await cursor.fetchone()


async def reference_picture(connection: Connection, account_id: UUID, customer_id: UUID) -> UUID | None:
    """The picture of the reference face; None when there is none."""
    cursor = await connection.execute(REFERENCE, (account_id, customer_id))
    row = await cursor.fetchone()
    return row["media_id"] if row else None


async def history_of(
    plumbing: Plumbing, connection: Connection, account_id: UUID, customer_id: UUID
) -> list[Happening]:
    """What was changed about a customer, the newest first; readings are left to the audit log."""
    subject = f"customer:{customer_id}"
    filters = Filters(account_id=account_id, subject=subject, actions=CHANGES, limit=HISTORY)
    return [
        Happening(
            line.at,
            line.actor,
            line.action,
            dict(line.details),
            await opened_reason(connection, plumbing.keys, line),
        )
        for line in reversed(await read_lines(connection, filters))
    ]
