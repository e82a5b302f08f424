"""The `config` object of a transaction: its fields, ranges and defaults, in the order of the interface's tables.

`Config.model_validate(object, context={"today": date})` checks what an integrator sent and finds every fault at once;
`config.model_dump(mode="json")` is the effective config, `Config.from_stored(dump)` reads it back.
"""

import re
from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Final, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError

from truename.rules import name_text, webhook_url
from truename.rules.countries import COUNTRIES, country_meant
from truename.rules.evidence import DocumentType, SelfieGender
from truename.rules.faults import did_you_mean

# ── words ──────────────────────────────────────────────────────────────────────────────────────────────────


class TransactionType(StrEnum):
    DOCUMENT_AND_BIOMETRIC = "DOCUMENT_AND_BIOMETRIC"
    DOCUMENT_ONLY = "DOCUMENT_ONLY"
    BIOMETRIC_ONLY = "BIOMETRIC_ONLY"

    @property
    def has_document(self) -> bool:
        return self is not TransactionType.BIOMETRIC_ONLY

    @property
    def has_selfie(self) -> bool:
        return self is not TransactionType.DOCUMENT_ONLY


class Action(StrEnum):
    REJECT = "REJECT"
    WARN = "WARN"
    IGNORE = "IGNORE"


class FilterMode(StrEnum):
    ALLOW = "ALLOW"
    REJECT = "REJECT"


class Gender(StrEnum):
    """The gender printed on a document; the one estimated from a selfie has its own words."""

    M = "M"
    F = "F"
    X = "X"


# ── kinds of value ─────────────────────────────────────────────────────────────────────────────────────────


def _whole_number(value: object) -> object:
    """60.0 counts as 60, because JSON has only one kind of number."""
    return int(value) if type(value) is float and value.is_integer() else value


def _not_null(value: object) -> object:
    if value is None:
        raise PydanticCustomError("null_not_allowed", "The field may be left out, but must not be null.")
    return value


def _country(code: str) -> str:
    if code not in COUNTRIES:
        words = "The country must be an assigned ISO 3166-1 alpha-2 code in upper case."
        raise PydanticCustomError("country_unknown", "{words}", {"words": words + did_you_mean(country_meant(code))})
    return code


_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _past_date(value: object, info: ValidationInfo) -> date:
    """The future is known only to a caller who says what day it is: this code has no clock."""
    if type(value) is date:
        day = value
    elif isinstance(value, str) and _DATE.fullmatch(value):
        try:
            day = date.fromisoformat(value)
        except ValueError:
            raise _not_a_date() from None
    else:
        raise _not_a_date()
    today = info.context.get("today") if info.context else None
    if today is not None and day > today:
        raise PydanticCustomError("date_in_future", "The date must not be in the future.")
    return day


def _not_a_date() -> PydanticCustomError:
    return PydanticCustomError("date_malformed", "The date must be a real day written YYYY-MM-DD.")


class OrLeftOut:
    """A field that may be left out, but not be null, in what an integrator sends."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        shown = handler(schema)
        kept = [kind for kind in shown.get("anyOf", []) if kind != {"type": "null"}]
        return shown if handler.mode == "serialization" or len(kept) != 1 else kept[0]


_DATE_JSON_SCHEMA: Final[dict[str, object]] = {
    "type": "string",
    # The future cannot be said in a pattern; the years stop at the last one that was whole when this was written.
    "pattern": r"^((1[0-9]{3}|20[01][0-9]|202[0-5])-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])"
    r"|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
    r"|((1[0-9]|20)(0[48]|[2468][048]|[13579][26])|1200|1600|2000)-02-29)$",
    "examples": ["1990-04-23"],
}


def without_misleading_defaults(schema: dict[str, Any]) -> None:
    """A default shown in the schema must be a value that may be sent: a field that is left out is not one."""
    for field in schema.get("properties", {}).values():
        if isinstance(field.get("default"), dict) or (field.get("default", 0) is None and "anyOf" not in field):
            del field["default"]


LEFT_OUT: Final = (OrLeftOut(), BeforeValidator(_not_null))
SetAction = Annotated[Action, Field(strict=False)]
Score = Annotated[float, Field(ge=0.1, le=1.0, allow_inf_nan=False)]
Age = Annotated[int, Field(ge=0, le=200), BeforeValidator(_whole_number)]
CountryCode = Annotated[str, AfterValidator(_country), Field(json_schema_extra={"enum": list(COUNTRIES)})]
SetDocumentType = Annotated[DocumentType, Field(strict=False)]
PastDate = Annotated[date, BeforeValidator(_past_date), WithJsonSchema(_DATE_JSON_SCHEMA)]


class Policy(BaseModel):
    """Base of every part of the config: closed, strict and frozen, so that a misspelt policy is a fault."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        json_schema_extra=without_misleading_defaults,
    )


# ── webhook ────────────────────────────────────────────────────────────────────────────────────────────────


