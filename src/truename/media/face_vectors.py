"""Vectors in which a live face is searched for: the one form of a template that is not sealed.

The database compares them itself, so that they cannot be sealed. What is stored is the template turned by a rotation
that is a secret of the account: every angle between two faces stays as it was, so that the search answers the same, but
who has only the database can neither compare a vector with a photograph nor with one of another account. It is no
encryption: which faces of one account are alike can be seen, and who knows the faces behind some hundred vectors can
work the rotation out.
"""

import hashlib
from functools import lru_cache
from typing import Final, LiteralString
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from psycopg.rows import DictRow

from truename.media.faces import opened_template
from truename.plumbing.crypto.vault import DataKey, Vault
from truename.plumbing.database.pool import Connection
from truename.vision.captures import FaceTemplate

INSERT_OF_FACE: Final[LiteralString] = """
INSERT INTO face_vectors (account_id, model_sha256, face_id, vector)
SELECT f.account_id, %(model_sha256)s, f.face_id, %(vector)s::halfvec
FROM faces f JOIN customers c ON c.customer_id = f.customer_id AND c.reference_face_id = f.face_id
WHERE f.account_id = %(account_id)s AND f.face_id = %(face_id)s
FOR KEY SHARE OF f
ON CONFLICT (face_id, model_sha256) DO UPDATE SET vector = excluded.vector
"""
"""A face that stopped being a reference meanwhile is left out."""
REFERENCE: Final[LiteralString] = """
SELECT f.face_id, f.model_sha256, f.sealed_template, f.next_model_sha256, f.sealed_next_template
FROM customers c
JOIN accounts a ON a.account_id = c.account_id AND coalesce(a.settings ->> 'face_search', 'off') <> 'off'
JOIN faces f ON f.face_id = c.reference_face_id AND f.account_id = c.account_id AND f.usable
WHERE c.account_id = %(account_id)s AND c.customer_id = %(customer_id)s
"""
FORGET_OTHERS: Final[LiteralString] = """
DELETE FROM face_vectors v USING faces f
WHERE v.account_id = %(account_id)s AND v.face_id = f.face_id AND f.customer_id = %(customer_id)s
  AND f.face_id <> %(face_id)s
"""


async def search_is_prepared(connection: Connection) -> bool:
    """Is the table there? Not where the server has no pgvector."""
    cursor = await connection.execute("SELECT to_regclass('public.face_vectors') IS NOT NULL AS there")
    row = await cursor.fetchone()
    return row is not None and bool(row["there"])


async def enrol_for_search(
    connection: Connection, vault: Vault, key: DataKey, account_id: UUID, customer_id: UUID
) -> None:
    """Let the customer's reference face be found from now on, in the caller's transaction; nothing where search is off.

    For whoever has just made a face the reference; the vector goes with the row of the face.
    """
    own: dict[str, object] = {"account_id": account_id, "customer_id": customer_id}
    cursor = await connection.execute(REFERENCE, own)
    row = await cursor.fetchone()
    if row is None:
        return
    await connection.execute(FORGET_OTHERS, {**own, "face_id": row["face_id"]})
    for template in templates_of(key, row):
        await connection.execute(
            INSERT_OF_FACE,
            {
                "account_id": account_id,
                "face_id": row["face_id"],
                "model_sha256": template.model_sha256,
                "vector": turned(vault, account_id, template),
            },
        )


def templates_of(key: DataKey, row: DictRow) -> list[FaceTemplate]:
    """Those of a row of `faces`: by the recipe in use, and by the one that is about to be used."""
    sealed = (row["sealed_template"], row["sealed_next_template"])
    return [opened_template(key, row["face_id"], bytes(one)) for one in sealed if one is not None]


def turned(vault: Vault, account_id: UUID, template: FaceTemplate) -> str:
    """The template as the database compares it, written as it reads a vector."""
    secret = vault.keyed_hash(f"face vectors of {account_id}", template.model_sha256)
    vector = rotation(secret, len(template.vector)) @ np.asarray(template.vector, np.float64)
    return "[" + ",".join(f"{number:.6f}" for number in vector) + "]"


@lru_cache(maxsize=32)
def rotation(secret: bytes, numbers: int) -> NDArray[np.float64]:
    """The rotation of that many numbers that the secret stands for: always the same, on every machine.

    Made of nothing but the secret's own stream and a decomposition that has one solution, so that no library's next
    version makes another.
    """
    stream = hashlib.shake_256(secret).digest(8 * numbers * numbers)
    drawn = np.frombuffer(stream, "<i8").reshape(numbers, numbers).astype(np.float64)
    directions, lengths = np.linalg.qr(drawn / 2.0**63)
    return np.asarray(directions * np.where(np.diag(lengths) < 0, -1.0, 1.0), np.float64)
