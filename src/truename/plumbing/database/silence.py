"""A server that keeps its connections and says nothing: it is frozen, or what stands between us and it is.

No limit of the network ends that wait, because its machine acknowledges whatever is sent. So each pool looks once a
second at those of its connections that wait for an answer, and hangs up on who has waited too long.
"""

import asyncio
import contextlib
import os
import socket
from typing import Final, TypeVar
from weakref import WeakSet

from psycopg import AsyncConnection, OperationalError
from psycopg.abc import PQGen
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow

LOOK_SECONDS: Final = 1.0
ANSWER_SECONDS: Final = 600.0
"""How long one statement may take where nobody waits for an answer: work on all rows of a month takes minutes."""
REQUEST_SECONDS: Final = 30.0
"""The same in a process that answers requests: longer than the 20 seconds for which a frozen process keeps its locks,
and about as long as callers wait."""
LEAVING_SECONDS: Final = 5.0
"""The same in a process that was asked to end: what it has not written is asked for, or done, again elsewhere."""

Answer = TypeVar("Answer")


class NoAnswer(OperationalError):
    """The server was hung up on: it may still do what it was asked, as after any connection that breaks."""


class WatchedConnection(AsyncConnection[DictRow]):
    """A connection that knows for how many looks it has waited for an answer."""

    waits = False
    looks = 0
    was_hung_up = False

    async def wait(
        self,
        gen: PQGen[Answer],
        interval: float = 0.1,
        timeout: float | None = None,  # noqa: ASYNC109 - as the driver names it
    ) -> Answer:
        """Wait for an answer, as the driver does; raises NoAnswer where that took too long."""
        self.waits, self.looks = True, 0
        try:
            return await super().wait(gen, interval, timeout)
        except OperationalError as error:
            if _came_of_a_cancellation(error):
                raise asyncio.CancelledError from None  # the driver took the question back, and broke off meanwhile
            if self.was_hung_up:
                raise NoAnswer(f"The database did not answer within {self.looks:d} seconds.") from None
            raise
        finally:
            self.waits = False

    def hang_up(self) -> None:
        """End the connection under who waits for it; nothing is left to do where it has just ended by itself."""
        self.was_hung_up = True
        with (
            contextlib.suppress(OSError, OperationalError),
            socket.socket(fileno=os.dup(self.pgconn.socket)) as same,
        ):
            same.shutdown(socket.SHUT_RDWR)


def _came_of_a_cancellation(error: BaseException) -> bool:
    """Was it raised while somebody who was cancelled put his things away?"""
    one: BaseException | None = error
    while one is not None and not isinstance(one, asyncio.CancelledError):
        one = one.__context__
    return one is not None


class Silence:
    """Looks at the connections of one pool, which are given to it as they are made."""

    def __init__(self, seconds: float = ANSWER_SECONDS) -> None:
        self.seconds = seconds
        """How long a server is waited for; may be changed at any time."""
        self._connections: WeakSet[WatchedConnection] = WeakSet()
        self._watch: asyncio.Task[None] | None = None

    def add(self, connection: WatchedConnection) -> None:
        """Look at this one too, as long as it lives."""
        self._connections.add(connection)

    def begin(self) -> None:
        """Look once a second, until `end`."""
        self._watch = asyncio.create_task(self._keep_looking())

    async def end(self) -> None:
        """Look no more. To end what never began costs nothing."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)

    async def _keep_looking(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self.look()

    def look(self) -> None:
        """Count the looks and not the time: while we were frozen ourselves, the answer may have come."""
        for connection in list(self._connections):
            # Who listens for new jobs waits too, but has asked nothing.
            if connection.waits and connection.pgconn.transaction_status == TransactionStatus.ACTIVE:
                connection.looks += 1
                if connection.looks * LOOK_SECONDS >= self.seconds and not connection.was_hung_up:
                    connection.hang_up()
