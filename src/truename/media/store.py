"""The SQL of pictures and faces."""

from collections.abc import Sequence
from uuid import UUID

from truename.media.faces import FaceOrigin, StoredFace
from truename.media.pictures import CONTENT_TYPE, MediaKind, StoredPicture
from truename.plumbing.database.pool import Connection


async def insert_pictures(connection: Connection, pictures: Sequence[StoredPicture]) -> None:
    """Make stored pictures known."""
    async with connection.cursor() as cursor:
        await cursor.executemany(
            """
            INSERT INTO media (media_id, account_id, customer_id, transaction_id, kind, content_type, size, width,
                               height, storage_key)
            VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
            """,
            [
                (
                    one.media_id,
                    one.account_id,
                    one.customer_id,
                    one.transaction_id,
                    one.kind,
                    CONTENT_TYPE,
                    one.size,
                    one.width,
                    one.height,
                    one.object_key,
                )
                for one in pictures
            ],
        )


async def insert_face(connection: Connection, face: StoredFace) -> None:
    """Insert the row of a face; whether it is the reference is the customer's business."""
    await connection.execute(
        """
        INSERT INTO faces (face_id, account_id, customer_id, transaction_id, origin, media_id, usable, reason,
                           model_sha256, sealed_template)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        """,
        (
            face.face_id,
            face.account_id,
            face.customer_id,
            face.transaction_id,
            face.origin,
            face.media_id,
            face.usable,
            face.reason,
            face.model_sha256,
            face.sealed_template,
        ),
    )


async def drop_reference_face(
    connection: Connection, account_id: UUID, customer_id: UUID, *, keep: UUID | None
) -> list[str]:
    """Destroy the templates and forget the pictures of reference images but one; answers where those pictures lie.

    A live face that was the reference belongs to its transaction and goes with it.
    """
    cursor = await connection.execute(
        "DELETE FROM faces WHERE account_id = %s AND customer_id = %s AND origin = %s AND face_id IS DISTINCT FROM %s "
        "RETURNING media_id",
        (account_id, customer_id, FaceOrigin.REFERENCE_IMAGE, keep),
    )
    media_ids = [row["media_id"] for row in await cursor.fetchall() if row["media_id"] is not None]
    cursor = await connection.execute(
        "DELETE FROM media WHERE account_id = %s AND media_id = ANY(%s) RETURNING storage_key", (account_id, media_ids)
    )
    return [row["storage_key"] for row in await cursor.fetchall()]


async def drop_pictures(
    connection: Connection, account_id: UUID, transaction_id: UUID, kinds: Sequence[MediaKind]
) -> list[str]:
    """Forget the pictures of a take that is replaced; answers where they lie, to be deleted after the commit."""
    cursor = await connection.execute(
        "DELETE FROM media WHERE account_id = %s AND transaction_id = %s AND kind = ANY(%s) RETURNING storage_key",
        (account_id, transaction_id, [str(kind) for kind in kinds]),
    )
    return [row["storage_key"] for row in await cursor.fetchall()]
