"""Templates of every reference face by another recipe, made from the stored pictures beside those in use.

A face's row tells whether it was done, so that the work is resumed by doing it again. Nothing waits for it: a process
that meets a template of another recipe makes its own from the picture, which only costs a moment.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from psycopg.rows import DictRow

from truename.media.faces import plain_template
from truename.media.pictures import open_picture
from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import CannotOpen
from truename.plumbing.resources import Plumbing
from truename.plumbing.storage.objects import NoSuchObject
from truename.vision.face.embed import template_sha256
from truename.vision.face.reference import read_reference

BATCH: Final = 50
FIRST: Final = UUID(int=0)

OF_OTHER_RECIPES: Final = """
FROM faces f JOIN customers c ON c.reference_face_id = f.face_id AND c.account_id = f.account_id
WHERE f.usable AND f.model_sha256 <> %(made_by)s AND f.next_model_sha256 IS DISTINCT FROM %(made_by)s
"""
PAGE: Final = f"""
SELECT f.face_id, f.account_id, f.customer_id, c.data_key, m.media_id, m.storage_key
{OF_OTHER_RECIPES.replace("WHERE", "LEFT JOIN media m ON m.media_id = f.media_id AND m.redacted_at IS NULL WHERE")}
  AND f.face_id > %(after)s ORDER BY f.face_id LIMIT %(limit)s
"""
KEEP: Final = """
UPDATE faces SET next_model_sha256 = %(made_by)s, sealed_next_template = %(sealed)s
WHERE face_id = %(face_id)s AND account_id = %(account_id)s AND model_sha256 <> %(made_by)s
"""
PROMOTE: Final = """
UPDATE faces SET model_sha256 = next_model_sha256, sealed_template = sealed_next_template,
                 next_model_sha256 = NULL, sealed_next_template = NULL
WHERE next_model_sha256 = %(made_by)s
"""

Progress = Callable[[int, int], None]
"""Told after each batch: how many faces are done, how many there were."""


@dataclass(frozen=True, slots=True)
class Reembedded:
    """What was done with the reference faces of other recipes."""

    made: int
    without_picture: int
    """Their picture is gone: they stay as they are, and their comparisons say OTHER_FACE_MODEL."""
    without_face: int
    """The picture is there, and no face that can be compared was found in it."""


async def reembed(plumbing: Plumbing, *, progress: Progress = lambda done, total: None) -> Reembedded:
    """Make the configured recipe's template for every reference face that has none; the old ones stay."""
    made_by = template_sha256()
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(f"SELECT count(*) AS n {OF_OTHER_RECIPES}", {"made_by": made_by})
        total = (await cursor.fetchone() or {"n": 0})["n"]
    outcomes: list[bool | None] = []
    after = FIRST
    while True:
        async with plumbing.database.system() as connection:
            cursor = await connection.execute(PAGE, {"made_by": made_by, "after": after, "limit": BATCH})
            rows = await cursor.fetchall()
        if not rows:
            break
        outcomes += [await _reembed_one(plumbing, row, made_by) for row in rows]
        after = rows[-1]["face_id"]
        progress(len(outcomes), max(total, len(outcomes)))
    return Reembedded(outcomes.count(True), outcomes.count(None), outcomes.count(False))


async def _reembed_one(plumbing: Plumbing, row: DictRow, made_by: str) -> bool | None:
    """True when the template was made, None when its picture is gone, False when it shows no usable face."""
    key = await plumbing.keys.open(row["data_key"], row["account_id"], row["customer_id"])
    if key is None or row["storage_key"] is None:
        return None
    try:
        image = await open_picture(plumbing.objects, key, row["media_id"], row["storage_key"])
    except (NoSuchObject, CannotOpen):
        return None
    reading = await asyncio.to_thread(read_reference, image)
    if reading.template is None:
        return False
    sealed = key.seal(plain_template(reading.template), seals.face_template(row["face_id"]))
    async with plumbing.database.system() as connection:
        await connection.execute(
            KEEP,
            {"made_by": made_by, "sealed": sealed, "face_id": row["face_id"], "account_id": row["account_id"]},
        )
    return True


async def promote(plumbing: Plumbing) -> int:
    """Put the configured recipe's templates in the place of the old ones, which are gone then; how many there were."""
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(PROMOTE, {"made_by": template_sha256()})
        return cursor.rowcount
