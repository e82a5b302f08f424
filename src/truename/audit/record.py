"""Write down who did what to whose data, in the same database transaction as the deed.

Lines get their place in the chain at the very end of that transaction, under a lock on the head of the account's chain:
so lines of one account stand in the order of their commits, the lock is held for two statements only, and nobody who
holds it waits for anything else.
"""

import weakref
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Final
from uuid import UUID

import orjson
import structlog

from truename.audit.chain import BEGINNING, SPOILED, Head, head_mac, line_hash
from truename.audit.model import Action, Detail, Entry
from truename.plumbing.database.pool import Connection, Database
from truename.plumbing.system_secrets import AUDIT_KEY, system_secret

log = structlog.get_logger(__name__)

BEGIN: Final = """
INSERT INTO audit_heads (account_id, count, hash, mac) VALUES (%s, 0, %s, %s) ON CONFLICT (account_id) DO NOTHING
"""
HEAD: Final = """
SELECT account_id, count, hash, mac, clock_timestamp() AS moment FROM audit_heads WHERE account_id = %s FOR UPDATE
"""
APPEND: Final = """
WITH moved AS (
    UPDATE audit_heads SET count = %(count)s, hash = %(hash)s, mac = %(mac)s WHERE account_id = %(account_id)s
)
INSERT INTO audit_log (audit_id, account_id, sequence, at, actor, action, subject, details, sealed_reason, hash)
SELECT n.audit_id, %(account_id)s, n.sequence, n.at, n.actor, n.action, n.subject, n.details,
       decode(n.sealed_reason, 'hex'), decode(n.hash, 'hex')
FROM jsonb_to_recordset(%(rows)s::jsonb) AS n (audit_id uuid, sequence bigint, at timestamptz, actor text, action text,
                                               subject text, details jsonb, sealed_reason text, hash text)
"""

_KEYS: "weakref.WeakKeyDictionary[Database, bytes]" = weakref.WeakKeyDictionary()


async def record(
    connection: Connection,
    account_id: UUID,
    *,
    actor: str,
    action: Action,
    subject: str,
    details: Mapping[str, Detail] | None = None,
) -> None:
    """One line of the audit log; its details never hold personal data."""
    write(connection, Entry(account_id, actor, action, subject, details or {}))


def write(connection: Connection, entry: Entry) -> None:
    """Add an entry to the chain of its account when the open transaction commits."""
    connection.before_commit(append, entry)


async def append(connection: Connection, entries: list[Entry]) -> None:
    """Link entries into their chains; accounts in a fixed order, so that two that append to several never deadlock."""
    key = await audit_key(connection)
    in_order = sorted(entries, key=lambda entry: entry.account_id)
    for account_id, group in groupby(in_order, key=lambda entry: entry.account_id):
        await _append_to(connection, key, account_id, list(group))


async def audit_key(connection: Connection) -> bytes:
    """The secret of the chain, remembered once it is known to be committed."""
    database = connection.database
    if database is None or database.vault is None:
        raise RuntimeError("The audit log needs a database that has a vault.")
    found = _KEYS.get(database)
    if found is None:
        cursor = await connection.execute("SELECT 1 FROM system_secrets WHERE name = %s", (AUDIT_KEY,))
        is_there = await cursor.fetchone() is not None
        found = await system_secret(connection, database.vault, AUDIT_KEY)
        if is_there:
            _KEYS[database] = found
    return found


async def _append_to(connection: Connection, key: bytes, account_id: UUID, entries: Sequence[Entry]) -> None:
    head, moment = await _locked_head(connection, key, account_id)
    sequence, last, rows = head.count, head.hash, []
    for entry in entries:
        sequence += 1
        at = entry.at or moment
        last = line_hash(
            key,
            last,
            account_id=account_id,
            sequence=sequence,
            audit_id=entry.audit_id,
            at=at,
            actor=entry.actor,
            action=entry.action,
            subject=entry.subject,
            details=entry.details,
            sealed_reason=entry.sealed_reason,
        )
        rows.append(_row(entry, sequence, at, last))
    mac = head_mac(key, account_id, sequence, last)
    if not head.is_ours(key):
        log.critical("the head of an audit chain was altered", account_id=str(account_id), count=head.count)
        mac = SPOILED
    await connection.execute(
        APPEND,
        {
            "account_id": account_id,
            "count": sequence,
            "hash": last,
            "mac": mac,
            "rows": orjson.dumps(rows).decode(),
        },
    )


async def _locked_head(connection: Connection, key: bytes, account_id: UUID) -> tuple[Head, datetime]:
    for _ in range(2):
        cursor = await connection.execute(HEAD, (account_id,))
        row = await cursor.fetchone()
        if row is not None:
            return Head(account_id, row["count"], bytes(row["hash"]), bytes(row["mac"])), row["moment"]
        await connection.execute(BEGIN, (account_id, BEGINNING, head_mac(key, account_id, 0, BEGINNING)))
    raise LookupError(f"The audit chain of {account_id} cannot be begun.")


def _row(entry: Entry, sequence: int, at: datetime, own_hash: bytes) -> dict[str, object]:
    return {
        "audit_id": entry.audit_id,
        "sequence": sequence,
        "at": at,
        "actor": entry.actor,
        "action": entry.action,
        "subject": entry.subject,
        "details": dict(entry.details),
        "sealed_reason": None if entry.sealed_reason is None else entry.sealed_reason.hex(),
        "hash": own_hash.hex(),
    }
