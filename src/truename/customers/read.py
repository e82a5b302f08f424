"""Read a customer as the integrator sees it."""

from uuid import UUID

from truename.accounts.authentication import Caller
from truename.audit.model import Action, Entry
from truename.audit.reads import record_reading
from truename.customers import store
from truename.customers.model import ContactData, CustomerChange, ShownCustomer, ShownReferenceFace
from truename.plumbing.crypto import seals
from truename.plumbing.errors import CustomerNotFound
from truename.plumbing.resources import Plumbing
from truename.rules.dossier import CustomerStatus
from truename.rules.evidence import QualityReason


async def read_customer(plumbing: Plumbing, caller: Caller, customer_id: UUID) -> ShownCustomer:
    """The customer as the integrator sees it, which leaves a row in the audit log; refuses (404) an unknown one."""
    own = {"account_id": caller.account_id, "customer_id": customer_id}
    rows = await plumbing.database.typed_statement(store.CustomerRow, caller.account_id, store.BY_ID, own)
    if not rows:
        raise CustomerNotFound
    await _record(plumbing, caller, rows)
    return caller.marked(await shown(plumbing, rows[0]))


async def find_customers(plumbing: Plumbing, caller: Caller, external_customer_id: str) -> list[ShownCustomer]:
    """The one customer of this external id, in a list, or none."""
    own = {"account_id": caller.account_id, "external_customer_id": external_customer_id}
    rows = await plumbing.database.typed_statement(store.CustomerRow, caller.account_id, store.BY_EXTERNAL_ID, own)
    await _record(plumbing, caller, rows)
    return [caller.marked(await shown(plumbing, row)) for row in rows]


async def _record(plumbing: Plumbing, caller: Caller, rows: list[store.CustomerRow]) -> None:
    for row in rows:
        entry = Entry(caller.account_id, caller.actor, Action.CUSTOMER_READ, f"customer:{row.customer_id}")
        await record_reading(plumbing.database, entry)


async def shown_to(plumbing: Plumbing, caller: Caller, row: store.CustomerRow) -> ShownCustomer | CustomerChange:
    """The whole customer for a token that may read, otherwise ids and status."""
    if caller.may("customers:read"):
        return caller.marked(await shown(plumbing, row))
    return caller.marked(shown_change(row))


async def shown(plumbing: Plumbing, row: store.CustomerRow) -> ShownCustomer:
    """The customer with its profile opened; refuses (404) when it was erased meanwhile."""
    contact = ContactData()
    if row.sealed_profile is not None:
        key = await plumbing.keys.open(row.data_key, row.account_id, row.customer_id)
        if key is None:
            raise CustomerNotFound  # erased between the two looks
        contact = ContactData.model_validate_json(key.open(row.sealed_profile, seals.PROFILE))
    return ShownCustomer(
        customer_id=row.customer_id,
        external_customer_id=row.external_customer_id,
        status=CustomerStatus(row.status),
        email=contact.email,
        phone_number=contact.phone_number,
        reference_face=_reference_face(row),
        created_at=row.created_at,
    )


def _reference_face(row: store.CustomerRow) -> ShownReferenceFace | None:
    if row.usable is None or row.origin is None or row.enrolled_at is None:
        return None
    reason = QualityReason(row.reason) if row.reason else None
    return ShownReferenceFace(usable=row.usable, reason=reason, origin=row.origin, enrolled_at=row.enrolled_at)


def shown_change(row: store.CustomerRow) -> CustomerChange:
    """Ids and status: what a token that may write and not read is told."""
    return CustomerChange(
        customer_id=row.customer_id,
        external_customer_id=row.external_customer_id,
        status=CustomerStatus(row.status),
        created_at=row.created_at,
    )
