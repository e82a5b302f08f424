"""Memory for the bodies of requests in one process: an account has a share of it, and waits when that is taken.

Bodies that come in one piece are small and not counted. A larger one is let in when there is room for all that it
announces; until then nothing of it is read, so that its sender waits and our memory does not fill. Where others call
too, one piece of an account's bodies is read at a time and the next after a moment, however many of them come at once.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Final

from truename.plumbing.errors import TooManyAtOnce

MEBIBYTE: Final = 1024 * 1024
PATIENCE_SECONDS: Final = 20.0
"""How long a body waits to be let in before its sender is asked to come back."""
PROMISE_SECONDS: Final = 3.0
"""For so long a body counts with all that it announced; after that a slow one counts with what has come, so that nobody
takes the room of others by sending a byte now and then."""
LOOK_SECONDS: Final = 0.25
"""How often those who wait look whether a slow one has made room."""
PIECE_SECONDS: Final = 0.004
"""How long after a piece of an account's bodies the next one is read, where others call too: 64 to 256 kB each, so
at least 16 MB/s and a tenth of the event loop, where fifty bodies at once had all of it."""
LONGEST_LINE: Final = 200
NO_ROOM: Final = "Other uploads of this account take all the room there is for it."


@dataclass(eq=False, slots=True)
class HeldBody:
    """One body that is being read, or that its request still holds."""

    announced: int
    began: float
    came: int = 0

    def counts(self, now: float) -> int:
        """Bytes that it takes of its account's share."""
        return max(self.came, self.announced if now - self.began < PROMISE_SECONDS else 0)


@dataclass(eq=False, slots=True)
class _Share:
    held: set[HeldBody] = field(default_factory=set)
    line: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Who comes first is let in first."""
    waiting: int = 0
    freed: asyncio.Event = field(default_factory=asyncio.Event)
    pieces: deque[asyncio.Future[None]] = field(default_factory=deque)
    """Bodies of which more could be read."""
    dealing: asyncio.Handle | None = None
    """Lets the next one go on, and is there for a moment after the last."""
    thread: asyncio.Lock = field(default_factory=asyncio.Lock)


class BodyMemory:
    """What the bodies of each account hold. For one event loop."""

    def __init__(self, per_account: int = 36 * MEBIBYTE, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = per_account, clock
        self._shares: dict[Hashable, _Share] = {}

    async def hold(self, account: Hashable, announced: int) -> HeldBody:
        """Wait for room for a body. Refuses (429) when too many wait, or after a while.

        Whoever gets it gives it back by `let_go`.
        """
        share = self._shares.setdefault(account, _Share())
        if share.waiting >= LONGEST_LINE:
            raise TooManyAtOnce("So many uploads of this account wait that no more may.")
        body = HeldBody(min(announced, self._most), 0.0)
        share.waiting += 1
        try:
            async with asyncio.timeout(PATIENCE_SECONDS), share.line:
                await self._wait_for_room(share, body)
        except TimeoutError:
            raise TooManyAtOnce(NO_ROOM) from None
        finally:
            share.waiting -= 1
            if body not in share.held:
                self._leave(account, share)
        return body

    def grow(self, account: Hashable, body: HeldBody, size: int) -> None:
        """More of it came. Refuses (429) when what has come to the account is twice its share."""
        body.came += size
        if sum(one.came for one in self._shares[account].held) > 2 * self._most:
            raise TooManyAtOnce(NO_ROOM)

    async def next_piece(self, account: Hashable) -> None:
        """Wait until no other body of this account has been read for a moment."""
        share, loop = self._shares[account], asyncio.get_running_loop()
        mine: asyncio.Future[None] = loop.create_future()
        share.pieces.append(mine)
        if share.dealing is None:
            share.dealing = loop.call_soon(_deal, share, loop)
        await mine

    def thread_of(self, account: Hashable) -> asyncio.Lock:
        """Held by whoever has a thread work on a large body of this account."""
        return self._shares[account].thread

    def let_go(self, account: Hashable, body: HeldBody) -> None:
        """Its request is over."""
        share = self._shares[account]
        share.held.discard(body)
        share.freed.set()
        self._leave(account, share)

    def held(self, account: Hashable) -> int:
        """Bytes that count for this account now."""
        share = self._shares.get(account)
        now = self._clock()
        return sum(one.counts(now) for one in share.held) if share else 0

    async def _wait_for_room(self, share: _Share, body: HeldBody) -> None:
        while True:
            now = self._clock()
            if sum(one.counts(now) for one in share.held) + body.announced <= self._most:
                body.began = now
                share.held.add(body)
                return
            share.freed.clear()
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    await share.freed.wait()
            except TimeoutError:
                continue

    def _leave(self, account: Hashable, share: _Share) -> None:
        if not share.held and not share.waiting:
            self._shares.pop(account, None)


def _deal(share: _Share, loop: asyncio.AbstractEventLoop) -> None:
    """Let the first of these bodies go on that still waits, and after a moment the one after it."""
    share.dealing = None
    while share.pieces:
        chosen = share.pieces.popleft()
        if not chosen.done():
            chosen.set_result(None)
            share.dealing = loop.call_later(PIECE_SECONDS, _deal, share, loop)
            break
