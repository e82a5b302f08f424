"""Move a customer to another status, with a reason that is kept."""

from uuid import UUID

from truename.audit.record import record
from truename.customers import store
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import NotFound
from truename.rules.dossier import CustomerStatus


async def change_status(
    connection: Connection, account_id: UUID, customer_id: UUID, status: CustomerStatus, *, actor: str, reason: str
) -> None:
    before = await store.set_status(connection, account_id, customer_id, status)
    if before is None:
        raise NotFound
    await record(
        connection,
        account_id,
        actor=actor,
        action="customer.status_changed",
        subject=f"customer:{customer_id}",
        details={"from": before, "to": str(status), "reason": reason},
    )
