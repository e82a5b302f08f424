"""How often may a client call? A generic cell rate algorithm in one statement, shared by every process.

Requests of one bucket that wait at the same time are charged together, so that a busy client costs one small
statement for each round trip to the database and not one for each request.
"""

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from starlette.requests import Request

from truename.plumbing.database.batching import Batcher
from truename.plumbing.database.pool import Connection, Database
from truename.plumbing.database.prepared import PreparedStatement
from truename.plumbing.errors import NotAuthenticated, TooMany
from truename.plumbing.http.request_context import add_headers

CHARGE: Final = PreparedStatement(
    "charge_bucket",
    ("text", "integer", "integer", "float8", "float8"),
    """
    INSERT INTO rate_limits AS held (bucket, tat, granted)
    VALUES ($1, clock_timestamp() + least($2, $3) * $4 * interval '1 second', least($2, $3))
    ON CONFLICT (bucket) DO UPDATE SET (tat, granted) = (
        SELECT start + fits * $4 * interval '1 second', fits
        FROM (SELECT greatest(least(held.tat, clock_timestamp() + $5 * interval '1 second'), clock_timestamp()) AS start
        ) AS began, LATERAL (
            SELECT greatest(0, least($2, floor(($5 - extract(epoch FROM start - clock_timestamp())) / $4 + 1e-6)
                ))::integer AS fits
        ) AS room
    )
    RETURNING granted, extract(epoch FROM tat - clock_timestamp())::float8,
              EXISTS (SELECT 1 FROM closed_buckets c WHERE c.bucket = $1)
    """,
)
"""Bucket, calls that are wanted, most at once, seconds for one, seconds for all that may come at once.

`tat` is the theoretical arrival time: how far it lies ahead says how much of the window is used up. It never lies
further ahead than the whole window, unless the database's clock was set back: then the window counts as used up."""


@dataclass(frozen=True)
class Limit:
    """So many calls a minute on average, and so many at once."""

    name: str
    per_minute: int
    burst: int

    @cached_property
    def gap(self) -> float:
        """Seconds in which one call is paid back."""
        return 60 / self.per_minute

    @cached_property
    def window(self) -> float:
        """Seconds in which a whole burst is paid back."""
        return self.burst * self.gap

    @cached_property
    def policy(self) -> tuple[bytes, bytes]:
        """The header that tells callers of it."""
        return b"ratelimit-policy", f'"{self.name}";q={self.burst};w={math.ceil(self.window)}'.encode()


class Standing(NamedTuple):
    """Where a client stands after a call was counted or refused."""

    allowed: bool
    remaining: int
    reset: float
    retry_after: float
    closed: bool = False
    """Whoever this bucket belongs to may not call at all any more."""


@dataclass(frozen=True)
class Charged:
    """How many calls were granted, the backlog in seconds, and whether the bucket was closed for good."""

    granted: int
    backlog: float
    closed: bool = False


Charge = Callable[[str, Limit, int], Awaitable[Charged]]
"""Charge so many calls to a bucket."""


class RateLimiter:
    """Charges buckets, those of simultaneous requests together."""

    def __init__(self, charge: Charge) -> None:
        self._charge = charge
        self._batcher = Batcher(self._count)

    async def take(self, bucket: str, limit: Limit) -> Standing:
        """Count one call."""
        return await self._batcher.do((bucket, limit), None)

    async def _count(self, key: tuple[str, Limit], calls: Sequence[None]) -> list[Standing]:
        bucket, limit = key
        charged = await self._charge(bucket, limit, len(calls))
        granted, backlog = charged.granted, charged.backlog
        remaining = max(0, math.floor((limit.window - backlog) / limit.gap + 1e-6))
        retry_after = max(0.0, backlog + limit.gap - limit.window)
        return [
            Standing(
                place < granted,
                remaining + granted - place - 1 if place < granted else 0,
                max(0.0, backlog),
                retry_after,
                charged.closed,
            )
            for place in range(len(calls))
        ]


def charging(database: Database) -> Charge:
    """Charge in PostgreSQL: the table is unlogged, so this waits for no disk."""

    async def charge(bucket: str, limit: Limit, wanted: int) -> Charged:
        parameters = (bucket, str(wanted), str(limit.burst), repr(limit.gap), repr(limit.window))
        ((granted, backlog, closed),) = await database.prepared(CHARGE, parameters)
        return Charged(int(granted or 0), float(backlog or limit.window), closed != b"f")

    return charge


async def close_bucket(connection: Connection, name: str, bucket: str) -> None:
    """Refuse every call that is charged to this bucket, in every process, from the commit on and for good."""
    await connection.execute(
        "INSERT INTO closed_buckets (bucket) VALUES (%s) ON CONFLICT (bucket) DO NOTHING", (f"{name}:{bucket}",)
    )


async def count_call(request: Request, limiter: RateLimiter, bucket: str, limit: Limit) -> None:
    """Count this request, show the caller where it stands; refuses it when the limit is passed or the bucket closed."""
    standing = await limiter.take(f"{limit.name}:{bucket}", limit)
    told = f'"{limit.name}";r={standing.remaining};t={math.ceil(standing.reset)}'
    add_headers(request, limit.policy, (b"ratelimit", told.encode()))
    if standing.closed:
        raise NotAuthenticated("The token is not valid any more.")
    if not standing.allowed:
        raise TooMany(max(1, math.ceil(standing.retry_after)))
