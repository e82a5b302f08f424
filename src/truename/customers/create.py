"""Create a customer, with an enrolled reference face when a picture is sent."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import orjson
from psycopg.rows import class_row
from pydantic import JsonValue
from pydantic_core import PydanticCustomError

from truename.accounts.authentication import Caller
from truename.customers import store
from truename.customers.enrol import enrol_face, read_reference_face
from truename.customers.model import ContactData, NewCustomer, canonical_base64
from truename.media.face_vectors import enrol_for_search
from truename.media.faces import StoredFace
from truename.media.pictures import StoredPicture
from truename.media.store import insert_face, insert_pictures
from truename.plumbing.crypto.vault import DataKey, Vault
from truename.plumbing.database.batching import Batcher
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection, Database
from truename.plumbing.errors import CustomerAlreadyExists, Invalid
from truename.plumbing.resources import Plumbing
from truename.rules.faults import Fault


@dataclass(frozen=True)
class NewRow:
    """The columns of a new customer, named as in the table."""

    customer_id: UUID
    account_id: UUID
    external_customer_id: str
    data_key: bytes | None
    sealed_profile: bytes | None


@dataclass(frozen=True)
class Prepared:
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
        sealed_profile = ContactData(email=new.email, phone_number=new.phone_number).sealed_by(made.key)
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
    cursor = await connection.cursor(row_factory=class_row(store.InsertedRow)).execute(store.INSERT, vars(prepared.row))
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
        asked = orjson.dumps([vars(one.row) for one in many], default=_base64).decode()
        rows = await database.statement(account_id, store.INSERT_MANY, {"rows": asked, "account_id": account_id})
        made = {row["customer_id"]: row["created_at"] for row in rows}
        return [made.get(one.row.customer_id) for one in many]

    return Batcher(insert_all)


def _base64(value: object) -> str:
    """Sealed bytes within JSON."""
    if not isinstance(value, bytes):
        raise TypeError
    return base64.b64encode(value).decode()


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
