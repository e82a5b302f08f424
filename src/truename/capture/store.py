"""The SQL of captures."""

from typing import Any, Final
from uuid import UUID

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from truename.capture.access import Capture
from truename.capture.challenge import Given
from truename.plumbing.database.pool import Connection
from truename.vision.captures import Step

TAKES_MAX: Final = 8
"""How often each side of a document may be taken."""


async def captures_of(connection: Connection, account_id: UUID, transaction_id: UUID) -> dict[str, DictRow]:
    """The last take of each slot that has one: DOCUMENT_FRONT, DOCUMENT_BACK, LIVENESS."""
    cursor = await connection.execute(
        """
        SELECT slot, takes, usable, reasons, media, chosen, challenge, back_needed FROM captures
        WHERE account_id = %s AND transaction_id = %s AND media <> '[]'
        """,
        (account_id, transaction_id),
    )
    return {row["slot"]: row for row in await cursor.fetchall()}


async def replace_capture(
    connection: Connection,
    capture: Capture,
    slot: str,
    *,
    usable: bool,
    reasons: list[str],
    media: list[dict[str, Any]],
    chosen: dict[str, Any] | None = None,
    challenge: list[str] | None = None,
    back_needed: bool | None = None,
) -> int:
    """Keep this take instead of the one before; answers how many there were."""
    cursor = await connection.execute(
        """
        INSERT INTO captures AS held (transaction_id, account_id, slot, usable, reasons, media, chosen, challenge,
                                      back_needed)
        VALUES (%(transaction_id)s, %(account_id)s, %(slot)s, %(usable)s, %(reasons)s, %(media)s, %(chosen)s,
                %(challenge)s, %(back_needed)s)
        ON CONFLICT (transaction_id, slot) DO UPDATE SET
            takes = held.takes + 1, usable = excluded.usable, reasons = excluded.reasons, media = excluded.media,
            chosen = excluded.chosen, challenge = excluded.challenge, back_needed = excluded.back_needed,
            taken_at = clock_timestamp()
        RETURNING takes
        """,
        {
            **capture.own,
            "slot": slot,
            "usable": usable,
            "reasons": Jsonb(reasons),
            "media": Jsonb(media),
            "chosen": Jsonb(chosen or {}),
            "challenge": challenge or [],
            "back_needed": back_needed,
        },
    )
    row = await cursor.fetchone()
    return int(row["takes"]) if row else 1


async def takes_made(connection: Connection, capture: Capture) -> dict[str, int]:
    """How often each slot was taken, those included whose take was dropped since."""
    cursor = await connection.execute(
        "SELECT slot, takes FROM captures WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s",
        capture.own,
    )
    return {row["slot"]: row["takes"] for row in await cursor.fetchall()}


async def drop_take(connection: Connection, capture: Capture, slot: str) -> None:
    """Forget the take, but not how many there were: else another choice of document would bring fresh ones."""
    await connection.execute(
        """
        UPDATE captures SET media = '[]', usable = false, reasons = '[]', chosen = '{}', back_needed = NULL
        WHERE account_id = %s AND transaction_id = %s AND slot = %s
        """,
        (capture.account_id, capture.transaction_id, slot),
    )


async def consent_of(connection: Connection, capture: Capture) -> DictRow | None:
    cursor = await connection.execute(
        "SELECT given, text_version, at FROM consents WHERE account_id = %(account_id)s "
        "AND transaction_id = %(transaction_id)s",
        capture.own,
    )
    return await cursor.fetchone()


async def record_consent(
    connection: Connection, capture: Capture, given: bool, text_version: str, language: str
) -> DictRow:
    cursor = await connection.execute(
        """
        INSERT INTO consents (transaction_id, account_id, given, text_version, language)
        VALUES (%(transaction_id)s, %(account_id)s, %(given)s, %(text_version)s, %(language)s)
        ON CONFLICT (transaction_id) DO UPDATE SET given = excluded.given, text_version = excluded.text_version,
            language = excluded.language, at = clock_timestamp()
        RETURNING given, text_version, at
        """,
        {**capture.own, "given": given, "text_version": text_version, "language": language},
    )
    row = await cursor.fetchone()
    assert row is not None  # noqa: S101 (an upsert returns its row)
    return row


# ── liveness ───────────────────────────────────────────────────────────────────────────────────────────────


