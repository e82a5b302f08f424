"""What the service answers. Made by tools/client_models.py (`make docs`); do not edit by hand."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from truename_client.bodies import Config
from truename_client.words import (
    AttemptOutcome,
    BacktestStatus,
    CheckName,
    CustomerStatus,
    Decision,
    DocumentType,
    EventState,
    EventType,
    Group,
    IssueCode,
    LivenessSign,
    MediaKind,
    Mode,
    MrzFormat,
    Outcome,
    QualityReason,
    Reason,
    SelfieGender,
    Severity,
    Source,
    Status,
    TransactionType,
    WhatIfKind,
)


@dataclass(frozen=True, kw_only=True)
class CatalogueRow:
    """One issue code: when it applies and what sets its severity."""

    code: IssueCode
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


@dataclass(frozen=True, kw_only=True)
class CustomerChange:
    """What a token without `customers:read` is answered."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    customer_id: str
    """Identifier of the customer."""
    external_customer_id: str
    """Your own identifier of the person."""
    status: CustomerStatus
    """ACTIVE; SUSPICIOUS warns in every transaction; BLOCKED rejects it."""
    created_at: datetime
    """Time of creation."""


@dataclass(frozen=True, kw_only=True)
class ShownReferenceFace:
    """The face that later ones are compared with: where it came from, and whether it can be used."""

    usable: bool
    """Whether faces can be compared with it."""
    reason: QualityReason | None
    """Why it cannot be compared, for example NO_FACE; null when it can."""
    origin: Literal["REFERENCE_IMAGE", "LIVENESS"]
    """REFERENCE_IMAGE: sent by you. LIVENESS: the live face of the first approved transaction."""
    enrolled_at: datetime
    """Since when it is compared with."""


@dataclass(frozen=True, kw_only=True)
class ShownCustomer:
    """A customer with its contact data and its reference face."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    customer_id: str
    """Identifier of the customer."""
    external_customer_id: str
    """Your own identifier of the person."""
    status: CustomerStatus
    """ACTIVE; SUSPICIOUS warns in every transaction; BLOCKED rejects it."""
    email: str | None
    """The person's e-mail address, when you gave one."""
    phone_number: str | None
    """The person's telephone number, when you gave one."""
    reference_face: ShownReferenceFace | None
    """The face that later ones are compared with; null while there is none."""
    created_at: datetime
    """Time of creation."""


ChangedCustomer = ShownCustomer | CustomerChange
"""The whole customer if the token has `customers:read`, otherwise ids and status only."""


@dataclass(frozen=True, kw_only=True)
class ShownAge:
    """The age estimated from the selfie."""

    value: float
    """Years."""
    margin: float
    """Mean error of the estimate in years."""


@dataclass(frozen=True, kw_only=True)
class ShownComparison:
    """How alike two faces are."""

    score: float | None
    """From 0 to 1; at 0.85 one impostor pair in 10,000 would pass. Null when the faces could not be compared."""
    reason: Reason | None
    """Why they could not be compared."""


@dataclass(frozen=True, kw_only=True)
class ShownGender:
    """The gender estimated from the selfie."""

    value: SelfieGender | None
    """The estimate; null when it is not certain enough."""
    confidence: float
    """From 0 to 1."""


@dataclass(frozen=True, kw_only=True)
class ShownLiveness:
    """Whether a living person was before the camera."""

    score: float
    """From 0 to 1; 0 when there is no live face."""
    reason: Reason | None
    """Why the score is low, where that is known."""
    passive_score: float | None
    """What single pictures say."""
    challenge_score: float | None
    """How well the movements were followed; null without a challenge."""
    signs: list[LivenessSign]
    """What speaks against a living person, or against a good recording."""


@dataclass(frozen=True, kw_only=True)
class ShownBiometrics:
    """What the live face showed."""

    liveness: ShownLiveness | None
    """Whether a living person was before the camera."""
    comparisons: dict[str, ShownComparison]
    """How alike two faces are, by pair."""
    estimated_age: ShownAge | None
    """Estimated from the selfie."""
    estimated_gender: ShownGender | None
    """Estimated from the selfie."""