class Webhook(Policy):
    url: Annotated[str, AfterValidator(webhook_url.checked_url), Field(json_schema_extra=webhook_url.JSON_SCHEMA)]


# ── device_policy ──────────────────────────────────────────────────────────────────────────────────────────


class DevicePolicy(Policy):
    on_compromised_device: SetAction = Action.REJECT
    on_developer_mode: SetAction = Action.WARN
    on_emulator: SetAction = Action.REJECT
    on_vpn_or_proxy: SetAction = Action.WARN
    on_gps_mock_location: SetAction = Action.REJECT
    on_gps_ip_location_mismatch: SetAction = Action.WARN


# ── document_policy ────────────────────────────────────────────────────────────────────────────────────────


class TargetDocument(Policy):
    country: CountryCode
    type: SetDocumentType
    allow_expired: bool


class DocumentEligibility(Policy):
    """Both fields must be given: a list without a mode, or a mode without a list, says nothing."""

    filter_mode: Annotated[FilterMode, Field(strict=False)]
    target_documents: Annotated[tuple[TargetDocument, ...], Field(strict=False)]

    @field_validator("target_documents")
    @classmethod
    def _must_not_contradict_itself(cls, documents: tuple[TargetDocument, ...]) -> tuple[TargetDocument, ...]:
        said: dict[tuple[str, DocumentType], bool] = {}
        for document in documents:
            if said.setdefault((document.country, document.type), document.allow_expired) != document.allow_expired:
                raise PydanticCustomError(
                    "target_documents_contradictory",
                    "The same country and type is listed twice with different allow_expired.",
                )
        return documents


class NameMatch(Policy):
    value: Annotated[str, AfterValidator(name_text.checked_name), Field(json_schema_extra=name_text.JSON_SCHEMA)]
    similarity_min_score: Score


class DataMatching(Policy):
    given_names: Annotated[NameMatch | None, *LEFT_OUT] = None
    surnames: Annotated[NameMatch | None, *LEFT_OUT] = None
    gender: Annotated[Annotated[Gender, Field(strict=False)] | None, *LEFT_OUT] = None
    document_type: Annotated[SetDocumentType | None, *LEFT_OUT] = None
    document_issuing_country: Annotated[CountryCode | None, *LEFT_OUT] = None
    document_number: Annotated[Annotated[str, Field(pattern="^[A-Za-z0-9]+$")] | None, *LEFT_OUT] = None
    date_of_birth: Annotated[PastDate | None, *LEFT_OUT] = None


class DocumentPolicy(Policy):
    document_eligibility: Annotated[DocumentEligibility | None, *LEFT_OUT] = None
    data_matching: Annotated[DataMatching | None, *LEFT_OUT] = None


# ── biometric_policy ───────────────────────────────────────────────────────────────────────────────────────


class BiometricPolicy(Policy):
    liveness_min_score: Score = 0.85
    face_comparison_min_score: Score = 0.85
    require_face_comparison: bool = True
    expected_gender: Annotated[SelfieGender, Field(strict=False)] | None = None
    expected_min_age: Age | None = None
    expected_max_age: Age | None = None
    on_another_customer_repeated_face: SetAction = Action.REJECT

    @field_validator("expected_max_age")
    @classmethod
    def _must_not_be_below_the_least(cls, most: int | None, info: ValidationInfo) -> int | None:
        least = info.data.get("expected_min_age")
        if most is not None and least is not None and most < least:
            raise PydanticCustomError("max_age_below_min_age", "The value must not be lower than expected_min_age.")
        return most


# ── blacklist_policy ───────────────────────────────────────────────────────────────────────────────────────


class BlacklistPolicy(Policy):
    on_internal_face_blacklist_match: SetAction = Action.REJECT
    on_global_face_blacklist_match: SetAction = Action.REJECT


# ── config ─────────────────────────────────────────────────────────────────────────────────────────────────


class Config(Policy):
    transaction_ttl_minutes: Annotated[int, Field(ge=1, le=1440), BeforeValidator(_whole_number)] = 1440
    webhook: Annotated[Webhook | None, *LEFT_OUT] = None
    device_policy: DevicePolicy = DevicePolicy()
    document_policy: DocumentPolicy = DocumentPolicy()
    biometric_policy: BiometricPolicy = BiometricPolicy()
    blacklist_policy: BlacklistPolicy = BlacklistPolicy()

    @classmethod
    def from_stored(cls, dump: Mapping[str, object]) -> Self:
        """The config of an earlier `model_dump`, where a field that was left out stands as null."""
        return cls.model_validate(without_nulls(dump))


def without_nulls(value: object) -> object:
    """The same object less its null fields, each of which has null as its default."""
    if isinstance(value, Mapping):
        return {name: without_nulls(part) for name, part in value.items() if part is not None}
    if isinstance(value, (list, tuple)):
        return [without_nulls(part) for part in value]
    return value
