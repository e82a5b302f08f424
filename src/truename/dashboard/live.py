"""Live rows: which transactions of an account changed just now, told to every open browser.

One poller per process asks the database every two seconds, for all accounts that somebody looks at, and only while
somebody does. It reads the ends of the audit chains, which move with every change of a status: one row of an account,
by its key. NOTIFY would tell sooner, but takes a lock at each commit that all writers share.
"""

import asyncio
import contextlib
import weakref
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

import structlog
from psycopg import OperationalError
from psycopg_pool import PoolTimeout
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from truename.audit.model import Action
from truename.dashboard.guard import Screen
from truename.dashboard.visit import Visit
from truename.operators.model import Role
from truename.operators.sessions import read_session
from truename.plumbing import clock
from truename.plumbing.database.pool import Connection, Database
from truename.plumbing.errors import TooMany
from truename.plumbing.http.answers import encode, json_answer
from truename.plumbing.http.connection import STREAM_KEY

log = structlog.get_logger(__name__)

PATH: Final = "/dashboard/live"
POLL_SECONDS: Final = 2.0
ALIVE_SECONDS: Final = 15.0
LONGEST_SECONDS: Final = 300.0
"""A stream ends after this; the browser comes back by itself, through whatever stands in between."""
STREAMS: Final = 12
"""Of one operator in one process: browsers that hold a lock for all their tabs need one each."""
AT_MOST: Final = 200
"""Rows that one change names; who missed more loads the page again."""
LAST_MOMENT: Final = 253_402_300_799_000
"""The end of the year 9999 in milliseconds: no calendar goes further."""
TELLING: Final = [Action.TRANSACTION_STATUS_CHANGED, Action.TRANSACTION_REVIEWED, Action.TRANSACTION_REDACTED]

HEADS: Final = "SELECT account_id, count FROM audit_heads WHERE account_id = ANY(%s)"
CHANGED: Final = """
SELECT DISTINCT subject FROM audit_log
WHERE account_id = %(account_id)s AND sequence > %(after)s AND sequence <= %(upto)s AND action = ANY(%(actions)s)
LIMIT %(limit)s
"""
CREATED: Final = """
SELECT count(*) AS n FROM (SELECT 1 FROM transactions WHERE account_id = %s AND created_at > %s LIMIT 1000) AS fresh
"""


@dataclass(frozen=True)
class Mark:
    """How far somebody has seen: a line of the audit chain, and a moment."""

    sequence: int
    moment: datetime

    def __str__(self) -> str:
        return f"{self.sequence}.{int(self.moment.timestamp() * 1000)}"

    @classmethod
    def of(cls, text: str) -> "Mark | None":
        """The mark that a text stands for; None when it is none of ours."""
        sequence, dot, milliseconds = text.partition(".")
        numbers = (sequence, milliseconds)
        if not dot or not all(part.isascii() and part.isdigit() and len(part) <= 15 for part in numbers):
            return None
        if int(milliseconds) > LAST_MOMENT:
            return None
        return cls(int(sequence), datetime.fromtimestamp(int(milliseconds) / 1000, UTC))


@dataclass(frozen=True)
class Change:
    """What happened since a mark."""

    account_id: UUID
    transactions: tuple[str, ...]
    created: int
    mark: Mark

    def shown(self) -> dict[str, object]:
        return {
            "account_id": self.account_id,
            "transactions": list(self.transactions),
            "created": self.created,
            "after": str(self.mark),
        }

    @property
    def is_empty(self) -> bool:
        return not self.transactions and not self.created


class Poller:
    """Asks the database for all browsers of this process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: dict[UUID, set[asyncio.Queue[Change]]] = {}
        self._marks: dict[UUID, Mark] = {}
        self._streams: Counter[UUID] = Counter()
        self._task: asyncio.Task[None] | None = None

    @contextlib.contextmanager
    def a_place_for(self, operator_id: UUID) -> Iterator[None]:
        """Hold one of the operator's streams while the block lasts; raises TooMany when all are taken."""
        if self._streams[operator_id] >= STREAMS:
            raise TooMany(15, "Too many pages of yours listen already; this one asks every 15 seconds instead.")
        self._streams[operator_id] += 1
        try:
            yield
        finally:
            self._streams[operator_id] -= 1
            if not self._streams[operator_id]:
                del self._streams[operator_id]

    @contextlib.asynccontextmanager
    async def listening(self, account_id: UUID) -> AsyncIterator[asyncio.Queue[Change]]:
        """A queue that gets each change of this account while the block lasts."""
        queue: asyncio.Queue[Change] = asyncio.Queue(maxsize=20)
        if account_id not in self._marks:
            async with self._database.system() as connection:
                count = (await _heads(connection, [account_id])).get(account_id, 0)
            self._marks.setdefault(account_id, Mark(count, clock.now()))
        self._waiting.setdefault(account_id, set()).add(queue)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._poll())
        try:
            yield queue
        finally:
            self._waiting[account_id].discard(queue)
            if not self._waiting[account_id]:
                del self._waiting[account_id]
                self._marks.pop(account_id, None)

    async def _poll(self) -> None:
        while self._waiting:
            try:
                async with self._database.system() as connection:
                    changes = await self._look(connection)
            except (OperationalError, PoolTimeout):
                log.warning("live rows wait for the database")
                changes = []
            for change in changes:
                for queue in self._waiting.get(change.account_id, ()):
                    if not queue.full():  # who does not read misses changes, and sees them when the page is loaded
                        queue.put_nowait(change)
            await asyncio.sleep(POLL_SECONDS)

    async def _look(self, connection: Connection) -> list[Change]:
        changes = []
        for account_id, count in (await _heads(connection, list(self._waiting))).items():
            if account_id not in self._marks:
                continue  # nobody listens any more
            change = await changes_since(connection, account_id, self._marks[account_id], count)
            self._marks[account_id] = change.mark
            if not change.is_empty:
                changes.append(change)
        return changes