@dataclass(frozen=True, kw_only=True)
class ShownCheck:
    """One question that the analysis asked, and what it came to."""

    check: CheckName
    """Which question was asked."""
    result: Outcome
    """What it came to. A check that could not run is never shown as passed."""
    score: float | None
    """From 0 to 1, where the question has one."""
    threshold: float | None
    """From this score upwards it passes."""
    reason: Reason | None
    """Why, where the result alone does not say it."""


@dataclass(frozen=True, kw_only=True)
class ShownDecision:
    """What was decided, by whom and when."""

    outcome: Literal["APPROVED", "REJECTED"]
    """REJECTED if and only if an issue is a rejection, or a reviewer said so."""
    decided_by: Literal["ENGINE", "REVIEWER"]
    """The analysis, or a person."""
    decided_at: datetime
    """When."""


@dataclass(frozen=True, kw_only=True)
class ShownDevice:
    """What is known of the device and its connection; null where nothing is."""

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
    details: dict[str, str | int | float | bool | None]
    """What the facts rest on: platform, kind of network, data used. Never judged."""


@dataclass(frozen=True, kw_only=True)
class ShownValue:
    """What one part of the document says in one field."""

    value: str
    """The value as read; dates are YYYY-MM-DD."""
    source: Source
    """Where on the document it was read."""
    confidence: float
    """From 0 to 1."""
    repaired: bool
    """A character was corrected because the check digits prove it."""


@dataclass(frozen=True, kw_only=True)
class ShownField:
    """One field of the document as it was read, and what other parts of the document said instead."""

    value: str
    """The value as read; dates are YYYY-MM-DD."""
    source: Source
    """Where on the document it was read."""
    confidence: float
    """From 0 to 1."""
    repaired: bool
    """A character was corrected because the check digits prove it."""
    others: list[ShownValue]
    """What other parts of the document said when they disagreed."""


@dataclass(frozen=True, kw_only=True)
class ShownMrz:
    """The machine-readable zone: whether its check digits and its two readers agree."""

    format: MrzFormat
    """Its layout by ICAO Doc 9303."""
    valid: bool
    """Every check digit that the format has is right, and the characters were not mostly guessed."""
    readers_agree: bool
    """Two independent readers saw the same characters."""
    confidence: float
    """From 0 to 1."""
    repaired_fields: list[str]
    """Fields of which a character was corrected."""


@dataclass(frozen=True, kw_only=True)
class ShownSign:
    """One sign of a document being genuine, or not."""

    value: float
    """What was measured; each sign has a measure of its own."""
    limit: float
    """From where on it speaks against the document; below it, for a sign of which little is bad."""
    speaks_against: bool
    """The number is beyond its limit."""
    counts: bool
    """Beyond its limit it fails the check `DOCUMENT_AUTHENTICITY`; a sign that errs too often is only shown."""


@dataclass(frozen=True, kw_only=True)
class ShownDocument:
    """What was read from the document."""

    recognised: bool
    """Country and type were told from the document itself."""
    reason: Reason | None
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
    authenticity: dict[str, ShownSign] | None
    """What was measured to tell whether the document is genuine, by sign; null where nothing was."""
    quality: dict[str, list[QualityReason]]
    """By side: what is wrong with its picture."""


@dataclass(frozen=True, kw_only=True)
class ShownIssue:
    """One thing that the analysis found, with the severity that the config gives it."""

    code: IssueCode
    """What was found."""
    severity: Severity
    """How grave it is under this transaction's config."""
    group: Group
    """What it is about."""
    policy: str | None
    """JSON pointer of the config field that set the severity; null where none does."""
    details: dict[str, object]
    """Scores, thresholds, reasons and codes of countries and types; never a name, a number or a date of the
    person.
    """


@dataclass(frozen=True, kw_only=True)
class ShownMedia:
    """One picture of the transaction that was kept."""

    media_id: str
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


@dataclass(frozen=True, kw_only=True)
class ShownModel:
    """One model that took part in the analysis, so that its result can be traced."""

    name: str
    """Name of the model; `layouts/XX` for a layout file of the operator's own."""
    version: str
    """Version of the model; `own` for a layout file."""
    sha256: str
    """Hash of its weights, or of the layout file."""


