"""Read the audit log: the newest lines that fit, in the order in which they were written."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString
from uuid import UUID

from truename.audit.model import Line
from truename.audit.verify import line_of
from truename.plumbing.database.pool import Connection


@dataclass(frozen=True)
class Filters:
    """Which lines; None: any."""

    account_id: UUID | None = None
    since: datetime | None = None
    subject: str | None = None
    actor: str | None = None
    action: str | None = None
    limit: int = 100
    until: datetime | None = None
    subjects: tuple[str, ...] | None = None
    """One of these, instead of `subject`."""
    actions: tuple[str, ...] | None = None
    """One of these, instead of `action`."""
    before: int | None = None
    """Only lines that come after this one of the account's chain, the newest first: clocks may have gone back, so that
    what stands later in the chain is not always newer."""
    up_to: int | None = None
    """Only lines up to this one of the account's chain."""


COUNT: Final[LiteralString] = "SELECT count(*) AS count FROM audit_log WHERE "
BEFORE: Final[LiteralString] = """
(at, sequence) < (COALESCE((SELECT max(at) FROM audit_log WHERE account_id = %(account_id)s AND sequence = %(before)s),
                           'infinity'), %(before)s)
"""


async def read_lines(connection: Connection, filters: Filters) -> list[Line]:
    """The newest lines that fit, the oldest of them first."""
    where, given = _where(filters)
    query: LiteralString = (
        "SELECT audit_id, account_id, sequence, at, actor, action, subject, details, sealed_reason, hash "
        "FROM audit_log WHERE " + " AND ".join(where) + " ORDER BY at DESC, account_id, sequence DESC LIMIT %(limit)s"
    )
    cursor = await connection.execute(query, given)
    return [line_of(row) for row in reversed(await cursor.fetchall())]


async def count_lines(connection: Connection, filters: Filters) -> int:
    """How many lines fit, whatever the limit."""
    where, given = _where(filters)
    row = await (await connection.execute(COUNT + " AND ".join(where), given)).fetchone()
    return row["count"] if row else 0


def _where(filters: Filters) -> tuple[list[LiteralString], dict[str, object]]:
    """The conditions, and what they name."""
    where: list[LiteralString] = ["true"]
    given: dict[str, object] = {"limit": filters.limit}
    conditions: tuple[tuple[str, object, LiteralString], ...] = (
        ("account_id", filters.account_id, "account_id = %(account_id)s"),
        ("since", filters.since, "at >= %(since)s"),
        ("subject", filters.subject, "subject = %(subject)s"),
        ("actor", filters.actor, "actor = %(actor)s"),
        ("action", filters.action, "action = %(action)s"),
        ("until", filters.until, "at < %(until)s"),
        ("subjects", None if filters.subjects is None else list(filters.subjects), "subject = ANY(%(subjects)s)"),
        ("actions", None if filters.actions is None else list(filters.actions), "action = ANY(%(actions)s)"),
        ("before", filters.before, BEFORE),
        ("up_to", filters.up_to, "sequence <= %(up_to)s"),
    )
    for name, value, condition in conditions:
        if value is not None:
            where.append(condition)
            given[name] = value
    return where, given
