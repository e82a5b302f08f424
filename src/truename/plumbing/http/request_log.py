"""What was asked of us lately, for developers: each request of a known client, without any value of its bodies.

A request leaves a few references in memory; once a second they are written together, beside the requests. When more
come than can be written they are dropped and counted, never waited for: first those of the account that sends most. Of
bodies only names that our own description knows and types of values are kept, of few requests of each second: all else
would cost time and might be personal.
"""

import asyncio
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import orjson
import structlog
from psycopg import Error
from psycopg_pool import PoolClosed, PoolTimeout
from starlette.types import Scope

from truename.plumbing import clock, metrics
from truename.plumbing.database.pool import Database
from truename.plumbing.http.request_context import (
    ACCOUNT_KEY,
    ANSWER_KEY,
    CLIENT_KEY,
    CODE_KEY,
    PATH_KEY,
    REQUEST_ID_KEY,
    SENT_KEY,
)
from truename.plumbing.jobs.parts import drop_parts
from truename.plumbing.jobs.registry import periodic
from truename.plumbing.resources import Plumbing

log = structlog.get_logger(__name__)

WRITE_SECONDS: Final = 1.0
MOST: Final = 250
"""Rows of good answers that one process writes in a second: more than a developer reads, and so few that thousands of
requests a second pay little for them."""
MOST_REFUSALS: Final = 500
"""Refusals, which are what is looked for, have more room, and of their own."""
WITH_BODIES: Final = 50
"""Of these so many with the shapes of their bodies."""
REFUSALS_WITH_BODIES: Final = 250
AT_ONCE: Final = 50
"""Rows of one statement: requests that come meanwhile wait for no more than these."""
LONGEST_BODY: Final = 8192
DEEPEST: Final = 6
MANY: Final = 3
"""Elements of a list that are looked at: they are alike."""
SUBJECTS: Final = ("transaction_id", "customer_id", "event_id", "media_id")
_IDENTIFIER: Final = re.compile(r"(evt_)?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
"""What an address names is kept only if it can be one of our identifiers: anything else may be somebody's name."""
OTHER_NAME: Final = "(a name that we do not know)"
INSERT: Final = """
INSERT INTO request_log
    (account_id, request_id, at, method, path, status, took_ms, client, code, subject, sent, answered)
SELECT * FROM jsonb_to_recordset(%s::jsonb) AS n (
    account_id uuid, request_id text, at timestamptz, method text, path text, status integer, took_ms real, client text,
    code text, subject text, sent text, answered text)
"""
"""One statement for all; COPY would be faster still, but does not go together with row-level security."""
SILENT: Final = "SELECT account_id FROM accounts WHERE account_id = ANY(%s) AND settings ->> 'request_log' = 'false'"


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """One request until it is written."""

    account_id: UUID
    request_id: str
    at: datetime
    method: str
    path: str
    status: int
    took_ms: float
    client: str
    code: str | None
    subject: str | None
    sent: bytes | None
    answered: bytes | None


class Room:
    """Rows that wait to be written. Once there is no room for all, no account has more than its share of it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0
        self.dropped = 0
        """Requests that had no place since this was last looked at."""
        self._rows: dict[UUID, list[LoggedRequest]] = {}

    def shares(self, among: int, account_id: UUID) -> bool:
        """Is one more row of this account within its share of so many?"""
        own = self._rows.get(account_id)
        return own is None or len(own) * len(self._rows) < among

    def has_place(self, account_id: UUID) -> bool:
        """May this account have one more? If need be, the one that has most loses its latest."""
        if self._count < self._most:
            return True
        if not self.shares(self._most, account_id):
            return False
        longest = max(self._rows.values(), key=len, default=[])
        if len(longest) < 2:
            return False
        longest.pop()
        self._count -= 1
        self.dropped += 1
        return True

    def add(self, row: LoggedRequest) -> None:
        """Keep a row for which there is a place."""
        self._rows.setdefault(row.account_id, []).append(row)
        self._count += 1

    def emptied(self) -> list[LoggedRequest]:
        """Everything that waits, which then waits no more."""
        rows, self._rows, self._count = [row for own in self._rows.values() for row in own], {}, 0
        return rows


class RequestLog:
    """Gathers requests of this process and writes them once a second."""

    def __init__(self, database: Database, known_names: Callable[[], Collection[str]]) -> None:
        """`known_names` is asked once, in a thread, before the first shape is made."""
        self._database = database
        self._known_names = known_names
        self._known: frozenset[str] | None = None
        self._good, self._refused = Room(MOST), Room(MOST_REFUSALS)
        self._writing: asyncio.Task[None] | None = None

    def note(self, scope: Scope, status: int, seconds: float) -> None:
        """Take down a finished request, if it is known whose it is; does not wait."""
        account_id = scope.get(ACCOUNT_KEY)
        if account_id is None or PATH_KEY not in scope:
            return
        room = self._refused if status >= 400 else self._good
        if not room.has_place(account_id):
            room.dropped += 1
            return
        with_bodies = room.shares(REFUSALS_WITH_BODIES if status >= 400 else WITH_BODIES, account_id)
        room.add(
            LoggedRequest(
                account_id,
                scope[REQUEST_ID_KEY],
                clock.now(),
                scope["method"],
                scope[PATH_KEY],
                status,
                seconds * 1000,
                scope.get(CLIENT_KEY) or "",
                scope.get(CODE_KEY),
                _subject(scope),
                scope.get(SENT_KEY) if with_bodies else None,
                scope.get(ANSWER_KEY) if with_bodies else None,
            )
        )
        if self._writing is None or self._writing.done():
            self._writing = asyncio.get_running_loop().create_task(self._write_until_empty())

    async def all_written(self) -> None:
        """Wait until nothing is left to be written: for the end of the process."""
        if self._writing is not None:
            await self._writing

    async def _write_until_empty(self) -> None:
        while True:
            await asyncio.sleep(WRITE_SECONDS)
            for room in (self._refused, self._good):
                metrics.count_unlogged_requests(room.dropped)
                room.dropped = 0
            rows = [*self._refused.emptied(), *self._good.emptied()]
            if not rows:
                return
            for start in range(0, len(rows), AT_ONCE):
                few = rows[start : start + AT_ONCE]
                try:
                    await self._write(few)
                except (Error, PoolTimeout, PoolClosed) as fault:
                    log.warning("requests were not logged", count=len(few), error=type(fault).__name__)

    async def _write(self, rows: list[LoggedRequest]) -> None:
        if self._known is None:
            self._known = frozenset(await asyncio.to_thread(self._known_names))
        async with self._database.system() as connection:
            await connection.execute("SET LOCAL synchronous_commit TO off")
            cursor = await connection.execute(SILENT, (list({row.account_id for row in rows}),))
            silent = {row["account_id"] for row in await cursor.fetchall()}
            kept = [self._row(row) for row in rows if row.account_id not in silent]
            await connection.execute(INSERT, (orjson.dumps(kept).decode(),))

    def _row(self, row: LoggedRequest) -> dict[str, object]:
        bodies = {"sent": self.shape(row.sent), "answered": self.shape(row.answered)}
        return {name: getattr(row, name) for name in row.__slots__} | bodies

    def shape(self, body: bytes | None) -> str | None:
        """Names and types of a JSON body, as JSON; None for anything else. No value is kept, and no unknown name."""
        if not body or len(body) > LONGEST_BODY:
            return None
        try:
            found = orjson.loads(body)
        except orjson.JSONDecodeError:
            return None
        return orjson.dumps(self._shape(found, DEEPEST)).decode()

    def _shape(self, value: object, deeper: int) -> object:
        if isinstance(value, dict):
            if deeper == 0:
                return "object"
            return {
                (name if name in (self._known or ()) else OTHER_NAME): self._shape(inner, deeper - 1)
                for name, inner in value.items()
            }
        if isinstance(value, list):
            shapes = [self._shape(inner, deeper - 1) for inner in value[:MANY]] if deeper else []
            return shapes[:1] if all(shape == shapes[0] for shape in shapes) else shapes
        if value is None or isinstance(value, bool):
            return "null" if value is None else "boolean"
        return "number" if isinstance(value, (int, float)) else "string"


def _subject(scope: Scope) -> str | None:
    params: dict[str, str] = scope.get("path_params") or {}
    for name in SUBJECTS:
        if _IDENTIFIER.fullmatch(params.get(name, "")):
            return f"{name.removesuffix('_id')}:{params[name]}"
    return None


@periodic(seconds=600)
async def forget_old_requests(plumbing: Plumbing) -> None:
    """Delete what is older than the days that are kept: whole days by dropping their part, the rest by row."""
    days = timedelta(days=plumbing.settings.request_log_days)
    await drop_parts(plumbing.database, "request_log", older_than=days)
    async with plumbing.database.system() as connection:
        await connection.execute("DELETE FROM request_log WHERE at < now() - %s", (days,))
