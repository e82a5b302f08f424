"""Blocklists of faces: of an account, or of the installation (the account of zeros). What an entry is, and its verbs.

An entry has a key of its own, wrapped under the master key, which seals its reason, its picture and its template; the
picture is kept so that the entry outlives a change of the recipe of templates. Beside it lies the vector that is
searched (`media/face_vectors.py`).
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString
from uuid import UUID

import structlog
from psycopg.rows import DictRow

from truename.audit.model import Action
from truename.audit.record import record
from truename.media.face_vectors import search_is_prepared, turned
from truename.media.faces import plain_template, template_from_plain
from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import CannotOpen, DataKey, Vault
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import BlocklistEntryNotFound, CustomerNotFound
from truename.plumbing.resources import Plumbing
from truename.vision.captures import FaceTemplate
from truename.vision.face.embed import template_sha256
from truename.vision.face.reference import read_reference

log = structlog.get_logger(__name__)

BATCH: Final = 50

INSERT: Final[LiteralString] = """
INSERT INTO blocklist_entries (entry_id, account_id, customer_id, data_key, sealed_reason, sealed_picture,
                               sealed_template, model_sha256, added_by, expires_at)
VALUES (%(entry_id)s, %(account_id)s, %(customer_id)s, %(data_key)s, %(sealed_reason)s, %(sealed_picture)s,
        %(sealed_template)s, %(model_sha256)s, %(added_by)s, %(expires_at)s)
"""
INSERT_VECTOR: Final[LiteralString] = """
INSERT INTO face_vectors (account_id, model_sha256, entry_id, vector)
SELECT e.account_id, %(model_sha256)s, e.entry_id, %(vector)s::halfvec FROM blocklist_entries e
WHERE e.account_id = %(account_id)s AND e.entry_id = %(entry_id)s FOR KEY SHARE OF e
ON CONFLICT (entry_id, model_sha256) DO UPDATE SET vector = excluded.vector
"""
STILL_THERE: Final[LiteralString] = """
SELECT FROM customers WHERE account_id = %s AND customer_id = %s AND erased_at IS NULL FOR SHARE
"""
"""Held until the entry commits: an erasure either sees the entry or was there before it."""
LIST: Final[LiteralString] = """
SELECT e.entry_id, e.customer_id, e.data_key, e.sealed_reason, e.added_by, e.created_at, e.expires_at
FROM blocklist_entries e
WHERE e.account_id = %(account_id)s AND (%(before)s::uuid IS NULL OR e.entry_id < %(before)s)
  AND (%(entry_id)s::uuid IS NULL OR e.entry_id = %(entry_id)s)
  AND (e.expires_at IS NULL OR e.expires_at > clock_timestamp())
ORDER BY e.entry_id DESC LIMIT %(limit)s
"""
WITHOUT_VECTOR: Final[LiteralString] = """
SELECT e.entry_id, e.account_id, e.data_key, e.sealed_picture, e.sealed_template, e.model_sha256
FROM blocklist_entries e
WHERE NOT EXISTS (SELECT 1 FROM face_vectors v WHERE v.entry_id = e.entry_id AND v.model_sha256 = %(made_by)s)
  AND (e.model_sha256 = %(made_by)s OR e.sealed_picture IS NOT NULL) AND e.entry_id > %(after)s
