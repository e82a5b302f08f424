"""What may be said to the sandbox: which scenario, and what is to be seen otherwise than it says.

A field that is left out is as the scenario has it; null stands for "not read", "not seen" or "unknown".
"""

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from truename.plumbing.http.bodies import Sent
from truename.rules.config_values import LEFT_OUT, CountryCode, PastDate, SetDocumentType
from truename.rules.dossier import CustomerStatus, FaceSearch
from truename.rules.evidence import FacePair, FieldName, QualityReason, SelfieGender
from truename.rules.faults import did_you_mean, nearest
from truename.rules.liveness_signs import LivenessSign
from truename.sandbox.scenarios import BY_NAME

LONGEST: Final = 200
WITHOUT_CONTROLS: Final = r"^[^\u0000-\u001f\u007f-\u009f]*$"


def _readable(text: str) -> str:
    if any(sign < " " or "\x7f" <= sign <= "\x9f" or "\ud800" <= sign <= "\udfff" for sign in text):
        raise PydanticCustomError("text_forbidden_character", "The text must not hold control characters.")
    return text


def _known(scenario: str) -> str:
    if scenario not in BY_NAME:
        words = "There is no scenario of this name; `GET …/test/scenarios` lists them."
        meant = did_you_mean(nearest(scenario, BY_NAME))
        raise PydanticCustomError("scenario_unknown", "{words}", {"words": words + meant})
    return scenario


ScenarioName = Annotated[str, AfterValidator(_known), Field(json_schema_extra={"enum": list(BY_NAME)})]
Words = Annotated[
    str, AfterValidator(_readable), Field(max_length=LONGEST, json_schema_extra={"pattern": WITHOUT_CONTROLS})
]
Score = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Years = Annotated[float, Field(ge=0, le=150, allow_inf_nan=False)]
SetField = Annotated[FieldName, Field(strict=False)]
SetPair = Annotated[FacePair, Field(strict=False)]
SetQuality = Annotated[QualityReason, Field(strict=False)]
SetSign = Annotated[LivenessSign, Field(strict=False)]
Ending = Literal["IN_PROGRESS", "PROCESSING", "EXPIRED", "CANCELLED", "FAILED"]


class SimulatedDocument(Sent):
    """What the document is and says."""

    recognised: Annotated[bool | None, *LEFT_OUT] = None
    """False: neither country nor type could be told from it."""
    reason: Annotated[Literal["NO_DOCUMENT", "UNREADABLE", "UNKNOWN_LAYOUT"] | None, *LEFT_OUT] = None
    """Why it was not recognised."""
    country: Annotated[CountryCode | None, *LEFT_OUT] = None
    """Issuing country."""
    type: Annotated[SetDocumentType | None, *LEFT_OUT] = None
    """Type of the document; one that is not supported is possible, too."""
    fields: dict[SetField, Words | None] = Field(default_factory=dict, max_length=20)
    """What was read, by the name of the field; null: it could not be read. Dates are YYYY-MM-DD."""
    other_readings: dict[SetField, Words] = Field(default_factory=dict, max_length=20)
    """What another part of the document says of a field, read with certainty: a contradiction."""
    unsure_readings: dict[SetField, Words] = Field(default_factory=dict, max_length=20)
    """The same, read without certainty: a doubt."""
    zone: Annotated[Literal["VALID", "INVALID", "UNREAD"] | None, *LEFT_OUT] = None
    """The machine-readable zone: right, with wrong check digits, or not read. Only where this kind has one."""
    wrong_check_digits: list[SetField] = Field(default_factory=list, max_length=20)
    """Fields of the zone whose own check digit is wrong; the zone is INVALID then."""
    barcode: Annotated[bool | None, *LEFT_OUT] = None
    """False: the barcode was not read. Only where this kind has one."""
    front_quality: list[SetQuality] = Field(default_factory=list, max_length=20)
    """What is wrong with the picture of the front; SCREEN and PHOTOCOPY make it no original."""
    back_quality: list[SetQuality] = Field(default_factory=list, max_length=20)
    """What is wrong with the picture of the back."""
    back_captured: Annotated[bool | None, *LEFT_OUT] = None
    """False: the back is missing."""


