"""Sessions: a random token in a cookie, its hash in the database, an end that comes by idling or by age.

The token is replaced at each sign-in and whenever what it may do changes, so that one that was seen earlier is worth
nothing. Roles are read at every request: taking one away works at once.
"""

# ruff: noqa: S608 - every part that is put together here is a constant of this house

import hashlib
import secrets
from datetime import timedelta
from typing import Final, LiteralString
from uuid import UUID

from psycopg.rows import DictRow

from truename.operators.model import Membership, Origin, Session, SignedIn
from truename.operators.store import COLUMNS, memberships, operator_of
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.settings import Settings

TOUCH_SECONDS: Final = 60
"""How exactly idling is measured: a session's row is written at most so often."""
KEPT_DAYS: Final = 30
"""How long an ended session stays listed, for "last sign-in"."""

SESSION: Final[LiteralString] = """
s.session_id, s.second_factor, s.created_at, s.seen_at, s.address, s.place, s.browser, s.current_account,
least(s.seen_at + %(idle)s, s.created_at + %(longest)s) AS ends_at
"""
LIVES: Final[LiteralString] = """
s.ended_at IS NULL AND clock_timestamp() < least(s.seen_at + %(idle)s, s.created_at + %(longest)s)
AND s.seen_at < clock_timestamp() + interval '1 hour'
"""
"""One that was last seen in the future is over: the clock was ahead and is set right, and it would outlive its age."""


async def begin_session(
    connection: Connection, operator_id: UUID, origin: Origin, *, second_factor: bool, current: UUID | None = None
) -> str:
    """A fresh session; answers the token for the cookie, which is known to nobody else."""
    token = secrets.token_urlsafe(32)
    await connection.execute(
        """INSERT INTO operator_sessions (session_id, token_hash, operator_id, current_account, second_factor, address,
                                          place, browser)
           VALUES (%s, %s, %s, coalesce(%s, (
               SELECT s.current_account FROM operator_sessions s JOIN operator_roles r
                   ON r.operator_id = s.operator_id AND r.account_id = s.current_account
               WHERE s.operator_id = %s ORDER BY s.created_at DESC LIMIT 1), (
               SELECT r.account_id FROM operator_roles r JOIN accounts a USING (account_id)
               WHERE r.operator_id = %s ORDER BY a.name LIMIT 1)), %s, %s, %s, %s)""",
        (
            new_id(),
            token_hash(token),
            operator_id,
            current,
            operator_id,
            operator_id,
            second_factor,
            origin.address,
            origin.place,
            origin.browser,
        ),
    )
    return token


async def read_session(connection: Connection, settings: Settings, token: str, *, stays_alive: bool) -> SignedIn | None:
    """Who this token stands for; None when it is not known, has ended, or its operator was disabled.

    `stays_alive`: a person asked, not a page by itself; only that keeps a session from idling.
    """
    cursor = await connection.execute(
        "SELECT "
        + SESSION
        + ","
        + COLUMNS
        + " FROM operator_sessions s JOIN operators o USING (operator_id)"
        + " WHERE s.token_hash = %(token_hash)s AND o.disabled_at IS NULL AND "
        + LIVES,
        {"token_hash": token_hash(token), **_limits(settings)},
    )
    row = await cursor.fetchone()
    if row is None:
        return None
    if stays_alive:
        cursor = await connection.execute(
            """UPDATE operator_sessions s SET seen_at = clock_timestamp()
               WHERE s.session_id = %(session_id)s AND s.seen_at < clock_timestamp() - make_interval(secs => %(secs)s)
               RETURNING s.seen_at, least(s.seen_at + %(idle)s, s.created_at + %(longest)s) AS ends_at""",
            {"session_id": row["session_id"], "secs": TOUCH_SECONDS, **_limits(settings)},
        )
        row |= await cursor.fetchone() or {}
    roles = await memberships(connection, row["operator_id"])
    current = _current(roles, row["current_account"])
    was_moved = current is not None and current.account_id != row["current_account"]
    return SignedIn(operator_of(row), _session_of(row), roles, current, token, was_moved)


async def rotate_token(connection: Connection, session_id: UUID) -> str:
    """A new token for a session whose rights change; the one before is worth nothing from the commit on."""
    token = secrets.token_urlsafe(32)
    await connection.execute(
        "UPDATE operator_sessions SET token_hash = %s WHERE session_id = %s", (token_hash(token), session_id)
    )
    return token


