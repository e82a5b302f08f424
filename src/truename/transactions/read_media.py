"""Read one picture of a transaction; each reading is audited."""

from uuid import UUID

from truename.accounts.authentication import Caller
from truename.media.read import read_picture
from truename.plumbing.resources import Plumbing


async def read_media(plumbing: Plumbing, caller: Caller, transaction_id: UUID, media_id: UUID) -> tuple[bytes, str]:
    """The picture and its content type. The audit row is committed before a byte is handed out."""
    found = await read_picture(plumbing, caller.account_id, media_id, actor=caller.actor, transaction_id=transaction_id)
    return found.data, found.content_type
