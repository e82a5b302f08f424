"""Move a customer to another status, with a reason that is kept."""

from uuid import UUID

from truename.audit.model import Action, Entry
from truename.audit.record import write
from truename.customers import store
from truename.customers.reasons import sealed_reason
from truename.plumbing.customer_keys import CustomerKeys
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import CustomerNotFound
from truename.rules.dossier import CustomerStatus


async def change_status(
    connection: Connection,
    keys: CustomerKeys,
    account_id: UUID,
    customer_id: UUID,
    status: CustomerStatus,
    *,
    actor: str,
    reason: str,
) -> None:
    """Set the status and write down who did it and why; raises NotFound when there is no such customer."""
    before = await store.set_status(connection, account_id, customer_id, status)
    if before is None:
        raise CustomerNotFound
    audit_id = new_id()
    entry = Entry(
        account_id,
        actor,
        Action.CUSTOMER_STATUS_CHANGED,
        f"customer:{customer_id}",
        {"from": before, "to": str(status)},
        sealed_reason=await sealed_reason(connection, keys, account_id, customer_id, audit_id, reason),
        audit_id=audit_id,
    )
    write(connection, entry)
