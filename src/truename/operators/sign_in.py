"""Sign in: e-mail and password, then a code or a passkey where there is one; slowed down, and written down.

Attempts are counted for the address of the caller and for the e-mail address that is tried, whether it exists or not:
the answers are the same. A browser that signed in before has a count of its own, so that a stranger who guesses cannot
lock out whom they guess at.
"""

import asyncio
import hmac
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final
from uuid import UUID

from truename.audit.model import INSTALLATION, Action
from truename.audit.record import record
from truename.operators import challenges
from truename.operators.change import note
from truename.operators.model import Operator, Origin, SignInRefused, actor
from truename.operators.one_time_codes import is_totp, use_recovery_code
from truename.operators.passwords import is_password
from truename.operators.sessions import begin_session
from truename.operators.store import find_operator, lock_operator, memberships, password_hash, read_operator
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import TooMany
from truename.plumbing.http.rate_limits import Limit, RateLimiter
from truename.plumbing.resources import Plumbing

OF_EMAIL: Final = Limit("operator-email", 1, 10)
"""Ten at once and sixty an hour: ASVS asks for less than a hundred."""
OF_PROOF: Final = Limit("operator-proof", 1, 10)
"""As many codes, and as many passwords that are asked for again, of one operator: whatever the number of sign-ins."""
REFUSAL_SECONDS: Final = 0.2
"""How long a refusal takes at least: a failure is written down in more places for who exists, and time would tell."""
STRANGER: Final = "stranger"
COUNT: Final = """
INSERT INTO failed_sign_ins AS f (account_id, subject, reason, count) VALUES (%s, %s, %s, 1)
ON CONFLICT (account_id, subject, reason) DO UPDATE SET count = f.count + 1 RETURNING count
"""


@dataclass(frozen=True)
class Step:
    """What a right password leads to: a session, or the question for a code."""

    operator: Operator
    session_token: str | None
    challenge: bytes | None


async def slow_down(plumbing: Plumbing, limiter: RateLimiter, origin: Origin, email: str, device: str | None) -> None:
    """Count an attempt; raises TooMany when this address, or this e-mail address, was tried too often."""
    who = plumbing.vault.keyed_hash("operator e-mail", email.strip().lower()).hex()
    own = device is not None and hmac.compare_digest(device.encode(), device_mark(plumbing, email).encode())
    per_minute = plumbing.settings.dashboard_attempts_per_minute
    where = plumbing.vault.keyed_hash("address of a sign-in", _network(origin.address)).hex()
    await _charge(limiter, where, Limit("operator-address", per_minute, per_minute))
    await _charge(limiter, f"{who}:{'own' if own else 'any'}", OF_EMAIL)


async def slow_down_proofs(limiter: RateLimiter, operator_id: UUID, what: str) -> None:
    """Count a code or a password of somebody who has shown something already; raises TooMany when there were many.

    Without it a stolen session would be a place to guess the password at, and a stolen password one to guess codes.
    """
    await _charge(limiter, f"{what}:{operator_id}", OF_PROOF)


def device_mark(plumbing: Plumbing, email: str) -> str:
    """What a browser keeps after a sign-in: proof that this e-mail address signed in there; it opens nothing."""
    return plumbing.vault.keyed_hash("operator device", email.strip().lower()).hex()


async def sign_in(plumbing: Plumbing, email: str, password: str, origin: Origin) -> Step:
    """Check the password; raises SignInRefused, in the same words and time whatever was wrong."""
    loop = asyncio.get_running_loop()
    refused_at = loop.time() + REFUSAL_SECONDS
    async with plumbing.database.system() as connection:
        found = await find_operator(connection, email)
        stored = await password_hash(connection, found.operator_id) if found else None
    right = await is_password(stored, password)
    async with plumbing.database.system() as connection:
        proven = await _still_proven(connection, found.operator_id, stored) if found and right else None
        if proven is None:
            await note_failure(connection, found, "WRONG_PASSWORD" if found else "UNKNOWN_OPERATOR")
        elif proven.has_second_factor:
            challenge = await challenges.ask(connection, challenges.Purpose.SECOND_STEP, proven.operator_id)
            return Step(proven, None, challenge)
        else:
            token = await begin(connection, proven, origin, "password", second_factor=False)
            return Step(proven, token, None)
    await asyncio.sleep(refused_at - loop.time())
    raise SignInRefused


