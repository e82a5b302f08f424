"""Read a customer as the integrator sees it."""

from typing import Any
from uuid import UUID

import orjson
from psycopg.rows import DictRow

from truename.accounts.authentication import Caller
from truename.audit.model import Action, Entry
from truename.audit.reads import record_reading
from truename.customers import store
from truename.plumbing.crypto import seals
from truename.plumbing.errors import CustomerNotFound
from truename.plumbing.http.answers import instant
from truename.plumbing.resources import Plumbing


async def read_customer(plumbing: Plumbing, caller: Caller, customer_id: UUID) -> dict[str, Any]:
    """The customer as the integrator sees it, which leaves a row in the audit log; refuses (404) an unknown one."""
    rows = await plumbing.database.statement(
        caller.account_id, store.BY_ID, {"account_id": caller.account_id, "customer_id": customer_id}
    )
    if not rows:
        raise CustomerNotFound
    await _record(plumbing, caller, rows)
    return await shown(plumbing, rows[0])


async def find_customers(plumbing: Plumbing, caller: Caller, external_customer_id: str) -> list[dict[str, Any]]:
    """The one customer of this external id, in a list, or none."""
    rows = await plumbing.database.statement(
        caller.account_id,
        store.BY_EXTERNAL_ID,
        {"account_id": caller.account_id, "external_customer_id": external_customer_id},
    )
    await _record(plumbing, caller, rows)
    return [await shown(plumbing, row) for row in rows]


async def _record(plumbing: Plumbing, caller: Caller, rows: list[DictRow]) -> None:
    for row in rows:
        entry = Entry(caller.account_id, caller.actor, Action.CUSTOMER_READ, f"customer:{row['customer_id']}")
        await record_reading(plumbing.database, entry)


async def shown(plumbing: Plumbing, row: dict[str, Any]) -> dict[str, Any]:
    """A row of `store.FIND` with its profile opened; refuses (404) when the customer was erased meanwhile."""
    profile: dict[str, Any] = {}
    if row["sealed_profile"] is not None:
        key = await plumbing.keys.open(row["data_key"], row["account_id"], row["customer_id"])
        if key is None:
            raise CustomerNotFound  # erased between the two looks
        profile = orjson.loads(key.open(bytes(row["sealed_profile"]), seals.PROFILE))
    face = None
    if row["reference_face_id"] is not None:
        face = {
            "usable": row["usable"],
            "reason": row["reason"],
            "origin": row["origin"],
            "enrolled_at": instant(row["enrolled_at"]),
        }
    return {
        "customer_id": row["customer_id"],
        "external_customer_id": row["external_customer_id"],
        "status": row["status"],
        "email": profile.get("email"),
        "phone_number": profile.get("phone_number"),
        "reference_face": face,
        "created_at": instant(row["created_at"]),
    }


def shown_change(row: dict[str, Any]) -> dict[str, Any]:
    """Ids and status: what a token that may write and not read is told."""
    return {
        "customer_id": row["customer_id"],
        "external_customer_id": row["external_customer_id"],
        "status": row["status"],
        "created_at": instant(row["created_at"]),
    }
