"""Python client of Truename: customers, transactions, decisions and webhooks, sync and async."""

from truename_client import answers, bodies, problems, words
from truename_client.answers import ShownCustomer, ShownTransaction, TransactionSummary
from truename_client.bodies import Config
from truename_client.client import AsyncTruename, Truename
from truename_client.conversation import Retry
from truename_client.customers import KEEP
from truename_client.errors import (
    ApiError,
    BadArgument,
    BadRequest,
    Conflict,
    ConnectionFailed,
    Fault,
    Forbidden,
    Gone,
    InvalidCredentials,
    NotFound,
    RateLimited,
    ServerFailed,
    TruenameError,
    Unauthorized,
    Unavailable,
    UnexpectedAnswer,
    WaitTimedOut,
    WebhookNotVerified,
)
from truename_client.problems import CustomerAlreadyExists, ValidationFailed, WrongState
from truename_client.version import __version__
from truename_client.webhooks import ReceivedEvent, verify_webhook

__all__ = [
    "KEEP",
    "ApiError",
    "AsyncTruename",
    "BadArgument",
    "BadRequest",
    "Config",
    "Conflict",
    "ConnectionFailed",
    "CustomerAlreadyExists",
    "Fault",
    "Forbidden",
    "Gone",
    "InvalidCredentials",
    "NotFound",
    "RateLimited",
    "ReceivedEvent",
    "Retry",
    "ServerFailed",
    "ShownCustomer",
    "ShownTransaction",
    "TransactionSummary",
    "Truename",
    "TruenameError",
    "Unauthorized",
    "Unavailable",
    "UnexpectedAnswer",
    "ValidationFailed",
    "WaitTimedOut",
    "WebhookNotVerified",
    "WrongState",
    "__version__",
    "answers",
    "bodies",
    "problems",
    "verify_webhook",
    "words",
]