@dataclass(frozen=True, kw_only=True)
class ShownTransaction:
    """A transaction with everything that led to its decision."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    transaction_id: str
    """Identifier of the transaction."""
    customer_id: str
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
    checks: list[ShownCheck]
    """Every question that was asked, with its result."""
    document: ShownDocument | None
    """What was read from the document; null without one, and once redacted or erased."""
    biometrics: ShownBiometrics | None
    """What the live face showed; null without one, and once redacted or erased."""
    device: ShownDevice | None
    """What is known of the device and its connection."""
    config: Config
    """The effective rules, every default filled in; it may be sent as it is to create another transaction."""
    media: list[ShownMedia]
    """Pictures that were kept."""
    engine: list[ShownModel]
    """Every model that took part."""
    redacted_at: datetime | None
    """When pictures and extracted data were deleted."""


@dataclass(frozen=True, kw_only=True)
class TransactionChange:
    """What a token without `transactions:read` is answered."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    transaction_id: str
    """Identifier of the transaction."""
    customer_id: str
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


ChangedTransaction = ShownTransaction | TransactionChange
"""The whole transaction if the token has `transactions:read`, otherwise its status, decision and times."""


@dataclass(frozen=True, kw_only=True)
class ShownClient:
    """A program of the account that may fetch tokens; never its secret."""

    client_id: str
    """Names the client when it fetches a token."""
    name: str
    """What you call it."""
    scopes: list[
        Literal[
            "customers:read",
            "customers:write",
            "transactions:read",
            "transactions:write",
            "media:read",
            "explanations:read",
            "webhooks:write",
            "admin",
        ]
    ]
    """What it may do."""
    created_at: datetime
    """When it was added."""
    rotated_at: datetime | None
    """When it last got a new secret."""
    previous_secret_expires_at: datetime | None
    """Until then the secret before works too."""
    revoked_at: datetime | None
    """Since when it gets no token, and its tokens are refused."""


@dataclass(frozen=True, kw_only=True)
class ClientList:
    """Every client of the account."""

    data: list[ShownClient]
    """The oldest first."""
    has_more: bool
    """Always false: an account has few."""
    next_cursor: str | None
    """Always null."""


@dataclass(frozen=True, kw_only=True)
class CustomerCreated:
    """The customer that was created."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    customer_id: str
    """Identifier of the customer."""
    external_customer_id: str
    """Echo of the request."""
    created_at: datetime
    """Time of creation, ISO 8601."""


@dataclass(frozen=True, kw_only=True)
class CustomerList:
    """The customer of one external identifier, or none."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    data: list[ShownCustomer]
    """None or one."""
    has_more: bool
    """Always false: an identifier names one customer."""
    next_cursor: str | None
    """Always null."""


@dataclass(frozen=True, kw_only=True)
class ShownEntry:
    """A face on the account's blocklist; the face itself is never answered."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    entry_id: str
    """Identifier of the entry."""
    customer_id: str | None
    """The customer from whom the face was taken; null where it came from a picture."""
    reason: str
    """Why it is on the list."""
    added_by: str
    """Who put it there: `client:ID`, `operator:ID` or `operator` (the command line)."""
    created_at: datetime
    """When it was put there."""
    expires_at: datetime | None
    """When it ends; null: it stays until it is removed."""


@dataclass(frozen=True, kw_only=True)
class EntryList:
    """One page of the account's blocklist, the newest entries first."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    data: list[ShownEntry]
    """Entries of this page."""
    has_more: bool
    """There is a further page."""
    next_cursor: str | None
    """`cursor` of the next page; null on the last."""


@dataclass(frozen=True, kw_only=True)
class ErasureReceipt:
    """Proof that a customer was erased: what was deleted, and what remains as bare facts."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    receipt_id: str
    """Name this when somebody asks whether the erasure was done."""
    customer_id: str
    """The customer that was erased."""
    erased_at: datetime
    """When the customer's key was destroyed."""
    media_deleted: int
    """How many pictures are deleted with it."""
    transactions_kept: int
    """Transactions that remain as bare facts, without personal data."""


