"""What was seen: facts and scores, never thresholds.

Everything the judgement knows of the captures stands here and is stored, so that a transaction can be judged
again with the same result. `None` always means "not known" and is never read as a pass.
"""

from datetime import date
from enum import StrEnum

from pydantic import Field

from truename.rules.authenticity_signs import AuthenticitySign
from truename.rules.document_words import DocumentType as DocumentType
from truename.rules.document_words import FieldName as FieldName
from truename.rules.document_words import OwnKind as OwnKind
from truename.rules.document_words import Source as Source
from truename.rules.document_words import Word as Word
from truename.rules.facts import Fact as Fact
from truename.rules.facts import SeenStep as SeenStep
from truename.rules.liveness_signs import LivenessSign
from truename.rules.searched_faces import SearchedFaces

Score = float
"""A calibrated number from 0 to 1."""


# ── documents ──────────────────────────────────────────────────────────────────────────────────────────────


class ReadValue(Fact):
    """One value as one source gave it."""

    value: str
    source: Source
    confidence: Score
    repaired: bool = False
    """True when a character was corrected because the check digits prove it."""


class DocumentField(ReadValue):
    """The value that was settled on, and what other sources said when they disagreed."""

    others: tuple[ReadValue, ...] = ()


class MrzFormat(StrEnum):
    """The layouts of machine-readable zones: those of ICAO Doc 9303, and three of single countries."""

    TD1 = "TD1"
    TD2 = "TD2"
    TD3 = "TD3"
    MRV_A = "MRV_A"
    MRV_B = "MRV_B"
    FRENCH_ID = "FRENCH_ID"
    RUSSIAN_ID = "RUSSIAN_ID"
    """The internal passport: a TD3 zone that begins with PNRUS and writes names in a code."""
    KENYAN_ID = "KENYAN_ID"
    """The identity card of before 2023: three lines that begin with IDKYA, of which the second has the day of issue
    instead of an end, and the holder's number instead of a nationality."""


class MrzReading(Fact):
    """The machine-readable zone as it was read."""

    format: MrzFormat
    lines: tuple[str, ...]
    check_digits: dict[str, bool]
    """By field: document_number, date_of_birth, date_of_expiry, date_of_issue, personal_number, composite."""
    valid: bool
    """Every check digit the format has is right, and the characters were not mostly guessed."""
    readers_agree: bool
    """Two independent readers saw the same characters."""
    confidence: Score
    repaired_fields: tuple[str, ...] = ()

    @property
    def has_wrong_digits(self) -> bool:
        """Is a check digit wrong? One that is not valid may have right ones, and be guessed."""
        return not self.valid and not (self.check_digits and all(self.check_digits.values()))


class QualityReason(StrEnum):
    """Why a picture is hard to use; each has words for a person on the capture page."""

    NO_DOCUMENT = "NO_DOCUMENT"
    BLURRED = "BLURRED"
    GLARE = "GLARE"
    TOO_SMALL = "TOO_SMALL"
    CROPPED = "CROPPED"
    TOO_DARK = "TOO_DARK"
    SCREEN = "SCREEN"
    PHOTOCOPY = "PHOTOCOPY"
    BACK_NEEDED = "BACK_NEEDED"
    WRONG_SIDE = "WRONG_SIDE"
    NO_FACE = "NO_FACE"
    SEVERAL_FACES = "SEVERAL_FACES"
    FACE_TOO_SMALL = "FACE_TOO_SMALL"
    FACE_COVERED = "FACE_COVERED"
    UNREADABLE = "UNREADABLE"


class Quality(Fact):
    """Measured properties of one picture and what is wrong with it."""

    reasons: tuple[QualityReason, ...] = ()
    sharpness: Score | None = None
    glare: Score | None = None
    brightness: Score | None = None
    width: int = 0
    height: int = 0


Outline = tuple[tuple[float, float], ...]
"""Corners of a shape, as fractions of a picture's width and height, clockwise from the top left."""


class SideEvidence(Fact):
    """One photographed side of the document."""

    quad: tuple[tuple[float, float], ...] = ()
    """The document's corners in the upright picture, as fractions of its width and height, clockwise from top left."""
    quality: Quality = Quality()
    places: dict[FieldName, tuple[Outline, ...]] = Field(default_factory=dict)
    """Where each value stands on the page laid flat: in its print, in its zone, or in both."""


