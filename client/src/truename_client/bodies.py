"""What is sent to the service. Made by tools/client_models.py (`make docs`); do not edit by hand."""

from typing import Literal, NotRequired, TypedDict

from truename_client.words import (
    Action,
    CustomerStatus,
    DocumentType,
    FaceSearch,
    FieldName,
    FilterMode,
    Gender,
    LivenessSign,
    Mode,
    QualityReason,
    SelfieGender,
    TransactionType,
)


class BiometricPolicy(TypedDict):
    """What the live face must satisfy."""

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
    """The live face belongs to another customer. Enforced only where an account switched face search on."""


class BlacklistPolicy(TypedDict):
    """What a match with a blocklist of faces leads to."""

    on_internal_face_blacklist_match: NotRequired[Action]
    """The live face is on the account's own blocklist."""
    on_global_face_blacklist_match: NotRequired[Action]
    """The live face is on the platform-wide blocklist."""


class DevicePolicy(TypedDict):
    """What each sign on the device and its connection leads to."""

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
    """A name that the document must show, and how alike it must be."""

    value: str
    """The names; at least one letter."""
    similarity_min_score: float
    """From this similarity upwards they match; 1.0 means exact."""


class DataMatching(TypedDict):
    """What the document must say; a field that is left out is not compared."""

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
    """One kind of document in the list of eligible or refused ones."""

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
    """The list that filter_mode speaks of; it may be empty, and no longer than each country with each type once.
    One kind of document may not be listed with two rules.
    """


class DocumentPolicy(TypedDict):
    """Which documents are accepted and what they must say."""

    document_eligibility: NotRequired[DocumentEligibility]
    """Which supported documents are accepted. Left out: all of them."""
    data_matching: NotRequired[DataMatching]
    """What the document must say. Left out: nothing is matched. Every mismatch is a rejection."""


class Webhook(TypedDict):
    """Where status changes of the transaction are told."""

    url: str
    """The address that is called."""


class Config(TypedDict):
    """The rules of one transaction; what is left out has its default."""

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


class OtherDocumentPolicy(TypedDict):
    """Whom a document must name is no policy: each transaction keeps its own `data_matching`."""

    document_eligibility: NotRequired[DocumentEligibility]
    """Which supported documents are accepted. Left out: all of them."""


class OtherConfig(TypedDict):
    """A config without `data_matching`. `webhook` and `transaction_ttl_minutes` may stand in it and decide
    nothing.
    """

    transaction_ttl_minutes: NotRequired[int]
    """Decides nothing here."""
    webhook: NotRequired[Webhook]
    """Nothing is sent."""
    device_policy: NotRequired[DevicePolicy]
    """What signs on the device and its connection would lead to."""
    document_policy: NotRequired[OtherDocumentPolicy]
    """Which documents would be accepted."""
    biometric_policy: NotRequired[BiometricPolicy]
    """What the live face would have to satisfy."""
    blacklist_policy: NotRequired[BlacklistPolicy]
    """What a match with a blocklist would lead to."""


class NewBacktest(TypedDict):
    """A policy, and the transactions to try it on."""

    config: OtherConfig
    """The other policy."""
    mode: NotRequired[Mode]
    """REPLACE: as if every transaction had been created with it. CHANGE: only the fields that stand in it are
    changed, all others stay as each transaction had them.
    """
    since: NotRequired[str]
    """Only transactions created at this moment or later. Left out: from the beginning."""
    until: NotRequired[str]
    """Only transactions created before this moment, which must not be earlier than `since`. Left out: up to now."""
    transaction_type: NotRequired[TransactionType]
    """Only transactions of this type. Left out: all of them."""


class NewClient(TypedDict):
    """Adds a program that may fetch tokens for the account."""

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
                "explanations:read",
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


class NewFaceListing(TypedDict):
    """A picture whose face is put on the blocklist."""

    reason: str
    """Why; kept sealed, and shown with the entry."""
    valid_days: NotRequired[int]
    """After so many days the entry ends and is deleted. Left out: it stays until it is removed."""
    face_image: str
    """Plain base64 of a JPEG or PNG that shows one face, at most 4 MB before encoding."""


class NewListing(TypedDict):
    """Why a face is put on the blocklist, and for how long."""

    reason: str
    """Why; kept sealed, and shown with the entry."""
    valid_days: NotRequired[int]
    """After so many days the entry ends and is deleted. Left out: it stays until it is removed."""


class NewReview(TypedDict):
    """A person's decision on a transaction that waits for one."""

    outcome: Literal["APPROVED", "REJECTED"]
    """The decision."""
    reason: str
    """Why; kept in the audit log."""


class NewRotation(TypedDict):
    """Gives a client a new secret."""

    overlap_seconds: NotRequired[int]
    """How long the old secret still works. Default: 24 hours."""


class NewStatus(TypedDict):
    """Moves a customer to another status, with the reason."""

    status: CustomerStatus
    """The status to move to."""
    reason: str
    """Why; kept in the audit log."""


class NewTime(TypedDict):
    """The body that moves the clock."""

    advance_seconds: int
    """How much time passes; only forwards."""


class NewTransaction(TypedDict):
    """Opens a verification of one customer under rules of its own."""

    customer_id: str
    """A customer that was created before."""
    transaction_type: TransactionType
    """What is captured: the document and the live face, or only one of them."""
    config: NotRequired[Config]
    """The rules to enforce; an empty object is valid."""


