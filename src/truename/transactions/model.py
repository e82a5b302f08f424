"""A transaction: what may be sent, and what is answered."""

from datetime import date, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, Field, RootModel
from pydantic_core import PydanticCustomError

from truename.customers.model import readable
from truename.plumbing.http.bodies import Sent, Shown
from truename.plumbing.http.queries import uuid_of
from truename.rules.answers import CheckName, Outcome
from truename.rules.config import Config, TransactionType
from truename.rules.evidence import DocumentType, Source
from truename.rules.issues import Group, Severity
from truename.transactions.lifecycle import Status


def _uuid(text: str) -> str:
    if uuid_of(text) is None:
        raise PydanticCustomError("uuid_malformed", "The value must be a UUID in its 36-character form.")
    return text


class NewTransaction(Sent):
    customer_id: Annotated[
        str,
        AfterValidator(_uuid),
        Field(
            json_schema_extra={
                "format": "uuid",
                "pattern": "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
            }
        ),
    ]
    transaction_type: Annotated[TransactionType, Field(strict=False)]
    config: Config = Config()


def context(today: date) -> dict[str, date]:
    """What the config must be told to be validated: it has no clock of its own."""
    return {"today": today}


class NewReview(Sent):
    outcome: Literal["APPROVED", "REJECTED"]
    reason: Annotated[
        str,
        AfterValidator(readable),
        Field(
            min_length=1,
            max_length=500,
            description="Why; kept in the audit log.",
            json_schema_extra={"pattern": "^[ -~]+$", "examples": ["Glare on the portrait; seen in person."]},
        ),
    ]


# ── answers ────────────────────────────────────────────────────────────────────────────────────────────────


class TokenIssued(Shown):
    transaction_id: UUID
    sdk_token: str = Field(description="JWT for the SDK; acts on this transaction only.")
    token_type: Literal["Bearer"]
    expires_in: int = Field(description="Seconds.")


class ShownDecision(Shown):
    outcome: Literal["APPROVED", "REJECTED"]
    decided_by: Literal["ENGINE", "REVIEWER"]
    decided_at: datetime


class ShownIssue(Shown):
    code: str
    severity: Severity
    group: Group
    policy: str | None = Field(description="JSON pointer of the config field that set the severity.")
    details: dict[str, Any]


class ShownCheck(Shown):
    check: CheckName
    result: Outcome
    score: float | None
    threshold: float | None
    reason: str | None


class ShownValue(Shown):
    value: str
    source: Source
    confidence: float
    repaired: bool


class ShownField(ShownValue):
    others: list[ShownValue] = Field(description="What other parts of the document said when they disagreed.")


class ShownMrz(Shown):
    format: str
    valid: bool
    readers_agree: bool
    confidence: float
    repaired_fields: list[str]


class ShownDocument(Shown):
    recognised: bool
    reason: str | None
    country: str | None
    issuer_code: str | None
    type: DocumentType | None
    fields: dict[str, ShownField]
    mrz: ShownMrz | None
    barcode_kind: str | None
    quality: dict[str, list[str]] = Field(description="By side: what is wrong with its picture.")


class ShownLiveness(Shown):
    score: float
    reason: str | None
    passive_score: float | None
    challenge_score: float | None
    signs: list[str]


class ShownComparison(Shown):
    score: float | None
    reason: str | None


class ShownAge(Shown):
    value: float
    margin: float


class ShownGender(Shown):
    value: Literal["MALE", "FEMALE"] | None
    confidence: float


class ShownBiometrics(Shown):
    liveness: ShownLiveness | None
    comparisons: dict[str, ShownComparison]
    estimated_age: ShownAge | None
    estimated_gender: ShownGender | None


class ShownDevice(Shown):
    compromised: bool | None
    developer_mode: bool | None
    emulator: bool | None
    vpn_or_proxy: bool | None
    mock_location: bool | None
    gps_country: str | None
    ip_country: str | None
    details: dict[str, Any]


class ShownMedia(Shown):
    media_id: UUID
    kind: str
    content_type: str
    size: int
    width: int | None
    height: int | None
    redacted: bool
    created_at: datetime


class ShownModel(Shown):
    name: str
    version: str
    sha256: str


class TransactionSummary(Shown):
    transaction_id: UUID
    customer_id: UUID
    external_customer_id: str | None = Field(description="Null once the customer was erased.")
    transaction_type: TransactionType
    status: Status
    decision: ShownDecision | None
    issues: list[ShownIssue]
    created_at: datetime
    started_at: datetime | None
    submitted_at: datetime | None
    completed_at: datetime | None
    expires_at: datetime


class ShownTransaction(TransactionSummary):
    checks: list[ShownCheck]
    document: ShownDocument | None
    biometrics: ShownBiometrics | None
    device: ShownDevice | None
    config: dict[str, Any] = Field(description="Effective: every default filled in.")
    media: list[ShownMedia]
    engine: list[ShownModel]
    redacted_at: datetime | None


class TransactionChange(Shown):
    """What a token without `transactions:read` is answered."""

    transaction_id: UUID
    customer_id: UUID
    transaction_type: TransactionType
    status: Status
    decision: ShownDecision | None
    created_at: datetime
    started_at: datetime | None
    submitted_at: datetime | None
    completed_at: datetime | None
    expires_at: datetime
    redacted_at: datetime | None


class ChangedTransaction(RootModel[ShownTransaction | TransactionChange]):
    """The whole transaction if the token has `transactions:read`, otherwise its status, decision and times."""


class TransactionList(Shown):
    data: list[TransactionSummary]
    has_more: bool
    next_cursor: str | None


class CatalogueRow(Shown):
    code: str
    group: Group
    default_severity: Severity
    policy: str | None
    applies_to: list[TransactionType]
    explanation: str


class IssueCatalogue(Shown):
    data: list[CatalogueRow]