ORDER BY e.entry_id LIMIT %(limit)s
"""


@dataclass(frozen=True)
class NewEntry:
    """A face that is about to be put on a list."""

    template: FaceTemplate
    picture: bytes | None
    """A JPEG of the face; None where only a template is left of it."""
    reason: str
    expires_at: datetime | None = None
    customer_id: UUID | None = None
    """Whose face it is, where it was taken from a customer: the entry goes with the erasure."""


@dataclass(frozen=True)
class BlocklistEntry:
    """A face on a list, without the face."""

    entry_id: UUID
    customer_id: UUID | None
    reason: str
    added_by: str
    created_at: datetime
    expires_at: datetime | None


async def add_entry(
    connection: Connection, vault: Vault, account_id: UUID, new: NewEntry, *, actor: str
) -> BlocklistEntry:
    """Put a face on the list of the account, or of the installation; it is found from the commit on.

    Raises CustomerNotFound where it was taken from a customer who was erased meanwhile.
    """
    if new.customer_id is not None:
        cursor = await connection.execute(STILL_THERE, (account_id, new.customer_id))
        if await cursor.fetchone() is None:
            raise CustomerNotFound
    entry_id = new_id()
    wrapped, key = vault.make_customer_key(account_id, entry_id)
    await connection.execute(
        INSERT,
        {
            "entry_id": entry_id,
            "account_id": account_id,
            "customer_id": new.customer_id,
            "data_key": wrapped,
            "sealed_reason": key.seal(new.reason.encode(), seals.blocklist_reason(entry_id)),
            "sealed_picture": key.seal(new.picture, seals.blocklist_picture(entry_id)) if new.picture else None,
            "sealed_template": key.seal(plain_template(new.template), seals.face_template(entry_id)),
            "model_sha256": new.template.model_sha256,
            "added_by": actor,
            "expires_at": new.expires_at,
        },
    )
    if await search_is_prepared(connection):
        await _insert_vector(connection, vault, account_id, entry_id, new.template)
    await record(
        connection,
        account_id,
        actor=actor,
        action=Action.BLOCKLIST_ENTRY_ADDED,
        subject=f"blocklist_entry:{entry_id}",
        details={"customer_id": str(new.customer_id)} if new.customer_id else {},
    )
    return (await list_entries(connection, vault, account_id, entry_id=entry_id))[0]


async def remove_entry(connection: Connection, account_id: UUID, entry_id: UUID, *, actor: str) -> None:
    """Take a face off the list and destroy what was kept of it; raises BlocklistEntryNotFound."""
    cursor = await connection.execute(
        "DELETE FROM blocklist_entries WHERE account_id = %s AND entry_id = %s", (account_id, entry_id)
    )
    if cursor.rowcount == 0:
        raise BlocklistEntryNotFound
    await record(
        connection,
        account_id,
        actor=actor,
        action=Action.BLOCKLIST_ENTRY_REMOVED,
        subject=f"blocklist_entry:{entry_id}",
    )


async def list_entries(
    connection: Connection,
    vault: Vault,
    account_id: UUID,
    *,
    before: UUID | None = None,
    entry_id: UUID | None = None,
    limit: int = 100,
) -> list[BlocklistEntry]:
    """The newest first; those that have ended are not shown any more."""
    own = {"account_id": account_id, "before": before, "entry_id": entry_id, "limit": limit}
    cursor = await connection.execute(LIST, own)
    return [_shown(vault, account_id, row) for row in await cursor.fetchall()]


def _shown(vault: Vault, account_id: UUID, row: DictRow) -> BlocklistEntry:
    key = vault.customer_key(bytes(row["data_key"]), account_id, row["entry_id"])
    reason = key.open(bytes(row["sealed_reason"]), seals.blocklist_reason(row["entry_id"])).decode()
    return BlocklistEntry(
        row["entry_id"], row["customer_id"], reason, row["added_by"], row["created_at"], row["expires_at"]
    )


async def _insert_vector(
    connection: Connection, vault: Vault, account_id: UUID, entry_id: UUID, template: FaceTemplate
) -> None:
    vector = turned(vault, account_id, template)
    own = {"account_id": account_id, "entry_id": entry_id, "model_sha256": template.model_sha256, "vector": vector}
    await connection.execute(INSERT_VECTOR, own)


# ── upkeep ─────────────────────────────────────────────────────────────────────────────────────────────────


async def expire_entries(plumbing: Plumbing) -> None:
    """Delete entries whose time is over; the search has not found them since."""
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(
            "DELETE FROM blocklist_entries WHERE expires_at <= clock_timestamp() RETURNING account_id, entry_id"
        )
        for row in await cursor.fetchall():
            await record(
                connection,
                row["account_id"],
                actor="rule:expiry",
                action=Action.BLOCKLIST_ENTRY_REMOVED,
                subject=f"blocklist_entry:{row['entry_id']}",
            )


async def keep_up_entries(plumbing: Plumbing) -> None:
    """Make the vectors that entries lack by the recipe in use, from the template or else from the picture."""
    made_by, after = template_sha256(), UUID(int=0)
    while True:
        async with plumbing.database.system() as connection:
            cursor = await connection.execute(WITHOUT_VECTOR, {"made_by": made_by, "after": after, "limit": BATCH})
            rows = await cursor.fetchall()
        if not rows:
            return
        for row in rows:
            try:
                template = await asyncio.to_thread(_template, plumbing.vault, row, made_by)
            except CannotOpen:
                log.error("a blocklist entry does not open and is not searched", entry_id=str(row["entry_id"]))
                continue
            if template is None:
                log.warning("blocklist entry without a face by this recipe", entry_id=str(row["entry_id"]))
                continue
            async with plumbing.database.system() as connection:
                await _insert_vector(connection, plumbing.vault, row["account_id"], row["entry_id"], template)
        after = rows[-1]["entry_id"]


def _template(vault: Vault, row: DictRow, made_by: str) -> FaceTemplate | None:
    key: DataKey = vault.customer_key(bytes(row["data_key"]), row["account_id"], row["entry_id"])
    if row["model_sha256"] == made_by:
        return template_from_plain(key.open(bytes(row["sealed_template"]), seals.face_template(row["entry_id"])))
    return read_reference(key.open(bytes(row["sealed_picture"]), seals.blocklist_picture(row["entry_id"]))).template
