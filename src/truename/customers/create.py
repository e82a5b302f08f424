"""Create a customer, with an enrolled reference face when a picture is sent."""

from binascii import b2a_base64
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import orjson
from psycopg.rows import class_row
from pydantic import JsonValue
from pydantic_core import PydanticCustomError

from truename.accounts.authentication import Caller
from truename.customers import store
from truename.customers.enrol import enrol_face, read_reference_face
from truename.customers.model import NewCustomer, canonical_base64, sealed_contact_data
from truename.media.face_vectors import enrol_for_search
from truename.media.faces import StoredFace
from truename.media.pictures import StoredPicture
from truename.media.store import insert_face, insert_pictures
from truename.plumbing.crypto.vault import DataKey, Vault
from truename.plumbing.database.batching import Batcher
from truename.plumbing.database.ids import id_text, new_id
from truename.plumbing.database.pool import Connection, Database
from truename.plumbing.database.prepared import moments_by_id
from truename.plumbing.errors import CustomerAlreadyExists, Invalid
from truename.plumbing.resources import Plumbing
from truename.rules.faults import Fault


class NewRow(NamedTuple):
    """The columns of a new customer, named as in the table."""

    customer_id: UUID
    account_id: UUID
    external_customer_id: str
    data_key: bytes | None
    sealed_profile: bytes | None


class Prepared(NamedTuple):
    """A customer that is ready to be inserted: everything that takes time lies behind it."""

    row: NewRow
    key: DataKey
    face: StoredFace | None = None
    picture: StoredPicture | None = None


async def prepare(plumbing: Plumbing, caller: Caller, new: NewCustomer) -> Prepared:
    """Seal what is personal; decode, describe and store the picture, all before the database is touched."""
    customer_id = new_id()
    made = await plumbing.keys.make(caller.account_id, customer_id)
    sealed_profile = None
    if (new.email, new.phone_number, new.face_reference_image) != (None, None, None):
        sealed_profile = sealed_contact_data(made.key, new.email, new.phone_number)
    row = NewRow(customer_id, caller.account_id, new.external_customer_id, made.data_key, sealed_profile)
    if new.face_reference_image is None:
        return Prepared(row, made.key)
    picture, face = await enrol_face(plumbing, caller, customer_id, made.key, new.face_reference_image)
    return Prepared(row, made.key, face, picture)


async def picture_faults(plumbing: Plumbing, caller: Caller, sent: JsonValue) -> list[Fault]:
    """What is wrong with the picture in a body that is wrong elsewhere, when its text alone was right."""
    text = sent.get("face_reference_image") if isinstance(sent, dict) else None
    if not isinstance(text, str):
        return []  # absent, or named among the faults already
    try:
        await read_reference_face(plumbing, caller, canonical_base64(text))
    except Invalid as refused:
        return list(refused.faults)
    except PydanticCustomError:
        return []  # named among the faults already
    return []


async def insert(connection: Connection, vault: Vault, prepared: Prepared) -> store.InsertedRow:
    """Insert the customer; refuses a second one of the same external id, also when both come at once."""
    rows = connection.cursor(row_factory=class_row(store.InsertedRow))
    cursor = await rows.execute(store.INSERT, prepared.row._asdict())
    made = await made_or_refused(connection, prepared, await cursor.fetchall())
    if prepared.picture and prepared.face:
        face = prepared.face
        await insert_pictures(connection, [prepared.picture])
        await insert_face(connection, face)
        await store.set_reference_face(connection, face.account_id, face.customer_id, face.face_id)
        await enrol_for_search(connection, vault, prepared.key, face.account_id, face.customer_id)
    return made


def customer_batcher(database: Database) -> Batcher[UUID, Prepared, datetime | None]:
    """Inserts the customers that an account creates at the same moment in one statement; None: there was one before."""

    async def insert_all(account_id: UUID, many: Sequence[Prepared]) -> list[datetime | None]:
        asked = orjson.dumps([_as_json(one.row) for one in many]).decode()
        rows = await database.prepared(store.INSERT_MANY, (asked, str(account_id)), account_id)
        made = moments_by_id(rows)
        return [made.get(id_text(one.row.customer_id)) for one in many]

    return Batcher(insert_all, at_once=2)


def _as_json(row: NewRow) -> dict[str, object]:
    """A row in one JSON text with others, its sealed bytes as base64."""
    key, profile = row.data_key, row.sealed_profile
    return {
        "customer_id": row.customer_id,
        "external_customer_id": row.external_customer_id,
        "data_key": None if key is None else b2a_base64(key, newline=False).decode(),
        "sealed_profile": None if profile is None else b2a_base64(profile, newline=False).decode(),
    }


async def made_or_refused(
    connection: Connection, prepared: Prepared, rows: list[store.InsertedRow]
) -> store.InsertedRow:
    """The row that was made, or the refusal that names the customer who was there before."""
    if rows and rows[0].fresh:
        return rows[0]
    account_id, external_id = prepared.row.account_id, prepared.row.external_customer_id
    # Nothing came back when the other insert committed after our statement began: a fresh look sees it.
    there = rows[0].customer_id if rows else await store.id_of(connection, account_id, external_id)
    raise CustomerAlreadyExists(there)
