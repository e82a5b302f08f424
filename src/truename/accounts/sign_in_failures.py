"""Sign-ins that failed: slowed down, and written into the audit log without letting anyone fill the disk.

Wrong secrets are counted for each client and for each address. Past the limit the answer is 429 with Retry-After. The
secret is looked at all the same, and a right one always passes: else anybody who knows a client's id could lock it out.
That gives nothing away, since a secret has 256 random bits: no number of guesses comes near it.

The first failure of a client within a minute is in the log at once, those that follow as one line with their number.
"""

from enum import StrEnum
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

from starlette.requests import Request

from truename.accounts.model import Client
from truename.audit.model import INSTALLATION, Action
from truename.audit.record import record
from truename.plumbing.errors import TooMany
from truename.plumbing.http.client_address import client_address
from truename.plumbing.http.rate_limits import Limit, RateLimiter
from truename.plumbing.jobs.registry import periodic
from truename.plumbing.resources import Plumbing

GATHERED_SECONDS: Final = 60
ACTOR: Final = "stranger"


class Failure(StrEnum):
    """Why a sign-in failed."""

    WRONG_SECRET = "WRONG_SECRET"  # noqa: S105 - a word of the log
    REVOKED = "REVOKED"
    UNKNOWN_CLIENT = "UNKNOWN_CLIENT"


COUNT: Final = """
INSERT INTO failed_sign_ins AS f (account_id, subject, reason, count) VALUES (%s, %s, %s, 1)
ON CONFLICT (account_id, subject, reason) DO UPDATE SET count = f.count + 1 RETURNING count
"""


async def note_failure(request: Request, plumbing: Plumbing, client: Client | None, failure: Failure) -> None:
    """Write the failure down; raises TooMany when this client or this address has failed too often."""
    # What a stranger called itself is not repeated: it may be anything, also somebody's secret in the wrong field.
    account_id = client.account_id if client else INSTALLATION
    subject = f"client:{client.client_id}" if client else "client:unknown"
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(COUNT, (account_id, subject, failure))
        row = await cursor.fetchone()
        if row is not None and row["count"] == 1:
            details: dict[str, str | int | bool | None] = {"reason": failure, "count": 1}
            await record(
                connection, account_id, actor=ACTOR, action=Action.SIGN_IN_FAILED, subject=subject, details=details
            )
    per_minute = plumbing.settings.wrong_secrets_per_minute
    limit, limiter = Limit("wrong-secret", per_minute, per_minute), request.app.state.rate_limiter
    where = plumbing.vault.keyed_hash("address of a sign-in", _network(request, plumbing)).hex()
    await _charge(limiter, f"address:{where}", limit)
    if client is not None:
        await _charge(limiter, subject, limit)


async def _charge(limiter: RateLimiter, bucket: str, limit: Limit) -> None:
    standing = await limiter.take(f"{limit.name}:{bucket}", limit)
    if not standing.allowed:
        raise TooMany(max(1, round(standing.retry_after + 0.5)), "Too many sign-ins have failed.")


def _network(request: Request, plumbing: Plumbing) -> str:
    """The address of the caller; of IPv6 the 64 bits that one customer of a provider has."""
    address = client_address(request, plumbing.settings.trusted_proxies)
    if address is None:
        return "unknown"
    parsed = ip_address(address)
    return str(ip_network((parsed, 64), strict=False)) if isinstance(parsed, IPv6Address) else str(parsed)


@periodic(seconds=20)
async def write_gathered_failures(plumbing: Plumbing) -> None:
    """Write into the log how many failures followed the first, once their minute is over."""
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(
            """DELETE FROM failed_sign_ins WHERE first_at < clock_timestamp() - make_interval(secs => %s)
               RETURNING account_id, subject, reason, count""",
            (GATHERED_SECONDS,),
        )
        for row in await cursor.fetchall():
            if row["count"] > 1:
                await record(
                    connection,
                    row["account_id"],
                    actor=ACTOR,
                    action=Action.SIGN_IN_FAILED,
                    subject=row["subject"],
                    details={"reason": row["reason"], "count": row["count"] - 1},
                )
