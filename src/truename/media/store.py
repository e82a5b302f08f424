"""The SQL of pictures and faces."""

from collections.abc import Sequence
from uuid import UUID

from truename.media.faces import StoredFace
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


async def drop_pictures(
    connection: Connection, account_id: UUID, transaction_id: UUID, kinds: Sequence[MediaKind]
) -> list[str]:
    """Forget the pictures of a take that is replaced; answers where they lie, to be deleted after the commit."""
    cursor = await connection.execute(
        "DELETE FROM media WHERE account_id = %s AND transaction_id = %s AND kind = ANY(%s) RETURNING storage_key",
        (account_id, transaction_id, [str(kind) for kind in kinds]),
    )
    return [row["storage_key"] for row in await cursor.fetchall()]