class SimulatedLiveness(Sent):
    """Whether a living person was before the camera."""

    score: Annotated[Score | None, *LEFT_OUT] = None
    """From 0 to 1."""
    reason: Annotated[Literal["NO_FACE", "SPOOF_SIGNS", "CHALLENGE_FAILED", "NO_CHALLENGE"] | None, *LEFT_OUT] = None
    """What speaks against the score most."""
    signs: list[SetSign] = Field(default_factory=list, max_length=20)
    """What was seen that speaks against a living person; signs of an attack count as signs of fraud."""


class SimulatedSelfie(Sent):
    """What the live face lets one estimate."""

    age: Annotated[Years | None, *LEFT_OUT] = None
    """Years."""
    gender: Annotated[SelfieGender | None, Field(strict=False)] = None
    """Null: it could not be estimated."""


class SimulatedDevice(Sent):
    """The device and its connection; null: unknown, so that the check is not run."""

    compromised: bool | None = None
    """Rooted, jailbroken or under a debugger."""
    developer_mode: bool | None = None
    """Developer mode is switched on."""
    emulator: bool | None = None
    """An emulator or simulator."""
    vpn_or_proxy: bool | None = None
    """The connection came through a VPN, a proxy or Tor."""
    mock_location: bool | None = None
    """The reported location is simulated."""
    gps_country: CountryCode | None = None
    """Country of the reported location."""
    ip_country: CountryCode | None = None
    """Country of the IP address."""


class SimulatedSearch(Sent):
    """What a search for the face among other customers and blocklists would have found; nothing is searched."""

    mode: Annotated[FaceSearch, Field(strict=False)] = FaceSearch.ENFORCE
    """How far it is switched on: `off`, `report` or `enforce`."""
    repeated_face: bool | None = None
    """The face belongs to another customer, too; null: not searched."""
    internal_blocklist_match: bool | None = None
    """The face is on the account's own blocklist."""
    global_blocklist_match: bool | None = None
    """The face is on the platform-wide blocklist."""


class SimulatedRecord(Sent):
    """What the customer's last approved document said."""

    given_names: Annotated[Words | None, *LEFT_OUT] = None
    """Given names."""
    surnames: Annotated[Words | None, *LEFT_OUT] = None
    """Surnames."""
    gender: Annotated[Literal["M", "F", "X"] | None, *LEFT_OUT] = None
    """Gender."""
    date_of_birth: Annotated[PastDate | None, *LEFT_OUT] = None
    """Date of birth, YYYY-MM-DD."""


class Simulation(Sent):
    """Evidence instead of captures; an empty object is one that is approved under any config."""

    scenario: Annotated[ScenarioName | None, *LEFT_OUT] = None
    """One of `GET …/test/scenarios`; left out: `approved`."""
    document: SimulatedDocument | None = SimulatedDocument()
    """Null: no document was examined."""
    liveness: SimulatedLiveness | None = SimulatedLiveness()
    """Null: nothing of the liveness was examined."""
    faces: dict[SetPair, Score | None] = Field(default_factory=dict, max_length=3)
    """How alike two faces are, by pair; null: one of them shows no face."""
    selfie: SimulatedSelfie | None = SimulatedSelfie()
    """Null: nothing could be estimated."""
    device: SimulatedDevice = SimulatedDevice()
    """The device and its connection."""
    face_search: Annotated[SimulatedSearch | None, *LEFT_OUT] = None
    """A search for the face; left out: the account's own, which is off."""
    earlier_record: Annotated[SimulatedRecord | None, *LEFT_OUT] = None
    """Compared with instead of the customer's own record."""
    customer_status: Annotated[Annotated[CustomerStatus, Field(strict=False)] | None, *LEFT_OUT] = None
    """The customer is moved to this status first, and stays there."""
    manual_review: Annotated[bool | None, *LEFT_OUT] = None
    """True: as if the account had manual review switched on; false: as if not."""
    status: Annotated[Ending | None, *LEFT_OUT] = None
    """Go to this status instead of a decision. From PROCESSING a second simulation decides."""
