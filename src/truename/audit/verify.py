"""Is the audit log as we wrote it? Walks every chain and names the first line of each that is not.

What it cannot see by itself: a whole database put back to an earlier state, log, heads and all. Against that, heads
can be kept elsewhere (`truename audit anchor`) and given to the verification.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from psycopg.rows import DictRow

from truename.audit.chain import BEGINNING, Head, hash_of
from truename.audit.model import INSTALLATION, Action, Line
from truename.audit.record import audit_key
from truename.plumbing.database.pool import Connection
from truename.plumbing.resources import Plumbing

PAGE: Final = 5000
BREATH: Final = 100
"""After so many lines whoever else waits for this process is heard: an admin may have a million walked at any time."""
LINES: Final = """
SELECT audit_id, account_id, sequence, at, actor, action, subject, details, sealed_reason, hash FROM audit_log
WHERE account_id = %s AND (sequence, audit_id) > (%s, %s) ORDER BY sequence, audit_id LIMIT %s
"""


@dataclass(frozen=True)
class Break:
    """Where a chain is not as we wrote it."""

    account_id: UUID
    sequence: int | None
    audit_id: UUID | None
    what: str


@dataclass(frozen=True)
class Anchor:
    """The end of a chain at some time, kept where the database's owner cannot reach it."""

    account_id: UUID
    count: int
    hash: bytes


@dataclass(frozen=True)
class Verified:
    """What a verification found."""

    chains: int
    lines: int
    breaks: tuple[Break, ...]

    @property
    def whole(self) -> bool:
        """Nothing was found broken."""
        return not self.breaks


async def verify(plumbing: Plumbing, account_id: UUID | None = None, anchors: Iterable[Anchor] = ()) -> Verified:
    """Check one account's chain, or every chain there is and should be; on one snapshot, while the service goes on."""
    kept: dict[UUID, list[Anchor]] = {}
    for anchor in anchors:
        kept.setdefault(anchor.account_id, []).append(anchor)
    async with plumbing.database.system() as connection:
        await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        key = await audit_key(connection)
        heads = await read_heads(connection)
        wanted = {account_id} if account_id is not None else {*await _expected(connection), *heads, *kept}
        lines, breaks = 0, []
        for chain in sorted(wanted):
            walked, found = await _walk(connection, key, chain, heads.get(chain), kept.get(chain, []))
            lines += walked
            breaks += [found] if found else []
    return Verified(len(wanted), lines, tuple(breaks))


async def read_heads(connection: Connection) -> dict[UUID, Head]:
    """The head of every chain, by account."""
    cursor = await connection.execute("SELECT account_id, count, hash, mac FROM audit_heads")
    return {
        row["account_id"]: Head(row["account_id"], row["count"], bytes(row["hash"]), bytes(row["mac"]))
        for row in await cursor.fetchall()
    }


async def _expected(connection: Connection) -> set[UUID]:
    """Chains that must be there: of the installation, of each account there is, of each one that was created, and of
    each one that has a line."""
    cursor = await connection.execute(
        """SELECT account_id FROM accounts UNION SELECT DISTINCT account_id FROM audit_log
           UNION SELECT substr(subject, 9)::uuid FROM audit_log
           WHERE account_id = %s AND action = %s AND subject ~ '^account:[0-9a-f-]{36}$'""",
        (INSTALLATION, Action.ACCOUNT_CREATED),
    )
    return {INSTALLATION, *(row["account_id"] for row in await cursor.fetchall())}


async def _walk(
    connection: Connection, key: bytes, account_id: UUID, head: Head | None, anchors: list[Anchor]
) -> tuple[int, Break | None]:
    if head is None:
        return 0, Break(account_id, None, None, "The chain has no head: it was removed.")
    wanted = {anchor.count: anchor.hash for anchor in anchors}
    count, last = 0, BEGINNING
    async for line in _lines(connection, account_id):
        count += 1
        if line.sequence != count:
            return count, Break(account_id, count, None, f"Line {count} is missing.")
        if line.hash != hash_of(key, last, line):
            return count, Break(account_id, count, line.audit_id, "The line is not the one that was written here.")
        last = line.hash
        if wanted.get(count, last) != last:
            return count, Break(account_id, count, line.audit_id, "The line is not the one that the anchor names.")
    if not head.is_ours(key):
        return count, Break(account_id, count, None, "The head of the chain was altered.")
    if (count, last) != (head.count, head.hash):
        words = f"The chain ends after {count} lines, but {head.count} were written."
        return count, Break(account_id, count + 1, None, words)
    if wanted and max(wanted) > count:
        words = f"The chain ends after {count} lines, but the anchor names {max(wanted)}: it was put back."
        return count, Break(account_id, count + 1, None, words)
    return count, None


async def _lines(connection: Connection, account_id: UUID) -> AsyncIterator[Line]:
    after, after_id = -(2**62), UUID(int=0)
    while True:
        cursor = await connection.execute(LINES, (account_id, after, after_id, PAGE))
        rows = await cursor.fetchall()
        for place, row in enumerate(rows, start=1):
            if place % BREATH == 0:
                await asyncio.sleep(0)
            yield line_of(row)
        if len(rows) < PAGE:
            return
        after, after_id = rows[-1]["sequence"], rows[-1]["audit_id"]


def line_of(row: DictRow) -> Line:
    """A row of the table as a line."""
    return Line(
        row["audit_id"],
        row["account_id"],
        row["sequence"],
        row["at"],
        row["actor"],
        row["action"],
        row["subject"],
        row["details"],
        None if row["sealed_reason"] is None else bytes(row["sealed_reason"]),
        bytes(row["hash"]),
    )
