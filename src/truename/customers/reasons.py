"""Why somebody did something to a customer: free text in the audit log, readable while the customer is kept."""

from uuid import UUID

from truename.audit.model import Line
from truename.plumbing.crypto import seals
from truename.plumbing.customer_keys import CustomerKeys
from truename.plumbing.database.pool import Connection


async def sealed_reason(
    connection: Connection, keys: CustomerKeys, account_id: UUID, customer_id: UUID, audit_id: UUID, reason: str
) -> bytes | None:
    """The text sealed under the customer's key, for the entry of that id; None when the customer was erased."""
    owned = await keys.of_customer(connection, account_id, customer_id)
    return None if owned is None else owned.key.seal(reason.encode(), seals.audit_reason(audit_id))


async def opened_reason(connection: Connection, keys: CustomerKeys, line: Line) -> str | None:
    """The text of a line; None when it has none, or when the customer it concerns was erased."""
    if line.sealed_reason is None:
        return None
    named = line.details.get("customer_id") or line.subject.removeprefix("customer:")
    owned = await keys.of_customer(connection, line.account_id, UUID(str(named)))
    return None if owned is None else owned.key.open(line.sealed_reason, seals.audit_reason(line.audit_id)).decode()