async def second_step(
    plumbing: Plumbing, limiter: RateLimiter, challenge: bytes, code: str, origin: Origin
) -> tuple[str, Operator]:
    """The session's token, and whose it is, for a right code.

    Raises SignInRefused for a wrong or a late one, also where the password was changed since the first step; TooMany
    when too many were tried for this operator.
    """
    async with plumbing.database.system() as connection:
        operator_id = await challenges.try_step(connection, challenge)
    if operator_id is None:
        raise SignInRefused
    await slow_down_proofs(limiter, operator_id, "code")
    async with plumbing.database.system() as connection:
        found = await read_operator(connection, operator_id)
        if found is not None and found.disabled_at is None:
            method = await _method_of(plumbing, connection, found, code)
            step = challenges.Purpose.SECOND_STEP
            if method is not None and await challenges.use_up(connection, step, challenge, operator_id):
                return await begin(connection, found, origin, method, second_factor=True), found
            await note_failure(connection, found, "WRONG_CODE")
    raise SignInRefused


async def begin(connection: Connection, operator: Operator, origin: Origin, method: str, *, second_factor: bool) -> str:
    """A session for who has proved everything; written down."""
    token = await begin_session(connection, operator.operator_id, origin, second_factor=second_factor)
    details = {"method": method}
    await note(connection, operator.operator_id, Action.OPERATOR_SIGNED_IN, actor(operator.operator_id), details)
    return token


async def note_failure(connection: Connection, operator: Operator | None, reason: str) -> None:
    """Write a failed sign-in down: the first of a minute at once, the rest as a number (accounts/sign_in_failures)."""
    subject = f"operator:{operator.operator_id}" if operator else "operator:unknown"
    chains: list[UUID] = [INSTALLATION]
    if operator is not None:
        chains = [one.account_id for one in await memberships(connection, operator.operator_id)] or chains
    for chain in chains:
        cursor = await connection.execute(COUNT, (chain, subject, reason))
        row = await cursor.fetchone()
        if row is not None and row["count"] == 1:
            await record(
                connection,
                chain,
                actor=STRANGER,
                action=Action.SIGN_IN_FAILED,
                subject=subject,
                details={"reason": reason, "count": 1},
            )


async def _still_proven(connection: Connection, operator_id: UUID, stored: str | None) -> Operator | None:
    """The operator, whom nobody changes until the commit; None when the hash that was looked at holds no more.

    The look takes a tenth of a second. Whoever chooses a new password meanwhile, or a second factor, ends every session
    that there is: one that began after that by the old password would stay.
    """
    await lock_operator(connection, operator_id)
    if await password_hash(connection, operator_id) != stored:
        return None
    return await read_operator(connection, operator_id)


async def _method_of(plumbing: Plumbing, connection: Connection, operator: Operator, code: str) -> str | None:
    if operator.has_totp and await is_totp(plumbing, connection, operator.operator_id, code):
        return "password+totp"
    if await use_recovery_code(plumbing, connection, operator.operator_id, code):
        return "password+recovery_code"
    return None


async def _charge(limiter: RateLimiter, bucket: str, limit: Limit) -> None:
    standing = await limiter.take(f"{limit.name}:{bucket}", limit)
    if not standing.allowed:
        raise TooMany(max(1, round(standing.retry_after + 0.5)), "Too many attempts to sign in.")


def _network(address: str) -> str:
    """The address of the caller; of IPv6 the 64 bits that one customer of a provider has."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return "unknown"
    return str(ip_network((parsed, 64), strict=False)) if isinstance(parsed, IPv6Address) else str(parsed)
