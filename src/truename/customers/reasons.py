"""Why somebody did something to a customer: free text in the audit log, readable while the customer is kept."""

from uuid import UUID

from truename.audit.model import Line
from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import DataKey, Vault
from truename.plumbing.database.pool import Connection


async def sealed_reason(
    connection: Connection, vault: Vault, account_id: UUID, customer_id: UUID, audit_id: UUID, reason: str
) -> bytes | None:
    """The text sealed under the customer's key, for the entry of that id; None when the customer was erased."""
    key = await _key(connection, vault, account_id, customer_id)
    return None if key is None else key.seal(reason.encode(), seals.audit_reason(audit_id))


async def opened_reason(connection: Connection, vault: Vault, line: Line) -> str | None:
    """The text of a line; None when it has none, or when the customer it concerns was erased."""
    if line.sealed_reason is None:
        return None
    named = line.details.get("customer_id") or line.subject.removeprefix("customer:")
    key = await _key(connection, vault, line.account_id, UUID(str(named)))
    return None if key is None else key.open(line.sealed_reason, seals.audit_reason(line.audit_id)).decode()


async def _key(connection: Connection, vault: Vault, account_id: UUID, customer_id: UUID) -> DataKey | None:
    cursor = await connection.execute(
        "SELECT data_key FROM customers WHERE account_id = %s AND customer_id = %s", (account_id, customer_id)
    )
    row = await cursor.fetchone()
    if row is None or row["data_key"] is None:
        return None
    return vault.customer_key(bytes(row["data_key"]), account_id, customer_id)
