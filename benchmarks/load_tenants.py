"""The tenants of `benchmarks.load`: a quiet one, a hostile one in a process of its own, and one that only burns CPU."""

import asyncio
import contextlib
import itertools
import os
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Final
from urllib.parse import urlsplit

import aiohttp
from tests.support.api import KYC

from benchmarks.bombs import Bomb, bombs

EVERY: Final = 0.2
BURST_SECONDS: Final = 0.005
"""How long the burner works at a stretch: about what an attacker's event loop does."""


@dataclass
class Seen:
    """What one tenant saw in one phase."""

    took_ms: list[float] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)

    @property
    def p50(self) -> float:
        return sorted(self.took_ms)[len(self.took_ms) // 2]

    @property
    def p99(self) -> float:
        return sorted(self.took_ms)[min(int(len(self.took_ms) * 0.99), len(self.took_ms) - 1)]

    @property
    def broken(self) -> int:
        """Answers of 5xx, and none at all."""
        return sum(count for status, count in self.answers.items() if not status.startswith(("2", "4")))

    def add(self, other: "Seen") -> None:
        self.took_ms += other.took_ms
        self.answers.update(other.answers)


@dataclass(frozen=True)
class Sizes:
    """How much of each kind the hostile tenant does at once; 0: nothing."""

    flood: int
    slow: int
    bombs: int
    queued: int


@dataclass(frozen=True)
class Attacked:
    """What the hostile tenant says of one of its slices."""

    answers: Counter[str]
    cpu_seconds: float
    """Of its own process."""
    seconds: float


class Tenant:
    """Calls the API with a token of its own."""

    def __init__(self, http: aiohttp.ClientSession, base: str, token: str) -> None:
        self.http, self.base, self.headers = http, base, {"Authorization": f"Bearer {token}"}

    async def call(self, seen: Seen, method: str, path: str, body: object = None) -> dict[str, str]:
        began = time.perf_counter()
        try:
            async with self.http.request(method, self.base + path, json=body, headers=self.headers) as answer:
                told = await answer.json()
                seen.answers[str(answer.status)] += 1
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            seen.answers[type(error).__name__] += 1
            return {}
        seen.took_ms.append((time.perf_counter() - began) * 1000)
        return dict(told)

    async def one(self, seen: Seen) -> str | None:
        """A customer, a transaction, and its reading; gives the transaction's SDK token."""
        customer = await self.call(seen, "POST", f"{KYC}/customer", {"external_customer_id": os.urandom(8).hex()})
        wanted = {"customer_id": customer.get("customer_id"), "transaction_type": "DOCUMENT_AND_BIOMETRIC"}
        made = await self.call(seen, "POST", f"{KYC}/transaction", wanted) if customer.get("customer_id") else {}
        if made.get("transaction_id"):
            await self.call(seen, "GET", f"{KYC}/transaction/{made['transaction_id']}")
        return made.get("sdk_token")

    async def steadily(self, seconds: float) -> Seen:
        """One after another, never sooner than so often."""
        seen, until = Seen(), time.perf_counter() + seconds
        while (began := time.perf_counter()) < until:
            await self.one(seen)
            await asyncio.sleep(max(0.0, EVERY - (time.perf_counter() - began)))
        return seen

    async def flood(self, seen: Seen) -> None:
        while True:
            await self.one(seen)

    async def bomb(self, seen: Seen, kinds: list[Bomb], at_once: int) -> None:
        """So many bombs at the same time, over and over; the picture of each is of another kind."""
        while True:
            token = await self.one(seen)
            if token is None:
                await asyncio.sleep(0.5)
                continue
            bomber = Tenant(self.http, self.base, token)
            agreed = {"given": True, "text_version": "2026-11", "language": "en"}
            await bomber.call(seen, "POST", "/api/sdk/consent", agreed)
            chosen = itertools.islice(itertools.cycle(kinds), at_once)
            await asyncio.gather(*(bomber.upload(seen, one) for one in chosen))

    async def upload(self, seen: Seen, bomb: Bomb) -> None:
        headers = {**self.headers, "Content-Type": bomb.kind}
        try:
            async with self.http.post(self.base + bomb.path, data=bomb.body, headers=headers) as answer:
                seen.answers[str(answer.status)] += 1
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            seen.answers["4xx by " + type(error).__name__] += 1  # the server hangs up on what is too long

    async def dawdle(self, seen: Seen) -> None:
        """A body of which a byte comes each second."""
        where = urlsplit(self.base)
        while True:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection(where.hostname, where.port)
                try:
                    head = f"POST {KYC}/customer HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                    head += f"Authorization: {self.headers['Authorization']}\r\nContent-Length: 1000\r\n\r\n"
                    writer.write(head.encode())
                    seen.answers["slow bodies"] += 1
                    for _ in range(1000):
                        writer.write(b" ")
                        await writer.drain()
                        await asyncio.sleep(1)
                finally:
                    writer.close()
            await asyncio.sleep(0.2)


def attacking(base: str, headers: dict[str, str], sizes: Sizes, orders: Connection) -> None:
    """The whole of a process: the hostile tenant. Told True it attacks, told False it stops and says what it did.

    Says None once when it is ready, and ends when told None.
    """

    async def attack() -> None:
        kinds = bombs() if sizes.bombs else []  # takes a while to make
        orders.send(None)
        while await asyncio.to_thread(orders.recv):
            seen, cpu, began = Seen(), time.process_time(), time.perf_counter()
            connector = aiohttp.TCPConnector(limit=0)
            async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=60)) as http:
                hostile = Tenant(http, base, headers["Authorization"].removeprefix("Bearer "))
                tasks = [asyncio.create_task(hostile.flood(seen)) for _ in range(sizes.flood)]
                tasks += [asyncio.create_task(hostile.dawdle(seen)) for _ in range(sizes.slow)]
                if sizes.bombs:
                    tasks.append(asyncio.create_task(hostile.bomb(seen, kinds, sizes.bombs)))
                await asyncio.to_thread(orders.recv)
                answers = Counter(seen.answers)  # what comes from hanging up is no answer
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            orders.send(Attacked(answers, time.process_time() - cpu, time.perf_counter() - began))

    asyncio.run(attack())


def burning(share: float, seconds: float) -> None:
    """The whole of a process: this share of one core, and not one request."""
    until = time.perf_counter() + seconds
    while (began := time.perf_counter()) < until:
        while time.perf_counter() - began < BURST_SECONDS:
            pass
        time.sleep(BURST_SECONDS * (1 - share) / share)
