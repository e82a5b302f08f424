"""A server that answers nobody: while that is known, who would ask it is refused at once.

Without this each call waits its own full time for a server that is gone, and whoever stands behind it (of an account
that has company two calls are worked on at a time) waits for all that stand before it.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Final, TypeVar

import structlog
from psycopg import Error, OperationalError
from psycopg_pool import AsyncConnectionPool

from truename.plumbing.database.watched_connection import WatchedConnection
from truename.plumbing.error_text import error_text

QUIET_LOOKS: Final = 3
"""So many looks in a row somebody waits and nothing is heard: then the server is asked whether it is there."""
AGAIN_LOOKS: Final = 5
"""So many looks after it was found to be there it may be asked again: somebody waits for a lock, or for his turn."""
ASK_SECONDS: Final = 3
"""How long each server of the address is waited for when it is asked."""
RECONNECT_SECONDS: Final = 5.0
"""So long a pool goes on trying to make one connection, less and less often; who needs one later has it try anew.

The longer this is, the longer callers wait for a server that is back: for as long again as it was away."""

log = structlog.get_logger(__name__)

Watched = TypeVar("Watched", bound=WatchedConnection)


class Absent(OperationalError):
    """The server was not asked, because it is known that it answers nobody."""


class Absence:
    """Whether one server answers at all: it does while a connection hears something, or a new one can be made."""

    def __init__(self, url: str, name: str) -> None:
        self._url, self._name = url, name
        self.is_known = False
        self.may_refuse = False
        """Shall who asks be refused while it is known? Who answers callers says yes; who has work to do waits."""
        self._quiet = 0
        self._asking: asyncio.Task[None] | None = None
        self._waiting: set[asyncio.Timeout] = set()
        self.somebody_waits: Callable[[], bool] = lambda: False
        """Is there somebody who waits for a connection? The pool says so."""

    @property
    def refuses(self) -> bool:
        """Is whoever asks refused now?"""
        return self.is_known and self.may_refuse

    def begin(self) -> None:
        """From now on two lines tell of an absence; the pool would write one for each connection that it tries."""
        logging.getLogger("psycopg.pool").setLevel(logging.ERROR)

    async def end(self) -> None:
        """Ask no more. To end what never began costs nothing."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.gather(self._asking, return_exceptions=True)

    def look(self, *, heard: bool, waited_for: bool) -> None:
        """Once a second: was something heard since the last look, and does somebody wait for an answer?"""
        if heard:
            self._note_answer()
        elif waited_for or self.somebody_waits():
            self._quiet += 1
        elif not self.is_known:
            self._quiet = 0
        if self._asking is None and (self._quiet >= QUIET_LOOKS or self.is_known):
            self._asking = asyncio.create_task(self._ask())
            self._asking.add_done_callback(self._asked)

    def refuse(self) -> Absent:
        """What is raised for whoever asks meanwhile."""
        return Absent(f"The {self._name} answers nobody at the moment.")

    def waits(self, limit: asyncio.Timeout) -> None:
        """Somebody waits for a connection, and will be told by this when nobody can make one."""
        self._waiting.add(limit)

    def waits_no_more(self, limit: asyncio.Timeout) -> None:
        """He has it, or was told."""
        self._waiting.discard(limit)

    def _note_answer(self) -> None:
        self._quiet = 0
        if self.is_known:
            self.is_known = False
            log.warning("database answers again", database=self._name)

    def _note_failure(self, reason: str) -> None:
        if self._quiet < QUIET_LOOKS:
            return  # a connection that was there before has heard something meanwhile
        if not self.is_known:
            self.is_known = True
            log.error("database answers nobody", database=self._name, reason=reason)
        if self.may_refuse:
            for limit in self._waiting:
                limit.reschedule(0)
            self._waiting.clear()

    async def _ask(self) -> None:
        """Make a connection as the pool would, and hear one answer."""
        try:
            connection = await WatchedConnection.connect(self._url, autocommit=True, connect_timeout=ASK_SECONDS)
        except (Error, OSError) as error:
            # Of a connection that was never made: it names servers, and quotes no row.
            self._note_failure(" ".join(str(error).split()))
            return
        late = asyncio.get_running_loop().call_later(ASK_SECONDS, connection.hang_up)
        try:
            await connection.execute("SELECT 1")
        except Error as error:
            self._note_failure(error_text(error))
        else:
            self._note_answer()
            self._quiet = -AGAIN_LOOKS
        finally:
            late.cancel()
            await connection.close()

    def _asked(self, _: asyncio.Task[None]) -> None:
        self._asking = None


class WatchedPool(AsyncConnectionPool[Watched]):
    """A pool that waits for no connection while it is known that none can be made."""

    absence: Absence
    """To be given by `heed`, before the first connection is asked for."""

    def heed(self, absence: Absence) -> None:
        """From now on go by this one, and tell it when somebody waits for a connection."""
        self.absence = absence
        absence.somebody_waits = lambda: bool(self.get_stats()["requests_waiting"])

    async def getconn(self, timeout: float | None = None) -> Watched:  # noqa: ASYNC109 - as the pool names it
        """A connection; Absent where the server answers nobody, or is found to while this waits.

        Until Python 3.12 the pool loses a cancellation that comes in the same moment as the connection: whoever was
        asked to end, and waits for nothing else, would go on for ever.
        """
        if self.absence.refuses:
            raise self.absence.refuse()
        task = asyncio.current_task()
        asked_to_end = task.cancelling() if task else 0
        try:
            async with asyncio.timeout(None) as limit:
                self.absence.waits(limit)
                try:
                    given = await super().getconn(timeout)
                finally:
                    self.absence.waits_no_more(limit)
        except TimeoutError:
            raise self.absence.refuse() from None
        if task and task.cancelling() > asked_to_end:
            await self.putconn(given)
            raise asyncio.CancelledError
        return given
