"""The `config` object of a transaction: its fields, ranges and defaults, in the order of the interface's tables.

`Config.model_validate(object, context={"today": date})` checks what an integrator sent and finds every fault at once;
`config.model_dump(mode="json")` is the effective config, `Config.from_stored(dump)` reads it back.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final, Self, overload

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ValidationInfo,
    WrapValidator,
    field_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import PydanticCustomError

from truename.rules import name_text, target_list, webhook_url
from truename.rules.config_values import (
    LEFT_OUT,
    Age,
    Closed,
    CountryCode,
    PastDate,
    Score,
    SetDocumentType,
    whole_number,
    without_misleading_defaults,
)
from truename.rules.evidence import SelfieGender, Word
from truename.rules.faults import LETTERS_AND_DIGITS

# ── words ──────────────────────────────────────────────────────────────────────────────────────────────────


class TransactionType(Word):
    """The kinds of verification, by what is captured: a document, a live face, or both."""

    DOCUMENT_AND_BIOMETRIC = "DOCUMENT_AND_BIOMETRIC"
    DOCUMENT_ONLY = "DOCUMENT_ONLY"
    BIOMETRIC_ONLY = "BIOMETRIC_ONLY"

    @property
    def has_document(self) -> bool:
        return self is not TransactionType.BIOMETRIC_ONLY

    @property
    def has_selfie(self) -> bool:
        return self is not TransactionType.DOCUMENT_ONLY


class Action(Word):
    """What a sign leads to: a rejection, a warning, or an issue that only informs."""

    REJECT = "REJECT"
    WARN = "WARN"
    IGNORE = "IGNORE"


class FilterMode(StrEnum):
    """Whether the listed documents are the accepted ones or the refused ones."""

    ALLOW = "ALLOW"
    REJECT = "REJECT"


class Gender(StrEnum):
    """The gender printed on a document; the one estimated from a selfie has its own words."""

    M = "M"
    F = "F"
    X = "X"


SetAction = Annotated[Action, Field(strict=False)]


class Policy(Closed):
    """Base of every part of the config."""


# ── webhook ────────────────────────────────────────────────────────────────────────────────────────────────


def _checked_url(url: str, info: ValidationInfo) -> str:
    """Without a context it was stored, and who may use plain http was asked when it was sent."""
    plain = info.context is None or bool(info.context.get(PLAIN_LOOPBACK))
    return webhook_url.checked_url(url, plain_loopback=plain)


PLAIN_LOOPBACK: Final = "plain_loopback"
"""In the context: the webhook may be an address of this machine by plain http; who may use one is asked elsewhere."""


class Webhook(Policy):
    """Where status changes of the transaction are told."""

    url: Annotated[str, AfterValidator(_checked_url), Field(json_schema_extra=webhook_url.JSON_SCHEMA)]
    """The address that is called."""


# ── device_policy ──────────────────────────────────────────────────────────────────────────────────────────


class DevicePolicy(Policy):
    """What each sign on the device and its connection leads to."""

    on_compromised_device: SetAction = Action.REJECT
    """The device is rooted or jailbroken, or runs under a debugger."""
    on_developer_mode: SetAction = Action.WARN
    """Developer mode is switched on."""
    on_emulator: SetAction = Action.REJECT
    """The capture was made on an emulator or simulator."""
    on_vpn_or_proxy: SetAction = Action.WARN
    """The connection came through a VPN, a proxy or Tor."""
    on_gps_mock_location: SetAction = Action.REJECT
    """The reported GPS location is simulated."""
    on_gps_ip_location_mismatch: SetAction = Action.WARN
    """The country of the GPS location is not that of the IP address."""


# ── document_policy ────────────────────────────────────────────────────────────────────────────────────────


class TargetDocument(Policy):
    """One kind of document in the list of eligible or refused ones."""

    country: CountryCode
    """Issuing country."""
    type: SetDocumentType
    """Type of the document."""
    allow_expired: bool
    """Whether an expired document of this exact country and type is accepted."""


class DocumentEligibility(Policy):
    """Both fields must be given: a list without a mode, or a mode without a list, says nothing."""

    filter_mode: Annotated[FilterMode, Field(strict=False)]
    """ALLOW: only the listed documents are accepted. REJECT: every supported document except those listed."""
    target_documents: Annotated[
        tuple[TargetDocument, ...],
        Field(strict=False, json_schema_extra=target_list.JSON_SCHEMA),
        WrapValidator(target_list.checked_targets),
    ]
    """The list that filter_mode speaks of; it may be empty, and no longer than each country with each type once. One
    kind of document may not be listed with two rules."""


class NameMatch(Policy):
    """A name that the document must show, and how alike it must be."""

    value: Annotated[str, AfterValidator(name_text.checked_name), Field(json_schema_extra=name_text.JSON_SCHEMA)]
    """The names; at least one letter."""
    similarity_min_score: Score
    """From this similarity upwards they match; 1.0 means exact."""


class DataMatching(Policy):
    """What the document must say; a field that is left out is not compared."""

    given_names: Annotated[NameMatch | None, *LEFT_OUT] = None
    """Expected given names, compared by similarity; the issue's details hold score and threshold."""
    surnames: Annotated[NameMatch | None, *LEFT_OUT] = None
    """Expected surnames, compared by similarity; the issue's details hold score and threshold."""
    gender: Annotated[Annotated[Gender, Field(strict=False)] | None, *LEFT_OUT] = None
    """Expected gender, as documents print it."""
    document_type: Annotated[SetDocumentType | None, *LEFT_OUT] = None
    """Expected type of document."""
    document_issuing_country: Annotated[CountryCode | None, *LEFT_OUT] = None
    """Expected issuing country."""
    document_number: Annotated[Annotated[str, Field(pattern=LETTERS_AND_DIGITS)] | None, *LEFT_OUT] = None
    """Expected number: letters and digits only. Dots, hyphens and spaces of the printed number are left out of the
    comparison. For cards that people know by their own number (ES, CL), that one matches as well."""
    date_of_birth: Annotated[PastDate | None, *LEFT_OUT] = None
    """Expected date of birth."""


