"""What a reviewer was shown of a case, as the server served it: a page cannot say of itself what was looked at.

Each page of a case writes one line `review.shown` with the parts that stood on it; each picture that a browser fetched
is a line `media.read` already. What somebody had seen when they decided follows from both.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, LiteralString
from uuid import UUID

from truename.audit.model import Action, Detail, Entry
from truename.audit.reads import record_reading
from truename.plumbing.database.pool import Connection, Database
from truename.reviews.model import Lease, Question


class Seen(StrEnum):
    """A part of a case that can be shown."""

    FACES = "faces"
    DOCUMENT = "document"
    FRAMES = "frames"
    FIELDS = "fields"
    SCORES = "scores"
    ISSUES = "issues"
    CHECKS = "checks"
    DEVICE = "device"
    HISTORY = "history"


PICTURES: Final = {
    "DOCUMENT_PORTRAIT": Seen.FACES,
    "LIVENESS_FACE": Seen.FACES,
    "REFERENCE_IMAGE": Seen.FACES,
    "DOCUMENT_FRONT": Seen.DOCUMENT,
    "DOCUMENT_BACK": Seen.DOCUMENT,
    "DOCUMENT_FRONT_RECTIFIED": Seen.DOCUMENT,
    "LIVENESS_FRAME": Seen.FRAMES,
}
"""What a picture of each kind shows: seen only once its bytes were fetched."""
PARTS: Final = frozenset(Seen) - frozenset(PICTURES.values())

SINCE_TAKEN: LiteralString = """
WITH since AS (
    SELECT coalesce(max(a.at), '-infinity') AS at FROM audit_log a
    WHERE a.account_id = %(account_id)s AND a.subject = %(subject)s AND a.actor = %(reviewer)s
      AND a.action IN ('review.taken', 'review.taken_over')),
pictures AS (
    SELECT m.media_id, m.kind FROM media m
    WHERE m.account_id = %(account_id)s AND m.transaction_id = %(transaction_id)s
    UNION
    SELECT m.media_id, 'REFERENCE_IMAGE' FROM transactions t
    JOIN customers c ON c.account_id = t.account_id AND c.customer_id = t.customer_id
    JOIN faces f ON f.account_id = c.account_id AND f.face_id = c.reference_face_id
    JOIN media m ON m.account_id = f.account_id AND m.media_id = f.media_id
    WHERE t.account_id = %(account_id)s AND t.transaction_id = %(transaction_id)s)
SELECT unnest(string_to_array(a.details ->> 'seen', ',')) AS part, NULL AS kind FROM audit_log a, since
WHERE a.account_id = %(account_id)s AND a.subject = %(subject)s AND a.actor = %(reviewer)s
  AND a.action = 'review.shown' AND a.at >= since.at
UNION
SELECT NULL, p.kind FROM pictures p CROSS JOIN since
JOIN audit_log a ON a.account_id = %(account_id)s AND a.subject = 'media:' || p.media_id AND a.at >= since.at
WHERE a.action = 'media.read' AND a.actor = %(reviewer)s
"""


async def record_shown(
    database: Database, account_id: UUID, lease: Lease, parts: Iterable[Seen], question: Question | None = None
) -> None:
    """Write down what the page about to be served shows to the holder of the case; pictures count when fetched."""
    named = ",".join(part for part in parts if part in PARTS)
    details: dict[str, Detail] = {"seen": named, "version": lease.version}
    if question is not None:
        details["question"] = question
    subject = f"transaction:{lease.transaction_id}"
    await record_reading(database, Entry(account_id, lease.holder, Action.REVIEW_SHOWN, subject, details))


async def seen_by(connection: Connection, account_id: UUID, reviewer: str, transaction_id: UUID) -> list[Seen]:
    """What this reviewer was served of the case since they took it, in the order of the list."""
    own = {"account_id": account_id, "reviewer": reviewer, "transaction_id": transaction_id}
    cursor = await connection.execute(SINCE_TAKEN, {**own, "subject": f"transaction:{transaction_id}"})
    found: set[str] = set()
    for row in await cursor.fetchall():
        found.add(row["part"] if row["kind"] is None else PICTURES.get(row["kind"], ""))
    return [part for part in Seen if part in found]
