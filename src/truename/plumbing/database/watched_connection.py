"""A connection that can be looked at while it waits for an answer, and hung up on."""

import asyncio
import contextlib
import os
import socket
import threading
from collections.abc import Iterator
from typing import TypeVar

from psycopg import AsyncConnection, Connection, OperationalError
from psycopg.abc import PQGen
from psycopg.pq import TransactionStatus
from psycopg.pq.abc import PGconn
from psycopg.rows import DictRow, TupleRow

Answer = TypeVar("Answer")


class NoAnswer(OperationalError):
    """The server was hung up on: it may still do what it was asked, as after any connection that breaks."""


class WatchedConnection(AsyncConnection[DictRow]):
    """A connection that knows for how many looks it has waited for an answer."""

    waits = False
    looks = 0
    heard = False
    """Was an answer heard since somebody last looked?"""
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
            answer = await super().wait(gen, interval, timeout)
        except OperationalError as error:
            if _came_of_a_cancellation(error):
                raise asyncio.CancelledError from None  # the driver took the question back, and broke off meanwhile
            if self.was_hung_up:
                raise NoAnswer(f"The database did not answer within {self.looks:d} seconds.") from None
            raise
        else:
            self.heard = True
            return answer
        finally:
            self.waits = False

    @property
    def waits_for_an_answer(self) -> bool:
        """Who listens for new jobs waits too, but has asked nothing."""
        return self.waits and self.pgconn.transaction_status == TransactionStatus.ACTIVE

    def hang_up(self) -> None:
        """End the connection under who waits for it; nothing is left to do where it has just ended by itself."""
        self.was_hung_up = True
        _hang_up_on(self.pgconn)


@contextlib.contextmanager
def answering_within(connection: Connection[TupleRow], seconds: float) -> Iterator[None]:
    """Hang up on a server that has not answered all that the block asks in time: that raises OperationalError there."""
    late = threading.Timer(seconds, _hang_up_on, [connection.pgconn])
    late.start()
    try:
        yield
    finally:
        late.cancel()


def _hang_up_on(connection: PGconn) -> None:
    with contextlib.suppress(OSError, OperationalError), socket.socket(fileno=os.dup(connection.socket)) as same:
        same.shutdown(socket.SHUT_RDWR)


def _came_of_a_cancellation(error: BaseException) -> bool:
    """Was it raised while somebody who was cancelled put his things away?"""
    one: BaseException | None = error
    while one is not None and not isinstance(one, asyncio.CancelledError):
        one = one.__context__
    return one is not None
