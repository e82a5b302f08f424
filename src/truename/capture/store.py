"""The SQL of captures: takes, consent, device. That of live faces is in `liveness_store.py`."""

from dataclasses import asdict
from datetime import datetime
from typing import Final
from uuid import UUID

from psycopg.rows import DictRow, scalar_row
from psycopg.types.json import Jsonb

from truename.capture.access import Capture
from truename.capture.takes import Choice, NewTake, Slot, Take, Takes
from truename.plumbing.database.pool import Connection
from truename.plumbing.database.rows import only_row
from truename.rules.evidence import DocumentType, QualityReason

TAKES_MAX: Final = 8
"""How often each side of a document may be taken."""


async def takes_of(connection: Connection, capture: Capture) -> Takes:
    """The last take of each slot that has one."""
    cursor = await connection.execute(
        """
        SELECT slot, takes, usable, reasons, chosen, back_needed FROM captures
        WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s AND media <> '[]'
        """,
        capture.own,
    )
    found = {take.slot: take for take in map(_take, await cursor.fetchall())}
    return Takes(found.get(Slot.DOCUMENT_FRONT), found.get(Slot.DOCUMENT_BACK), found.get(Slot.LIVENESS))


def _take(row: DictRow) -> Take:
    chosen = row["chosen"]
    kind = DocumentType(chosen["type"]) if chosen.get("type") else None
    return Take(
        slot=Slot(row["slot"]),
        takes=row["takes"],
        usable=row["usable"],
        reasons=tuple(QualityReason(reason) for reason in row["reasons"]),
        choice=Choice(chosen.get("country"), kind, chosen.get("source", "CAMERA")),
        back_needed=row["back_needed"],
    )


async def replace_take(connection: Connection, capture: Capture, new: NewTake) -> int:
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
            "slot": new.slot,
            "usable": new.usable,
            "reasons": Jsonb(list(new.reasons)),
            "media": Jsonb([picture.as_json() for picture in new.pictures]),
            "chosen": Jsonb({} if new.slot is Slot.LIVENESS else asdict(new.choice)),
            "challenge": [str(step) for step in new.challenge],
            "back_needed": new.back_needed,
        },
    )
    row = await cursor.fetchone()
    return int(row["takes"]) if row else 1


async def takes_made(connection: Connection, capture: Capture) -> dict[Slot, int]:
    """How often each slot was taken, those included whose take was dropped since."""
    cursor = await connection.execute(
        "SELECT slot, takes FROM captures WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s",
        capture.own,
    )
    return {Slot(row["slot"]): row["takes"] for row in await cursor.fetchall()}


async def drop_take(connection: Connection, capture: Capture, slot: Slot) -> None:
    """Forget the take, but not how many there were: else another choice of document would bring fresh ones."""
    await connection.execute(
        """
        UPDATE captures SET media = '[]', usable = false, reasons = '[]', chosen = '{}', back_needed = NULL
        WHERE account_id = %s AND transaction_id = %s AND slot = %s
        """,
        (capture.account_id, capture.transaction_id, slot),
    )


async def consent_given(connection: Connection, capture: Capture) -> bool | None:
    """Whether the person agreed; None when they have not answered yet."""
    cursor = await connection.execute(
        "SELECT given FROM consents WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s",
        capture.own,
    )
    row = await cursor.fetchone()
    return bool(row["given"]) if row else None


async def record_consent(
    connection: Connection, capture: Capture, given: bool, text_version: str, language: str
) -> datetime:
    """Keep the answer instead of the one before; says when it was recorded."""
    cursor = await connection.cursor(row_factory=scalar_row).execute(
        """
        INSERT INTO consents (transaction_id, account_id, given, text_version, language)
        VALUES (%(transaction_id)s, %(account_id)s, %(given)s, %(text_version)s, %(language)s)
        ON CONFLICT (transaction_id) DO UPDATE SET given = excluded.given, text_version = excluded.text_version,
            language = excluded.language, at = clock_timestamp()
        RETURNING at
        """,
        {**capture.own, "given": given, "text_version": text_version, "language": language},
    )
    at: datetime = await only_row(cursor)
    return at


async def sealed_signals(connection: Connection, account_id: UUID, transaction_id: UUID) -> bytes | None:
    """What is known of the device, still sealed under the customer's key; None when nothing is."""
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
    """Whether the device's own signals have come, not only an address."""
    cursor = await connection.execute(
        "SELECT reported FROM device_signals WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s",
        capture.own,
    )
    row = await cursor.fetchone()
    return row is not None and row["reported"]
