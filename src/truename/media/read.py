"""Read one stored picture; each reading is written down before a byte is handed out."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from truename.audit.model import Action
from truename.audit.record import record
from truename.media.pictures import PictureAltered, open_picture
from truename.plumbing.errors import Gone, MediaNotFound
from truename.plumbing.resources import Plumbing
from truename.plumbing.storage.objects import NoSuchObject

MEDIA: Final = """
SELECT m.media_id, m.customer_id, m.transaction_id, m.content_type, m.storage_key, m.redacted_at, c.data_key
FROM media m JOIN customers c ON c.customer_id = m.customer_id AND c.account_id = m.account_id
WHERE m.account_id = %(account_id)s AND m.media_id = %(media_id)s
  AND (%(transaction_id)s::uuid IS NULL OR m.transaction_id = %(transaction_id)s)
"""


@dataclass(frozen=True, slots=True)
class ReadPicture:
    """The bytes of a picture, and what they are."""

    data: bytes
    content_type: str


async def read_picture(
    plumbing: Plumbing, account_id: UUID, media_id: UUID, *, actor: str, transaction_id: UUID | None = None
) -> ReadPicture:
    """The picture, of this transaction if one is named. The audit line is committed before anything is opened.

    Raises MediaNotFound when the account has no such picture, Gone when it was redacted, erased or damaged.
    """
    own = {"account_id": account_id, "transaction_id": transaction_id, "media_id": media_id}
    async with plumbing.database.account(account_id) as connection:
        cursor = await connection.execute(MEDIA, own)
        row = await cursor.fetchone()
        if row is None:
            raise MediaNotFound
        if row["redacted_at"] is not None or row["data_key"] is None:
            raise Gone("The picture was redacted.")
        details = {"customer_id": str(row["customer_id"])}
        if row["transaction_id"] is not None:
            details["transaction_id"] = str(row["transaction_id"])
        await record(
            connection, account_id, actor=actor, action=Action.MEDIA_READ, subject=f"media:{media_id}", details=details
        )
    key = await plumbing.keys.open(row["data_key"], account_id, row["customer_id"])
    if key is None:
        raise Gone("The picture was redacted.")
    try:
        data = await open_picture(plumbing.objects, key, media_id, row["storage_key"])
    except NoSuchObject:
        raise Gone("The picture was redacted.") from None
    except PictureAltered:
        raise Gone("The picture is damaged: the store of pictures gives back other bytes than it was given.") from None
    return ReadPicture(data, row["content_type"])
