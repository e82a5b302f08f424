"""What an account is, what it may set, and who calls on its behalf."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

SCOPE_MEANINGS: Final[Mapping[str, str]] = {
    "customers:read": "Read customers, with e-mail, phone number and the state of the reference face, and the "
    "blocklist of faces.",
    "customers:write": "Create, change and erase customers; put faces on the blocklist and take them off. Answers "
    "about customers show ids and status, no personal data.",
    "transactions:read": "Read and list transactions with everything that was read and decided; read webhook events.",
    "transactions:write": "Create, cancel, review and redact transactions. Answers show status and decision, nothing "
    "that was read from a document or a face.",
    "media:read": "Read pictures.",
    "explanations:read": "Read why transactions were decided so and back-test policies, without personal data: codes, "
    "scores, limits, ids.",
    "webhooks:write": "Deliver webhook events again and rotate the secret that signs them.",
    "admin": "Manage the account's own clients: add, list, rotate, revoke. Opens nothing else.",
}
"""What each scope opens; no scope includes another."""
SCOPES: Final = tuple(SCOPE_MEANINGS)
"""Every scope there is, in the order in which they are shown."""
USUAL_SCOPES: Final = ("customers:read", "customers:write", "transactions:read", "transactions:write")
"""What a new client gets unless told otherwise: the two creations and their results."""


def known_scopes(scopes: Iterable[str]) -> list[str]:
    """These scopes in their order, each once; raises ValueError for one that does not exist, or for none at all."""
    wanted = set(scopes)
    if unknown := wanted - set(SCOPES):
        raise ValueError(f"There is no scope {', '.join(sorted(unknown))}. Scopes: {', '.join(SCOPES)}.")
    if not wanted:
        raise ValueError("A client needs at least one scope.")
    return [scope for scope in SCOPES if scope in wanted]


def is_readable_name(name: str) -> bool:
    """Is this fit to name an account or a client?"""
    return bool(name.strip()) and len(name) <= 200 and name.isprintable()


def _web_page(value: str | None) -> str | None:
    """An address that a browser opens as a page: `javascript:` and its like would run instead."""
    if value is None:
        return None
    parts = urlsplit(value)
    if parts.scheme not in ("https", "http") or not parts.hostname or parts.username is not None:
        raise ValueError("must be an address that starts with https:// (or http://) and a host")
    if len(value) > 2000 or not value.isprintable() or " " in value:
        raise ValueError("must be an address of at most 2000 characters without spaces")
    return value


def _loopback(value: str | None) -> str | None:
    """An address of this machine, by http: nothing leaves it."""
    if value is not None and not re.fullmatch(r"http://(127\.0\.0\.1|localhost|\[::1\]):[0-9]{1,5}(/[!-~]*)?", value):
        raise ValueError("must be an address of this machine such as http://127.0.0.1:4242/")
    return value


ORIGIN: Final = re.compile(r"https?://[A-Za-z0-9.\-\[\]:]+")
"""What a header can name as the origin of a page; names in other letters have a form in these."""


def page_origin(value: str) -> str:
    """The origin of a page as browsers write it: small letters, no path, no port that goes without saying."""
    parts = urlsplit(value.removesuffix("/").lower())
    port = {"https": 443, "http": 80}.get(parts.scheme)
    origin = parts._replace(netloc=parts.netloc.removesuffix(f":{port}")).geturl()
    if not ORIGIN.fullmatch(origin) or not parts.hostname or parts.port == 0:
        raise ValueError("must be an origin such as https://shop.example or http://localhost:3000, without a path")
    return origin


LANGUAGES: Final = ("ar", "de", "en", "es", "fr", "pt")
"""Those of the capture page."""
Language = Literal["ar", "de", "en", "es", "fr", "pt"]
LONGEST_TEXT: Final = 300


def _plain_text(value: str | None) -> str | None:
    """A text that a page shows as it is: without controls, and none rather than an empty one."""
    if value is None or not value.strip():
        return None
    if len(value) > LONGEST_TEXT or not all(letter.isprintable() or letter == "\n" for letter in value):
        raise ValueError(f"must be a text of at most {LONGEST_TEXT} characters without control characters")
    return value.strip()


class CaptureTexts(BaseModel):
    """What the capture page says in one language beside its own words; null says nothing more."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    welcome: Annotated[str | None, AfterValidator(_plain_text)] = None
    """At the consent, before anything is captured."""
    done: Annotated[str | None, AfterValidator(_plain_text)] = None
    """At the end, once everything was sent."""


