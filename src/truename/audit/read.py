"""Read the audit log: the newest lines that fit, in the order in which they were written."""

from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString
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
    """Only lines that stand before this one in the chain of the account."""


async def read_lines(connection: Connection, filters: Filters) -> list[Line]:
    """The newest lines that fit, the oldest of them first."""
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
        ("before", filters.before, "sequence < %(before)s"),
    )
    for name, value, condition in conditions:
        if value is not None:
            where.append(condition)
            given[name] = value
    query: LiteralString = (
        "SELECT audit_id, account_id, sequence, at, actor, action, subject, details, sealed_reason, hash "
        "FROM audit_log WHERE " + " AND ".join(where) + " ORDER BY at DESC, account_id, sequence DESC LIMIT %(limit)s"
    )
    cursor = await connection.execute(query, given)
    return [line_of(row) for row in reversed(await cursor.fetchall())]
