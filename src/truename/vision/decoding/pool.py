"""All decoders of one service: quick pictures in one lane, slow ones in another, and each sender in its turn."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar
from weakref import WeakValueDictionary

from truename.vision.decoding.decoder import Decoder, DecodingLimits, too_costly
from truename.vision.decoding.fair_queue import FairQueue
from truename.vision.decoding.fork_server import ForkServer
from truename.vision.decoding.header import ImageRefused, expected_seconds, inspect
from truename.vision.decoding.protocol import Decoded, Wanted
from truename.vision.decoding.time_slices import LONGEST, within_slice

if TYPE_CHECKING:
    from truename.vision.captures import Picture

QUICK_SECONDS: Final = 0.3
"""What is expected to take longer than this waits in the slow lane, so that it never stands in the way of a photo."""
QUICK_LIMIT: Final = 1.5
"""A quick picture that takes longer than this is none."""
QUICK_NICENESS: Final = 5
"""Decoders stand behind the service itself, which all senders wait for, where processors are scarce."""
SLOW_NICENESS: Final = 10
"""Not more: by the weights of the Linux scheduler a process of this niceness has a tenth of a core beside one other
that is not nice, which the patience of a decoder (`decoder.PATIENCE`) just covers; at 15 it has a thirtieth, and a
picture was given up as starved. What a machine gives in fact was not measured."""
SUSPECT_SECONDS: Final = 600.0
SUSPECTS_MAX: Final = 10_000
LARGE: Final = 256 * 1024
"""Files from this size on are walked through beside the event loop."""

Seen = TypeVar("Seen")


class NotDecodedAgain(Exception):
    """A picture could be decoded when it was sent and cannot be now: its decoder was killed, or memory was short.

    The person who sent it is not to be judged by that.
    """

    def __init__(self) -> None:
        super().__init__("A picture that was kept takes too much time or memory to decode.")


class Decoders:
    """Decodes strangers' pictures in processes of their own.

    A picture that takes too much time or memory costs its process its life and its sender a refusal; for a while, the
    same sender's pictures go to the slow lane.
    """

    def __init__(self, limits: DecodingLimits | None = None) -> None:
        self.limits = limits or DecodingLimits()
        self._fork_server = ForkServer()
        self._quick = _Lane(self._fork_server, self.limits, self.limits.decoders, QUICK_NICENESS)
        self._slow = _Lane(self._fork_server, self.limits, 1, SLOW_NICENESS)
        self._threads = ThreadPoolExecutor(self.limits.decoders + 2, "decoding")
        self._suspects: dict[str, float] = {}
        self._walks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def start(self) -> None:
        """Have every decoder ready before the first picture comes."""
        loop = asyncio.get_running_loop()
        for decoder in self._all():
            await loop.run_in_executor(self._threads, decoder.start)

    @asynccontextmanager
    async def turn(self, data: bytes, sender: str, account: str = "") -> AsyncGenerator[Turn]:
        """Wait for a turn with this picture. Raises ImageRefused when its header or its expected cost says enough.

        Accounts have their turns in rotation, however many senders each has.

        The turn covers whatever is done with the pixels too, so that never many pictures are in memory at once. Who is
        cancelled while waiting leaves the queue.
        """
        expected = await self._walked(data, account) if len(data) > LARGE else _expected(data)
        if expected > self.limits.seconds:
            raise too_costly()
        slow = expected > QUICK_SECONDS or self._is_suspect(sender)
        lane = self._slow if slow else self._quick
        seconds = self.limits.seconds if slow else min(QUICK_LIMIT, self.limits.seconds)
        async with lane.queue.turn(sender, account):
            decoder = lane.idle.pop()
            try:
                after = After(self._quick.queue, self.limits.polite_seconds) if slow else None
                yield Turn(decoder, self._threads, data, seconds, after=after)
            except ImageRefused as refused:
                if refused.reason_code == "too_costly":
                    self._suspect(sender)
                raise
            finally:
                lane.idle.append(decoder)

    async def _walked(self, data: bytes, account: str) -> float:
        """The expected cost of a large file, found out beside the event loop: of an account, one at a time."""
        lock = self._walks.get(account)
        if lock is None:
            lock = self._walks[account] = asyncio.Lock()
        async with lock:
            return await asyncio.to_thread(_expected, data)

    async def decode(self, data: bytes, sender: str, wanted: Wanted | None = None, account: str = "") -> Decoded:
        """Decode one picture in its sender's turn. Raises ImageRefused."""
        async with self.turn(data, sender, account) as turn:
            return await turn.decode(wanted)

    def in_thread(self, sender: str, account: str = "") -> Callable[[bytes], Picture]:
        """For a thread that works beside the event loop, and pictures that were decoded before they were kept.

        A function from bytes to pixels that blocks. It raises NotDecodedAgain where one costs too much now.
        """
        loop = asyncio.get_running_loop()

        def decode(data: bytes) -> Picture:
            decoding = asyncio.run_coroutine_threadsafe(self.decode(data, sender, account=account), loop)
            try:
                return decoding.result().pixels
            except ImageRefused as refused:
                if refused.reason_code != "too_costly":
                    raise
            raise NotDecodedAgain

        return decode

    async def close(self) -> None:
        """End every process. To close what never started costs nothing."""
        for decoder in self._all():
            decoder.cancel()
        await asyncio.to_thread(self._threads.shutdown)
        for decoder in self._all():
            decoder.close()
        await asyncio.to_thread(self._fork_server.close)

    def processes(self) -> list[int]:
        """The process ids of the decoders that live now."""
        return [decoder.process_id for decoder in self._all() if decoder.process_id is not None]

    def _all(self) -> tuple[Decoder, ...]:
        return (*self._quick.decoders, *self._slow.decoders)

    def _is_suspect(self, sender: str) -> bool:
        return self._suspects.get(sender, 0.0) > time.monotonic()

    def _suspect(self, sender: str) -> None:
        self._suspects.pop(sender, None)
        self._suspects[sender] = time.monotonic() + SUSPECT_SECONDS
        if len(self._suspects) > SUSPECTS_MAX:
            del self._suspects[next(iter(self._suspects))]


