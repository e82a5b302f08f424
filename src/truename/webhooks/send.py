"""One attempt: connect to an address that was checked, post, and say how it went."""

import asyncio
import socket
import ssl
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, timedelta
from email.utils import parsedate_to_datetime
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import aiohttp
import structlog
from aiohttp.abc import AbstractResolver

from truename.plumbing import clock
from truename.webhooks.addresses import (
    AddressForbidden,
    AllowList,
    plain_host,
    refuse_forbidden_address,
    refuse_forbidden_host,
)
from truename.webhooks.bounded import TooMuchBeforeAnswer, bounded
from truename.webhooks.model import AttemptOutcome
from truename.webhooks.names import Names

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
        self._resolver = resolver or Names

    @asynccontextmanager
    async def line(self, allowed: AllowList) -> AsyncIterator["Line"]:
        """For several events of one account, under what is allowed to it now: connections are kept in between."""
        line = Line(self._tls, self._resolver, allowed)
        try:
            yield line
        finally:
            await line.close()

    async def post(self, url: str, body: str, headers: dict[str, str], allowed: AllowList) -> Attempt:
        """Send one event over a connection of its own. Nothing is raised: every way to fail is an outcome."""
        async with self.line(allowed) as line:
            return await line.post(url, body, headers)


@dataclass
class _Exchange:
    """What is noted about one request while it is under way."""

    over_kept_connection: bool = False


async def _note_kept(
    _session: aiohttp.ClientSession, context: SimpleNamespace, _: aiohttp.TraceConnectionReuseconnParams
) -> None:
    context.trace_request_ctx.over_kept_connection = True


class Line:
    """The connections of one account's deliveries: the address of each is checked when it is opened.

    They are shared with no other account and end with the line, so that none outlives the rules that it was opened by.
    """

    def __init__(self, tls: ssl.SSLContext, resolver: Callable[[], AbstractResolver], allowed: AllowList) -> None:
        self._tls, self._resolver, self._allowed = tls, resolver, allowed
        self._names: AbstractResolver | None = None
        self._kept: dict[tuple[str, int], tuple[aiohttp.ClientSession, Guard]] = {}

    async def post(self, url: str, body: str, headers: dict[str, str]) -> Attempt:
        """Send once. Nothing is raised: every way to fail is an outcome."""
        began = time.monotonic()
        try:
            attempt = await self._post(url, body, headers)
        except Exception as fault:  # whatever a receiver sends, the attempt must be counted, or it would never end
            log.exception("webhook attempt failed in an unexpected way")
            attempt = Attempt(AttemptOutcome.UNREACHABLE, error=type(fault).__name__)
        took = int((time.monotonic() - began) * 1000)
        return Attempt(attempt.outcome, attempt.status_code, attempt.error, took, attempt.retry_after)

    async def close(self) -> None:
        """End every connection."""
        for session, _ in self._kept.values():
            await session.close()
        self._kept.clear()

    async def _post(self, url: str, body: str, headers: dict[str, str]) -> Attempt:
        parts = urlsplit(url)
        host, port = plain_host(parts.hostname or ""), parts.port or 443
        if (host, port) not in self._kept:
            try:
                refuse_forbidden_host(url, self._allowed)
            except AddressForbidden as refusal:
                return Attempt(AttemptOutcome.ADDRESS_FORBIDDEN, error=str(refusal))
            self._kept[host, port] = self._session(host, port, kept=True)
        attempt = await _exchange(*self._kept[host, port], url, body, headers)
        if attempt is None:  # the receiver had closed the kept connection: that is no failure of its
            session, guard = self._session(host, port, kept=False)
            async with session:
                attempt = await _exchange(session, guard, url, body, headers)
        return attempt or Attempt(AttemptOutcome.UNREACHABLE, error="The receiver closed the connection.")

    def _session(self, host: str, port: int, *, kept: bool) -> tuple[aiohttp.ClientSession, Guard]:
        guard = Guard(self._allowed, self._allowed.has_name(host, port))
        self._names = self._names or self._resolver()
        connector = aiohttp.TCPConnector(
            ssl=self._tls,
            socket_factory=guard,
            resolver=self._names,
            force_close=not kept,
            use_dns_cache=False,
            limit=0,
        )
        noted = aiohttp.TraceConfig()
        noted.on_connection_reuseconn.append(_note_kept)
        session = aiohttp.ClientSession(
            connector=bounded(connector),
            timeout=aiohttp.ClientTimeout(total=ANSWER_WITHIN),
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
            auto_decompress=False,
            trace_configs=[noted],
        )
        return session, guard


async def _exchange(
    session: aiohttp.ClientSession, guard: Guard, url: str, body: str, headers: dict[str, str]
) -> Attempt | None:
    """One request; None when a kept connection turned out to be closed, which says nothing about the receiver."""
    exchange = _Exchange()
    try:
        async with session.post(
            url,
            data=body.encode(),
            headers={**headers, "content-type": "application/json", "user-agent": USER_AGENT},
            allow_redirects=False,
            trace_request_ctx=exchange,
        ) as answer:
            return _judge(answer)
    except TimeoutError:
        return Attempt(AttemptOutcome.TIMED_OUT, error=f"No answer within {ANSWER_WITHIN:.0f} s.")
    except aiohttp.ClientConnectorCertificateError:
        return Attempt(AttemptOutcome.TLS_FAILED, error="The certificate of the receiver could not be verified.")
    except aiohttp.ClientConnectorSSLError:
        return Attempt(AttemptOutcome.TLS_FAILED, error="The receiver speaks no TLS there, or none that is safe today.")
    except (aiohttp.ClientError, OSError, asyncio.IncompleteReadError) as failure:
        if exchange.over_kept_connection and isinstance(failure, (aiohttp.ServerDisconnectedError, OSError)):
            return None
        if guard.refused:
            return Attempt(AttemptOutcome.ADDRESS_FORBIDDEN, error=guard.refused)
        return Attempt(AttemptOutcome.UNREACHABLE, error=_words(failure))


def _words(failure: Exception) -> str:
    if isinstance(failure, TooMuchBeforeAnswer):
        return "The receiver sent a great deal, and no answer."
    if isinstance(failure, aiohttp.ClientResponseError):
        return "What the receiver sent is no answer in HTTP."
    if isinstance(failure, aiohttp.ServerDisconnectedError):
        return "The receiver closed the connection before it had answered."
    return type(failure).__name__


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
    return max(when - clock.now(), timedelta(0))
