"""Everything the SDK needs to know, and how far the person has come."""

from typing import Final, Literal

from truename.capture import store
from truename.capture.accepted_documents import accepted_documents, shown
from truename.capture.access import Capture
from truename.capture.answers import (
    AccountName,
    CaptureStatus,
    ConsentState,
    DocumentProgress,
    LastTake,
    LivenessBounds,
    LivenessProgress,
    Progress,
    Session,
    UploadLimits,
)
from truename.capture.caps import attempts_left
from truename.capture.challenge import CHALLENGE_SECONDS, FRAME_MAX_PX, FRAMES_MAX, FRAMES_MIN
from truename.capture.model import CONSENT_VERSIONS
from truename.capture.takes import Take
from truename.capture.texts import OwnTexts, ReturnAddress
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import TransactionExpired
from truename.rules.config import Action, TransactionType
from truename.transactions.lifecycle import Status

CONSENT_VERSION: Final = CONSENT_VERSIONS[-1]
TOLD: Final[dict[Status, Literal["IN_PROGRESS", "PROCESSING", "CANCELLED"]]] = {
    Status.CREATED: "IN_PROGRESS",
    Status.IN_PROGRESS: "IN_PROGRESS",
    Status.PROCESSING: "PROCESSING",
    Status.CANCELLED: "CANCELLED",
}
IMAGE_BYTES: Final = 12 * 1024 * 1024


async def describe_session(connection: Connection, capture: Capture, light: bool) -> Session:
    """What the session of an open capture is: bounds, choices of the account, and how far the person has come."""
    account, kind = capture.settings, capture.transaction_type
    consent = ConsentState(
        given=await store.consent_given(connection, capture),
        text_version=CONSENT_VERSION,
        retention_days=account.retention_days,
        privacy_url=account.privacy_url,
    )
    return Session(
        livemode=None if capture.livemode else False,
        transaction_id=capture.transaction_id,
        transaction_type=kind,
        status="IN_PROGRESS",
        now=capture.now,
        expires_at=capture.expires_at,
        account=AccountName(name=capture.account_name),
        steps=_steps(kind),
        consent=consent,
        documents=[shown(row) for row in accepted_documents(capture)],
        progress=await _progress(connection, capture),
        liveness=LivenessBounds(
            challenge_seconds=CHALLENGE_SECONDS,
            frames_min=FRAMES_MIN,
            frames_max=FRAMES_MAX,
            frame_max_px=FRAME_MAX_PX,
            light=light,
        ),
        limits=UploadLimits(image_bytes=IMAGE_BYTES, image_types=["image/jpeg", "image/png"], takes=store.TAKES_MAX),
        file_upload=account.file_upload,
        handoff=account.handoff,
        wants_location=_wants_location(capture),
        language=account.language,
        texts={
            language: OwnTexts(welcome=own.welcome, done=own.done) for language, own in account.capture_texts.items()
        },
        return_=ReturnAddress(origins=list(account.capture_origins), url=account.return_url),
        demo=account.trial,
    )


def _steps(kind: TransactionType) -> list[Literal["CONSENT", "DOCUMENT", "LIVENESS"]]:
    steps: list[Literal["CONSENT", "DOCUMENT", "LIVENESS"]] = ["CONSENT"]
    if kind.has_document:
        steps.append("DOCUMENT")
    if kind.has_selfie:
        steps.append("LIVENESS")
    return steps


def status_of(capture: Capture) -> CaptureStatus:
    """How far the transaction is, as the SDK may know it: DONE stands for every decision.

    Refuses (401) one that has expired, as its token is from then on.
    """
    if capture.status is Status.EXPIRED:
        raise TransactionExpired
    return CaptureStatus(status=TOLD.get(capture.status, "DONE"), expires_at=capture.expires_at)


async def _progress(connection: Connection, capture: Capture) -> Progress:
    takes = await store.takes_of(connection, capture)
    front, has_selfie = takes.front, capture.transaction_type.has_selfie
    return Progress(
        document=DocumentProgress(
            country=front.choice.country if front else None,
            type=front.choice.type if front else None,
            back_needed=front.back_needed if front else None,
            front=_last_take(front),
            back=_last_take(takes.back),
        ),
        liveness=LivenessProgress(
            done=takes.live is not None and takes.live.usable,
            attempts_left=await attempts_left(connection, capture) if has_selfie else 0,
        ),
        device=await store.device_reported(connection, capture),
    )


def _last_take(take: Take | None) -> LastTake | None:
    if take is None:
        return None
    left = max(0, store.TAKES_MAX - take.takes)
    return LastTake(usable=take.usable, reasons=list(take.reasons), takes_left=left)


def _wants_location(capture: Capture) -> bool:
    """Permission is asked for only when a policy would act on the place."""
    policy = capture.config.device_policy
    return any(
        action is not Action.IGNORE for action in (policy.on_gps_mock_location, policy.on_gps_ip_location_mismatch)
    )
