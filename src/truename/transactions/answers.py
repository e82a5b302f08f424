"""What is answered about a transaction: it describes, in the OpenAPI page, what the code writes."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import RootModel

from truename.media.pictures import MediaKind
from truename.plumbing.http.bodies import Shown, named
from truename.rules.config import TransactionType
from truename.rules.evidence import DocumentType, FacePair, MrzFormat, QualityReason, SelfieGender, Source
from truename.rules.issues import Group, Severity
from truename.rules.liveness_signs import LivenessSign
from truename.rules.results import CheckName, Outcome
from truename.transactions.lifecycle import Status


class TokenIssued(Shown):
    transaction_id: UUID
    """Identifier of the transaction."""
    sdk_token: str
    """For the app and its SDK; good for this transaction only."""
    token_type: Literal["Bearer"]
    """Kind of the token."""
    expires_in: int
    """Lifetime of the SDK token in seconds, from transaction_ttl_minutes."""


class ShownDecision(Shown):
    outcome: Literal["APPROVED", "REJECTED"]
    """REJECTED if and only if an issue is a rejection, or a reviewer said so."""
    decided_by: Literal["ENGINE", "REVIEWER"]
    """The analysis, or a person."""
    decided_at: datetime
    """When."""


class ShownIssue(Shown):
    code: Annotated[str, named("IssueCode")]
    """What was found."""
    severity: Severity
    """How grave it is under this transaction's config."""
    group: Group
    """What it is about."""
    policy: str | None
    """JSON pointer of the config field that set the severity; null where none does."""
    details: dict[str, Any]
    """Scores, thresholds, reasons and codes of countries and types; never a name, a number or a date of the person."""


class ShownCheck(Shown):
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


class ShownValue(Shown):
    value: str
    """The value as read; dates are YYYY-MM-DD."""
    source: Source
    """Where on the document it was read."""
    confidence: float
    """From 0 to 1."""
    repaired: bool
    """A character was corrected because the check digits prove it."""


class ShownField(ShownValue):
    others: list[ShownValue]
    """What other parts of the document said when they disagreed."""


class ShownMrz(Shown):
    format: MrzFormat
    """Its layout by ICAO Doc 9303."""
    valid: bool
    """Every check digit that the format has is right."""
    readers_agree: bool
    """Two independent readers saw the same characters."""
    confidence: float
    """From 0 to 1."""
    repaired_fields: list[str]
    """Fields of which a character was corrected."""


class ShownDocument(Shown):
    recognised: bool
    """Country and type were told from the document itself."""
    reason: Annotated[str, named("Reason")] | None
    """Why it was not recognised."""
    country: str | None
    """Issuing country, ISO 3166-1 alpha-2."""
    issuer_code: str | None
    """The issuer as printed in the zone or barcode, where it is no ISO country."""
    type: DocumentType | None
    """Type of the document."""
    fields: dict[str, ShownField]
    """What was read, by the name of the field (given_names, surnames, document_number, date_of_birth …)."""
    mrz: ShownMrz | None
    """The machine-readable zone, where the document has one."""
    barcode_kind: str | None
    """The barcode's standard, for example AAMVA, where one was read."""
    quality: dict[Literal["front", "back"], list[QualityReason]]
    """By side: what is wrong with its picture."""


class ShownLiveness(Shown):
    score: float
    """From 0 to 1; 0 when there is no live face."""
    reason: Annotated[str, named("Reason")] | None
    """Why the score is low, where that is known."""
    passive_score: float | None
    """What single pictures say."""
    challenge_score: float | None
    """How well the movements were followed; null without a challenge."""
    signs: list[LivenessSign]
    """What speaks against a living person, or against a good recording."""


class ShownComparison(Shown):
    score: float | None
    """From 0 to 1; at 0.85 one impostor pair in 10,000 would pass. Null when the faces could not be compared."""
    reason: Annotated[str, named("Reason")] | None
    """Why they could not be compared."""


class ShownAge(Shown):
    value: float
    """Years."""
    margin: float
    """Mean error of the estimate in years."""


class ShownGender(Shown):
    value: SelfieGender | None
    """The estimate; null when it is not certain enough."""
    confidence: float
    """From 0 to 1."""


class ShownBiometrics(Shown):
    liveness: ShownLiveness | None
    """Whether a living person was before the camera."""
    comparisons: dict[FacePair, ShownComparison]
    """How alike two faces are, by pair."""
    estimated_age: ShownAge | None
    """Estimated from the selfie."""
    estimated_gender: ShownGender | None
    """Estimated from the selfie."""


class ShownDevice(Shown):
    compromised: bool | None
    """Rooted, jailbroken or under a debugger; null: unknown, as for each of these."""
    developer_mode: bool | None
    """Developer mode is switched on."""
    emulator: bool | None
    """An emulator or simulator."""
    vpn_or_proxy: bool | None
    """The connection came through a VPN, a proxy or Tor."""
    mock_location: bool | None
    """The reported location is simulated."""
    gps_country: str | None
    """Country of the reported location."""
    ip_country: str | None
    """Country of the IP address."""
    details: dict[str, Any]
    """What the facts rest on: platform, kind of network, data used. Never judged."""


class ShownMedia(Shown):
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
    name: str
    """Name of the model."""
    version: str
    """Version of the model."""
    sha256: str
    """Hash of its weights."""


class TransactionSummary(Shown):
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
    checks: list[ShownCheck]
    """Every question that was asked, with its result."""
    document: ShownDocument | None
    """What was read from the document; null without one, and once redacted or erased."""
    biometrics: ShownBiometrics | None
    """What the live face showed; null without one, and once redacted or erased."""
    device: ShownDevice | None
    """What is known of the device and its connection."""
    config: Annotated[dict[str, Any], named("Config")]
    """The effective rules, every default filled in; it may be sent as it is to create another transaction."""
    media: list[ShownMedia]
    """Pictures that were kept."""
    engine: list[ShownModel]
    """Every model that took part."""
    redacted_at: datetime | None
    """When pictures and extracted data were deleted."""


class TransactionChange(Shown):
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


class TransactionList(Shown):
    data: list[TransactionSummary]
    """Newest first."""
    has_more: bool
    """There is a further page."""
    next_cursor: str | None
    """`cursor` of the next page; null on the last."""


class CatalogueRow(Shown):
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


class IssueCatalogue(Shown):
    data: list[CatalogueRow]
    """Every code that the analysis can emit."""
