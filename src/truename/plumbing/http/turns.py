"""Requests under way in one process, shared fairly: who sends many at once waits for itself, not others for it.

A caller is an account, or an address where no token tells the account. While one caller has the process to itself, all
its requests are worked on at once; as soon as another one calls too, only a few of each, and the rest wait their turn.
Who has so many here that some wait gives way to who has one or two: of its own none begins while one of those is worked
on, nor in the moment after, in which the next one comes of who calls one thing after another; but for one now and then.
A turn is for work: who waits for a body, for a picture to be looked at or for the end of a transaction steps aside.
"""

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from starlette.requests import Request

from truename.plumbing.errors import TooManyAtOnce
from truename.plumbing.http.body_memory import BodyMemory, HeldBody

TURN_KEY: Final = "truename.turn"
WHOLE_KEY: Final = "truename.whole"
"""In the scope once the connection has read the whole body, which nobody need wait for any more."""
COMPANY_SECONDS: Final = 1.0
"""So long after its last request a caller counts as there: who calls a few times a second finds room each time.

No longer, because requests of which only two are under way share few statements: each costs two to three times as much
CPU, and a probe of the service's health every few seconds is company too."""
FEW: Final = 2
"""Who has no more requests here than this comes before who has so many that some must wait."""
GIVE_WAY_SECONDS: Final = 0.02
"""One request of a caller that gives way is begun at least so often, however many others there are to give way to."""
NEXT_SECONDS: Final = 0.003
"""So long it is given way after the last request of a caller that has few: who needs its answer for the next request
sends that within a millisecond or two, and would meet two more of the others' each time."""
TICK: Final = 0.001
"""The shortest time that the event loop can wait: less would be no time at all, over and over."""
PER_CAPTURE: Final = 64
"""Requests of one capture, under way or waiting: a page sends one or two, and may not fill its account's queue.

So many that who sends the same thing fifty times at once still hears of each what became of it."""


class CallerKey(NamedTuple):
    """Whose request it is: an account (or an address), and which of its captures if one calls for itself."""

    account: Hashable
    capture: Hashable = None


@dataclass(slots=True)
class _Caller:
    under_way: int = 0
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)
    begun_at: float = float("-inf")
    look_again: asyncio.TimerHandle | None = None
    """While it gives way: when one of those that wait is begun all the same."""
    look_again_at: float = 0.0

    @property
    def has_few(self) -> bool:
        return self.under_way + len(self.waiting) <= FEW


