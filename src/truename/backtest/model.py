"""What is sent to start a back-test, and what is answered about one."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import PydanticCustomError

from truename.backtest.policy import Mode, OtherPolicy
from truename.backtest.tally import BacktestResult, Counted
from truename.plumbing.http.bodies import Marked, Sent, Shown, named
from truename.plumbing.http.queries import INSTANT_PATTERN, instant_of
from truename.rules.config import (
    BiometricPolicy,
    BlacklistPolicy,
    Config,
    DevicePolicy,
    DocumentEligibility,
    Policy,
    TransactionType,
    Webhook,
)
from truename.rules.config_values import LEFT_OUT, whole_number, without_misleading_defaults
from truename.rules.verdict import Decision

BEGINNING: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""Older than any transaction."""


class BacktestStatus(StrEnum):
    """How far it is."""

    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    DONE = "DONE"
    FAILED = "FAILED"


# ── what is sent ───────────────────────────────────────────────────────────────────────────────────────────


class OtherDocumentPolicy(Policy):
    """Whom a document must name is no policy: each transaction keeps its own `data_matching`."""

    document_eligibility: Annotated[DocumentEligibility | None, *LEFT_OUT] = None
    """Which supported documents are accepted. Left out: all of them."""


class OtherConfig(Policy):
    """A config without `data_matching`. `webhook` and `transaction_ttl_minutes` may stand in it and decide nothing."""

    transaction_ttl_minutes: Annotated[int, Field(ge=1, le=1440), BeforeValidator(whole_number)] = 1440
    """Decides nothing here."""
    webhook: Annotated[Webhook | None, *LEFT_OUT] = None
    """Nothing is sent."""
    device_policy: DevicePolicy = DevicePolicy()
    """What signs on the device and its connection would lead to."""
    document_policy: OtherDocumentPolicy = OtherDocumentPolicy()
    """Which documents would be accepted."""
    biometric_policy: BiometricPolicy = BiometricPolicy()
    """What the live face would have to satisfy."""
    blacklist_policy: BlacklistPolicy = BlacklistPolicy()
    """What a match with a blocklist would lead to."""


def _instant(text: str) -> str:
    if instant_of(text) is None:
        raise PydanticCustomError("instant_malformed", "The value must be an RFC 3339 timestamp with its offset.")
    return text


Instant = Annotated[
    str,
    AfterValidator(_instant),
    Field(json_schema_extra={"format": "date-time", "pattern": INSTANT_PATTERN, "examples": ["2026-11-01T00:00:00Z"]}),
]


def _range_in_order(schema: JsonSchemaValue) -> None:
    """That one moment is not before another cannot be said in JSON Schema."""
    without_misleading_defaults(schema)
    schema["x-not-below"] = {"until": "since"}


class NewBacktest(Sent):
    """A policy, and the transactions to try it on."""

    model_config = ConfigDict(json_schema_extra=_range_in_order)

    config: OtherConfig
    """The other policy."""
    mode: Annotated[Mode, Field(strict=False)] = Mode.REPLACE
    """REPLACE: as if every transaction had been created with it. CHANGE: only the fields that stand in it are changed,
    all others stay as each transaction had them."""
    since: Annotated[Instant | None, *LEFT_OUT] = None
    """Only transactions created at this moment or later. Left out: from the beginning."""
    until: Annotated[Instant | None, *LEFT_OUT] = None
    """Only transactions created before this moment, which must not be earlier than `since`. Left out: up to now."""
    transaction_type: Annotated[Annotated[TransactionType, Field(strict=False)] | None, *LEFT_OUT] = None
    """Only transactions of this type. Left out: all of them."""

    @field_validator("until")
    @classmethod
    def _must_not_be_before_the_beginning(cls, until: str | None, info: ValidationInfo) -> str | None:
        begin, end = (instant_of(text) if text else None for text in (info.data.get("since"), until))
        if begin and end and end < begin:
            raise PydanticCustomError("until_before_since", "The value must not be earlier than since.")
        return until


OF_THE_PERSON: Final = ("expected_gender", "expected_min_age", "expected_max_age")


def policy_of(config: OtherConfig, mode: Mode, *, blind: bool = False) -> OtherPolicy:
    """The policy to judge under; fields that were left out stay known as such.

    `blind`: for those who may learn nothing of a person. To expect a gender or an age of everybody, and to be told who
    flips, is to be told the gender and the age of each.
    """
    said = config.model_dump(mode="json", exclude_unset=True, exclude={"webhook", "transaction_ttl_minutes"})
    if blind and "biometric_policy" in said:
        said["biometric_policy"] = {k: v for k, v in said["biometric_policy"].items() if k not in OF_THE_PERSON}
    return OtherPolicy(Config.model_validate(said), mode)


# ── what is answered ───────────────────────────────────────────────────────────────────────────────────────


class ShownCounts(Shown):
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


class ShownFlip(Shown):
    """A transaction that would have been decided otherwise."""

    transaction_id: UUID
    """Identifier of the transaction."""
    was: Decision
    """What the engine decided."""
    now: Decision
    """What it would have decided."""
    codes: list[Annotated[str, named("IssueCode")]]
    """Codes that rejected then and would not any more, or would reject now."""


class ShownBacktestResult(Shown):
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
    """Would be approved although `DOCUMENT_AUTHENTICITY` fails: where manual review is on, a person sees them first.
    Null for back-tests from before this was counted."""


class ShownBacktest(Marked):
    """A back-test and how far it is."""

    backtest_id: UUID
    """Identifier of the back-test."""
    status: BacktestStatus
    """DONE when `result` is there."""
    mode: Mode
    """How the config is meant."""
    config: dict[str, Any]
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


def shown_result(result: BacktestResult) -> ShownBacktestResult:
    """The result as it is answered and stored."""
    return ShownBacktestResult(
        decisions=_counts(result.decisions),
        reviewed=_counts(result.reviewed),
        to_approved_by_code=dict(result.to_approved_by_code),
        to_rejected_by_code=dict(result.to_rejected_by_code),
        flips=[
            ShownFlip(transaction_id=flip.transaction_id, was=flip.was, now=flip.now, codes=list(flip.codes))
            for flip in result.flips
        ],
        flips_left_out=result.flips_left_out,
        cannot_be_judged=result.cannot_be_judged,
        changed_rules=result.changed_rules,
        doubtful=result.doubtful,
    )


def _counts(counted: Counted) -> ShownCounts:
    return ShownCounts(
        judged=counted.judged,
        approved_then=counted.approved_then,
        approved_now=counted.approved_now,
        to_approved=counted.to_approved,
        to_rejected=counted.to_rejected,
    )
