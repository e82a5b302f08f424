"""What is answered about a transaction; what was read and seen stands in `evidence_answers.py`."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import JsonValue, RootModel, WithJsonSchema

from truename.media.pictures import MediaKind
from truename.plumbing.http.bodies import Marked, Shown, named
from truename.rules.config import TransactionType
from truename.rules.issues import Group, Severity
from truename.rules.results import CheckName, Outcome
from truename.transactions.evidence_answers import ShownBiometrics, ShownDevice, ShownDocument
from truename.transactions.lifecycle import Status


class TokenIssued(Marked):
    """A transaction and the token with which the SDK captures it."""

    transaction_id: UUID
    """Identifier of the transaction."""
    sdk_token: str
    """For the app and its SDK; good for this transaction only."""
    token_type: Literal["Bearer"]
    """Kind of the token."""
    expires_in: int
    """Lifetime of the SDK token in seconds, from transaction_ttl_minutes."""


class ShownDecision(Shown):
    """What was decided, by whom and when."""

    outcome: Literal["APPROVED", "REJECTED"]
    """REJECTED if and only if an issue is a rejection, or a reviewer said so."""
    decided_by: Literal["ENGINE", "REVIEWER"]
    """The analysis, or a person."""
    decided_at: datetime
    """When."""


class ShownIssue(Shown):
    """One thing that the analysis found, with the severity that the config gives it."""

    code: Annotated[str, named("IssueCode")]
    """What was found."""
    severity: Severity
    """How grave it is under this transaction's config."""
    group: Group
    """What it is about."""
    policy: str | None
    """JSON pointer of the config field that set the severity; null where none does."""
    details: Annotated[dict[str, JsonValue], WithJsonSchema({"type": "object", "additionalProperties": True})]
    """Scores, thresholds, reasons and codes of countries and types; never a name, a number or a date of the person."""


class ShownCheck(Shown):
    """One question that the analysis asked, and what it came to."""

    check: CheckName
    """Which question was asked."""
    result: Outcome
    """What it came to. A check that could not run is never shown as passed."""
    score: float | None
    """From 0 to 1, where the question has one."""
    threshold: float | None
    """From this score upwards it passes."""
    reason: Annotated[str, named("Reason")] | None
    """Why, where the result alone does not say it."""


class ShownMedia(Shown):
    """One picture of the transaction that was kept."""

    media_id: UUID
    """For `getMedia`."""
    kind: MediaKind
    """What the picture shows."""
    content_type: str
    """Always image/jpeg: every picture is encoded anew before it is kept."""
    size: int
    """Bytes."""
    width: int | None
    """Pixels."""
    height: int | None
    """Pixels."""
    redacted: bool
    """The picture was deleted."""
    created_at: datetime
    """When it was stored."""


class ShownModel(Shown):
    """One model that took part in the analysis, so that its result can be traced."""

    name: str
    """Name of the model; `layouts/XX` for a layout file of the operator's own."""
    version: str
    """Version of the model; `own` for a layout file."""
    sha256: str
    """Hash of its weights, or of the layout file."""


class TransactionSummary(Marked):
    """A transaction as a list shows it: status, decision, issues and times."""

    transaction_id: UUID
    """Identifier of the transaction."""
    customer_id: UUID
    """The customer that it verifies."""
    external_customer_id: str | None
    """Your own identifier of the person; null once the customer was erased."""
    transaction_type: TransactionType
    """What is captured."""
    status: Status
    """The status at this very moment: what has run out of time is EXPIRED."""
    decision: ShownDecision | None
    """Null until there is one."""
    issues: list[ShownIssue]
    """What the analysis found, gravest kinds in the catalogue's order."""
    created_at: datetime
    """Time of creation."""
    started_at: datetime | None
    """The SDK's first call."""
    submitted_at: datetime | None
    """The end of the capture."""
    completed_at: datetime | None
    """When the status became final."""
    expires_at: datetime
    """Until then the capture must be submitted."""


class ShownTransaction(TransactionSummary):
    """A transaction with everything that led to its decision."""

    checks: list[ShownCheck]
    """Every question that was asked, with its result."""
    document: ShownDocument | None
    """What was read from the document; null without one, and once redacted or erased."""
    biometrics: ShownBiometrics | None
    """What the live face showed; null without one, and once redacted or erased."""
    device: ShownDevice | None
    """What is known of the device and its connection."""
    config: Annotated[dict[str, JsonValue], named("Config")]
    """The effective rules, every default filled in; it may be sent as it is to create another transaction."""
    media: list[ShownMedia]
    """Pictures that were kept."""
    engine: list[ShownModel]
    """Every model that took part."""
    redacted_at: datetime | None
    """When pictures and extracted data were deleted."""


class TransactionChange(Marked):
    """What a token without `transactions:read` is answered."""

    transaction_id: UUID
    """Identifier of the transaction."""
    customer_id: UUID
    """The customer that it verifies."""
    transaction_type: TransactionType
    """What is captured."""
    status: Status
    """The status at this very moment."""
    decision: ShownDecision | None
    """Null until there is one."""
    created_at: datetime
    """Time of creation."""
    started_at: datetime | None
    """The SDK's first call."""
    submitted_at: datetime | None
    """The end of the capture."""
    completed_at: datetime | None
    """When the status became final."""
    expires_at: datetime
    """Until then the capture must be submitted."""
    redacted_at: datetime | None
    """When pictures and extracted data were deleted."""


class ChangedTransaction(RootModel[ShownTransaction | TransactionChange]):
    """The whole transaction if the token has `transactions:read`, otherwise its status, decision and times."""


class TransactionList(Marked):
    """One page of transactions."""

    data: list[TransactionSummary]
    """Newest first."""
    has_more: bool
    """There is a further page."""
    next_cursor: str | None
    """`cursor` of the next page; null on the last."""


class CatalogueRow(Shown):
    """One issue code: when it applies and what sets its severity."""

    code: Annotated[str, named("IssueCode")]
    """The code."""
    group: Group
    """What it is about."""
    default_severity: Severity
    """Its severity under an empty config."""
    policy: str | None
    """JSON pointer of the config field that sets the severity; null where none does."""
    applies_to: list[TransactionType]
    """Types of transaction that can have it."""
    explanation: str
    """What it means."""
    extension: bool
    """True for a code that the interface does not have; emitted only where an account enforces its face search."""


class IssueCatalogue(Shown):
    """Every issue code that the analysis can emit."""

    data: list[CatalogueRow]
    """Every code that the analysis can emit."""
