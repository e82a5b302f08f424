"""Connections to the database, and whose rows they may see."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, LiteralString, Protocol, TypeVar
from uuid import UUID

from psycopg import AsyncClientCursor, AsyncTransaction, OperationalError
from psycopg.abc import Params, PQGen
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import IdleInTransactionSessionTimeout, InsufficientPrivilege, ReadOnlySqlTransaction
from psycopg.rows import BaseRowFactory, DictRow, class_row, dict_row
from psycopg_pool import PoolClosed, PoolTimeout

from truename.plumbing.database.absence import RECONNECT_SECONDS, Absence, WatchedPool
from truename.plumbing.database.prepared import PreparedStatement, TextRow
from truename.plumbing.database.sessions import KNOWN_SESSION
from truename.plumbing.database.silence import Silence
from truename.plumbing.database.watched_connection import WatchedConnection
from truename.plumbing.tracing import current_cause

_NEEDS_NO_QUOTES: Final = re.compile(r"[A-Za-z0-9 ._:-]+")
AS_APPLICATION: LiteralString = f"SET ROLE truename_app; {KNOWN_SESSION}"
"""Row-level security binds no superuser: every session steps down at once, whoever it logged in as."""
IDLE_IN_TRANSACTION_SECONDS = 20
"""A process that says nothing in an open transaction for so long is frozen, or its machine cut off: the server rolls
back, so that whoever waits for its locks (of an account's audit log, for one) goes on. It may try again."""
CONNECTION_SECONDS: Final = 15.0
"""How long who needs a connection waits for one, where all are in use or none can be made."""


Row = TypeVar("Row")


class OpensSecrets(Protocol):
    """The part of the vault that work at the end of a transaction may need; the rooms of both stand side by side."""

    def seal_system(self, record: Any, plaintext: bytes) -> bytes: ...
    def open_system(self, record: Any, sealed: bytes) -> bytes: ...


NETWORK_PATIENCE: Final = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""In seconds, the last in milliseconds. A server whose machine is gone refuses nothing: without these it is waited for
by the minute, and one that was open for a quarter of an hour, while its standby could be asked."""

SOMETHING: Final = "CREATE TEMPORARY TABLE room AS SELECT generate_series(1, 8000) AS number"
"""A quarter of a megabyte, in no log of changes."""

BeforeCommit = Callable[["Connection", list[Any]], Awaitable[None]]
"""Work that is done once for all items that were given to it during a transaction."""


class Connection(WatchedConnection):
    """A connection that knows whose it is, and what is still to be done before its transaction commits."""

    database: "Database | None" = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deferred: list[tuple[BeforeCommit, Any]] = []
        self.prepared: set[str] = set()

    def _deallocate(self, name: bytes | None) -> PQGen[None]:
        """The driver tells the session to forget one statement, or all: after a ROLLBACK, for one.

        Without this the next use of ours is an error first, in the server's log too, and takes two turns more.
        """
        if name is None:
            self.prepared.clear()
        return super()._deallocate(name)

    def before_commit(self, work: BeforeCommit, item: Any) -> None:
        """Do this at the very end of the open transaction: for locks that must be held for as short as possible."""
        if self.database is None:
            raise RuntimeError("Nothing is deferred outside of a transaction of the database's own.")
        self._deferred.append((work, item))

    @asynccontextmanager
    async def transaction(
        self, savepoint_name: str | None = None, force_rollback: bool = False
    ) -> AsyncIterator[AsyncTransaction]:
        """A savepoint; what was deferred inside it is forgotten when it is rolled back."""
        mark = len(self._deferred)
        try:
            async with super().transaction(savepoint_name, force_rollback) as transaction:
                yield transaction
        except BaseException:
            del self._deferred[mark:]
            raise

    async def do_deferred(self) -> None:
        """Do what was kept for the end of the transaction, each work once for all its items."""
        deferred, self._deferred = self._deferred, []
        for work in dict.fromkeys(work for work, _ in deferred):
            await work(self, [item for other, item in deferred if other is work])

    def forget_deferred(self) -> None:
        """Drop what was kept for a transaction that is over."""
        self._deferred, self.database = [], None


def network_patience(url: str) -> dict[str, int]:
    """How long a server is waited for that does not answer at all, as far as its address does not say."""
    said = conninfo_to_dict(url)
    return {name: value for name, value in NETWORK_PATIENCE.items() if name not in said}


class Database:
    """One pool of connections; each use is one database transaction."""

    vault: OpensSecrets | None = None
    """Given by the plumbing that both belong to."""

    def __init__(self, url: str, *, connections: int = 10) -> None:
        self.url = url
        self.had_no_room = False
        """Did the server say so of what a caller would have written? Whoever answers him notes it."""
        self.absence = Absence(url, "database")
        self.silence = Silence(self.absence)
        self.pool: WatchedPool[Connection] = WatchedPool(
            url,
            connection_class=Connection,
            kwargs={"row_factory": dict_row, "prepare_threshold": 3, **network_patience(url)},
            min_size=min(2, connections),
            max_size=connections,
            configure=self._configure,
            open=False,
            timeout=CONNECTION_SECONDS,
            reconnect_timeout=RECONNECT_SECONDS,
            name="truename",
        )
        self.pool.heed(self.absence)

    async def open(self) -> None:
        """Connect; raises psycopg_pool.PoolTimeout when the database does not answer within 30 seconds."""
        await self.pool.open(wait=True, timeout=30)
        self.silence.begin()

    async def close(self) -> None:
        """Give the connections back; waits up to 10 seconds for those in use."""
        await self.pool.close(timeout=10)
        await self.silence.end()

    def wait_at_most(self, seconds: float) -> None:
        """From now on wait so long for the answer to one statement, and no longer for a connection to ask by.

        Who asks a server that answers nobody is refused at once.
        """
        self.silence.seconds, self.pool.timeout = seconds, min(CONNECTION_SECONDS, seconds)
        self.absence.may_refuse = True

    async def takes_again(self) -> None:
        """Where the server had no room, ask it again; raises DiskFull while it has none. Costs nothing while it has."""
        if self.had_no_room:
            await self.check_room()
            self.had_no_room = False

    async def check_room(self) -> None:
        """Write something that nobody sees, and take it back; raises DiskFull where there is no room for it."""
        with suppress(InsufficientPrivilege):  # whose roles may make no table for themselves is not asked
            async with self.system() as connection, connection.transaction(force_rollback=True):
                await connection.execute(SOMETHING)

    async def _configure(self, connection: Connection) -> None:
        self.silence.add(connection)
        await configure_connection(connection)

    @asynccontextmanager
    async def account(self, account_id: UUID) -> AsyncGenerator[Connection]:
        """One transaction that sees and writes only the rows of this account."""
        async with self._transaction("BEGIN; " + _set_scope(account_id)) as connection:
            yield connection

    @asynccontextmanager
    async def system(self) -> AsyncGenerator[Connection]:
        """One transaction across accounts: for sign-in, sweeps, job bookkeeping and account administration only."""
        async with self._transaction("BEGIN; SET LOCAL ROLE truename_system") as connection:
            yield connection

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[Connection]:
        """One transaction across accounts that reads what was committed when its first statement ran: for backups."""
        opening: LiteralString = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL ROLE truename_system"
        async with self._transaction(opening) as connection:
            yield connection

    async def statement(
        self, account_id: UUID, query: LiteralString, parameters: Params | None = None
    ) -> list[DictRow]:
        """One statement in a transaction of its own for this account, in a single round trip."""
        return await self._statement(dict_row, account_id, query, parameters)

    async def typed_statement(
        self, kind: type[Row], account_id: UUID, query: LiteralString, parameters: Params | None = None
    ) -> list[Row]:
        """The same, each row as one of these: its fields are named as the columns."""
        return await self._statement(class_row(kind), account_id, query, parameters)

    async def prepared(
        self, statement: PreparedStatement, parameters: Sequence[str], account_id: UUID | None = None
    ) -> list[TextRow]:
        """One prepared statement in a transaction of its own, in a single round trip, for this account.

        Where none is named, no row is seen that belongs to one.
        """
        async with self.pool.connection() as connection:
            before = "" if account_id is None else _set_scope(account_id) + "; "
            return await statement.run(connection, parameters, before)

    async def _statement(
        self, rows: BaseRowFactory[Row], account_id: UUID, query: LiteralString, parameters: Params | None
    ) -> list[Row]:
        async with self.pool.connection() as connection:
            cursor = AsyncClientCursor(connection, row_factory=rows)
            # Commands sent together without BEGIN are one transaction, so the scope ends with the statement.
            await cursor.execute(_set_scope(account_id) + "; " + query, parameters)
            cursor.nextset()
            cursor.nextset()
            return await cursor.fetchall() if cursor.description else []

    @asynccontextmanager
    async def _transaction(self, opening: LiteralString) -> AsyncGenerator[Connection]:
        async with self.pool.connection() as connection:
            # Both commands travel together, which saves a round trip on every request.
            await connection.execute(opening + _set_cause(), prepare=False)
            connection.database = self
            try:
                yield connection
                await connection.do_deferred()
            except BaseException:
                # Where the connection is gone, so is the transaction: what broke it off is what is told.
                with suppress(OperationalError):
                    await connection.rollback()
                raise
            finally:
                connection.forget_deferred()
            await connection.commit()


def _set_scope(account_id: UUID) -> LiteralString:
    # SET takes no parameters. The identifier is formatted by UUID itself, so that nothing else can stand in it.
    if not isinstance(account_id, UUID):
        raise TypeError("The account must be given as a UUID.")
    # The role again, though each session has it: whoever stepped up within one must not leave that to the next.
    return f"SET LOCAL ROLE truename_app; SET LOCAL truename.account_id = '{account_id!s}'"  # type: ignore[return-value,unused-ignore]


def _set_cause() -> LiteralString:
    """What is stored in this transaction bears what caused it, by defaults of the columns."""
    cause = current_cause()
    if cause is None:
        return ""
    if not _NEEDS_NO_QUOTES.fullmatch(cause):
        raise ValueError("A cause is made of ids only.")
    return f"; SET LOCAL truename.cause = '{cause}'"  # type: ignore[return-value,unused-ignore]


async def configure_connection(connection: Connection) -> None:
    """Prepare a fresh connection: each statement by itself, as the application's role."""
    await connection.set_autocommit(True)
    idle: LiteralString = f"SET idle_in_transaction_session_timeout TO '{IDLE_IN_TRANSACTION_SECONDS:d}s'"  # type: ignore[assignment,unused-ignore]
    await connection.execute(f"{AS_APPLICATION}; {idle}", prepare=False)


async def stay_idle(connection: Connection) -> None:
    """Let the open transaction wait for something else than the database for as long as that takes: for its lock."""
    await connection.execute("SET LOCAL idle_in_transaction_session_timeout TO 0")


def is_away(error: BaseException) -> bool:
    """Could the database not be asked, or did it break the work off? Then nothing is wrong with what was asked."""
    if isinstance(error, OperationalError):
        # No code: the connection broke. 08 connection, 53 no room or no connection free, 57 the server goes or comes.
        return error.sqlstate is None or error.sqlstate[:2] in ("08", "53", "57")
    # One that may only be read is a standby, or one that somebody has frozen for a while.
    return isinstance(error, (PoolTimeout, PoolClosed, ReadOnlySqlTransaction)) or is_broken_off(error)


def is_broken_off(error: BaseException) -> bool:
    """Has the server ended a transaction in which nothing happened for too long? All of it may be done again."""
    return isinstance(error, IdleInTransactionSessionTimeout)
