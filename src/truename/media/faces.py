"""A face template: an embedding of a face and the model that made it, kept sealed."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

import orjson

from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import DataKey
from truename.plumbing.database.ids import new_id
from truename.vision.captures import FaceTemplate


class FaceOrigin(StrEnum):
    """Where a face was seen."""

    REFERENCE_IMAGE = "REFERENCE_IMAGE"
    LIVENESS = "LIVENESS"
    DOCUMENT = "DOCUMENT"


@dataclass(frozen=True, slots=True)
class StoredFace:
    """One row of a face; a face that cannot be compared has a reason and no template."""

    face_id: UUID
    account_id: UUID
    customer_id: UUID
    transaction_id: UUID | None
    origin: FaceOrigin
    media_id: UUID | None
    reason: str | None
    model_sha256: str | None
    sealed_template: bytes | None

    @property
    def usable(self) -> bool:
        """Can it be compared? Without a template it cannot."""
        return self.sealed_template is not None


def sealed_face(
    key: DataKey,
    account_id: UUID,
    customer_id: UUID,
    transaction_id: UUID | None,
    origin: FaceOrigin,
    media_id: UUID | None,
    template: FaceTemplate | None,
    reason: str | None = None,
) -> StoredFace:
    """The row of a face, its template sealed under the customer's key."""
    face_id = new_id()
    sealed = key.seal(plain_template(template), seals.face_template(face_id)) if template else None
    model = template.model_sha256 if template else None
    return StoredFace(face_id, account_id, customer_id, transaction_id, origin, media_id, reason, model, sealed)


def opened_template(key: DataKey, face_id: UUID, sealed: bytes) -> FaceTemplate:
    """The template of a stored face. Raises CannotOpen when it was altered or moved."""
    return template_from_plain(key.open(sealed, seals.face_template(face_id)))


def plain_template(template: FaceTemplate) -> bytes:
    """The template as bytes, in plain: they are sealed before they are kept."""
    return orjson.dumps({"vector": template.vector, "model_sha256": template.model_sha256})


def template_from_plain(plain: bytes) -> FaceTemplate:
    """The template of what `plain_template` wrote."""
    stored = orjson.loads(plain)
    return FaceTemplate(tuple(stored["vector"]), stored["model_sha256"])
