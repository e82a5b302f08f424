"""What was asked of somebody and must be answered once and soon: the second step of a sign-in, a passkey's proof."""

import hashlib
import secrets
from datetime import timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from truename.plumbing.database.pool import Connection

LIFETIME: Final = timedelta(minutes=5)
TRIES: Final = 5
"""Codes that may be tried before one begins again with the password."""


class Purpose(StrEnum):
    """What an answer is for."""

    SECOND_STEP = "second_step"
    SIGN_IN_BY_PASSKEY = "sign_in_by_passkey"
    ADD_PASSKEY = "add_passkey"
    SUBMIT_FORM = "submit_form"


async def ask(connection: Connection, purpose: Purpose, operator_id: UUID | None = None) -> bytes:
    """A fresh challenge of 32 random bytes."""
    challenge = secrets.token_bytes(32)
    await connection.execute(
        """INSERT INTO operator_challenges (challenge_hash, purpose, operator_id, expires_at)
           VALUES (%s, %s, %s, clock_timestamp() + %s)""",
        (_hash(challenge), purpose, operator_id, LIFETIME),
    )
    return challenge


async def use_up(connection: Connection, purpose: Purpose, challenge: bytes, operator_id: UUID | None = None) -> bool:
    """Was this asked, lately, of this operator (or of nobody by name), and not answered yet? From now on it is."""
    cursor = await connection.execute(
        """DELETE FROM operator_challenges
           WHERE challenge_hash = %s AND purpose = %s AND operator_id IS NOT DISTINCT FROM %s
           RETURNING expires_at > clock_timestamp() AS fresh""",
        (_hash(challenge), purpose, operator_id),
    )
    row = await cursor.fetchone()
    return row is not None and bool(row["fresh"])


async def try_step(connection: Connection, challenge: bytes) -> UUID | None:
    """Whose second step this is, counting the try; None when it is not known, too old, or was tried too often."""
    cursor = await connection.execute(
        """UPDATE operator_challenges SET tries = tries + 1
           WHERE challenge_hash = %s AND purpose = %s AND expires_at > clock_timestamp() AND tries < %s
           RETURNING operator_id""",
        (_hash(challenge), Purpose.SECOND_STEP, TRIES),
    )
    row = await cursor.fetchone()
    return row["operator_id"] if row else None


async def forget_steps(connection: Connection, operator_id: UUID) -> None:
    """No second step is left to this operator: the password that led to it holds no more."""
    await connection.execute(
        "DELETE FROM operator_challenges WHERE operator_id = %s AND purpose = %s", (operator_id, Purpose.SECOND_STEP)
    )


async def first_time(connection: Connection, form: str) -> bool:
    """Is this form sent for the first time? A page that shows a secret must not make another when it is reloaded."""
    cursor = await connection.execute(
        """INSERT INTO operator_challenges (challenge_hash, purpose, expires_at)
           VALUES (%s, %s, clock_timestamp() + interval '1 day') ON CONFLICT (challenge_hash) DO NOTHING""",
        (_hash(form.encode()), Purpose.SUBMIT_FORM),
    )
    return cursor.rowcount == 1


async def forget_old(connection: Connection) -> None:
    """Delete what nobody can answer any more."""
    await connection.execute("DELETE FROM operator_challenges WHERE expires_at < clock_timestamp()")


def _hash(challenge: bytes) -> bytes:
    return hashlib.sha256(challenge).digest()
