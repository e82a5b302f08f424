"""A picture of a person: a row that names it, and a sealed object that only the customer's key opens."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

import structlog

from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import CannotOpen, DataKey
from truename.plumbing.database.ids import new_id
from truename.plumbing.storage.objects import Objects

log = structlog.get_logger(__name__)

CONTENT_TYPE = "image/jpeg"
"""Every picture is decoded and encoded anew before it is kept, so that only one kind of file is ever stored."""


class PictureAltered(CannotOpen):
    """What the store gives back is not what it was given: damaged, cut off, or another picture's bytes."""


class MediaKind(StrEnum):
    """What a stored picture shows."""

    REFERENCE_IMAGE = "REFERENCE_IMAGE"
    DOCUMENT_FRONT = "DOCUMENT_FRONT"
    DOCUMENT_BACK = "DOCUMENT_BACK"
    DOCUMENT_FRONT_RECTIFIED = "DOCUMENT_FRONT_RECTIFIED"
    DOCUMENT_PORTRAIT = "DOCUMENT_PORTRAIT"
    LIVENESS_FRAME = "LIVENESS_FRAME"
    LIVENESS_FACE = "LIVENESS_FACE"


@dataclass(frozen=True, slots=True)
class StoredPicture:
    """One sealed picture; `transaction_id` is None for the reference image that the integrator sent."""

    media_id: UUID
    account_id: UUID
    customer_id: UUID
    transaction_id: UUID | None
    kind: MediaKind
    size: int
    width: int
    height: int

    @property
    def object_key(self) -> str:
        """Where the sealed bytes lie in the store of objects."""
        return object_key(self.account_id, self.customer_id, self.media_id)


def object_key(account_id: UUID, customer_id: UUID, media_id: UUID) -> str:
    """Three identifiers, nothing else: whoever lists the store learns no name."""
    return f"{customer_prefix(account_id, customer_id)}{media_id}"


def customer_prefix(account_id: UUID, customer_id: UUID) -> str:
    """What the keys of all pictures of one customer begin with."""
    return f"{account_id}/{customer_id}/"


async def store_picture(
    objects: Objects,
    key: DataKey,
    account_id: UUID,
    customer_id: UUID,
    transaction_id: UUID | None,
    kind: MediaKind,
    data: bytes,
    width: int,
    height: int,
) -> StoredPicture:
    """Seal the JPEG and put it into the store; the row that makes it known is inserted by whoever keeps it.

    An object whose row never comes (the process died in between) is found by the orphan sweep.
    """
    stored = StoredPicture(new_id(), account_id, customer_id, transaction_id, kind, len(data), width, height)
    await objects.put(stored.object_key, key.seal(data, seals.picture(stored.media_id)))
    return stored


async def store_pictures(
    objects: Objects,
    key: DataKey,
    account_id: UUID,
    customer_id: UUID,
    transaction_id: UUID | None,
    kind: MediaKind,
    jpegs: Sequence[tuple[bytes, int, int]],
) -> list[StoredPicture]:
    """The same for many pictures (data, width, height) of one kind, which wait for the disk together."""
    stored = [
        StoredPicture(new_id(), account_id, customer_id, transaction_id, kind, len(data), width, height)
        for data, width, height in jpegs
    ]
    sealed = {
        one.object_key: key.seal(data, seals.picture(one.media_id))
        for one, (data, _, _) in zip(stored, jpegs, strict=True)
    }
    await objects.put_all(sealed)
    return stored


async def open_picture(objects: Objects, key: DataKey, media_id: UUID, at: str) -> bytes:
    """The JPEG that lies at this object key. Raises NoSuchObject when it was deleted, PictureAltered when altered."""
    sealed = await objects.get(at)
    try:
        return key.open(sealed, seals.picture(media_id))
    except CannotOpen:
        log.error("the store gives back other bytes than it was given", media_id=str(media_id), size=len(sealed))
        raise PictureAltered from None