_POLLERS: "weakref.WeakKeyDictionary[Database, Poller]" = weakref.WeakKeyDictionary()


def poller_of(database: Database) -> Poller:
    """The one poller of this process."""
    return _POLLERS.setdefault(database, Poller(weakref.proxy(database)))


async def changes_since(connection: Connection, account_id: UUID, mark: Mark, count: int) -> Change:
    """What happened in an account between a mark and the present end of its chain."""
    now, changed = clock.now(), list[str]()
    if count > mark.sequence:
        own = {"account_id": account_id, "after": mark.sequence, "upto": count, "actions": TELLING, "limit": AT_MOST}
        cursor = await connection.execute(CHANGED, own)
        changed = [row["subject"].removeprefix("transaction:") for row in await cursor.fetchall()]
    cursor = await connection.execute(CREATED, (account_id, mark.moment))
    row = await cursor.fetchone()
    return Change(account_id, tuple(changed), row["n"] if row else 0, Mark(count, now))


async def _heads(connection: Connection, accounts: list[UUID]) -> dict[UUID, int]:
    cursor = await connection.execute(HEADS, (accounts,))
    return {row["account_id"]: row["count"] for row in await cursor.fetchall()}


async def show_changes(visit: Visit) -> Response:
    """For browsers without a stream: what happened since `after`, asked every 15 seconds."""
    mark = Mark.of(visit.request.query_params.get("after", ""))
    async with visit.plumbing.database.system() as connection:
        count = (await _heads(connection, [visit.account_id])).get(visit.account_id, 0)
        if mark is None:
            return json_answer(Change(visit.account_id, (), 0, Mark(count, clock.now())).shown())
        return json_answer((await changes_since(connection, visit.account_id, mark, count)).shown())


async def stream_changes(visit: Visit) -> Response:
    """The stream of server-sent events, one for each browser."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if visit.request.method == "HEAD":
        return Response(None, 200, headers, "text/event-stream")
    place = poller_of(visit.plumbing.database).a_place_for(visit.operator.operator_id)
    visit.request.scope[STREAM_KEY] = True
    return _Stream(place, _events(visit), headers)


class _Stream(StreamingResponse):
    """A stream that holds one of its operator's places while it is sent, and gives it back however it ends."""

    def __init__(
        self, place: AbstractContextManager[None], events: AsyncIterator[bytes], headers: dict[str, str]
    ) -> None:
        super().__init__(events, 200, headers, "text/event-stream")
        self._held = contextlib.ExitStack()
        self._held.enter_context(place)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._held:
            await super().__call__(scope, receive, send)


async def _events(visit: Visit) -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    ends = loop.time() + LONGEST_SECONDS
    async with poller_of(visit.plumbing.database).listening(visit.account_id) as queue:
        yield b"retry: 3000\nevent: ready\ndata: {}\n\n"
        asked = loop.time()
        while loop.time() < ends:
            told = b": alive\n\n"
            with contextlib.suppress(TimeoutError):
                change = await asyncio.wait_for(queue.get(), ALIVE_SECONDS)
                told = b"event: change\ndata: " + encode(change.shown()) + b"\n\n"
            if loop.time() - asked >= ALIVE_SECONDS:  # also where changes leave no pause
                if not await _still_signed_in(visit):
                    yield b"event: ended\ndata: {}\n\n"
                    return
                asked = loop.time()
            yield told


async def _still_signed_in(visit: Visit) -> bool:
    async with visit.plumbing.database.system() as connection:
        found = await read_session(connection, visit.plumbing.settings, visit.signed_in.token, stays_alive=False)
    return found is not None and found.current is not None and found.current.account_id == visit.account_id


screens: Final = (
    Screen("GET", PATH, stream_changes, Role.VIEWER, by_itself=True),
    Screen("GET", f"{PATH}/since", show_changes, Role.VIEWER, by_itself=True),
)