@dataclass(frozen=True, kw_only=True)
class ShownEvent:
    """One event: what it tells, to which address, and whether it arrived."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    event_id: str
    """The `webhook-id` of every attempt, also of a redelivery."""
    transaction_id: str
    """The transaction that it tells of."""
    type: EventType
    """`transaction.` and the status in lower case."""
    url: str
    """Where it is sent."""
    state: EventState
    """PENDING while attempts go on; EXHAUSTED after the last; STOPPED when the receiver said 410."""
    attempts: int
    """How many were made since it was recorded, or last asked to be delivered again."""
    next_attempt_at: datetime | None
    """Null unless the event is pending."""
    created_at: datetime
    """When the status changed."""


@dataclass(frozen=True, kw_only=True)
class EventList:
    """One page of events."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    data: list[ShownEvent]
    """Newest first."""
    has_more: bool
    """There is a further page."""
    next_cursor: str | None
    """`cursor` of the next page; null on the last."""


@dataclass(frozen=True, kw_only=True)
class ExplainedChange:
    """One field that would have been different."""

    pointer: str
    """JSON pointer: of the config, or of the stored evidence."""
    was: str
    """What it was; values of the person are not shown."""
    to: str
    """What it would have been."""


@dataclass(frozen=True, kw_only=True)
class ExplainedCheck:
    """One check, explained."""

    check: CheckName
    """Which question was asked."""
    result: Outcome
    """What it came to. A check that could not run is never shown as passed."""
    question: str
    """The question in words."""
    sentence: str
    """The result in words."""


@dataclass(frozen=True, kw_only=True)
class ExplainedIssue:
    """One issue, explained."""

    code: IssueCode
    """What was found."""
    severity: Severity
    """How grave it is under this transaction's config."""
    sentence: str
    """The same in words."""
    measured: str | None
    """What was measured, where it is a score."""
    limit: str | None
    """What was needed."""
    limit_set_by: str | None
    """JSON pointer of the config field that sets the limit; null where none does."""
    severity_set_by: str | None
    """JSON pointer of the config field that sets the severity; null where it is always the same."""
    reason: Reason | None
    """Why, where the code alone does not say it."""
    strangers: str | None
    """For two faces: how many pairs of strangers score as high."""


@dataclass(frozen=True, kw_only=True)
class ExplainedWhatIf:
    """Changes that together would have led to the other decision: found by judging again."""

    kind: WhatIfKind
    """A change of the config, or of what was seen."""
    decision: Decision
    """What would have been decided."""
    changes: list[ExplainedChange]
    """All of them together."""
    sentence: str
    """The same in words."""


@dataclass(frozen=True, kw_only=True)
class IssueCatalogue:
    """Every issue code that the analysis can emit."""

    data: list[CatalogueRow]
    """Every code that the analysis can emit."""


@dataclass(frozen=True, kw_only=True)
class PublishedKeys:
    """The keys that sign tokens, as a JSON Web Key Set."""

    keys: list[dict[str, str]]
    """The public keys (RFC 7517) that sign tokens."""


@dataclass(frozen=True, kw_only=True)
class PublishedReceiptKeys:
    """A JWK set (RFC 7517)."""

    keys: list[dict[str, object]]
    """The public keys that ever signed a receipt; the first one signs now."""


@dataclass(frozen=True, kw_only=True)
class RemovedEntry:
    """What was taken off the list."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    entry_id: str
    """Identifier of the entry that was removed."""


@dataclass(frozen=True, kw_only=True)
class ScenarioIssue:
    """One issue of a scenario."""

    code: IssueCode
    """The issue."""
    severity: Severity
    """How grave it is."""


@dataclass(frozen=True, kw_only=True)
class ShownScenario:
    """One scenario."""

    name: str
    """For `scenario` of a simulation."""
    description: str
    """What happens, in one sentence."""
    transaction_types: list[TransactionType]
    """Types of transaction that it is for."""
    config: dict[str, object]
    """What the transaction must be created with for these issues; empty: nothing."""
    status: Status
    """Where the transaction is afterwards."""
    issues: list[ScenarioIssue]
    """The issues that it gives."""
    simulation: dict[str, object]
    """The body that it stands for: change it, and send it without the name."""


@dataclass(frozen=True, kw_only=True)
class ScenarioList:
    """The scenarios."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    data: list[ShownScenario]
    """Every scenario there is."""


@dataclass(frozen=True, kw_only=True)
class SecretRotated:
    """The new signing secret, which is shown only here."""

    webhook_secret: str
    """Shown once. Both secrets sign until the old one expires."""
    previous_expires_at: datetime | None
    """Until then the old one signs as well."""


