"""The SQL of customers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from psycopg.rows import class_row

from truename.plumbing.database.pool import Connection
from truename.plumbing.database.prepared import PreparedStatement


@dataclass(frozen=True)
class CustomerRow:
    """A row of FIND: a customer who was not erased, and the reference face if there is one."""

    customer_id: UUID
    account_id: UUID
    external_customer_id: str
    status: str
    data_key: bytes | None
    sealed_profile: bytes | None
    created_at: datetime
    usable: bool | None
    """Of the reference face, as the next three; all None without one."""
    reason: str | None
    origin: Literal["REFERENCE_IMAGE", "LIVENESS"] | None
    enrolled_at: datetime | None


@dataclass(frozen=True)
class LockedCustomer:
    """A customer that nobody else changes until the database transaction ends."""

    customer_id: UUID
    sealed_profile: bytes | None


@dataclass(frozen=True)
class InsertedRow:
    """A row of INSERT: the customer that was made, or (not fresh) the one that had the identifier before."""

    customer_id: UUID
    created_at: datetime
    fresh: bool


INSERT: Final = """
WITH made AS (
    INSERT INTO customers (customer_id, account_id, external_customer_id, data_key, sealed_profile)
    VALUES (%(customer_id)s, %(account_id)s, %(external_customer_id)s, %(data_key)s, %(sealed_profile)s)
    ON CONFLICT (account_id, external_customer_id) DO NOTHING
    RETURNING customer_id, created_at
)
SELECT customer_id, created_at, true AS fresh FROM made
UNION ALL
SELECT customer_id, created_at, false FROM customers
WHERE account_id = %(account_id)s AND external_customer_id = %(external_customer_id)s
"""
"""Two rows never come back: within one statement the other half sees the table as it was before."""

INSERT_MANY: Final = PreparedStatement(
    "insert_customers",
    ("jsonb", "uuid"),
    """
    INSERT INTO customers (customer_id, account_id, external_customer_id, data_key, sealed_profile)
    SELECT n.customer_id, $2, n.external_customer_id, decode(n.data_key, 'base64'), decode(n.sealed_profile, 'base64')
    FROM jsonb_to_recordset($1) AS n (customer_id uuid, external_customer_id text, data_key text, sealed_profile text)
    ORDER BY n.external_customer_id
    ON CONFLICT (account_id, external_customer_id) DO NOTHING
    RETURNING customer_id, created_at
    """,
)
"""In the order of the index, so that two statements of several rows never wait for each other in a circle."""

FIND: Final = """
SELECT c.customer_id, c.account_id, c.external_customer_id, c.status, c.data_key, c.sealed_profile, c.created_at,
       f.usable, f.reason, f.origin, f.created_at AS enrolled_at
FROM customers c LEFT JOIN faces f ON f.face_id = c.reference_face_id AND f.account_id = c.account_id
WHERE c.account_id = %(account_id)s AND c.erased_at IS NULL
"""
BY_ID: Final = FIND + " AND c.customer_id = %(customer_id)s"
BY_EXTERNAL_ID: Final = FIND + " AND c.external_customer_id = %(external_customer_id)s"


async def find(connection: Connection, account_id: UUID, customer_id: UUID) -> CustomerRow | None:
    """The customer with its reference face; None when unknown or erased."""
    own = {"account_id": account_id, "customer_id": customer_id}
    cursor = await connection.cursor(row_factory=class_row(CustomerRow)).execute(BY_ID, own)
    return await cursor.fetchone()


async def id_of(connection: Connection, account_id: UUID, external_customer_id: str) -> UUID | None:
    """The customer of this external identifier, erased ones included; None when there is none."""
    cursor = await connection.execute(
        "SELECT customer_id FROM customers WHERE account_id = %s AND external_customer_id = %s",
        (account_id, external_customer_id),
    )
    row = await cursor.fetchone()
    return row["customer_id"] if row else None


async def lock(connection: Connection, account_id: UUID, customer_id: UUID) -> LockedCustomer | None:
    """The customer, kept as it is until the database transaction ends; None when there is none (any more)."""
    cursor = await connection.cursor(row_factory=class_row(LockedCustomer)).execute(
        "SELECT customer_id, sealed_profile FROM customers "
        "WHERE account_id = %s AND customer_id = %s AND erased_at IS NULL FOR UPDATE",
        (account_id, customer_id),
    )
    return await cursor.fetchone()


async def set_profile(connection: Connection, account_id: UUID, customer_id: UUID, sealed_profile: bytes) -> None:
    """Replace the sealed e-mail address and telephone number."""
    await connection.execute(
        "UPDATE customers SET sealed_profile = %s WHERE account_id = %s AND customer_id = %s",
        (sealed_profile, account_id, customer_id),
    )


async def set_reference_face(connection: Connection, account_id: UUID, customer_id: UUID, face_id: UUID | None) -> None:
    """Make a stored face the customer's identity reference, or none."""
    await connection.execute(
        "UPDATE customers SET reference_face_id = %s WHERE account_id = %s AND customer_id = %s",
        (face_id, account_id, customer_id),
    )


async def set_status(connection: Connection, account_id: UUID, customer_id: UUID, status: str) -> str | None:
    """Set the status; answers the one before, or None when there is no such customer."""
    cursor = await connection.execute(
        "SELECT status FROM customers WHERE account_id = %s AND customer_id = %s AND erased_at IS NULL FOR UPDATE",
        (account_id, customer_id),
    )
    row = await cursor.fetchone()
    if row is None:
        return None
    await connection.execute(
        "UPDATE customers SET status = %s WHERE account_id = %s AND customer_id = %s",
        (status, account_id, customer_id),
    )
    before: str = row["status"]
    return before
