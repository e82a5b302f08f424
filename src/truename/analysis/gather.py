"""Gather: everything that the look and the judgement need, read in one short database transaction."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date
from typing import LiteralString
from uuid import UUID

from psycopg.rows import DictRow

from truename.accounts.model import AccountSettings
from truename.accounts.store import account_settings
from truename.capture.signals import evidence_of_device
from truename.media.faces import opened_template
from truename.media.pictures import open_picture
from truename.plumbing.clock import date_at_utc_minus_12
from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import DataKey
from truename.plumbing.database.pool import Connection
from truename.plumbing.resources import Plumbing
from truename.rules.config import Config, TransactionType
from truename.rules.dossier import CustomerStatus, EarlierRecord
from truename.rules.evidence import DeviceEvidence
from truename.transactions.create import with_matching
from truename.transactions.lifecycle import Status
from truename.vision.captures import Captures, Frame, ReferenceFace, Step
from truename.vision.face.embed import template_sha256

TRANSACTION = """
SELECT t.status, t.transaction_type, t.config, t.sealed_matching, t.submitted_at, t.customer_id,
       c.status AS customer_status, c.data_key, c.sealed_record,
       c.reference_face_id, f.usable AS face_usable, f.sealed_template, f.next_model_sha256, f.sealed_next_template,
       f.media_id AS face_media_id,
       fm.storage_key AS face_storage_key, fm.redacted_at AS face_redacted_at
FROM transactions t
JOIN customers c ON c.customer_id = t.customer_id AND c.account_id = t.account_id
LEFT JOIN faces f ON f.face_id = c.reference_face_id AND f.account_id = c.account_id
LEFT JOIN media fm ON fm.media_id = f.media_id AND fm.account_id = c.account_id
WHERE t.account_id = %(account_id)s AND t.transaction_id = %(transaction_id)s
"""
CAPTURES = """
SELECT slot, media, challenge FROM captures WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s
"""
PICTURES = """
SELECT media_id, storage_key FROM media
WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s AND redacted_at IS NULL
"""


OpenPicture = Callable[[UUID, str], Awaitable[bytes]]
"""The id of a picture and the key of its object in; the opened picture out."""


class CustomerErased(Exception):
    """The customer was erased while the transaction waited: nothing can be opened any more."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One submitted transaction, opened, before anything was looked at."""

    account_id: UUID
    transaction_id: UUID
    customer_id: UUID
    transaction_type: TransactionType
    config: Config
    customer_status: CustomerStatus
    earlier_record: EarlierRecord | None
    has_reference_face: bool
    settings: AccountSettings
    today: date
    key: DataKey


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """A case and what there is to look at."""

    case: Case
    reference: ReferenceFace | None
    captures: Captures
    device: DeviceEvidence


async def open_case(
    connection: Connection, plumbing: Plumbing, account_id: UUID, transaction_id: UUID
) -> tuple[Case, DictRow] | None:
    """A transaction that waits for its analysis, and its row; None when it does not (any more).

    Raises CustomerErased when its customer was erased meanwhile.
    """
    cursor = await connection.execute(TRANSACTION, {"account_id": account_id, "transaction_id": transaction_id})
    row = await cursor.fetchone()
    if row is None or row["status"] != Status.PROCESSING:
        return None
    settings = await account_settings(connection, account_id)
    key = await plumbing.keys.open(row["data_key"], account_id, row["customer_id"])
    if key is None:
        raise CustomerErased
    case = Case(
        account_id=account_id,
        transaction_id=transaction_id,
        customer_id=row["customer_id"],
        transaction_type=TransactionType(row["transaction_type"]),
        config=_config(row, key, transaction_id),
        customer_status=CustomerStatus(row["customer_status"]),
        earlier_record=_record(row, key),
        has_reference_face=row["reference_face_id"] is not None,
        settings=settings,
        today=date_at_utc_minus_12(row["submitted_at"]),
        key=key,
    )
    return case, row


async def gather(plumbing: Plumbing, account_id: UUID, transaction_id: UUID) -> Gathered | None:
    """Everything of a transaction that waits for its analysis; None when it does not (any more)."""
    own = {"account_id": account_id, "transaction_id": transaction_id}
    async with plumbing.database.account(account_id) as connection:
        opened_case = await open_case(connection, plumbing, account_id, transaction_id)
        if opened_case is None:
            return None
        case, row = opened_case
        key, kind = case.key, case.transaction_type
        slots = {found["slot"]: found for found in await _all(connection, CAPTURES, own)}
        places = {found["media_id"]: found["storage_key"] for found in await _all(connection, PICTURES, own)}
        device = await evidence_of_device(connection, plumbing.settings, key, account_id, transaction_id)

    async def picture(media_id: UUID, storage_key: str) -> bytes:
        return await open_picture(plumbing.objects, key, media_id, storage_key)

    async def side(slot: str) -> bytes | None:
        item = next(iter(slots[slot]["media"]), None) if slot in slots else None
        return await picture(UUID(item["media_id"]), places[UUID(item["media_id"])]) if item else None

    sent = slots["LIVENESS"]["media"] if "LIVENESS" in slots else []
    opened = await asyncio.gather(*(picture(UUID(item["media_id"]), places[UUID(item["media_id"])]) for item in sent))
    frames = [
        Frame(data, Step(item.get("step") or Step.LOOK_STRAIGHT), int(item.get("at_ms") or 0))
        for data, item in zip(opened, sent, strict=True)
    ]
    return Gathered(
        case=case,
        reference=await _reference(row, key, picture),
        captures=Captures(
            document_front=await side("DOCUMENT_FRONT") if kind.has_document else None,
            document_back=await side("DOCUMENT_BACK") if kind.has_document else None,
            frames=tuple(frames) if kind.has_selfie else (),
            challenge=tuple(Step(step) for step in slots["LIVENESS"]["challenge"]) if "LIVENESS" in slots else (),
            wants_document=kind.has_document,
            wants_liveness=kind.has_selfie,
            compares_faces=case.config.biometric_policy.require_face_comparison,
        ),
        device=device,
    )


async def _all(connection: Connection, query: LiteralString, own: dict[str, UUID]) -> list[DictRow]:
    cursor = await connection.execute(query, own)
    return await cursor.fetchall()


def _config(row: DictRow, key: DataKey, transaction_id: UUID) -> Config:
    matching = None
    if row["sealed_matching"] is not None:
        matching = key.open(bytes(row["sealed_matching"]), seals.data_matching(transaction_id))
    return Config.from_stored(with_matching(row["config"], matching))


def _record(row: DictRow, key: DataKey) -> EarlierRecord | None:
    if row["sealed_record"] is None:
        return None
    return EarlierRecord.model_validate_json(key.open(bytes(row["sealed_record"]), seals.DOCUMENT_RECORD))


async def _reference(row: DictRow, key: DataKey, picture: OpenPicture) -> ReferenceFace | None:
    """The enrolled face; one that is not usable is still given, so that its comparisons fail and are not left out."""
    if row["reference_face_id"] is None:
        return None
    sealed = row["sealed_template"]
    if row["next_model_sha256"] is not None and row["next_model_sha256"] == template_sha256():
        sealed = row["sealed_next_template"]
    template = opened_template(key, row["reference_face_id"], bytes(sealed)) if sealed is not None else None
    image = None
    if row["face_storage_key"] is not None and row["face_redacted_at"] is None:
        image = await picture(row["face_media_id"], row["face_storage_key"])
    return ReferenceFace(image, template)