@dataclass(frozen=True, kw_only=True)
class ShownAttempt:
    """One attempt to deliver an event, and how it went."""

    number: int
    """Counts from 1."""
    at: datetime
    """When it began."""
    took_ms: int | None
    """How long the receiver took."""
    status_code: int | None
    """What the receiver answered, if it did."""
    outcome: AttemptOutcome
    """What came of it."""
    error: str | None
    """What went wrong, in words."""


@dataclass(frozen=True, kw_only=True)
class ShownCounts:
    """How judgements came out then and under the other policy."""

    judged: int
    """Judged again."""
    approved_then: int
    """Approved under their own config."""
    approved_now: int
    """Approved under the other policy."""
    to_approved: int
    """Flips from REJECTED to APPROVED."""
    to_rejected: int
    """Flips from APPROVED to REJECTED."""


@dataclass(frozen=True, kw_only=True)
class ShownFlip:
    """A transaction that would have been decided otherwise."""

    transaction_id: str
    """Identifier of the transaction."""
    was: Decision
    """What the engine decided."""
    now: Decision
    """What it would have decided."""
    codes: list[IssueCode]
    """Codes that rejected then and would not any more, or would reject now."""


@dataclass(frozen=True, kw_only=True)
class ShownBacktestResult:
    """What the other policy would have done. No personal data."""

    decisions: ShownCounts
    """Transactions that the engine decided: a flip is another decision."""
    reviewed: ShownCounts
    """Transactions that a person decided, or has yet to: a flip is another judgement of the engine's, no more."""
    to_approved_by_code: dict[str, int]
    """Flips to APPROVED of what the engine decided, by code that rejected then."""
    to_rejected_by_code: dict[str, int]
    """Flips to REJECTED of what the engine decided, by code that would reject."""
    flips: list[ShownFlip]
    """The first 1,000, oldest first."""
    flips_left_out: int
    """Further flips, counted and not listed."""
    cannot_be_judged: int
    """Their evidence was redacted or erased; in no other count."""
    changed_rules: int
    """Judged otherwise by today's rules even under their own config; in no other count."""
    doubtful: int | None = None
    """Would be approved although `DOCUMENT_AUTHENTICITY` fails: where manual review is on, a person sees them
    first. Null for back-tests from before this was counted.
    """


@dataclass(frozen=True, kw_only=True)
class ShownBacktest:
    """A back-test and how far it is."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    backtest_id: str
    """Identifier of the back-test."""
    status: BacktestStatus
    """DONE when `result` is there."""
    mode: Mode
    """How the config is meant."""
    config: dict[str, object]
    """The policy as it was sent, less webhook and time to live."""
    since: datetime
    """Begin of the range."""
    until: datetime
    """End of the range."""
    transaction_type: TransactionType | None
    """Only this type; null for all."""
    total: int
    """Transactions in the range."""
    done: int
    """How many of them were looked at."""
    created_at: datetime
    """When it was asked for."""
    finished_at: datetime | None
    """When it was done, or given up."""
    result: ShownBacktestResult | None
    """Null until it is done."""


@dataclass(frozen=True, kw_only=True)
class ShownClientWithSecret:
    """A client with its new secret, which is shown only here."""

    client_id: str
    """Names the client when it fetches a token."""
    name: str
    """What you call it."""
    scopes: list[
        Literal[
            "customers:read",
            "customers:write",
            "transactions:read",
            "transactions:write",
            "media:read",
            "explanations:read",
            "webhooks:write",
            "admin",
        ]
    ]
    """What it may do."""
    created_at: datetime
    """When it was added."""
    rotated_at: datetime | None
    """When it last got a new secret."""
    previous_secret_expires_at: datetime | None
    """Until then the secret before works too."""
    revoked_at: datetime | None
    """Since when it gets no token, and its tokens are refused."""
    client_secret: str
    """Shown once."""


@dataclass(frozen=True, kw_only=True)
class ShownClock:
    """The time of the account."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    now: datetime
    """The service's time, by which every time of the account is shown."""
    advanced_seconds: int
    """How much older everything in the account was made, in all."""


@dataclass(frozen=True, kw_only=True)
class StatusChange:
    """The change that the event tells of: no personal data beyond the integrator's own identifier."""

    transaction_id: str
    """The transaction whose status changed."""
    customer_id: str
    """Its customer."""
    external_customer_id: str | None
    """Your own identifier of the person; null once the customer was erased."""
    transaction_type: TransactionType
    """What is captured."""
    status: Status
    """The status after the change."""
    previous_status: Status
    """The status before it."""
    sequence: int
    """Counts the changes of this transaction from 1: an event that arrives late has a lower number."""


