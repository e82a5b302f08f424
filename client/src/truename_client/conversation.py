"""What is said to the service and when it is said again: the one core of the sync and the async client.

A plan is a generator that asks for one thing after another (a token, a request to be sent, a pause) and ends with the
answer. It does no input or output itself: `sync.py` and `later.py` do what it asks for, each in its own way.
"""

import json
import logging
import random
import uuid
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, Generic, Protocol, TypeVar, cast

from truename_client.decode import decoded
from truename_client.errors import ApiError, ConnectionFailed, Fault, Refused, UnexpectedAnswer, class_of_status
from truename_client.problems import BY_CODE

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
log = logging.getLogger("truename_client")

AGAIN: Final = {429, 502, 503, 504}
"""Statuses after which the same request may do better."""
IN_FLIGHT: Final = "idempotency_key_in_flight"
"""Our own first attempt, whose answer was lost, is still being worked on."""


@dataclass(frozen=True)
class Retry:
    """When a request is said again: after a broken connection, 429, 502, 503 or 504."""

    attempts: int = 5
    """How often it is sent at most."""
    first_pause: float = 0.5
    """Seconds before the second attempt; doubled before each further one, and shortened at random by up to a half."""
    longest_pause: float = 8.0
    longest_retry_after: float = 60.0
    """A `Retry-After` longer than this is not waited for: the refusal is raised instead."""


@dataclass(frozen=True)
class NeedToken:
    """Ask for an access token, for another one than `stale`."""

    stale: str | None


@dataclass(frozen=True)
class Send:
    """Ask for a request to be sent."""

    method: str
    path: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    content: bytes | None
    patience: float
    """Seconds that the service may take beyond the usual, since it was asked to wait."""


@dataclass(frozen=True)
class Pause:
    """Ask for so many seconds to pass."""

    seconds: float


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    """By names in lower case."""
    content: bytes


@dataclass(frozen=True)
class NoReply:
    """The connection could not be made, or broke."""

    reason: str


Step = NeedToken | Send | Pause
Steps = Generator[Step, str | Reply | NoReply | None, T]


class Plan(Protocol[T_co]):
    """Something that ends in an answer."""

    def steps(self, retry: Retry) -> Generator[Step, str | Reply | NoReply | None, T_co]: ...


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request and the type of its answer; bytes for an answer that is no JSON."""

    method: str
    path: str
    answer: type[T]
    query: Mapping[str, str | int | None] = field(default_factory=dict)
    body: Mapping[str, object] | None = None
    form: bytes | None = None
    authorization: str | None = None
    """Instead of an access token."""
    idempotency_key: str | None = None
    patience: float = 0.0

    def steps(self, retry: Retry) -> Steps[T]:
        """Send it, again where that is safe and may help, until there is an answer."""
        headers = {"accept": "application/json"} if self.answer is not bytes else {}
        content = self.form
        if self.body is not None:
            content = json.dumps(self.body, ensure_ascii=False, allow_nan=False).encode()
            headers["content-type"] = "application/json"
        elif content is not None:
            headers["content-type"] = "application/x-www-form-urlencoded"
        if self.method in ("POST", "PATCH") and self.authorization is None:
            # One key for all attempts: the service does the work once, however often it hears of it.
            headers["idempotency-key"] = self.idempotency_key or str(uuid.uuid4())
        query = {name: str(value) for name, value in self.query.items() if value is not None}
        reply = yield from self._told(headers, query, content, retry)
        if self.answer is bytes:
            return cast(T, reply.content)
        return decoded(self.answer, _json(reply))

    def _told(
        self, headers: dict[str, str], query: Mapping[str, str], content: bytes | None, retry: Retry
    ) -> Steps[Reply]:
        token: str | None = None
        renewed = False
        attempt = 0
        while True:
            if self.authorization is None:
                if token is None:
                    token = yield from _token(None)
                headers["authorization"] = f"Bearer {token}"
            else:
                headers["authorization"] = self.authorization
            sent = Send(self.method, self.path, headers, query, content, self.patience)
            reply = cast(Reply | NoReply, (yield sent))
            if isinstance(reply, Reply) and reply.status < 300:
                return reply
            if isinstance(reply, Reply) and reply.status == 401 and token is not None and not renewed:
                # Expired on the way, or the service signs with other keys now: once more with a new one.
                token, renewed = (yield from _token(token)), True
                continue
            attempt += 1
            refusal: ApiError | ConnectionFailed
            if isinstance(reply, Reply):
                refusal = refusal_of(reply)
            else:
                refusal = ConnectionFailed(f"{self.method} {self.path}: {reply.reason} at attempt {attempt}.")
            pause = pause_before(attempt, refusal, retry)
            if pause is None:
                raise refusal
            log.info("%s %s failed (%s); again in %.1f s", self.method, self.path, type(refusal).__name__, pause)
            yield Pause(pause)


def _token(stale: str | None) -> Steps[str]:
    return cast(str, (yield NeedToken(stale)))


def pause_before(attempt: int, refusal: ApiError | ConnectionFailed, retry: Retry) -> float | None:
    """Seconds before this request is said once more; None when it is not."""
    if attempt >= retry.attempts:
        return None
    pause: float = min(retry.first_pause * 2.0 ** (attempt - 1), retry.longest_pause) * random.uniform(0.5, 1.0)
    if isinstance(refusal, ConnectionFailed):
        return pause
    if refusal.status == 429 and refusal.retry_after is None and refusal.code is not None:
        return None  # a cap that no waiting lifts
    if refusal.status not in AGAIN and refusal.code != IN_FLIGHT:
        return None
    if refusal.retry_after is not None:
        if refusal.retry_after > retry.longest_retry_after:
            return None
        # A little later than told, and not all at once: others were told the same.
        return refusal.retry_after + pause / 4
    return pause


def refusal_of(reply: Reply) -> ApiError:
    """The exception that says what the service refused, and why."""
    members: dict[str, Any] = {}
    try:
        found = json.loads(reply.content)
        members = found if isinstance(found, dict) else {}
    except ValueError:
        pass
    code = members.get("code", members.get("error"))
    refused = Refused(
        status=reply.status,
        code=code if isinstance(code, str) else None,
        title=str(members.get("title", "")),
        detail=str(members.get("detail", members.get("error_description", ""))),
        request_id=reply.headers.get("x-request-id"),
        errors=tuple(
            Fault(str(one.get("pointer", "")), str(one.get("code", "")), str(one.get("detail", "")))
            for one in members.get("errors", ())
            if isinstance(one, dict)
        ),
        retry_after=_retry_after(reply.headers.get("retry-after")),
        members=members,
    )
    kind = BY_CODE.get(refused.code or "")
    return (kind or class_of_status(reply.status))(refused)


def _retry_after(text: str | None) -> float | None:
    if text is None:
        return None
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return max(0.0, (when.astimezone(UTC) - datetime.now(UTC)).total_seconds())


def _json(reply: Reply) -> object:
    if reply.status == 204:
        return None
    try:
        return json.loads(reply.content)
    except ValueError:
        kind = reply.headers.get("content-type", "no content type")
        raise UnexpectedAnswer(f"The answer ({reply.status}, {kind}) is no JSON; is base_url the service?") from None
