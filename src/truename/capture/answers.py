"""What the SDK is answered, call by call. No answer holds results, thresholds or personal data."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from truename.capture.texts import OwnTexts, ReturnAddress
from truename.plumbing.http.bodies import Marked, Shown
from truename.rules.config import TransactionType
from truename.rules.evidence import DocumentType, QualityReason
from truename.vision.captures import Step


class AccountName(Shown):
    """The account that asks for the verification, as the person knows it."""

    name: str
    """Who asks for the verification."""


class ConsentState(Shown):
    """Whether the person agreed, to which text, and what that text has to say of this account."""

    given: bool | None
    """Null: not asked yet. False: declined; the person may still change their mind."""
    text_version: str
    """The text to show, and to name when it was answered."""
    retention_days: int | None
    """How long the account keeps pictures; null when it sets no limit."""
    privacy_url: str | None
    """The integrator's own privacy notice."""


class AcceptedDocument(Shown):
    """One kind of document that the transaction accepts."""

    country: str
    """Issuing country, ISO 3166-1 alpha-2."""
    type: DocumentType
    """Type of the document."""
    sides: list[Literal["front", "back"]]
    """Those that are read: a `back` listed here is needed unless an answer says otherwise."""


class LastTake(Shown):
    """What became of the last picture of one side of the document."""

    usable: bool
    """Good enough for the analysis."""
    reasons: list[QualityReason]
    """What is wrong with it, worst first."""
    takes_left: int
    """How often this side may still be taken."""


class DocumentProgress(Shown):
    """How far the document is: what was chosen, and the last take of each side."""

    country: str | None
    """As chosen with the front."""
    type: DocumentType | None
    """As chosen with the front."""
    back_needed: bool | None
    """As last answered; null while it cannot be told."""
    front: LastTake | None
    """The last take, usable or not."""
    back: LastTake | None
    """The last take, usable or not."""


class LivenessProgress(Shown):
    """How far the live face is, and how often it may still be tried."""

    done: bool
    """Usable frames of a challenge were received."""
    attempts_left: int
    """The smaller of this transaction's and this customer's cap."""


class Progress(Shown):
    """How far the person has come, so that a reload or another device goes on there."""

    document: DocumentProgress
    """How far the document is."""
    liveness: LivenessProgress
    """How far the live face is."""
    device: bool
    """Device signals were received."""


class LivenessBounds(Shown):
    """What the frames of a liveness challenge must keep to."""

    challenge_seconds: int
    """From the asking to the arrival of the frames."""
    frames_min: int
    """Fewest frames."""
    frames_max: int
    """Most frames."""
    frame_max_px: int
    """Longest side of a frame in pixels."""
    light: bool
    """Ask for a challenge with `light`, if the person does not mind colours on the screen."""


class UploadLimits(Shown):
    """What a picture of a document must keep to."""

    image_bytes: int
    """Largest picture of a document."""
    image_types: list[str]
    """Content types that are accepted."""
    takes: int
    """How often one side may be taken."""


class Session(Marked):
    """Everything that an SDK needs to run the capture of one open transaction."""

    transaction_id: UUID
    """The transaction."""
    transaction_type: TransactionType
    """What is captured."""
    status: Literal["IN_PROGRESS"]
    """Only an open capture has a session."""
    now: datetime
    """The server's time, to count down by."""
    expires_at: datetime
    """Until then the capture must be submitted."""
    account: AccountName
    """Who asks."""
    steps: list[Literal["CONSENT", "DOCUMENT", "LIVENESS"]]
    """What is to be captured, in order, always beginning with CONSENT."""
    consent: ConsentState
    """Whether the person agreed, and to what."""
    documents: list[AcceptedDocument]
    """What the transaction accepts, by country; empty for BIOMETRIC_ONLY."""
    progress: Progress
    """How far the person has come: a reload or another device goes on there."""
    liveness: LivenessBounds
    """Bounds of `sendLiveness`."""
    limits: UploadLimits
    """Bounds of `sendDocument`."""
    file_upload: bool
    """Files from disk are accepted instead of the camera."""
    handoff: bool
    """Another device may take over."""
    wants_location: bool
    """A policy looks at the place: ask for the permission. A refusal does not stop the capture."""
    language: str | None
    """A hint (BCP 47) from the integrator; null: the browser's."""
    texts: dict[str, OwnTexts]
    """What the account says itself, by language; a language that is not among them has none."""
    return_: Annotated[ReturnAddress, Field(alias="return")]
    """Who embeds the capture, and where it goes at the end."""
    demo: bool
    """The account is a trial account."""


