"""Pictures in: read bounded, decoded safely, kept sealed."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from truename.capture.access import Capture
from truename.media.pictures import MediaKind, StoredPicture, store_picture
from truename.plumbing.errors import Invalid
from truename.plumbing.resources import Plumbing
from truename.rules.faults import Fault
from truename.vision.images import CleanImage, ImageRefused

LOOKING: Final = asyncio.Semaphore(2)
"""Looking at pictures takes a core and hundreds of megabytes: never many at once."""

Seen = TypeVar("Seen")


async def look(at: Callable[[], Seen], pointer: str = "") -> Seen:
    """Look beside the event loop; a picture that cannot be decoded is a refusal."""
    async with LOOKING:
        try:
            return await asyncio.to_thread(at)
        except ImageRefused as refused:
            fault = Fault(pointer, f"image_{refused.reason_code}", refused.sentence)
            raise Invalid([fault], code="invalid_image") from None


async def store_sealed(plumbing: Plumbing, capture: Capture, image: CleanImage, kind: MediaKind) -> StoredPicture:
    """Put the sealed picture into the store; its row is inserted with the take."""
    own = capture.account_id, capture.customer_id, capture.transaction_id
    return await store_picture(
        plumbing.objects, capture.key(plumbing), *own, kind, image.data, image.width, image.height
    )


async def discard(plumbing: Plumbing, storage_keys: list[str]) -> None:
    """Delete pictures that nothing refers to any more."""
    for key in storage_keys:
        await plumbing.objects.delete(key)
