"""What is sent to the service. Made by tools/client_models.py (`make docs`); do not edit by hand."""

from typing import Literal, NotRequired, TypedDict

from truename_client.words import (
    Action,
    CustomerStatus,
    DocumentType,
    FilterMode,
    Gender,
    SelfieGender,
    TransactionType,
)


class BiometricPolicy(TypedDict):
    """Biometric policy."""

    liveness_min_score: NotRequired[float]
    """Below this score it is not certain enough that a living person was before the camera."""
    face_comparison_min_score: NotRequired[float]
    """Below this score two faces are not the same; it applies to every comparison."""
    require_face_comparison: NotRequired[bool]
    """When false, no faces are compared and none is embedded for it, and an informational issue says so."""
    expected_gender: NotRequired[SelfieGender | None]
    """Gender that the selfie is expected to show; null for any."""
    expected_min_age: NotRequired[int | None]
    """Least age in whole years that the selfie is expected to show."""
    expected_max_age: NotRequired[int | None]
    """Greatest age in whole years; not lower than expected_min_age."""
    on_another_customer_repeated_face: NotRequired[Action]
    """The live face belongs to another customer. Validated, not enforced: the interface has no issue code for
    it.
    """


class BlacklistPolicy(TypedDict):
    """Blacklist policy."""

    on_internal_face_blacklist_match: NotRequired[Action]
    """The live face is on the account's own blocklist."""
    on_global_face_blacklist_match: NotRequired[Action]
    """The live face is on the platform-wide blocklist."""


class DevicePolicy(TypedDict):
    """Device policy."""

    on_compromised_device: NotRequired[Action]
    """The device is rooted or jailbroken, or runs under a debugger."""
    on_developer_mode: NotRequired[Action]
    """Developer mode is switched on."""
    on_emulator: NotRequired[Action]
    """The capture was made on an emulator or simulator."""
    on_vpn_or_proxy: NotRequired[Action]
    """The connection came through a VPN, a proxy or Tor."""
    on_gps_mock_location: NotRequired[Action]
    """The reported GPS location is simulated."""
    on_gps_ip_location_mismatch: NotRequired[Action]
    """The country of the GPS location is not that of the IP address."""


class NameMatch(TypedDict):
    """Name match."""

    value: str
    """The names; at least one letter."""
    similarity_min_score: float
    """From this similarity upwards they match; 1.0 means exact."""


class DataMatching(TypedDict):
    """Data matching."""

    given_names: NotRequired[NameMatch]
    """Expected given names, compared by similarity; the issue's details hold score and threshold."""
    surnames: NotRequired[NameMatch]
    """Expected surnames, compared by similarity; the issue's details hold score and threshold."""
    gender: NotRequired[Gender]
    """Expected gender, as documents print it."""
    document_type: NotRequired[DocumentType]
    """Expected type of document."""
    document_issuing_country: NotRequired[str]
    """Expected issuing country."""
    document_number: NotRequired[str]
    """Expected number: letters and digits only. Dots, hyphens and spaces of the printed number are left out of
    the comparison. For cards that people know by their own number (ES, CL), that one matches as well.
    """
    date_of_birth: NotRequired[str]
    """Expected date of birth."""


class TargetDocument(TypedDict):
    """Target document."""

    country: str
    """Issuing country."""
    type: DocumentType
    """Type of the document."""
    allow_expired: bool
    """Whether an expired document of this exact country and type is accepted."""


class DocumentEligibility(TypedDict):
    """Both fields must be given: a list without a mode, or a mode without a list, says nothing."""

    filter_mode: FilterMode
    """ALLOW: only the listed documents are accepted. REJECT: every supported document except those listed."""
    target_documents: list[TargetDocument]
    """The list that filter_mode speaks of; it may be empty. One kind of document may not be listed with two
    rules.
    """


class DocumentPolicy(TypedDict):
    """Document policy."""

    document_eligibility: NotRequired[DocumentEligibility]
    """Which supported documents are accepted. Left out: all of them."""
    data_matching: NotRequired[DataMatching]
    """What the document must say. Left out: nothing is matched. Every mismatch is a rejection."""


class Webhook(TypedDict):
    """Webhook."""

    url: str
    """The address that is called."""


class Config(TypedDict):
    """Config."""

    transaction_ttl_minutes: NotRequired[int]
    """Minutes, from creation, in which the flow must be completed."""
    webhook: NotRequired[Webhook]
    """Where status changes are told. Left out: nothing is sent."""
    device_policy: NotRequired[DevicePolicy]
    """What signs on the device and its connection lead to."""
    document_policy: NotRequired[DocumentPolicy]
    """Which documents are accepted and what they must say. Ignored for BIOMETRIC_ONLY, but validated."""
    biometric_policy: NotRequired[BiometricPolicy]
    """What the live face must satisfy. Ignored for DOCUMENT_ONLY, but validated."""
    blacklist_policy: NotRequired[BlacklistPolicy]
    """What a match with a blocklist leads to. Validated; enforced only where an account switched face search on."""


class CustomerFields(TypedDict):
    """What can be changed of a customer: a field that is left out stays as it is, null takes it away."""

    email: NotRequired[str | None]
    """The person's e-mail address."""
    phone_number: NotRequired[str | None]
    """The person's telephone number."""
    face_reference_image: NotRequired[str | None]
    """Plain base64 of the file, as at creation. Replaces the reference face."""


class NewClient(TypedDict):
    """New client."""

    name: str
    """What you call it; shown in lists."""
    scopes: NotRequired[
        list[
            Literal[
                "customers:read",
                "customers:write",
                "transactions:read",
                "transactions:write",
                "media:read",
                "webhooks:write",
            ]
        ]
    ]
    """What it may do. Default: `customers:read customers:write transactions:read transactions:write`."""


class NewCustomer(TypedDict):
    """A person who is to be verified, under the integrator's own identifier."""

    external_customer_id: str
    """The integrator's own identifier of the person, unique within the account, echoed back."""
    email: NotRequired[str]
    """The person's e-mail address."""
    phone_number: NotRequired[str]
    """The person's telephone number."""
    face_reference_image: NotRequired[str]
    """Plain base64 of the file: standard alphabet, no data: prefix, no line breaks. Enrols the reference face."""


class NewReview(TypedDict):
    """A person's decision on a transaction that waits for one."""

    outcome: Literal["APPROVED", "REJECTED"]
    """The decision."""
    reason: str
    """Why; kept in the audit log."""


class NewRotation(TypedDict):
    """New rotation."""

    overlap_seconds: NotRequired[int]
    """How long the old secret still works. Default: 24 hours."""


class NewStatus(TypedDict):
    """Moves a customer to another status, with the reason."""

    status: CustomerStatus
    """The status to move to."""
    reason: str
    """Why; kept in the audit log."""


class NewTransaction(TypedDict):
    """Opens a verification of one customer under rules of its own."""

    customer_id: str
    """A customer that was created before."""
    transaction_type: TransactionType
    """What is captured: the document and the live face, or only one of them."""
    config: NotRequired[Config]
    """The rules to enforce; an empty object is valid."""


class TokenRequest(TypedDict):
    """A form, not JSON. The credentials may stand in the HTTP Basic header instead."""

    grant_type: Literal["client_credentials"]
    """The only grant there is."""
    client_id: NotRequired[str]
    """From `truename account create`; left out with HTTP Basic."""
    client_secret: NotRequired[str]
    """From `truename account create`; left out with HTTP Basic."""
    scope: NotRequired[str]
    """Fewer scopes than the client has, separated by spaces; left out: all of them."""