class DocumentEvidence(Fact):
    """What the document is and says."""

    recognised: bool
    """False when country and type could not be settled from the document itself."""
    reason: str | None = None
    """Why it was not recognised: NO_DOCUMENT, UNREADABLE, UNKNOWN_LAYOUT."""
    country: str | None = None
    """Issuing country, ISO 3166-1 alpha-2."""
    issuer_code: str | None = None
    """The issuer as printed in the MRZ or barcode (three letters), where it is no ISO country (UTO, EUE …)."""
    type: DocumentType | None = None
    type_confidence: Score = 0.0
    fields: dict[FieldName, DocumentField] = Field(default_factory=dict)
    mrz: MrzReading | None = None
    barcode_kind: str | None = None
    """For example AAMVA, ARGENTINA_DNI, COLOMBIA_CEDULA."""
    front: SideEvidence | None = None
    back: SideEvidence | None = None
    has_portrait: bool = False
    authenticity: dict[AuthenticitySign, float] | None = None
    """What was measured to tell whether it is genuine; a sign that could not be measured is missing. None for what was
    examined before there were signs."""
    own_kind: OwnKind | None = Field(default=None, exclude_if=lambda said: said is None)
    """What a layout file of the operator's own says of a kind that our table does not know."""

    def value(self, name: FieldName) -> str | None:
        field = self.fields.get(name)
        return field.value if field else None

    def check_digit_fails(self, name: FieldName) -> bool:
        """Does the value come from a zone in which its own check digit is wrong? Then it is no good reading."""
        field = self.fields.get(name)
        if field is None or self.mrz is None or field.source is not Source.MRZ:
            return False
        return not self.mrz.check_digits.get(name, True)

    def date(self, name: FieldName) -> date | None:
        text = self.value(name)
        try:
            return date.fromisoformat(text) if text else None
        except ValueError:
            return None


# ── faces ──────────────────────────────────────────────────────────────────────────────────────────────────


class FacePair(Word):
    """Which two faces were compared."""

    DOCUMENT_AND_LIVENESS = "DOCUMENT_AND_LIVENESS"
    LIVENESS_AND_REFERENCE = "LIVENESS_AND_REFERENCE"
    DOCUMENT_AND_REFERENCE = "DOCUMENT_AND_REFERENCE"


class FaceComparison(Fact):
    """How alike two faces are. A pair stands in the evidence whenever both of its pictures were called for."""

    score: Score | None
    """Calibrated so that at 0.85 one impostor pair in 10,000 would pass; None when it could not be computed."""
    reason: str | None = None
    """NO_FACE when one of the two, or both, show no face; OTHER_FACE_MODEL when the stored one cannot be compared."""


class LivenessEvidence(Fact):
    """Whether a living person stood before the camera."""

    score: Score
    """0 when there is no live face."""
    reason: str | None = None
    """What speaks against the score most, if anything: NO_FACE, SPOOF_SIGNS, CHALLENGE_FAILED …"""
    passive_score: Score | None = None
    challenge_score: Score | None = None
    """None when no challenge was part of the capture."""
    signs: tuple[LivenessSign, ...] = ()
    quality: Quality = Quality()
    light: str | None = None
    """What the face answered to the screen's colours: ANSWERED, SILENT (too bright to tell) or CONTRADICTED."""
    steps: tuple[SeenStep, ...] = ()
    """The challenge step by step; empty where there was none, and in what was stored before 2026-11-16."""


class SelfieGender(StrEnum):
    """The gender estimated from a selfie; the one printed on a document has its own words."""

    MALE = "MALE"
    FEMALE = "FEMALE"


class SelfieEstimate(Fact):
    """Age and gender estimated from the live face: estimates, with their own error."""

    age: float
    age_margin: float
    """Mean absolute error of the model in years."""
    gender: SelfieGender | None
    gender_confidence: Score


# ── device ─────────────────────────────────────────────────────────────────────────────────────────────────


class DeviceEvidence(Fact):
    """What is known of the device and the connection; None is unknown and its check is NOT_RUN."""

    compromised: bool | None = None
    developer_mode: bool | None = None
    emulator: bool | None = None
    vpn_or_proxy: bool | None = None
    mock_location: bool | None = None
    gps_country: str | None = None
    ip_country: str | None = None
    details: dict[str, str | int | float | bool | None] = Field(default_factory=dict)
    """What the facts rest on (platform, network kind, data dates); shown to the integrator, never judged."""


class ModelUsed(Fact):
    """One model that took part, by the hash of its weights; or a layout file of the operator's own, by the file's."""

    name: str
    version: str
    sha256: str


class Evidence(Fact):
    """All that was seen in one transaction. A part that was not called for, or could not be examined, is None."""

    document: DocumentEvidence | None = None
    liveness: LivenessEvidence | None = None
    face_similarity: dict[FacePair, FaceComparison] = Field(default_factory=dict)
    selfie: SelfieEstimate | None = None
    device: DeviceEvidence = DeviceEvidence()
    searched_faces: SearchedFaces | None = None
    """None unless face search ran; what follows are its answers in a simulation, which searches nothing."""
    repeated_face: bool | None = None
    """The live face belongs to another customer."""
    internal_blocklist_match: bool | None = None
    global_blocklist_match: bool | None = None
    engine: tuple[ModelUsed, ...] = ()