class SimulatedDevice(TypedDict):
    """The device and its connection; null: unknown, so that the check is not run."""

    compromised: NotRequired[bool | None]
    """Rooted, jailbroken or under a debugger."""
    developer_mode: NotRequired[bool | None]
    """Developer mode is switched on."""
    emulator: NotRequired[bool | None]
    """An emulator or simulator."""
    vpn_or_proxy: NotRequired[bool | None]
    """The connection came through a VPN, a proxy or Tor."""
    mock_location: NotRequired[bool | None]
    """The reported location is simulated."""
    gps_country: NotRequired[str | None]
    """Country of the reported location."""
    ip_country: NotRequired[str | None]
    """Country of the IP address."""


class SimulatedDocument(TypedDict):
    """What the document is and says."""

    recognised: NotRequired[bool]
    """False: neither country nor type could be told from it."""
    reason: NotRequired[Literal["NO_DOCUMENT", "UNREADABLE", "UNKNOWN_LAYOUT"]]
    """Why it was not recognised."""
    country: NotRequired[str]
    """Issuing country."""
    type: NotRequired[DocumentType]
    """Type of the document; one that is not supported is possible, too."""
    fields: NotRequired[dict[str, str | None]]
    """What was read, by the name of the field; null: it could not be read. Dates are YYYY-MM-DD."""
    other_readings: NotRequired[dict[str, str]]
    """What another part of the document says of a field, read with certainty: a contradiction."""
    unsure_readings: NotRequired[dict[str, str]]
    """The same, read without certainty: a doubt."""
    zone: NotRequired[Literal["VALID", "INVALID", "UNREAD"]]
    """The machine-readable zone: right, with wrong check digits, or not read. Only where this kind has one."""
    wrong_check_digits: NotRequired[list[FieldName]]
    """Fields of the zone whose own check digit is wrong; the zone is INVALID then."""
    barcode: NotRequired[bool]
    """False: the barcode was not read. Only where this kind has one."""
    front_quality: NotRequired[list[QualityReason]]
    """What is wrong with the picture of the front; SCREEN and PHOTOCOPY make it no original."""
    back_quality: NotRequired[list[QualityReason]]
    """What is wrong with the picture of the back."""
    back_captured: NotRequired[bool]
    """False: the back is missing."""


class SimulatedLiveness(TypedDict):
    """Whether a living person was before the camera."""

    score: NotRequired[float]
    """From 0 to 1."""
    reason: NotRequired[Literal["NO_FACE", "SPOOF_SIGNS", "CHALLENGE_FAILED", "NO_CHALLENGE"]]
    """What speaks against the score most."""
    signs: NotRequired[list[LivenessSign]]
    """What was seen that speaks against a living person; signs of an attack count as signs of fraud."""


class SimulatedRecord(TypedDict):
    """What the customer's last approved document said."""

    given_names: NotRequired[str]
    """Given names."""
    surnames: NotRequired[str]
    """Surnames."""
    gender: NotRequired[Literal["M", "F", "X"]]
    """Gender."""
    date_of_birth: NotRequired[str]
    """Date of birth, YYYY-MM-DD."""


class SimulatedSearch(TypedDict):
    """What a search for the face among other customers and blocklists would have found; nothing is searched."""

    mode: NotRequired[FaceSearch]
    """How far it is switched on: `off`, `report` or `enforce`."""
    repeated_face: NotRequired[bool | None]
    """The face belongs to another customer, too; null: not searched."""
    internal_blocklist_match: NotRequired[bool | None]
    """The face is on the account's own blocklist."""
    global_blocklist_match: NotRequired[bool | None]
    """The face is on the platform-wide blocklist."""


class SimulatedSelfie(TypedDict):
    """What the live face lets one estimate."""

    age: NotRequired[float]
    """Years."""
    gender: NotRequired[SelfieGender | None]
    """Null: it could not be estimated."""


class Simulation(TypedDict):
    """Evidence instead of captures; an empty object is one that is approved under any config."""

    scenario: NotRequired[str]
    """One of `GET …/test/scenarios`; left out: `approved`."""
    document: NotRequired[SimulatedDocument | None]
    """Null: no document was examined."""
    liveness: NotRequired[SimulatedLiveness | None]
    """Null: nothing of the liveness was examined."""
    faces: NotRequired[dict[str, float | None]]
    """How alike two faces are, by pair; null: one of them shows no face."""
    selfie: NotRequired[SimulatedSelfie | None]
    """Null: nothing could be estimated."""
    device: NotRequired[SimulatedDevice]
    """The device and its connection."""
    face_search: NotRequired[SimulatedSearch]
    """A search for the face; left out: the account's own, which is off."""
    earlier_record: NotRequired[SimulatedRecord]
    """Compared with instead of the customer's own record."""
    customer_status: NotRequired[CustomerStatus]
    """The customer is moved to this status first, and stays there."""
    manual_review: NotRequired[bool]
    """True: as if the account had manual review switched on; false: as if not."""
    status: NotRequired[Literal["IN_PROGRESS", "PROCESSING", "EXPIRED", "CANCELLED", "FAILED"]]
    """Go to this status instead of a decision. From PROCESSING a second simulation decides."""


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