class DocumentPolicy(Policy):
    """Which documents are accepted and what they must say."""

    document_eligibility: Annotated[DocumentEligibility | None, *LEFT_OUT] = None
    """Which supported documents are accepted. Left out: all of them."""
    data_matching: Annotated[DataMatching | None, *LEFT_OUT] = None
    """What the document must say. Left out: nothing is matched. Every mismatch is a rejection."""


# ── biometric_policy ───────────────────────────────────────────────────────────────────────────────────────


def _ages_in_order(schema: JsonSchemaValue) -> None:
    """That one field is not below another cannot be said in JSON Schema."""
    without_misleading_defaults(schema)
    schema["x-not-below"] = {"expected_max_age": "expected_min_age"}


class BiometricPolicy(Policy):
    """What the live face must satisfy."""

    model_config = ConfigDict(json_schema_extra=_ages_in_order)

    liveness_min_score: Score = 0.85
    """Below this score it is not certain enough that a living person was before the camera."""
    face_comparison_min_score: Score = 0.85
    """Below this score two faces are not the same; it applies to every comparison."""
    require_face_comparison: bool = True
    """When false, no faces are compared and none is embedded for it, and an informational issue says so."""
    expected_gender: Annotated[SelfieGender, Field(strict=False)] | None = None
    """Gender that the selfie is expected to show; null for any."""
    expected_min_age: Age | None = None
    """Least age in whole years that the selfie is expected to show."""
    expected_max_age: Age | None = None
    """Greatest age in whole years; not lower than expected_min_age."""
    on_another_customer_repeated_face: SetAction = Action.REJECT
    """The live face belongs to another customer. Enforced only where an account switched face search on."""

    @field_validator("expected_max_age")
    @classmethod
    def _must_not_be_below_the_least(cls, most: int | None, info: ValidationInfo) -> int | None:
        least = info.data.get("expected_min_age")
        if most is not None and least is not None and most < least:
            raise PydanticCustomError("max_age_below_min_age", "The value must not be lower than expected_min_age.")
        return most


# ── blacklist_policy ───────────────────────────────────────────────────────────────────────────────────────


class BlacklistPolicy(Policy):
    """What a match with a blocklist of faces leads to."""

    on_internal_face_blacklist_match: SetAction = Action.REJECT
    """The live face is on the account's own blocklist."""
    on_global_face_blacklist_match: SetAction = Action.REJECT
    """The live face is on the platform-wide blocklist."""


# ── config ─────────────────────────────────────────────────────────────────────────────────────────────────


class Config(Policy):
    """The rules of one transaction; what is left out has its default."""

    transaction_ttl_minutes: Annotated[int, Field(ge=1, le=1440), BeforeValidator(whole_number)] = 1440
    """Minutes, from creation, in which the flow must be completed."""
    webhook: Annotated[Webhook | None, *LEFT_OUT] = None
    """Where status changes are told. Left out: nothing is sent."""
    device_policy: DevicePolicy = DevicePolicy()
    """What signs on the device and its connection lead to."""
    document_policy: DocumentPolicy = DocumentPolicy()
    """Which documents are accepted and what they must say. Ignored for BIOMETRIC_ONLY, but validated."""
    biometric_policy: BiometricPolicy = BiometricPolicy()
    """What the live face must satisfy. Ignored for DOCUMENT_ONLY, but validated."""
    blacklist_policy: BlacklistPolicy = BlacklistPolicy()
    """What a match with a blocklist leads to. Validated; enforced only where an account switched face search on."""

    @classmethod
    def from_stored(cls, dump: Mapping[str, object]) -> Self:
        """The config of an earlier `model_dump`, where a field that was left out stands as null."""
        return cls.model_validate(without_nulls(dump))


def as_sent(dump: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """A stored config in the form in which it may be sent again: null stands only where the interface allows it."""
    return {
        name: part if name == "biometric_policy" else without_nulls(part)
        for name, part in dump.items()
        if part is not None
    }


@overload
def without_nulls(value: JsonValue) -> JsonValue: ...
@overload
def without_nulls(value: object) -> object: ...
def without_nulls(value: object) -> object:
    """The same object less its null fields, each of which has null as its default."""
    if isinstance(value, Mapping):
        return {name: without_nulls(part) for name, part in value.items() if part is not None}
    if isinstance(value, (list, tuple)):
        return [without_nulls(part) for part in value]
    return value
