"""A server that keeps its connections and says nothing: it is frozen, or what stands between us and it is.

No limit of the network ends that wait, because its machine acknowledges whatever is sent. So each pool looks once a
second at those of its connections that wait for an answer, and hangs up on who has waited too long.
"""

import asyncio
from typing import Final
from weakref import WeakSet

from truename.plumbing.database.absence import Absence
from truename.plumbing.database.watched_connection import WatchedConnection

LOOK_SECONDS: Final = 1.0
ANSWER_SECONDS: Final = 600.0
"""How long one statement may take where nobody waits for an answer: work on all rows of a month takes minutes."""
REQUEST_SECONDS: Final = 30.0
"""The same in a process that answers requests: longer than the 20 seconds for which a frozen process keeps its locks,
and about as long as callers wait."""
LEAVING_SECONDS: Final = 5.0
"""The same in a process that was asked to end: what it has not written is asked for, or done, again elsewhere."""
ABSENT_SECONDS: Final = 10.0
"""The same where it is known that the server answers nobody, in a process that refuses then."""


class Silence:
    """Looks at the connections of one pool, which are given to it as they are made."""

    def __init__(self, absence: Absence) -> None:
        self.seconds = ANSWER_SECONDS
        """How long a server is waited for; may be changed at any time."""
        self.absence = absence
        self._connections: WeakSet[WatchedConnection] = WeakSet()
        self._watch: asyncio.Task[None] | None = None

    def add(self, connection: WatchedConnection) -> None:
        """Look at this one too, as long as it lives."""
        self._connections.add(connection)

    def begin(self) -> None:
        """Look once a second, until `end`."""
        self.absence.begin()
        self._watch = asyncio.create_task(self._keep_looking())

    async def end(self) -> None:
        """Look no more. To end what never began costs nothing."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        await self.absence.end()

    async def _keep_looking(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self.look()

    def look(self) -> None:
        """Count the looks and not the time: while we were frozen ourselves, the answer may have come."""
        connections = list(self._connections)
        heard = any(connection.heard for connection in connections)
        waiting = [connection for connection in connections if connection.waits_for_an_answer]
        self.absence.look(heard=heard, waited_for=bool(waiting))
        for connection in connections:
            connection.heard = False
        seconds = min(self.seconds, ABSENT_SECONDS) if self.absence.refuses else self.seconds
        for connection in waiting:
            connection.looks += 1
            if connection.looks * LOOK_SECONDS >= seconds and not connection.was_hung_up:
                connection.hang_up()