async def mark_second_factor(connection: Connection, session_id: UUID) -> None:
    """This session has shown a second factor: the one that was just set up."""
    await connection.execute("UPDATE operator_sessions SET second_factor = true WHERE session_id = %s", (session_id,))


async def look_at(connection: Connection, session_id: UUID, account_id: UUID) -> str:
    """Turn a session to another account; answers its new token."""
    await connection.execute(
        "UPDATE operator_sessions SET current_account = %s WHERE session_id = %s", (account_id, session_id)
    )
    return await rotate_token(connection, session_id)


async def end_session(connection: Connection, operator_id: UUID, session_id: UUID) -> bool:
    """End one session of this operator; says whether there was one."""
    cursor = await connection.execute(
        """UPDATE operator_sessions SET ended_at = clock_timestamp()
           WHERE session_id = %s AND operator_id = %s AND ended_at IS NULL""",
        (session_id, operator_id),
    )
    return cursor.rowcount == 1


async def end_session_of(connection: Connection, token: str) -> None:
    """End the session that this token stands for, if there is one."""
    await connection.execute(
        "UPDATE operator_sessions SET ended_at = clock_timestamp() WHERE token_hash = %s AND ended_at IS NULL",
        (token_hash(token),),
    )


async def end_other_sessions(connection: Connection, operator_id: UUID, kept: UUID | None = None) -> int:
    """End every session of an operator but one; answers how many."""
    cursor = await connection.execute(
        """UPDATE operator_sessions SET ended_at = clock_timestamp()
           WHERE operator_id = %s AND ended_at IS NULL AND session_id IS DISTINCT FROM %s""",
        (operator_id, kept),
    )
    return cursor.rowcount


async def list_sessions(connection: Connection, settings: Settings, operator_id: UUID) -> list[Session]:
    """The sessions that are alive, the newest first."""
    cursor = await connection.execute(
        "SELECT " + SESSION + " FROM operator_sessions s WHERE s.operator_id = %(operator_id)s AND " + LIVES
        + " ORDER BY s.created_at DESC",
        {"operator_id": operator_id, **_limits(settings)},
    )  # fmt: skip
    return [_session_of(row) for row in await cursor.fetchall()]


async def sign_in_before(connection: Connection, settings: Settings, signed_in: SignedIn) -> Session | None:
    """The sign-in before this one: whoever sees one that was not theirs knows that somebody has their password."""
    cursor = await connection.execute(
        "SELECT " + SESSION + " FROM operator_sessions s"
        " WHERE s.operator_id = %(operator_id)s AND s.created_at < %(before)s ORDER BY s.created_at DESC LIMIT 1",
        {
            "operator_id": signed_in.operator.operator_id,
            "before": signed_in.session.created_at,
            **_limits(settings),
        },
    )
    row = await cursor.fetchone()
    return _session_of(row) if row else None


async def forget_old(connection: Connection, settings: Settings) -> None:
    """Delete sessions that ended long ago, but each operator's last."""
    await connection.execute(
        """DELETE FROM operator_sessions s WHERE s.seen_at < clock_timestamp() - %s
           AND EXISTS (SELECT 1 FROM operator_sessions n WHERE n.operator_id = s.operator_id
                       AND n.created_at > s.created_at)""",
        (max(timedelta(days=KEPT_DAYS), timedelta(hours=settings.dashboard_session_hours)),),
    )


def token_hash(token: str) -> bytes:
    """What is stored of a token: 256 random bits need no slow hash."""
    return hashlib.sha256(token.encode()).digest()


def _limits(settings: Settings) -> dict[str, timedelta]:
    return {
        "idle": timedelta(minutes=settings.dashboard_idle_minutes),
        "longest": timedelta(hours=settings.dashboard_session_hours),
    }


def _current(roles: tuple[Membership, ...], account_id: UUID | None) -> Membership | None:
    """The account that was chosen, when there is still a role in it; otherwise the first."""
    return next((one for one in roles if one.account_id == account_id), roles[0] if roles else None)


def _session_of(row: DictRow) -> Session:
    return Session(
        row["session_id"],
        row["second_factor"],
        row["created_at"],
        row["seen_at"],
        row["ends_at"],
        row["address"],
        row["place"],
        row["browser"],
    )
