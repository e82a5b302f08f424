"""The connections of one process: what each waits for, and what all of them hold at this moment."""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Protocol

from truename.plumbing.http.connection_limits import ConnectionLimits


class Phase(Enum):
    """What a connection is waiting for."""

    HEAD = auto()
    BODY = auto()
    ANSWER = auto()
    LINGERING = auto()
    """Answered, but the client has not sent all of its body."""
    IDLE = auto()


class OpenConnection(Protocol):
    """What is asked of a connection from outside."""

    phase: Phase
    since: float
    body_bytes: int
    transport: asyncio.Transport

    def check_pace(self, now: float, tick: float) -> None:
        """Has it taken too long for what it is at?"""

    def leave_out(self, seconds: float, now: float) -> None:
        """Nobody could be heard in these last seconds: they do not count."""


@dataclass
class Load:
    """What all connections of one process hold at this moment."""

    limits: ConnectionLimits
    base_url: str = ""
    """Under which the pages of error codes are found."""
    connections: set[OpenConnection] = field(default_factory=set)
    addresses: Counter[str] = field(default_factory=Counter)
    body_bytes: int = 0
    sweeping: asyncio.TimerHandle | None = None
    sweep_due: float = 0.0

    @property
    def tick(self) -> float:
        """How often deadlines are looked at: one walk over all connections is cheaper than a timer for each request."""
        limits = self.limits
        shortest = min(limits.head_seconds, limits.body_seconds, limits.grace_seconds, limits.linger_seconds)
        return max(0.02, min(1.0, shortest / 4))

    def sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look at the deadline of every connection, and again after a while, as long as there are any.

        Where this process itself stood still, what its callers have sent meanwhile is still unread.
        """
        now, tick = loop.time(), self.tick
        late = now - self.sweep_due
        for connection in list(self.connections):
            if late > tick:
                connection.leave_out(late, now)
            connection.check_pace(now, tick)
        self.sweeping = None
        if self.connections:
            self.sweep_later(loop)

    def sweep_later(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look at all deadlines after a while, unless that is to happen anyway."""
        if self.sweeping is None:
            self.sweep_due = loop.time() + self.tick
            self.sweeping = loop.call_at(self.sweep_due, self.sweep, loop)

    def make_room(self) -> bool:
        """Close the connection that has waited longest for a head; says whether there was one."""
        waiting = [one for one in self.connections if one.phase in (Phase.HEAD, Phase.IDLE)]
        if not waiting:
            return False
        oldest = min(waiting, key=lambda one: one.since)
        self.connections.discard(oldest)
        oldest.transport.abort()
        return True

    def is_full_for(self, address: str) -> bool:
        if self.addresses[address] < self.limits.connections_per_address:
            return False
        try:
            peer = ipaddress.ip_address(address)
        except ValueError:
            return False  # a local socket
        return not any(peer in ipaddress.ip_network(proxy) for proxy in self.limits.proxies)