class Turns:
    """The turns of one process. For one event loop."""

    def __init__(
        self,
        at_once: int = 2,
        waiting: int = 500,
        bodies: BodyMemory | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`at_once` requests of a caller that has company are worked on, and `waiting` more may wait."""
        self._at_once, self._most, self._clock = at_once, at_once + waiting, clock
        self.bodies = bodies or BodyMemory()
        self._callers: dict[Hashable, _Caller] = {}
        self._captures: Counter[Hashable] = Counter()
        self._last: Hashable = None
        self._expected: Hashable = None
        self._expected_until = float("-inf")
        self._last_at = self._other_at = float("-inf")

    async def take(self, key: CallerKey) -> "Turn":
        """Wait for a turn; refuses (429) a caller that has too many requests in this process already."""
        self._note(key.account)
        caller = self._callers.get(key.account)
        if caller is not None and caller.under_way + len(caller.waiting) >= self._most:
            raise TooManyAtOnce("So many requests of this account are under way that no more may wait.")
        if key.capture is not None:
            if self._captures[key.capture] >= PER_CAPTURE:
                raise TooManyAtOnce(f"At most {PER_CAPTURE} requests of one capture may be under way.")
            self._captures[key.capture] += 1
        turn = Turn(self, key)
        try:
            await turn.take()
        except BaseException:
            turn.end()
            raise
        return turn

    @property
    def waiting(self) -> int:
        """How many requests wait now."""
        return sum(len(caller.waiting) for caller in self._callers.values())

    async def begin(self, account: Hashable) -> None:
        """Wait until one more request of this caller may be worked on. Who is cancelled meanwhile leaves the queue."""
        caller = self._callers.get(account)
        if caller is None:
            caller = self._callers[account] = _Caller()
        if not caller.waiting and caller.under_way < self._room(account, caller):
            self._begin(caller)
            return
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        caller.waiting.append(mine)
        self._let_in(account, caller)  # it may be that one more than now may be begun soon
        try:
            await mine
        except asyncio.CancelledError:
            if not mine.cancelled():
                self.finish(account)  # the turn came in the same moment
            else:
                if mine in caller.waiting:
                    caller.waiting.remove(mine)
                if not caller.under_way and not caller.waiting:
                    self._forget(account, caller)
            raise

    def finish(self, account: Hashable) -> None:
        """One request less is under way: the next ones of the same caller begin, and those that gave way to it."""
        caller = self._callers[account]
        caller.under_way -= 1
        if not caller.under_way and not caller.waiting:
            self._expected, self._expected_until = account, self._clock() + NEXT_SECONDS
        self._let_in(account, caller)
        if not caller.under_way:
            if not caller.waiting:
                self._forget(account, caller)
            for other, waiting in tuple(self._callers.items()):
                self._let_in(other, waiting)

    def _begin(self, caller: _Caller) -> None:
        caller.under_way += 1
        caller.begun_at = self._clock()

    def _let_in(self, account: Hashable, caller: _Caller) -> None:
        """Begin those of this caller's requests that may; see to it that the rest is looked at again."""
        while caller.waiting and caller.waiting[0].cancelled():
            caller.waiting.popleft()
        while caller.waiting and caller.under_way < self._room(account, caller):
            chosen = caller.waiting.popleft()
            if not chosen.cancelled():
                self._begin(caller)
                chosen.set_result(None)
        if caller.waiting and caller.under_way < self._at_once:
            self._look_again_soon(account, caller)

    def _look_again_soon(self, account: Hashable, caller: _Caller) -> None:
        loop, now = asyncio.get_running_loop(), self._clock()
        due = max(self._expected_until, now + TICK) if now < self._expected_until else now + GIVE_WAY_SECONDS
        if caller.look_again is not None:
            if caller.look_again_at <= due:
                return
            caller.look_again.cancel()
        caller.look_again, caller.look_again_at = loop.call_later(due - now, self._look_again, account, caller), due

    def _look_again(self, account: Hashable, caller: _Caller) -> None:
        caller.look_again = None
        self._let_in(account, caller)
        if not caller.under_way and not caller.waiting:
            self._forget(account, caller)

    def _forget(self, account: Hashable, caller: _Caller) -> None:
        if caller.look_again is not None:
            caller.look_again.cancel()
            caller.look_again = None
        if self._callers.get(account) is caller:
            del self._callers[account]

    def leave(self, key: CallerKey) -> None:
        """One request of its capture is over."""
        if key.capture is not None:
            self._captures[key.capture] -= 1
            if not self._captures[key.capture]:
                del self._captures[key.capture]

    def _note(self, account: Hashable) -> None:
        now = self._clock()
        if account != self._last:
            self._last, self._other_at = account, self._last_at
        self._last_at = now

    def has_company(self, account: Hashable) -> bool:
        """A caller is alone while nobody else has called for a while."""
        others = self._other_at if account == self._last else self._last_at
        return self._clock() - others < COMPANY_SECONDS

    def _room(self, account: Hashable, caller: _Caller) -> int:
        """How many requests of this caller may be under way now."""
        if not self.has_company(account):
            return self._most
        if not self._gives_way(account, caller):
            return self._at_once
        waited = self._clock() - caller.begun_at >= GIVE_WAY_SECONDS
        return min(caller.under_way + 1, self._at_once) if waited else 0

    def _gives_way(self, account: Hashable, caller: _Caller) -> bool:
        """Are some of its requests waiting while one of a caller that has few is worked on, or expected?"""
        if caller.under_way + len(caller.waiting) <= self._at_once:
            return False
        if account != self._expected and self._clock() < self._expected_until:
            return True
        return any(other.under_way and other.has_few for other in self._callers.values() if other is not caller)


class Turn:
    """The turn of one request: held, or given back for as long as the request waits for something else."""

    __slots__ = ("_body", "_held", "_key", "_over", "_turns")

    def __init__(self, turns: Turns, key: CallerKey) -> None:
        self._turns, self._key, self._held, self._over = turns, key, False, False
        self._body: HeldBody | None = None

    async def take(self) -> None:
        """Wait for it, at first or again; never refused."""
        await self._turns.begin(self._key.account)
        self._held = True

    def give_back(self) -> None:
        """Let others work; the request itself goes on waiting for something."""
        if self._held:
            self._held = False
            self._turns.finish(self._key.account)

    async def hold_body(self, announced: int) -> None:
        """Wait for room for a body of so many bytes, until the end of the request. Refuses (429) when there is none."""
        self._body = await self._turns.bodies.hold(self._key.account, announced)

    async def next_piece(self) -> None:
        """Wait until more of a large body may be read; a caller that is alone need not."""
        if self._body is not None and self._turns.has_company(self._key.account):
            await self._turns.bodies.next_piece(self._key.account)

    @asynccontextmanager
    async def one_thread(self) -> AsyncGenerator[None]:
        """Wait until no other thread works on a large body of the same caller; a caller that is alone need not."""
        if self._body is None or not self._turns.has_company(self._key.account):
            yield
            return
        async with self._turns.bodies.thread_of(self._key.account):
            yield

    def grow_body(self, size: int) -> None:
        """So many bytes of it came; refuses (429) when that is too much."""
        if self._body is not None:
            self._turns.bodies.grow(self._key.account, self._body, size)

    def end(self) -> None:
        """The request is over."""
        self.give_back()
        if not self._over:
            self._over = True
            self._turns.leave(self._key)
        if self._body is not None:
            self._turns.bodies.let_go(self._key.account, self._body)
            self._body = None


@asynccontextmanager
async def aside(request: Request, *, when: bool = True) -> AsyncGenerator[None]:
    """Others of the same caller may work while this request waits. What raises goes on without a turn."""
    turn = turn_of(request)
    if turn is None or not when:
        yield
        return
    turn.give_back()
    yield
    await turn.take()


@asynccontextmanager
async def one_thread(request: Request) -> AsyncGenerator[None]:
    """What is done in here with a large body has a thread; of a caller that has company, one at a time."""
    turn = turn_of(request)
    if turn is None:
        yield
        return
    async with turn.one_thread():
        yield


def turn_of(request: Request) -> Turn | None:
    """The turn of this request; None where turns are not kept."""
    found: Turn | None = request.scope.get(TURN_KEY)
    return found