class CaptureStatus(Shown):
    """How far the transaction is, as the SDK may know it: never the decision."""

    status: Literal["IN_PROGRESS", "PROCESSING", "DONE", "CANCELLED"]
    """DONE stands for every decision: the result is the integrator's. An expired token is refused with 401."""
    expires_at: datetime
    """Until then the capture must be submitted."""


class ConsentRecorded(Shown):
    """The person's answer to the consent text, as it was recorded."""

    given: bool
    """As sent."""
    text_version: str
    """As sent."""
    at: datetime
    """When it was recorded."""


class DocumentTaken(Shown):
    """What the first look at a picture of the document found, while it can still be taken again."""

    usable: bool
    """Good enough for the analysis."""
    reasons: list[QualityReason]
    """What is wrong with it, worst first; empty when usable."""
    back_needed: bool | None
    """Whether the back is needed; null while it cannot be told: then `sides` of the chosen document decide."""
    takes_left: int
    """How often this side may still be taken."""
    can_use_anyway: bool
    """The person may go on with an unusable take, and the analysis judges it."""
    advice: str | None
    """One English sentence for the first reason, for developers of SDKs."""


class Challenge(Shown):
    """Movements of the server's choice that the person is to show, and until when."""

    nonce: str
    """Names the challenge when it is answered; works once."""
    steps: list[Step]
    """What to show, in this order; the first is always LOOK_STRAIGHT. Left and right are the person's own."""
    expires_at: datetime
    """The frames must have arrived by then."""
    seconds: int
    """The same, as seconds from now."""
    attempts_left: int
    """How often the face may still be tried."""


class FramesTaken(Shown):
    """Whether the frames can be analysed; it never tells whether the person passed."""

    usable: bool
    """False: a new challenge is needed. It never tells whether the person passed."""
    reasons: list[QualityReason]
    """What is wrong with the frames."""
    attempts_left: int
    """How often the face may still be tried."""


class Submitted(Shown):
    """The capture is closed and its analysis was asked for."""

    status: Literal["PROCESSING"]
    """The analysis has been asked for; from now on only the status can be read."""
    result_expected_at: datetime | None
    """About when it will be looked at, where so much waits before it that it will take a while; null: soon."""


class HandoffOffered(Shown):
    """A link for the phone, and the number that proves that phone and computer are before the same person."""

    url: str
    """The link for the phone."""
    qr_svg: str
    """The same as a QR code (SVG)."""
    match_number: str
    """Shown on the computer; the phone must name it."""
    state: Literal["WAITING"]
    """Nobody has opened it."""
    expires_at: datetime
    """The link lives ten minutes at most."""


class HandoffState(Shown):
    """What became of the link, for the computer that waits."""

    state: Literal["WAITING", "OPENED", "CONNECTED", "FINISHED", "REFUSED", "EXPIRED"]
    """How far it is."""
    expires_at: datetime
    """Until when the link can be opened."""


class HandoffOrigin(Shown):
    """The device that offered the link, so that the person on the phone can tell a stranger's."""

    device: str
    """What the computer calls itself."""
    place: str | None
    """Its country, in English."""


class HandoffClaimed(Shown):
    """What the phone gets when it opens the link: a token that waits for the number."""

    sdk_token: str
    """The phone's own token; it acts only once the number is confirmed."""
    origin: HandoffOrigin
    """Which device asks."""
    account: AccountName
    """Who asks for the verification."""
    numbers: list[str]
    """Three to choose from; one is on the computer."""
    expires_at: datetime
    """Until then the capture must be submitted."""


class HandoffConfirmed(Shown):
    """The number was right: the phone goes on with the capture."""

    state: Literal["CONNECTED"]
    """The phone may go on."""


class HandoffRefused(Shown):
    """The person did not start this: the phone does not go on."""

    state: Literal["REFUSED"]
    """The phone's token is worth nothing from here on."""