@dataclass(frozen=True)
class After:
    """A slow picture comes after those of this queue, for which it waits so long at most."""

    queue: FairQueue
    seconds: float


class Turn:
    """One picture and the decoder that is kept for it."""

    def __init__(
        self,
        decoder: Decoder,
        threads: ThreadPoolExecutor,
        data: bytes,
        seconds: float,
        *,
        after: After | None = None,
    ) -> None:
        """A slow picture comes `after` others, and its decoder's process ends with it."""
        self._decoder, self._threads = decoder, threads
        self._data, self._seconds, self._after = data, seconds, after

    async def decode(self, wanted: Wanted | None = None) -> Decoded:
        """Decode. Raises ImageRefused. Who is cancelled meanwhile has the process killed."""
        self._decoder.cancelled = False
        work = partial(
            self._decoder.decode, self._data, wanted or Wanted(), self._seconds, once=self._after is not None
        )
        done = asyncio.get_running_loop().run_in_executor(self._threads, work)
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            self._decoder.cancel()
            await _ended(done)  # a moment: its process is dead
            raise

    async def look(self, at: Callable[[], Seen]) -> Seen:
        """Look at pixels beside the event loop. The turn lasts until the look has ended, whoever is cancelled."""
        if self._after is not None:
            # Its process is nice to others, this thread cannot be.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._after.queue.until_calm(), self._after.seconds)
        done = asyncio.ensure_future(asyncio.to_thread(within_slice, LONGEST, at))
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            await _ended(done)
            raise


class _Lane:
    """Some decoders behind one queue."""

    def __init__(self, fork_server: ForkServer, limits: DecodingLimits, size: int, niceness: int) -> None:
        self.queue = FairQueue(size)
        self.decoders = [Decoder(fork_server, limits, niceness=niceness) for _ in range(size)]
        self.idle = list(self.decoders)


async def _ended(work: asyncio.Future[Seen]) -> None:
    """Wait until it is over, and ask for its fault, so that nobody complains that it was never seen."""
    await asyncio.wait([work])
    if not work.cancelled():
        work.exception()


def _expected(data: bytes) -> float:
    return expected_seconds(data, inspect(data))
