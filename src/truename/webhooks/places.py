"""How accounts share a worker's places for deliveries: whose receivers say nothing must not hold them all.

What is known of receivers is known to this process alone and forgotten with it: a hint of who may wait, nothing more.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from uuid import UUID

SLOW_SECONDS = 5.0
"""Whose receiver takes longer than this is slow, and delivers on half of the places, with all who are slow."""


class Places:
    """Who delivers in this process, and whose receivers were slow when they were last asked."""

    def __init__(self) -> None:
        self._at_work: Counter[UUID] = Counter()
        self._slow: set[UUID] = set()

    def has_its_share(self, account: UUID, places: int) -> bool:
        """Has the account a place already, and is half of all taken? What is left belongs to others."""
        return self._at_work[account] > 0 and self._at_work.total() >= places // 2

    def is_slow_and_must_wait(self, account: UUID, places: int) -> bool:
        """Is it one of the slow, who hold their half already? Others' receivers may answer at once."""
        held = sum(count for one, count in self._at_work.items() if one in self._slow)
        return account in self._slow and held >= max(1, places // 2)

    @contextmanager
    def one_more(self, account: UUID) -> Iterator[None]:
        """The account has a place meanwhile."""
        self._at_work[account] += 1
        try:
            yield
        finally:
            self._at_work[account] -= 1
            if not self._at_work[account]:
                del self._at_work[account]

    @contextmanager
    def watching(self, account: UUID) -> Iterator[None]:
        """While a receiver of the account is asked: it is slow from the moment on at which that takes too long."""
        late = asyncio.get_running_loop().call_later(SLOW_SECONDS, self._slow.add, account)
        try:
            yield
        finally:
            late.cancel()

    def note_quick(self, account: UUID) -> None:
        """All of its receivers that were asked have answered in time."""
        self._slow.discard(account)


shared: Final = Places()
