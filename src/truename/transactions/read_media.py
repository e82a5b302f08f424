"""Read one picture of a transaction; each reading is audited."""

from uuid import UUID

from truename.accounts.authentication import Caller
from truename.audit.model import Action
from truename.audit.record import record
from truename.media.pictures import open_picture
from truename.plumbing.errors import Gone, MediaNotFound
from truename.plumbing.resources import Plumbing
from truename.plumbing.storage.objects import NoSuchObject
from truename.transactions import store


async def read_media(plumbing: Plumbing, caller: Caller, transaction_id: UUID, media_id: UUID) -> tuple[bytes, str]:
    """The picture and its content type. The audit row is committed before a byte is handed out."""
    own = {"account_id": caller.account_id, "transaction_id": transaction_id, "media_id": media_id}
    async with plumbing.database.account(caller.account_id) as connection:
        cursor = await connection.execute(store.MEDIA, own)
        row = await cursor.fetchone()
        if row is None:
            raise MediaNotFound
        if row["redacted_at"] is not None or row["data_key"] is None:
            raise Gone("The picture was redacted.")
        await record(
            connection,
            caller.account_id,
            actor=f"client:{caller.client_id}",
            action=Action.MEDIA_READ,
            subject=f"media:{media_id}",
            details={"transaction_id": str(transaction_id), "customer_id": str(row["customer_id"])},
        )
    key = await plumbing.keys.open(row["data_key"], caller.account_id, row["customer_id"])
    if key is None:
        raise Gone("The picture was redacted.")
    try:
        picture = await open_picture(plumbing.objects, key, media_id, row["storage_key"])
    except NoSuchObject:
        raise Gone("The picture was redacted.") from None
    return picture, row["content_type"]
