"""One attempt: connect to an address that was checked, post, and say how it went."""

import asyncio
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import structlog
from aiohttp.abc import AbstractResolver

from truename.webhooks.addresses import (
    AddressForbidden,
    AllowList,
    plain_host,
    refuse_forbidden_address,
    refuse_forbidden_host,
)
from truename.webhooks.model import AttemptOutcome

log = structlog.get_logger(__name__)

ANSWER_WITHIN = 15.0
USER_AGENT = "Truename-Webhooks/1.0"


@dataclass(frozen=True)
class Attempt:
    """What came of one attempt."""

    outcome: AttemptOutcome
    status_code: int | None = None
    error: str | None = None
    took_ms: int = 0
    retry_after: timedelta | None = None


class Guard:
    """Makes the socket of each connection, only if the very address being connected is allowed."""

    def __init__(self, allowed: AllowList, name_is_open: bool) -> None:
        self.allowed = allowed
        self.name_is_open = name_is_open
        self.refused: str | None = None

    def __call__(self, address_info: aiohttp.AddrInfoType) -> socket.socket:
        """Make the socket for one address; PermissionError, with the reason kept, when it is not allowed."""
        family, kind, protocol, _, where = address_info
        if not self.name_is_open:
            try:
                refuse_forbidden_address(ip_address(where[0].partition("%")[0]), where[1], self.allowed)
            except AddressForbidden as refusal:
                self.refused = str(refusal)
                raise PermissionError(str(refusal)) from None
        return socket.socket(family=family, type=kind, proto=protocol)


class Sender:
    """Posts events over TLS; opened once by a worker and shared by its deliveries."""

    def __init__(self, ca_file: Path | None = None, resolver: Callable[[], AbstractResolver] | None = None) -> None:
        self._tls = ssl.create_default_context()
        if ca_file is not None:
            self._tls.load_verify_locations(cafile=ca_file)
        self._resolver = resolver or aiohttp.ThreadedResolver

    async def post(self, url: str, body: str, headers: dict[str, str], allowed: AllowList) -> Attempt:
        """Send once. Nothing is raised: every way to fail is an outcome."""
        began = time.monotonic()
        try:
            attempt = await self._post(url, body, headers, allowed)
        except Exception as fault:  # whatever a receiver sends, the attempt must be counted, or it would never end
            log.exception("webhook attempt failed in an unexpected way")
            attempt = Attempt(AttemptOutcome.UNREACHABLE, error=type(fault).__name__)
        took = int((time.monotonic() - began) * 1000)
        return Attempt(attempt.outcome, attempt.status_code, attempt.error, took, attempt.retry_after)

    async def _post(self, url: str, body: str, headers: dict[str, str], allowed: AllowList) -> Attempt:
        try:
            refuse_forbidden_host(url, allowed)
        except AddressForbidden as refusal:
            return Attempt(AttemptOutcome.ADDRESS_FORBIDDEN, error=str(refusal))
        parts = urlsplit(url)
        guard = Guard(allowed, allowed.has_name(plain_host(parts.hostname or ""), parts.port or 443))
        connector = aiohttp.TCPConnector(
            ssl=self._tls, socket_factory=guard, resolver=self._resolver(), force_close=True, use_dns_cache=False
        )
        # A connector of its own for each attempt: a kept connection would skip the check of its address.
        async with aiohttp.ClientSession(
            connector=connector,
            timeout=aiohttp.ClientTimeout(total=ANSWER_WITHIN),
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
            auto_decompress=False,
        ) as session:
            try:
                async with session.post(
                    url,
                    data=body.encode(),
                    headers={**headers, "content-type": "application/json", "user-agent": USER_AGENT},
                    allow_redirects=False,
                ) as answer:
                    return _judge(answer)
            except TimeoutError:
                return Attempt(AttemptOutcome.TIMED_OUT, error=f"No answer within {ANSWER_WITHIN:.0f} s.")
            except aiohttp.ClientConnectorCertificateError:
                return Attempt(
                    AttemptOutcome.TLS_FAILED, error="The certificate of the receiver could not be verified."
                )
            except (aiohttp.ClientError, OSError, asyncio.IncompleteReadError) as failure:
                if guard.refused:
                    return Attempt(AttemptOutcome.ADDRESS_FORBIDDEN, error=guard.refused)
                return Attempt(AttemptOutcome.UNREACHABLE, error=type(failure).__name__)


@cache
def shared_sender(ca_file: Path | None) -> Sender:
    """The sender of this process: to read the certificates of all authorities takes a tenth of a second."""
    return Sender(ca_file)


def _judge(answer: aiohttp.ClientResponse) -> Attempt:
    if 200 <= answer.status < 300:
        return Attempt(AttemptOutcome.DELIVERED, answer.status)
    if answer.status == 410:
        return Attempt(AttemptOutcome.GONE, answer.status, "The receiver says that this address is gone for good.")
    error = f"The receiver answered {answer.status}."
    if 300 <= answer.status < 400:
        error += " Redirects are not followed."
    return Attempt(
        AttemptOutcome.REFUSED_BY_RECEIVER,
        answer.status,
        error,
        retry_after=_retry_after(answer.headers.get("Retry-After")),
    )


def _retry_after(text: str | None) -> timedelta | None:
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        # Python refuses to read numbers of thousands of digits; seven are more than a week.
        digits = text.lstrip("0")
        return timedelta(seconds=min(int(digits or "0"), 10**6) if len(digits) <= 7 else 10**6)
    try:
        when = parsedate_to_datetime(text[:100])
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(when - datetime.now(UTC), timedelta(0))
