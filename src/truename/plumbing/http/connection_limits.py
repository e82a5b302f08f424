"""What one connection may take of the service: bytes, seconds and places."""

from dataclasses import dataclass
from typing import Final

GRACE_SECONDS: Final = 10.0
"""A body may take its time to get going before its pace is measured."""
SILENCE_SECONDS: Final = 30.0
"""A body that stops coming would else hold its memory for as long as its first bytes have earned it."""
LINGER_SECONDS: Final = 5.0
"""How long a client that was answered before it had sent everything may go on sending."""


@dataclass(frozen=True)
class ConnectionLimits:
    """What one connection may take, and all of them together, in one process."""

    head_bytes: int = 32 * 1024
    headers: int = 100
    head_seconds: float = 10.0
    body_seconds: float = 300.0
    body_bytes_per_second: int = 1024
    idle_seconds: float = 30.0
    connections: int = 2000
    connections_per_address: int = 500
    body_bytes_in_flight: int = 256 * 1024 * 1024
    proxies: tuple[str, ...] = ()
    """Networks to which the limit per address does not apply: everybody comes from there."""
    grace_seconds: float = GRACE_SECONDS
    silence_seconds: float = SILENCE_SECONDS
    linger_seconds: float = LINGER_SECONDS
