"""Enrol a reference face: decode the picture that was sent, find its face, keep both sealed."""

import asyncio
import base64
from typing import Final
from uuid import UUID

from truename.accounts.authentication import Caller
from truename.media.faces import FaceOrigin, StoredFace, sealed_face
from truename.media.pictures import MediaKind, StoredPicture, store_picture
from truename.plumbing.crypto.vault import DataKey
from truename.plumbing.errors import Invalid
from truename.plumbing.resources import Plumbing
from truename.rules.faults import Fault
from truename.vision.decoding.header import ImageRefused
from truename.vision.decoding.protocol import LARGEST_SIDE, Wanted
from truename.vision.face.reference import ReferenceReading, find_reference_face
from truename.vision.images import CleanImage

KEPT_COPY: Final = Wanted(largest_side=LARGEST_SIDE, copy_quality=92)


async def enrol_face(
    plumbing: Plumbing, caller: Caller, customer_id: UUID, key: DataKey, image: str
) -> tuple[StoredPicture, StoredFace]:
    """Store the picture, given as base64, and seal its face; both rows are for the caller to insert.

    A picture without a usable face is kept with the reason. Raises Invalid when it cannot be decoded.
    """
    copy, found = await read_reference_face(plumbing, caller, image)
    own = (caller.account_id, customer_id, None)
    picture = await store_picture(
        plumbing.objects, key, *own, MediaKind.REFERENCE_IMAGE, copy.data, copy.width, copy.height
    )
    reason = str(found.reason) if found.reason else None
    return picture, sealed_face(key, *own, FaceOrigin.REFERENCE_IMAGE, picture.media_id, found.template, reason)


async def read_reference_face(plumbing: Plumbing, caller: Caller, image: str) -> tuple[CleanImage, ReferenceReading]:
    """The copy that is safe to keep, and its face. Raises Invalid when the picture cannot be decoded."""
    data = await asyncio.to_thread(base64.b64decode, image)
    sender = f"account:{caller.account_id}"
    try:
        async with plumbing.decoders.turn(data, sender, sender) as turn:
            decoded = await turn.decode(KEPT_COPY)
            copy = CleanImage(decoded.copy, decoded.width, decoded.height)
            return copy, await turn.look(lambda: find_reference_face(decoded.pixels))
    except ImageRefused as refused:
        raise Invalid([Fault("/face_reference_image", f"image_{refused.reason_code}", refused.sentence)]) from None