class AccountSettings(BaseModel):
    """What an account decides for itself; unknown names are refused, so that a typo does not pass for a choice."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    manual_review: bool = Field(
        default=False,
        description="Rejections, and documents that contradict themselves, wait for a person instead of being final.",
    )
    review_hold_seconds: int = Field(
        default=10,
        ge=0,
        le=60,
        description="Seconds for which a reviewer may take a decision back before it is final and told.",
    )
    review_four_eyes: bool = Field(
        default=False,
        description="Two people must decide alike, neither knowing of the other; where they differ a third decides. "
        "For the dashboard: a client that decides by the API (`transactions:write`) decides alone.",
    )
    review_blind_first: Literal["off", "faces", "all"] = Field(
        default="faces",
        description="What a reviewer answers before scores, issues and names are shown: nothing, whether the faces are "
        "of one person, or also whether the person is live and the document genuine.",
    )
    review_quality_percent: int = Field(
        default=0,
        ge=0,
        le=5,
        description="Per cent of the engine's approvals that are put, unmarked, among the cases of reviewers; 2 to 5 "
        "show how often an approval was wrong. The verdict is kept beside the transaction, whose status stays.",
    )
    face_search: Literal["off", "report", "enforce"] = Field(
        default="off",
        description="Search for the live face among the other customers and on blocklists: not at all; show what is "
        "found and decide as without; or let the config's actions decide. Needs pgvector in the database; while it is "
        "on, a vector of every reference face is kept that is not sealed.",
    )
    policy_second_person: bool = Field(
        default=True,
        description="A default policy that one admin drafts must be agreed to by another before it is in force. "
        "A sandbox needs nobody's agreement.",
    )
    suspicious_rule: bool = Field(
        default=True, description="Three rejections with fraud signs within 30 days make a customer SUSPICIOUS."
    )
    retention_days: int | None = Field(
        default=None,
        ge=1,
        le=36500,
        description="Days after the end of a transaction when its media, its extracted data and what was enrolled from "
        "them are deleted; null keeps them.",
    )
    trial: bool = Field(
        default=False,
        description="The account of the demo at /demo, whose webhooks may go to this machine: for a trial only.",
    )
    webhook_listener: Annotated[str | None, AfterValidator(_loopback)] = Field(
        default=None,
        description="Sandbox and trial accounts only: where events go of transactions that name no webhook. "
        "`truename webhook listen` sets it while it runs.",
    )
    capture_origins: tuple[str, ...] = Field(
        default=(), description="Origins of pages that may embed the capture page."
    )
    language: Language | None = Field(
        default=None, description="Language that the capture page begins in; null follows the person's browser."
    )
    capture_texts: Mapping[Language, CaptureTexts] = Field(
        default={},
        description="By language: a text of your own at the consent (`welcome`) and at the end (`done`) of the capture "
        "page, at most 300 characters each. A language without one shows none.",
    )
    file_upload: bool = Field(default=True, description="Documents may be uploaded from a file instead of the camera.")
    handoff: bool = Field(default=True, description="A capture begun on a computer may go on on a phone.")
    privacy_url: Annotated[str | None, AfterValidator(_web_page)] = Field(
        default=None, description="The integrator's own privacy notice, shown at the consent."
    )
    return_url: Annotated[str | None, AfterValidator(_web_page)] = Field(
        default=None, description="Where the capture page sends the person at the end."
    )
    request_log: bool = Field(
        default=True,
        description="Requests are kept for a week for developers: path, status, time, names and types of members; "
        "never a value.",
    )
    require_second_factor: bool = Field(
        default=False, description="Operators must sign in with a code or a passkey to open this account's dashboard."
    )


class ChosenOrigins(BaseModel):
    """Where pages may embed ours, as somebody chooses it now; what earlier versions took may be no origin."""

    capture_origins: tuple[Annotated[str, AfterValidator(page_origin)], ...] | None = None


@dataclass(frozen=True)
class Account:
    """One integrator: its data is apart from that of all others."""

    account_id: UUID
    name: str
    settings: AccountSettings
    created_at: datetime
    livemode: bool = True
    """False: a sandbox, in which nothing is a real verification."""
    sandbox_of: UUID | None = None
    """The live account beside which this sandbox was made."""


@dataclass(frozen=True)
class Client:
    """A program of the integrator that may fetch access tokens."""

    client_id: str
    account_id: UUID
    secret_hash: bytes
    scopes: frozenset[str]
    revoked: bool = False
    previous_secret_hash: bytes | None = None
    """The secret from before a rotation, for as long as it works."""
    livemode: bool = True
    """False: a client of a sandbox account."""


@dataclass(frozen=True)
class NewAccount:
    """What is shown once, at creation."""

    account_id: UUID
    client_id: str
    client_secret: str
    webhook_secret: str
    livemode: bool = True

    def credentials(self) -> dict[str, str | bool]:
        """Ids and secrets by name, as they are printed; a sandbox says that it is one."""
        named: dict[str, str | bool] = {
            "account_id": str(self.account_id),
            "client_id": self.client_id,
            "client_secret": self.client_secret,
            "webhook_secret": self.webhook_secret,
        }
        return named if self.livemode else {**named, "livemode": False}