@dataclass(frozen=True, kw_only=True)
class WebhookEvent:
    """The body of every webhook: no personal data beyond your own identifier."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    type: EventType
    """`transaction.` and the status in lower case."""
    timestamp: datetime
    """When the status changed."""
    data: StatusChange
    """What changed."""


@dataclass(frozen=True, kw_only=True)
class ShownEventWhole:
    """An event with its body and every attempt to deliver it."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    event_id: str
    """The `webhook-id` of every attempt, also of a redelivery."""
    transaction_id: str
    """The transaction that it tells of."""
    type: EventType
    """`transaction.` and the status in lower case."""
    url: str
    """Where it is sent."""
    state: EventState
    """PENDING while attempts go on; EXHAUSTED after the last; STOPPED when the receiver said 410."""
    attempts: int
    """How many were made since it was recorded, or last asked to be delivered again."""
    next_attempt_at: datetime | None
    """Null unless the event is pending."""
    created_at: datetime
    """When the status changed."""
    body: WebhookEvent
    """The very body that is sent."""
    log: list[ShownAttempt]
    """Every attempt, oldest first."""


@dataclass(frozen=True, kw_only=True)
class ShownEvidence:
    """All that the judgement knew, for `truename receipt verify --evidence`."""

    format: Literal["truename-evidence/1"]
    """The form of this file."""
    transaction_id: str
    """Identifier of the transaction."""
    nonce: str
    """The key of the receipt's hashes, in hex."""
    dossier: dict[str, object]
    """Evidence, config, customer's status and earlier record, and the day: as they were stored."""


@dataclass(frozen=True, kw_only=True)
class ShownExplanation:
    """Why a transaction was decided so."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    transaction_id: str
    """Identifier of the transaction."""
    transaction_type: TransactionType
    """What is captured."""
    status: Status
    """The status at this very moment."""
    sentence: str
    """The decision and its reason in one sentence, or why there is none."""
    judgement: Decision | None
    """What the engine judged; null when it did not. A reviewer may have decided otherwise."""
    decided_by: Literal["ENGINE", "REVIEWER"] | None
    """The analysis, or a person."""
    decided_at: datetime | None
    """When."""
    evidence_kept: bool
    """Whether the evidence is still stored; without it nothing can be judged again."""
    issues: list[ExplainedIssue]
    """What was found, in the order of the catalogue."""
    checks: list[ExplainedCheck]
    """Every question, with its answer; those that did not run are named as such."""
    what_if: list[ExplainedWhatIf]
    """What would have changed the decision; each entry alone suffices."""
    unchangeable: list[IssueCode]
    """Rejections that no config would have spared."""


@dataclass(frozen=True, kw_only=True)
class TokenAnswer:
    """An access token and what it may do."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    access_token: str
    """A JWT (RFC 9068) for the Authorization header."""
    token_type: Literal["Bearer"]
    """Kind of the token."""
    expires_in: int
    """Seconds."""
    scope: str
    """What the token may do, separated by spaces."""


@dataclass(frozen=True, kw_only=True)
class TokenIssued:
    """A transaction and the token with which the SDK captures it."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    transaction_id: str
    """Identifier of the transaction."""
    sdk_token: str
    """For the app and its SDK; good for this transaction only."""
    token_type: Literal["Bearer"]
    """Kind of the token."""
    expires_in: int
    """Lifetime of the SDK token in seconds, from transaction_ttl_minutes."""


@dataclass(frozen=True, kw_only=True)
class TransactionSummary:
    """A transaction as a list shows it: status, decision, issues and times."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    transaction_id: str
    """Identifier of the transaction."""
    customer_id: str
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


@dataclass(frozen=True, kw_only=True)
class TransactionList:
    """One page of transactions."""

    livemode: Literal[False] | None = None
    """Only there, and then false, where the account is a sandbox: nothing here is a real verification."""
    data: list[TransactionSummary]
    """Newest first."""
    has_more: bool
    """There is a further page."""
    next_cursor: str | None
    """`cursor` of the next page; null on the last."""
