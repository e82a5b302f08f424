"""Pictures in: read bounded, decoded safely, kept sealed."""

import asyncio
from collections.abc import Callable
from typing import Any, Final, TypeVar
from uuid import UUID

from truename.capture.access import Capture
from truename.customers.create import media_key
from truename.customers.store import insert_media
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
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


async def store_sealed(plumbing: Plumbing, capture: Capture, image: CleanImage, kind: str) -> dict[str, Any]:
    """Put the sealed picture into the store; answers the row that makes it known, to be inserted with the take."""
    media_id: UUID = new_id()
    where = media_key(capture.account_id, capture.customer_id, media_id)
    await plumbing.objects.put(where, capture.key(plumbing).seal(image.data, f"media:{media_id}"))
    return {
        "media_id": media_id,
        "account_id": capture.account_id,
        "customer_id": capture.customer_id,
        "transaction_id": capture.transaction_id,
        "kind": kind,
        "content_type": "image/jpeg",
        "size": len(image.data),
        "width": image.width,
        "height": image.height,
        "storage_key": where,
    }


async def insert_all(connection: Connection, rows: list[dict[str, Any]]) -> None:
    for row in rows:
        await insert_media(connection, row)


async def discard(plumbing: Plumbing, storage_keys: list[str]) -> None:
    """Delete pictures that nothing refers to any more."""
    for key in storage_keys:
        await plumbing.objects.delete(key)
