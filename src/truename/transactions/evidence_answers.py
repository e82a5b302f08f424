"""What is answered about the evidence of a transaction: document, live face, device."""

from typing import Annotated, Literal

from truename.plumbing.http.bodies import Shown, named
from truename.rules.authenticity_signs import AuthenticitySign
from truename.rules.evidence import DocumentType, FacePair, MrzFormat, QualityReason, SelfieGender, Source
from truename.rules.liveness_signs import LivenessSign


class ShownValue(Shown):
    """What one part of the document says in one field."""

    value: str
    """The value as read; dates are YYYY-MM-DD."""
    source: Source
    """Where on the document it was read."""
    confidence: float
    """From 0 to 1."""
    repaired: bool
    """A character was corrected because the check digits prove it."""


class ShownField(ShownValue):
    """One field of the document as it was read, and what other parts of the document said instead."""

    others: list[ShownValue]
    """What other parts of the document said when they disagreed."""


class ShownMrz(Shown):
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


class ShownSign(Shown):
    """One sign of a document being genuine, or not."""

    value: float
    """What was measured; each sign has a measure of its own."""
    limit: float
    """From where on it speaks against the document; below it, for a sign of which little is bad."""
    speaks_against: bool
    """The number is beyond its limit."""
    counts: bool
    """Beyond its limit it fails the check `DOCUMENT_AUTHENTICITY`; a sign that errs too often is only shown."""


class ShownDocument(Shown):
    """What was read from the document."""

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
    authenticity: dict[AuthenticitySign, ShownSign] | None
    """What was measured to tell whether the document is genuine, by sign; null where nothing was."""
    quality: dict[Literal["front", "back"], list[QualityReason]]
    """By side: what is wrong with its picture."""


class ShownLiveness(Shown):
    """Whether a living person was before the camera."""

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
    """How alike two faces are."""

    score: float | None
    """From 0 to 1; at 0.85 one impostor pair in 10,000 would pass. Null when the faces could not be compared."""
    reason: Annotated[str, named("Reason")] | None
    """Why they could not be compared."""


class ShownAge(Shown):
    """The age estimated from the selfie."""

    value: float
    """Years."""
    margin: float
    """Mean error of the estimate in years."""


class ShownGender(Shown):
    """The gender estimated from the selfie."""

    value: SelfieGender | None
    """The estimate; null when it is not certain enough."""
    confidence: float
    """From 0 to 1."""


class ShownBiometrics(Shown):
    """What the live face showed."""

    liveness: ShownLiveness | None
    """Whether a living person was before the camera."""
    comparisons: dict[FacePair, ShownComparison]
    """How alike two faces are, by pair."""
    estimated_age: ShownAge | None
    """Estimated from the selfie."""
    estimated_gender: ShownGender | None
    """Estimated from the selfie."""


class ShownDevice(Shown):
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
