"""Were these frames sent before by the same customer, whatever was done to them? Compared with what is kept."""

import asyncio
from uuid import UUID

from truename.capture import liveness_store
from truename.capture.access import Capture
from truename.media.pictures import PictureAltered, open_picture
from truename.plumbing.resources import Plumbing
from truename.plumbing.storage.objects import NoSuchObject
from truename.vision.decoding.header import ImageRefused
from truename.vision.liveness.replay import COMPARED, Grey, is_replay, small_grey

EARLIER_TAKES = 3


async def were_sent_before(plumbing: Plumbing, capture: Capture, frames: tuple[Grey, ...]) -> bool:
    """Compare with the customer's last takes, as far as their pictures are still kept."""
    async with plumbing.database.account(capture.account_id) as connection:
        takes = await liveness_store.earlier_takes(connection, capture, EARLIER_TAKES)
    for take in takes:
        step = max(1, len(take) // COMPARED)
        found = await asyncio.gather(*(_opened(plumbing, capture, *one) for one in take[::step][:COMPARED]))
        earlier = [grey for grey in found if grey is not None]
        if await asyncio.to_thread(is_replay, frames, earlier):
            return True
    return False


async def _opened(plumbing: Plumbing, capture: Capture, media_id: UUID, object_key: str) -> Grey | None:
    """The frame, small; None when it was deleted or damaged since."""
    try:
        data = await open_picture(plumbing.objects, await capture.key(plumbing), media_id, object_key)
        decoded = await plumbing.decoders.decode(
            data, f"transaction:{capture.transaction_id}", account=f"account:{capture.account_id}"
        )
    except (NoSuchObject, PictureAltered, ImageRefused):
        return None
    return small_grey(decoded.pixels)
