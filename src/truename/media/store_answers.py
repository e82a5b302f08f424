"""Does the store of pictures answer, and is it the one that holds ours?"""

from truename.plumbing.resources import Plumbing
from truename.plumbing.storage.objects import NoSuchBucket


async def store_answers(plumbing: Plumbing) -> None:
    """Raises StorageUnavailable when it does not answer, or its bucket is lost.

    Some stores make a bucket with its first object, so one is written where the bucket is missing and the database
    knows of no picture. Where it does, the bucket is lost: a new, empty one would pass for pictures that were deleted.
    """
    try:
        await plumbing.objects.answers()
    except NoSuchBucket:
        async with plumbing.database.system() as connection:
            cursor = await connection.execute("SELECT 1 FROM media LIMIT 1")
            if await cursor.fetchone() is not None:
                raise
        await plumbing.objects.check()
