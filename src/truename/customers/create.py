"""Create a customer, with an enrolled reference face when a picture is sent."""

import asyncio
import base64
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import orjson
from psycopg.rows import DictRow

from truename.accounts.authentication import Caller
from truename.customers import store
from truename.customers.model import NewCustomer
from truename.plumbing.database.batching import Batcher
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection, Database
from truename.plumbing.errors import CustomerAlreadyExists, Invalid
from truename.plumbing.resources import Plumbing
from truename.rules.faults import Fault
from truename.vision.captures import FaceTemplate
from truename.vision.images import ImageRefused
from truename.vision.reference_picture import Reference, describe_reference

LOOKING: Final = asyncio.Semaphore(2)
"""A picture of 40 million pixels takes hundreds of megabytes while it is looked at: never many at once."""


@dataclass(frozen=True)
class Prepared:
    """A customer that is ready to be inserted: everything that takes time lies behind it."""

    row: dict[str, Any]
    face: dict[str, Any] | None = None
    media: dict[str, Any] | None = None

    @property
    def storage_key(self) -> str | None:
        return str(self.media["storage_key"]) if self.media else None


def sealed_template(template: FaceTemplate) -> bytes:
    """The bytes of a face template, to be sealed."""
    return orjson.dumps({"vector": template.vector, "model_sha256": template.model_sha256})


def template_from(opened: bytes) -> FaceTemplate:
    stored = orjson.loads(opened)
    return FaceTemplate(tuple(stored["vector"]), stored["model_sha256"])


async def prepare(plumbing: Plumbing, caller: Caller, new: NewCustomer) -> Prepared:
    """Seal what is personal; decode, describe and store the picture, all before the database is touched."""
    customer_id = new_id()
    data_key = plumbing.vault.new_customer_key(caller.account_id, customer_id)
    profile = {"email": new.email, "phone_number": new.phone_number}
    sealed_profile = None
    if any(profile.values()) or new.face_reference_image is not None:
        key = plumbing.vault.customer_key(data_key, caller.account_id, customer_id)
        sealed_profile = key.seal(orjson.dumps(profile), "profile")
    row = {
        "customer_id": customer_id,
        "account_id": caller.account_id,
        "external_customer_id": new.external_customer_id,
        "data_key": data_key,
        "sealed_profile": sealed_profile,
    }
    if new.face_reference_image is None:
        return Prepared(row)
    reference = await _described(new.face_reference_image)
    media_id, face_id = new_id(), new_id()
    media = {
        "media_id": media_id,
        "account_id": caller.account_id,
        "customer_id": customer_id,
        "transaction_id": None,
        "kind": "REFERENCE_IMAGE",
        "content_type": "image/jpeg",
        "size": len(reference.image.data),
        "width": reference.image.width,
        "height": reference.image.height,
        "storage_key": media_key(caller.account_id, customer_id, media_id),
    }
    template = reference.template
    face = {
        "face_id": face_id,
        "account_id": caller.account_id,
        "customer_id": customer_id,
        "transaction_id": None,
        "origin": "REFERENCE_IMAGE",
        "media_id": media_id,
        "usable": reference.usable,
        "reason": reference.reason,
        "model_sha256": template.model_sha256 if template else None,
        "sealed_template": key.seal(sealed_template(template), f"face:{face_id}") if template else None,
    }
    await plumbing.objects.put(str(media["storage_key"]), key.seal(reference.image.data, f"media:{media_id}"))
    return Prepared(row, face, media)


def media_key(account_id: UUID, customer_id: UUID, media_id: UUID) -> str:
    """Where a sealed picture lies in the store of objects."""
    return f"{account_id}/{customer_id}/{media_id}"


async def _described(image: str) -> Reference:
    try:
        async with LOOKING:
            return await asyncio.to_thread(lambda: describe_reference(base64.b64decode(image)))
    except ImageRefused as refused:
        raise Invalid([Fault("/face_reference_image", f"image_{refused.reason_code}", refused.sentence)]) from None


async def insert(connection: Connection, prepared: Prepared) -> DictRow:
    """Insert the customer; refuses a second one of the same external id, also when both come at once."""
    cursor = await connection.execute(store.INSERT, prepared.row)
    made = await accepted(connection, prepared, await cursor.fetchall())
    if prepared.media and prepared.face:
        await store.insert_media(connection, prepared.media)
        await store.insert_reference_face(connection, prepared.face)
    return made


def inserting_together(database: Database) -> Batcher[UUID, Prepared, datetime | None]:
    """Inserts the customers that an account creates at the same moment in one statement; None: there was one before."""

    async def insert_all(account_id: UUID, many: Sequence[Prepared]) -> list[datetime | None]:
        asked = orjson.dumps([one.row for one in many], default=_base64).decode()
        rows = await database.statement(account_id, store.INSERT_MANY, {"rows": asked, "account_id": account_id})
        made = {row["customer_id"]: row["created_at"] for row in rows}
        return [made.get(one.row["customer_id"]) for one in many]

    return Batcher(insert_all)


def _base64(value: object) -> str:
    """Sealed bytes within JSON."""
    if not isinstance(value, bytes):
        raise TypeError
    return base64.b64encode(value).decode()


async def accepted(connection: Connection, prepared: Prepared, rows: list[DictRow]) -> DictRow:
    """The row that was made, or the refusal that names the customer who was there before."""
    if rows and rows[0]["fresh"]:
        return rows[0]
    account_id, external_id = prepared.row["account_id"], prepared.row["external_customer_id"]
    # Nothing came back when the other insert committed after our statement began: a fresh look sees it.
    there = rows[0]["customer_id"] if rows else await store.id_of(connection, account_id, external_id)
    raise CustomerAlreadyExists(there)
