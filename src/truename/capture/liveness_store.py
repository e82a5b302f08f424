"""The SQL of live faces: challenges, attempts, and the frames that were seen before."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg.rows import class_row, scalar_row

from truename.capture.access import Capture
from truename.capture.challenge import Given
from truename.plumbing.database.pool import Connection
from truename.plumbing.database.rows import only_row
from truename.vision.captures import Step


@dataclass(frozen=True)
class ChallengeTime:
    """How long a challenge may be answered."""

    expires_at: datetime
    seconds: float


async def add_challenge(
    connection: Connection, capture: Capture, nonce_hash: bytes, steps: Sequence[Step], seconds: int
) -> ChallengeTime:
    """Void the challenges before and give this one, which lives no longer than the transaction."""
    await connection.execute(
        "UPDATE challenges SET expires_at = clock_timestamp() WHERE account_id = %(account_id)s "
        "AND transaction_id = %(transaction_id)s AND used_at IS NULL AND expires_at > clock_timestamp()",
        capture.own,
    )
    cursor = await connection.cursor(row_factory=class_row(ChallengeTime)).execute(
        """
        INSERT INTO challenges (nonce_hash, transaction_id, account_id, steps, created_at, expires_at)
        VALUES (%(nonce_hash)s, %(transaction_id)s, %(account_id)s, %(steps)s, clock_timestamp(),
                least(clock_timestamp() + make_interval(secs => %(seconds)s), %(ends)s))
        RETURNING expires_at, extract(epoch FROM expires_at - created_at)::float8 AS seconds
        """,
        {
            **capture.own,
            "nonce_hash": nonce_hash,
            "steps": [str(step) for step in steps],
            "seconds": seconds,
            "ends": capture.expires_at,
        },
    )
    return await only_row(cursor)


async def challenges_given(connection: Connection, capture: Capture) -> int:
    """How many challenges the transaction was given, answered or not."""
    cursor = await connection.cursor(row_factory=scalar_row).execute(
        "SELECT count(*) FROM challenges WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s",
        capture.own,
    )
    return int(await only_row(cursor))


async def challenges_of_today(connection: Connection, capture: Capture) -> list[Given]:
    """What the customer was asked for in the last day, in any transaction, the oldest first."""
    cursor = await connection.execute(
        """
        SELECT c.steps, c.used_at IS NOT NULL AS answered FROM challenges c
        JOIN transactions t ON t.transaction_id = c.transaction_id AND t.account_id = c.account_id
        WHERE t.account_id = %(account_id)s AND t.customer_id = %(customer_id)s
          AND c.created_at > clock_timestamp() - interval '24 hours'
        ORDER BY c.created_at
        """,
        capture.own,
    )
    rows = await cursor.fetchall()
    return [Given(tuple(Step(step) for step in row["steps"]), row["answered"]) for row in rows]


@dataclass(frozen=True)
class AskedChallenge:
    """A challenge that was given to this transaction: what it asks for, and whether it can still be answered."""

    steps: list[Step]
    used: bool
    too_late: bool
    age: float
    """Seconds since it was given."""


async def find_challenge(connection: Connection, capture: Capture, nonce_hash: bytes) -> AskedChallenge | None:
    """The challenge of this nonce, locked; None when the transaction was given no such one."""
    cursor = await connection.execute(
        """
        SELECT steps, used_at IS NOT NULL AS used, expires_at <= clock_timestamp() AS too_late,
               extract(epoch FROM clock_timestamp() - created_at)::float8 AS age
        FROM challenges WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s
        AND nonce_hash = %(nonce_hash)s FOR UPDATE
        """,
        {**capture.own, "nonce_hash": nonce_hash},
    )
    row = await cursor.fetchone()
    if row is None:
        return None
    return AskedChallenge([Step(step) for step in row["steps"]], row["used"], row["too_late"], row["age"])


async def use_challenge(connection: Connection, nonce_hash: bytes) -> None:
    """Spend the nonce: no other frames can answer its challenge."""
    await connection.execute(
        "UPDATE challenges SET used_at = clock_timestamp() WHERE nonce_hash = %s AND used_at IS NULL", (nonce_hash,)
    )


@dataclass(frozen=True)
class AttemptsMade:
    """How often a face was tried."""

    here: int
    """In this transaction."""
    lately: int
    """By this customer in the last day, since the last approval."""


async def attempts_made(connection: Connection, capture: Capture) -> AttemptsMade:
    """Biometric attempts of this transaction, and of this customer in the last day since the last approval."""
    cursor = await connection.cursor(row_factory=class_row(AttemptsMade)).execute(
        """
        SELECT count(*) FILTER (WHERE transaction_id = %(transaction_id)s) AS here,
               count(*) FILTER (WHERE at > greatest(clock_timestamp() - interval '24 hours', coalesce((
                   SELECT max(t.decided_at) FROM transactions t WHERE t.account_id = %(account_id)s
                   AND t.customer_id = %(customer_id)s AND t.outcome = 'APPROVED'), '-infinity'))) AS lately
        FROM biometric_attempts WHERE account_id = %(account_id)s AND customer_id = %(customer_id)s
        """,
        capture.own,
    )
    return await only_row(cursor)


async def add_attempt(connection: Connection, capture: Capture, attempt_id: UUID) -> None:
    """Count one biometric attempt against the caps of the transaction and of the customer."""
    await connection.execute(
        """
        INSERT INTO biometric_attempts (attempt_id, account_id, customer_id, transaction_id, at)
        VALUES (%(attempt_id)s, %(account_id)s, %(customer_id)s, %(transaction_id)s, clock_timestamp())
        """,
        {**capture.own, "attempt_id": attempt_id},
    )


async def earlier_frames(connection: Connection, capture: Capture, new: list[bytes]) -> list[bytes]:
    """Fingerprints to compare with: all of this customer's, and any of the account that are the very same."""
    cursor = await connection.execute(
        """
        SELECT fingerprint FROM seen_frames WHERE account_id = %(account_id)s
        AND (customer_id = %(customer_id)s OR fingerprint = ANY(%(new)s))
        ORDER BY at DESC LIMIT 2000
        """,
        {**capture.own, "new": new},
    )
    return [bytes(row["fingerprint"]) for row in await cursor.fetchall()]


