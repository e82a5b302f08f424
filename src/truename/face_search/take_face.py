"""Take the face that goes onto a blocklist: from a picture that was sent, or from a customer who was here."""

import asyncio
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from truename.media.faces import opened_template
from truename.media.pictures import PictureAltered, open_picture
from truename.plumbing.errors import CustomerNotFound
from truename.plumbing.resources import Plumbing
from truename.plumbing.storage.objects import NoSuchObject
from truename.rules.evidence import QualityReason
from truename.vision.captures import FaceTemplate
from truename.vision.decoding.protocol import Wanted
from truename.vision.face.embed import is_ours
from truename.vision.face.reference import find_reference_face, read_reference

KEPT_COPY: Final = Wanted(largest_side=1024, copy_quality=90)
FACES: Final = """
SELECT f.face_id, f.sealed_template, m.media_id, m.storage_key, c.data_key
FROM customers c LEFT JOIN faces f ON f.account_id = c.account_id AND f.customer_id = c.customer_id AND f.usable
    AND (f.face_id = c.reference_face_id OR f.origin = 'LIVENESS')
LEFT JOIN media m ON m.media_id = f.media_id AND m.redacted_at IS NULL
WHERE c.account_id = %s AND c.customer_id = %s AND c.erased_at IS NULL
ORDER BY f.origin = 'LIVENESS' DESC, f.created_at DESC
"""
"""Live faces first, the newest first: a reference image may have been sent by whoever was somebody else."""


class NoUsableFace(Exception):
    """There is no face that could be searched for, and why."""

    def __init__(self, reason: QualityReason | None) -> None:
        super().__init__(str(reason or QualityReason.NO_FACE))
        self.reason = reason or QualityReason.NO_FACE


@dataclass(frozen=True)
class TakenFace:
    """A face by the recipe in use, and the picture it was taken from, if it is still there."""

    template: FaceTemplate
    picture: bytes | None


async def face_of_picture(plumbing: Plumbing, sender: str, data: bytes) -> TakenFace:
    """The one face of a picture; raises ImageRefused when it cannot be decoded, NoUsableFace when it shows none."""
    async with plumbing.decoders.turn(data, sender, sender) as turn:
        decoded = await turn.decode(KEPT_COPY)
        reading = await turn.look(lambda: find_reference_face(decoded.pixels))
    if reading.template is None:
        raise NoUsableFace(reading.reason)
    return TakenFace(reading.template, decoded.copy)


async def face_of_customer(plumbing: Plumbing, account_id: UUID, customer_id: UUID) -> TakenFace:
    """The customer's live face, else the reference; raises CustomerNotFound, or NoUsableFace when none was kept."""
    rows = await plumbing.database.statement(account_id, FACES, (account_id, customer_id))
    if not rows:
        raise CustomerNotFound
    key = await plumbing.keys.open(rows[0]["data_key"], account_id, customer_id)
    if key is None:
        raise CustomerNotFound
    for row in rows:
        if row["face_id"] is None:
            continue
        picture = None
        if row["storage_key"] is not None:
            try:
                picture = await open_picture(plumbing.objects, key, row["media_id"], row["storage_key"])
            except (NoSuchObject, PictureAltered):
                picture = None
        template = opened_template(key, row["face_id"], bytes(row["sealed_template"]))
        if not is_ours(template):
            found = await asyncio.to_thread(read_reference, picture) if picture is not None else None
            if found is None or found.template is None:
                continue
            template = found.template
        return TakenFace(template, picture)
    raise NoUsableFace(None)
