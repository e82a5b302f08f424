"""What can go wrong, one class for each kind.

TruenameError
├── BadArgument           refused here, before any request; also a ValueError
├── ConnectionFailed      no answer came, after every repetition
├── UnexpectedAnswer      an answer that is none of the service's
├── WaitTimedOut          the time given to wait() is over; also a TimeoutError
├── WebhookNotVerified    a webhook that must not be believed
└── ApiError              the service refused: .status, .code, .detail, .errors, .pointers, .request_id
    ├── BadRequest 400, Unauthorized 401, Forbidden 403, NotFound 404, Conflict 409, Gone 410, ContentTooLarge 413,
    │   UnsupportedContent 415, Unprocessable 422, RateLimited 429, ServerFailed 5xx, Unavailable 503
    └── below these, one class for each code: problems.py
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar


class TruenameError(Exception):
    """Base of all that this package raises."""


class BadArgument(TruenameError, ValueError):
    """An argument that the service could never accept; nothing was sent."""


class ConnectionFailed(TruenameError):
    """No answer came, after every repetition. Whether the service has heard the request is not known."""


class UnexpectedAnswer(TruenameError):
    """The answer is none of the service's: something on the way spoke in its place, or its interface is another."""


class WaitTimedOut(TruenameError, TimeoutError):
    """It was not done within the time that was given; `identity` names it, `status` is its last known one."""

    def __init__(self, identity: str, status: str, seconds: float, what: str = "transaction") -> None:
        self.identity, self.status = identity, status
        super().__init__(f"The {what} {identity} is still {status} after {seconds:g} s.")


class WebhookNotVerified(TruenameError):
    """Do not believe this webhook; answer 400."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a request."""

    pointer: str
    """JSON pointer of the field; `/name` of a parameter."""
    code: str
    detail: str


@dataclass(frozen=True)
class Refused:
    """What the service said when it refused."""

    status: int
    code: str | None = None
    """Stable; None where something on the way answered in the service's place."""
    title: str = ""
    detail: str = ""
    request_id: str | None = None
    errors: tuple[Fault, ...] = ()
    retry_after: float | None = None
    members: Mapping[str, object] = field(default_factory=dict)
    """The whole problem (RFC 9457), with what only some codes have."""


class ApiError(TruenameError):
    """The service refused the request."""

    code_of_class: ClassVar[str | None] = None

    def __init__(self, refused: Refused) -> None:
        self.refused = refused
        named = refused.code or "no code"
        words = [f"{refused.status} {named}: {refused.detail or refused.title or 'no words'}"]
        words += [f"{fault.pointer} ({fault.code}): {fault.detail}" for fault in refused.errors]
        if refused.request_id:
            words.append(f"request_id {refused.request_id}")
        super().__init__("\n  ".join(words))

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.refused.status

    @property
    def code(self) -> str | None:
        """The problem's code, stable; None where something on the way answered in the service's place."""
        return self.refused.code

    @property
    def detail(self) -> str:
        """What happened this time, in words."""
        return self.refused.detail

    @property
    def errors(self) -> tuple[Fault, ...]:
        """Every fault of the request at once."""
        return self.refused.errors

    @property
    def pointers(self) -> tuple[str, ...]:
        """The JSON pointers of those faults."""
        return tuple(fault.pointer for fault in self.refused.errors)

    @property
    def request_id(self) -> str | None:
        """Name this when you ask the operator about a request."""
        return self.refused.request_id

    @property
    def retry_after(self) -> float | None:
        """Seconds to wait, where the service names them."""
        return self.refused.retry_after


class BadRequest(ApiError):
    """400: the request is wrong; correct it."""


class Unauthorized(ApiError):
    """401: the credentials or the token are not accepted."""


class InvalidCredentials(Unauthorized):
    """No token is given for this client_id and client_secret."""


class Forbidden(ApiError):
    """403: the client lacks a scope."""


class NotFound(ApiError):
    """404: it does not exist, or not in this account."""


class Conflict(ApiError):
    """409: the state does not allow this."""


class Gone(ApiError):
    """410: it was erased or redacted."""


class ContentTooLarge(ApiError):
    """413: the body is too large."""


class UnsupportedContent(ApiError):
    """415: the body is of another kind than this call takes."""


class Unprocessable(ApiError):
    """422: the idempotency key belongs to another request."""


class RateLimited(ApiError):
    """429: too many calls, after every repetition."""


class ServerFailed(ApiError):
    """5xx: the fault is the service's, or of something on the way."""


class Unavailable(ServerFailed):
    """503: the service is not ready, after every repetition."""


BY_STATUS: dict[int, type[ApiError]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Gone,
    413: ContentTooLarge,
    415: UnsupportedContent,
    422: Unprocessable,
    429: RateLimited,
    500: ServerFailed,
    503: Unavailable,
}


def class_of_status(status: int) -> type[ApiError]:
    """The class of every refusal with this status."""
    return BY_STATUS.get(status, ServerFailed if status >= 500 else ApiError)