async def add_challenge(
    connection: Connection, capture: Capture, nonce_hash: bytes, steps: list[str], seconds: int
) -> DictRow:
    """Void the challenges before and give this one, which lives no longer than the transaction."""
    await connection.execute(
        "UPDATE challenges SET expires_at = clock_timestamp() WHERE account_id = %(account_id)s "
        "AND transaction_id = %(transaction_id)s AND used_at IS NULL AND expires_at > clock_timestamp()",
        capture.own,
    )
    cursor = await connection.execute(
        """
        INSERT INTO challenges (nonce_hash, transaction_id, account_id, steps, created_at, expires_at)
        VALUES (%(nonce_hash)s, %(transaction_id)s, %(account_id)s, %(steps)s, clock_timestamp(),
                least(clock_timestamp() + make_interval(secs => %(seconds)s), %(ends)s))
        RETURNING expires_at, extract(epoch FROM expires_at - created_at)::float8 AS seconds
        """,
        {**capture.own, "nonce_hash": nonce_hash, "steps": steps, "seconds": seconds, "ends": capture.expires_at},
    )
    row = await cursor.fetchone()
    assert row is not None  # noqa: S101 (an insert returns its row)
    return row


async def challenges_given(connection: Connection, capture: Capture) -> int:
    cursor = await connection.execute(
        "SELECT count(*) AS given FROM challenges WHERE account_id = %(account_id)s "
        "AND transaction_id = %(transaction_id)s",
        capture.own,
    )
    row = await cursor.fetchone()
    return int(row["given"]) if row else 0


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


async def find_challenge(connection: Connection, capture: Capture, nonce_hash: bytes) -> DictRow | None:
    cursor = await connection.execute(
        """
        SELECT steps, used_at, expires_at <= clock_timestamp() AS too_late,
               extract(epoch FROM clock_timestamp() - created_at)::float8 AS age
        FROM challenges WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s
        AND nonce_hash = %(nonce_hash)s FOR UPDATE
        """,
        {**capture.own, "nonce_hash": nonce_hash},
    )
    return await cursor.fetchone()


async def use_challenge(connection: Connection, nonce_hash: bytes) -> None:
    await connection.execute(
        "UPDATE challenges SET used_at = clock_timestamp() WHERE nonce_hash = %s AND used_at IS NULL", (nonce_hash,)
    )


async def attempts_made(connection: Connection, capture: Capture) -> DictRow:
    """Biometric attempts of this transaction, and of this customer in the last day since the last approval."""
    cursor = await connection.execute(
        """
        SELECT count(*) FILTER (WHERE transaction_id = %(transaction_id)s) AS here,
               count(*) FILTER (WHERE at > greatest(clock_timestamp() - interval '24 hours', coalesce((
                   SELECT max(t.decided_at) FROM transactions t WHERE t.account_id = %(account_id)s
                   AND t.customer_id = %(customer_id)s AND t.outcome = 'APPROVED'), '-infinity'))) AS lately
        FROM biometric_attempts WHERE account_id = %(account_id)s AND customer_id = %(customer_id)s
        """,
        capture.own,
    )
    row = await cursor.fetchone()
    assert row is not None  # noqa: S101 (a count has one row)
    return row


async def add_attempt(connection: Connection, capture: Capture, attempt_id: UUID) -> None:
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
    async with connection.cursor() as cursor:
        await cursor.executemany(
            "INSERT INTO seen_frames (fingerprint, account_id, customer_id, transaction_id) VALUES (%s, %s, %s, %s)",
            [(mark, capture.account_id, capture.customer_id, capture.transaction_id) for mark in new],
        )


# ── device ─────────────────────────────────────────────────────────────────────────────────────────────────


async def sealed_signals(connection: Connection, account_id: UUID, transaction_id: UUID) -> bytes | None:
    cursor = await connection.execute(
        "SELECT sealed FROM device_signals WHERE account_id = %s AND transaction_id = %s",
        (account_id, transaction_id),
    )
    row = await cursor.fetchone()
    return bytes(row["sealed"]) if row else None


async def keep_signals(connection: Connection, capture: Capture, sealed: bytes, *, reported: bool) -> None:
    """Keep what is known of the device; `reported` says whether its signals are among it, or addresses alone."""
    await connection.execute(
        """
        INSERT INTO device_signals (transaction_id, account_id, reported, sealed)
        VALUES (%(transaction_id)s, %(account_id)s, %(reported)s, %(sealed)s)
        ON CONFLICT (transaction_id) DO UPDATE
        SET reported = excluded.reported, sealed = excluded.sealed, seen_at = clock_timestamp()
        """,
        {**capture.own, "reported": reported, "sealed": sealed},
    )


async def device_reported(connection: Connection, capture: Capture) -> bool:
    cursor = await connection.execute(
        "SELECT reported FROM device_signals WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s",
        capture.own,
    )
    row = await cursor.fetchone()
    return row is not None and row["reported"]
