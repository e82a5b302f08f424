"""What an account is, what it may set, and who calls on its behalf."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

SCOPES: Final = (
    "customers:read",
    "customers:write",
    "transactions:read",
    "transactions:write",
    "media:read",
    "webhooks:write",
    "admin",
)
"""Every scope there is, in the order in which they are shown."""


class AccountSettings(BaseModel):
    """What an account decides for itself; unknown names are refused, so that a typo does not pass for a choice."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    manual_review: bool = Field(default=False, description="Rejections wait for a person instead of being final.")
    face_search: Literal["off"] = Field(
        default="off", description="Search for repeated faces: not built yet, so that it can only be off."
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
    allow_loopback_webhooks: bool = Field(
        default=False, description="Webhooks may go to this machine: for a trial only."
    )
    capture_origins: tuple[str, ...] = Field(
        default=(), description="Origins of pages that may embed the capture page."
    )
    file_upload: bool = Field(default=True, description="Documents may be uploaded from a file instead of the camera.")
    handoff: bool = Field(default=True, description="A capture begun on a computer may go on on a phone.")
    privacy_url: str | None = Field(
        default=None, description="The integrator's own privacy notice, shown at the consent."
    )
    return_url: str | None = Field(default=None, description="Where the capture page sends the person at the end.")


@dataclass(frozen=True)
class Account:
    account_id: UUID
    name: str
    settings: AccountSettings
    created_at: datetime


@dataclass(frozen=True)
class Client:
    """A program of the integrator that may fetch access tokens."""

    client_id: str
    account_id: UUID
    secret_hash: bytes
    scopes: frozenset[str]


@dataclass(frozen=True)
class NewAccount:
    """What is shown once, at creation."""

    account_id: UUID
    client_id: str
    client_secret: str
    webhook_secret: str
