"""From where an operator did something: read off the sessions that were open then; addresses cut short."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address, ip_network
from typing import LiteralString
from uuid import UUID

from truename.audit.model import Action, Line
from truename.plumbing.database.pool import Connection
from truename.plumbing.http.queries import uuid_of
from truename.plumbing.resources import Plumbing

SESSIONS: LiteralString = """
SELECT operator_id, created_at, ended_at, seen_at, address, place,
       browser
FROM operator_sessions
WHERE operator_id = ANY(%(operators)s) AND created_at <= %(last)s AND coalesce(ended_at, 'infinity') >= %(first)s
  AND seen_at >= %(first)s - interval '1 hour'
ORDER BY created_at
"""
OWN: LiteralString = """
SELECT DISTINCT actor, subject FROM audit_log
WHERE account_id = %(account_id)s AND subject = ANY(%(subjects)s) AND actor = ANY(%(actors)s)
  AND action IN ('review.taken', 'review.taken_over', 'review.answered', 'review.decided', 'review.undone')
"""
MEDIA: LiteralString = """
SELECT media_id, transaction_id FROM media
WHERE account_id = %(account_id)s AND media_id = ANY(%(ids)s) AND transaction_id IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class _Session:
    operator_id: UUID
    created_at: datetime
    ended_at: datetime | None
    seen_at: datetime
    words: str

    def was_open(self, at: datetime) -> bool:
        return self.created_at <= at and (self.ended_at is None or at <= self.ended_at)


async def whence(plumbing: Plumbing, lines: Iterable[Line]) -> Mapping[UUID, str]:
    """Of each line that an operator wrote: place, address cut short, and browser, by the line's id."""
    known = {line.audit_id: (operator, line.at) for line in lines if (operator := _operator(line.actor)) is not None}
    if not known:
        return {}
    moments = [at for _, at in known.values()]
    own = {"operators": list({one for one, _ in known.values()}), "first": min(moments), "last": max(moments)}
    async with plumbing.database.system() as connection:
        rows = await (await connection.execute(SESSIONS, own)).fetchall()
    sessions = [
        _Session(
            row["operator_id"],
            row["created_at"],
            row["ended_at"],
            row["seen_at"],
            f"{row['place']} · {cut_short(row['address'])} · {row['browser']}",
        )
        for row in rows
    ]
    found = {}
    for audit_id, (operator, at) in known.items():
        words = dict.fromkeys(one.words for one in sessions if one.operator_id == operator and one.was_open(at))
        if words:
            found[audit_id] = " or ".join(list(words)[:3])
    return found


def cut_short(address: str) -> str:
    """An address without the part that names one machine: 192.0.2.0/24, 2001:db8:1::/48; a bad one is no address."""
    try:
        found = ip_address(address)
    except ValueError:
        return "no address"
    return str(ip_network(f"{found}/{24 if found.version == 4 else 48}", strict=False))


async def looks_at_others_cases(connection: Connection, account_id: UUID, lines: Iterable[Line]) -> set[UUID]:
    """Looks of operators at transactions and pictures that were never in their own hands, by the line's id."""
    looks = [
        line
        for line in lines
        if line.action in (Action.TRANSACTION_READ, Action.MEDIA_READ) and _operator(line.actor) is not None
    ]
    pictures = [found for line in looks if (found := uuid_of(line.subject.removeprefix("media:"))) is not None]
    cursor = await connection.execute(MEDIA, {"account_id": account_id, "ids": pictures})
    of = {f"media:{row['media_id']}": f"transaction:{row['transaction_id']}" for row in await cursor.fetchall()}
    subjects = {line.audit_id: of.get(line.subject, line.subject) for line in looks}
    own = {"account_id": account_id, "subjects": list(set(subjects.values())), "actors": [one.actor for one in looks]}
    cursor = await connection.execute(OWN, own)
    held = {(row["actor"], row["subject"]) for row in await cursor.fetchall()}
    return {line.audit_id for line in looks if (line.actor, subjects[line.audit_id]) not in held}


def _operator(actor: str) -> UUID | None:
    return uuid_of(actor.removeprefix("operator:")) if actor.startswith("operator:") else None
