"""The newest transactions of a range, opened once and judged again and again: for whoever moves a slider.

A sample holds people's data in memory. It is put away two minutes after it was last asked for, and at once when it is
ten minutes old: what was erased meanwhile is not kept longer than that.
"""

import asyncio
import time
import weakref
from dataclasses import dataclass, field, replace
from typing import Final

from truename.backtest.again import prepared
from truename.backtest.policy import OtherPolicy
from truename.backtest.stored import Page, Range, Reader, count_stored
from truename.backtest.tally import BacktestResult, JudgedThen, Tally
from truename.plumbing.resources import Plumbing

SAMPLE: Final = 5000
SAMPLE_BYTES: Final = 48 * 1024 * 1024
"""Parsed they take eight times as much. A config of 256 kB would make 5000 of them more than any machine has."""
IDLE_SECONDS: Final = 120.0
OLDEST_SECONDS: Final = 600.0
MOST_SAMPLES: Final = 4
"""In one process; the one that was not asked for the longest goes first."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Opened transactions, and how many the range holds in all."""

    judged: tuple[JudgedThen, ...]
    cannot_be_judged: int
    total: int

    def judge(self, policy: OtherPolicy) -> BacktestResult:
        """What this policy would have done with the sample."""
        tally = Tally(policy)
        tally.add(self.judged)
        tally.cannot_be_judged = self.cannot_be_judged
        return tally.result()


async def read_sample(plumbing: Plumbing, range_: Range, size: int = SAMPLE, most_bytes: int = SAMPLE_BYTES) -> Sample:
    """Open the newest transactions of the range."""
    async with plumbing.database.account(range_.account_id) as connection:
        total = await count_stored(connection, range_)
        page = await Reader(plumbing, range_).newest(connection, size, most_bytes)
    return Sample(await asyncio.to_thread(_prepared, page), page.cannot_be_judged, total)


def _prepared(page: Page) -> tuple[JudgedThen, ...]:
    return tuple(replace(one, prepared=prepared(one.dossier)) for one in page.parsed())


@dataclass(slots=True)
class _Kept:
    sample: Sample
    read_at: float
    used_at: float


@dataclass
class Samples:
    """The samples of one process."""

    plumbing: Plumbing
    _kept: dict[Range, _Kept] = field(default_factory=dict)
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def get(self, range_: Range) -> Sample:
        """The sample of this range, read anew if there is none or it is too old."""
        async with self._reading:  # one at a time, or many who ask at once would hold as many samples
            return await self._get(range_)

    async def _get(self, range_: Range) -> Sample:
        self.put_away()
        kept = self._kept.get(range_)
        if kept is None:
            while len(self._kept) >= MOST_SAMPLES:
                del self._kept[min(self._kept, key=lambda one: self._kept[one].used_at)]
            sample = await read_sample(self.plumbing, range_)
            kept = self._kept[range_] = _Kept(sample, time.monotonic(), 0.0)
            # Nobody may ever ask again: what nobody asks for goes by itself.
            asyncio.get_running_loop().call_later(OLDEST_SECONDS + 1, self.put_away)
        kept.used_at = time.monotonic()
        asyncio.get_running_loop().call_later(IDLE_SECONDS + 1, self.put_away)
        return kept.sample

    def put_away(self) -> None:
        """Forget what is idle or too old."""
        moment = time.monotonic()
        for range_, kept in list(self._kept.items()):
            if moment - kept.used_at > IDLE_SECONDS or moment - kept.read_at > OLDEST_SECONDS:
                del self._kept[range_]


_SAMPLES: "weakref.WeakKeyDictionary[Plumbing, Samples]" = weakref.WeakKeyDictionary()


def samples(plumbing: Plumbing) -> Samples:
    """The samples of this process."""
    found = _SAMPLES.get(plumbing)
    if found is None:
        found = _SAMPLES[plumbing] = Samples(weakref.proxy(plumbing))
    return found
