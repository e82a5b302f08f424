"""One line of the audit log: who did what, to what, when; and what may stand in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from truename.plumbing.database.ids import new_id

INSTALLATION: Final = UUID(int=0)
"""The account of what concerns no account, or all of them: the chain of the installation itself."""

Detail = str | int | bool | None


class Action(StrEnum):
    """Everything that is written down."""

    ACCOUNT_CREATED = "account.created"
    SETTINGS_CHANGED = "account.settings_changed"
    CLIENT_ADDED = "client.added"
    CLIENT_ROTATED = "client.secret_rotated"
    CLIENT_REVOKED = "client.revoked"
    SIGN_IN_FAILED = "sign_in.failed"
    SIGNING_KEY_ROTATED = "signing_key.rotated"
    RECEIPT_KEY_ROTATED = "receipt_key.rotated"
    MASTER_KEY_REWRAPPED = "master_key.rewrapped"
    FACE_TEMPLATES_REMADE = "face_templates.remade"
    WEBHOOK_SECRET_ROTATED = "webhook_secret.rotated"  # noqa: S105 - the name of an act
    WEBHOOK_REDELIVERED = "webhook_event.redelivered"
    CUSTOMER_READ = "customer.read"
    CUSTOMERS_LISTED = "customer.listed"
    CUSTOMER_CHANGED = "customer.changed"
    CUSTOMER_STATUS_CHANGED = "customer.status_changed"
    CUSTOMER_ERASED = "customer.erased"
    BLOCKLIST_LISTED = "blocklist.listed"
    BLOCKLIST_ENTRY_ADDED = "blocklist_entry.added"
    BLOCKLIST_ENTRY_REMOVED = "blocklist_entry.removed"
    TRANSACTION_READ = "transaction.read"
    TRANSACTION_EXPLAINED = "transaction.explained"
    EVIDENCE_READ = "evidence.read"
    TRANSACTIONS_LISTED = "transaction.listed"
    TRANSACTIONS_EXPORTED = "transaction.list_exported"
    TRANSACTION_EXPORTED = "transaction.exported"
    TRANSACTION_STATUS_CHANGED = "transaction.status_changed"
    TRANSACTION_REVIEWED = "transaction.reviewed"
    TRANSACTION_REDACTED = "transaction.redacted"
    REVIEW_TAKEN = "review.taken"
    REVIEW_TAKEN_OVER = "review.taken_over"
    REVIEW_RELEASED = "review.released"
    REVIEW_ASSIGNED = "review.assigned"
    REVIEW_SHOWN = "review.shown"
    REVIEW_ANSWERED = "review.answered"
    REVIEW_DECIDED = "review.decided"
    REVIEW_UNDONE = "review.undone"
    REVIEW_CONTROL_SET = "review.control_set"
    TRANSACTION_SIMULATED = "transaction.simulated"
    POLICY_BACKTESTED = "policy.backtested"
    POLICY_DRAFTED = "policy.drafted"
    POLICY_AGREED = "policy.agreed"
    POLICY_WITHDRAWN = "policy.withdrawn"
    MEDIA_READ = "media.read"
    CLOCK_ADVANCED = "account.clock_advanced"
    CHAIN_BEGUN = "audit.chain_begun"
    AUDIT_READ = "audit.read"
    OPERATOR_CREATED = "operator.created"
    OPERATOR_DISABLED = "operator.disabled"
    OPERATOR_ROLE_CHANGED = "operator.role_changed"
    OPERATOR_PASSWORD_CHANGED = "operator.password_changed"  # noqa: S105 - the name of an act
    OPERATOR_SECOND_FACTOR_CHANGED = "operator.second_factor_changed"
    OPERATOR_SIGNED_IN = "operator.signed_in"
    OPERATOR_SIGNED_OUT = "operator.signed_out"
    OPERATOR_SESSION_ENDED = "operator.session_ended"


DETAILS: Final = frozenset(
    {
        "account_id",
        "adopted",
        "answer",
        "blind",
        "advanced_seconds",
        "by",
        "client_id",
        "confidence",
        "count",
        "customer_id",
        "fields",
        "from",
        "key_id",
        "livemode",
        "made",
        "media_deleted",
        "method",
        "outcome",
        "overlap_seconds",
        "promoted",
        "question",
        "reason",
        "receipt_id",
        "rejections",
        "role",
        "scenario",
        "scopes",
        "seen",
        "settings",
        "to",
        "transaction_id",
        "transactions_kept",
        "version",
    }
)
"""The names that details may have: none of them ever holds what a person is called, looks like or wrote.

`reason` is one of a fixed list of words. Free text goes into `sealed_reason`, under the key of the customer.
"""
LONGEST_DETAIL: Final = 300


@dataclass(frozen=True)
class Entry:
    """What is to be written down. Its place in the chain is found when its database transaction commits."""

    account_id: UUID
    actor: str
    action: Action
    subject: str
    details: Mapping[str, Detail] = field(default_factory=dict)
    sealed_reason: bytes | None = None
    """Free text, sealed under the customer's key as `seals.audit_reason(audit_id)`."""
    audit_id: UUID = field(default_factory=new_id)
    at: datetime | None = None
    """Only for what happened before it is written: otherwise the database's clock says when."""

    def __post_init__(self) -> None:
        if unknown := set(self.details) - DETAILS:
            raise ValueError(f"The audit log knows no detail {', '.join(sorted(unknown))}.")
        if any(isinstance(value, str) and len(value) > LONGEST_DETAIL for value in self.details.values()):
            raise ValueError("A detail of the audit log is no place for long text.")


@dataclass(frozen=True)
class Line:
    """An entry in its place in the chain, as it is stored."""

    audit_id: UUID
    account_id: UUID
    sequence: int
    at: datetime
    actor: str
    action: str
    subject: str
    details: Mapping[str, Detail]
    sealed_reason: bytes | None
    hash: bytes