async def earlier_takes(connection: Connection, capture: Capture, limit: int) -> list[list[tuple[UUID, str]]]:
    """The pictures of the customer's last live takes that are still kept: media id and object key, frame by frame."""
    cursor = await connection.execute(
        """
        SELECT array_agg(m.media_id ORDER BY item.number) AS ids, array_agg(m.storage_key ORDER BY item.number) AS keys
        FROM captures c
        JOIN transactions t ON t.transaction_id = c.transaction_id AND t.account_id = c.account_id
        CROSS JOIN LATERAL jsonb_array_elements(c.media) WITH ORDINALITY AS item (taken, number)
        JOIN media m ON m.media_id = (item.taken->>'media_id')::uuid AND m.account_id = c.account_id
        WHERE c.account_id = %(account_id)s AND t.customer_id = %(customer_id)s AND c.slot = 'LIVENESS'
          AND m.redacted_at IS NULL
        GROUP BY c.transaction_id, c.taken_at ORDER BY c.taken_at DESC LIMIT %(limit)s
        """,
        {**capture.own, "limit": limit},
    )
    return [list(zip(row["ids"], row["keys"], strict=True)) for row in await cursor.fetchall()]


async def remember_frames(connection: Connection, capture: Capture, new: list[bytes]) -> None:
    """Keep the fingerprints of frames, so that the same ones are known when they are sent again."""
    async with connection.cursor() as cursor:
        await cursor.executemany(
            "INSERT INTO seen_frames (fingerprint, account_id, customer_id, transaction_id) VALUES (%s, %s, %s, %s)",
            [(mark, capture.account_id, capture.customer_id, capture.transaction_id) for mark in new],
        )
