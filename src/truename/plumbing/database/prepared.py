"""Statements that a busy process runs again and again: planned once for each connection, and run without a cursor.

A cursor of the driver looks at each parameter, decides whether to prepare, and makes a dictionary of each row; the
database parses and plans what it is sent. For the few statements that every creation shares that was a third of what
they cost. Here a name and texts go to the database, and texts come back.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, LiteralString, Protocol

from psycopg import generators
from psycopg.abc import PQGen
from psycopg.errors import InvalidSqlStatementName, error_from_result
from psycopg.pq import Escaping, ExecStatus
from psycopg.pq.abc import PGconn, PGresult

TextRow = tuple[bytes | None, ...]
"""The columns of a row, as the database writes them."""


class Runs(Protocol):
    """The part of a connection that a prepared statement needs."""

    prepared: set[str]
    """Names of the statements that this session has prepared."""

    @property
    def pgconn(self) -> PGconn: ...
    async def wait(self, gen: PQGen[list[PGresult]]) -> list[PGresult]: ...


class PreparedStatement:
    """One statement, whose parameters are $1, $2 …; its name must be its own in the whole process."""

    def __init__(self, name: LiteralString, types: Sequence[LiteralString], query: LiteralString) -> None:
        self.name: Final = name
        self._prepare: Final = f"PREPARE {name} ({', '.join(types)}) AS {query}".encode()
        self._execute: Final = f"EXECUTE {name}".encode()

    async def run(self, connection: Runs, parameters: Sequence[str], before: str = "") -> list[TextRow]:
        """The rows of this statement; `before` are commands that end with `;` and share its transaction.

        The connection must be in no transaction. Raises the driver's errors, as a cursor does.
        """
        if self.name in connection.prepared:
            try:
                return await self._run(connection, parameters, before)
            except InvalidSqlStatementName:
                # Somebody else than the driver has told the session to forget all of them.
                connection.prepared.discard(self.name)
        await _sent(connection, self._prepare)
        connection.prepared.add(self.name)
        return await self._run(connection, parameters, before)

    async def _run(self, connection: Runs, parameters: Sequence[str], before: str) -> list[TextRow]:
        # Without BEGIN, commands that are sent together are one transaction.
        escaping = Escaping(connection.pgconn)
        literals = b",".join([bytes(escaping.escape_literal(one.encode())) for one in parameters])
        found = await _sent(connection, b"%b%b(%b)" % (before.encode(), self._execute, literals))
        columns = range(found.nfields)
        return [tuple([found.get_value(row, column) for column in columns]) for row in range(found.ntuples)]


async def _sent(connection: Runs, commands: bytes) -> PGresult:
    """The result of the last of these commands; raises the error of the one that failed."""
    connection.pgconn.send_query(commands)
    results = await connection.wait(generators.execute(connection.pgconn))
    for result in results:
        if result.status == ExecStatus.FATAL_ERROR:
            raise error_from_result(result)
    return results[-1]


def moments_by_id(rows: Sequence[TextRow]) -> dict[str, datetime]:
    """Of rows of an identifier and a point in time: which time belongs to which identifier, neither of them null."""
    found: dict[str, datetime] = {}
    read: dict[bytes, datetime] = {}
    """What is made by one statement bears one time."""
    for identifier, written in rows:
        if identifier is None or written is None:
            raise ValueError("An identifier or its time is null.")
        if (moment := read.get(written)) is None:
            moment = read[written] = datetime.fromisoformat(written.decode()).astimezone(UTC)
        found[identifier.decode()] = moment
    return found
