"""The live face: a challenge of the server's choice, and the frames that answer it."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass

from truename.accounts.tokens import SdkClaims
from truename.capture import liveness_store, store
from truename.capture.access import Capture, open_capture
from truename.capture.answers import Challenge, FramesTaken
from truename.capture.caps import attempts_left, refuse_too_many, refuse_too_many_challenges
from truename.capture.challenge import (
    CHALLENGE_SECONDS,
    FRAME_MAX_PX,
    choose_colours,
    new_nonce,
    next_steps,
    nonce_hash,
    refuse_disorder,
    with_colours,
)
from truename.capture.consent import refuse_without_consent
from truename.capture.fingerprints import are_replayed, fingerprint
from truename.capture.model import SentFrames
from truename.capture.pictures import decode_and_look
from truename.capture.takes import NewTake, Slot, TakenPicture
from truename.media.pictures import MediaKind, StoredPicture
from truename.media.store import drop_pictures, insert_pictures
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import Invalid, WrongState
from truename.plumbing.resources import Plumbing
from truename.rules.evidence import QualityReason
from truename.rules.faults import Fault
from truename.vision.captures import Picture, Step
from truename.vision.decoding.header import ImageRefused, inspect
from truename.vision.images import CleanImage
from truename.vision.liveness.frame_quality import measure_frame
from truename.vision.liveness.replay import Grey, small_grey


@dataclass(frozen=True)
class Recorded:
    """Frames that were decoded, cleaned, fingerprinted and glanced at."""

    frames: tuple[CleanImage, ...]
    fingerprints: tuple[bytes, ...]
    small: tuple[Grey, ...]
    reasons: tuple[QualityReason, ...]


async def _selfie_capture(connection: Connection, claims: SdkClaims, *, lock: bool = True) -> Capture:
    capture = await open_capture(connection, claims, lock=lock)
    if not capture.transaction_type.has_selfie:
        raise WrongState("This transaction calls for no live face.", code="wrong_step")
    await refuse_without_consent(connection, capture)
    return capture


async def give_challenge(connection: Connection, claims: SdkClaims, light: bool) -> Challenge:
    """A fresh nonce, which voids the ones before, with the steps that are due, and fresh colours if they are wanted."""
    capture = await _selfie_capture(connection, claims)
    left = await refuse_too_many(connection, capture)
    await refuse_too_many_challenges(connection, capture)
    nonce, steps = new_nonce(), next_steps(await liveness_store.challenges_of_today(connection, capture))
    steps = with_colours(steps, choose_colours() if light else ())
    given = await liveness_store.add_challenge(connection, capture, nonce_hash(nonce), steps, CHALLENGE_SECONDS)
    return Challenge(
        nonce=nonce,
        steps=list(steps),
        expires_at=given.expires_at,
        seconds=max(0, int(given.seconds)),
        attempts_left=left,
    )


async def refuse_useless_answer(connection: Connection, claims: SdkClaims, *, lock: bool = True) -> Capture:
    """Everything that can be refused before the frames are even read."""
    capture = await _selfie_capture(connection, claims, lock=lock)
    await refuse_too_many(connection, capture)
    return capture


async def refuse_false_answer(
    connection: Connection, claims: SdkClaims, sent: SentFrames, *, lock: bool = True
) -> tuple[Capture, list[Step]]:
    """Everything that can be refused before the frames are looked at; answers the steps that were asked for."""
    capture = await refuse_useless_answer(connection, claims, lock=lock)
    challenge = await liveness_store.find_challenge(connection, capture, nonce_hash(sent.nonce))
    if challenge is None:
        raise WrongState("The nonce is not one of this transaction.", code="challenge_unknown")
    if challenge.used:
        raise WrongState("The challenge was answered already.", code="challenge_used")
    if challenge.too_late:
        raise WrongState("The challenge has expired.", code="challenge_expired")
    answered = [(frame.step, frame.at_ms) for frame in sent.frames]
    refuse_disorder(challenge.steps, answered, int(challenge.age * 1000))
    return capture, challenge.steps


async def look_at_frames(plumbing: Plumbing, claims: SdkClaims, sent: SentFrames) -> Recorded:
    """Decode each frame once; glance at those of the straight look, where a face must be plain to see."""
    cleaned, marks, small, reasons = [], [], [], []
    straight = [number for number, frame in enumerate(sent.frames) if frame.step is Step.LOOK_STRAIGHT]
    glanced = {straight[0], straight[-1]}
    for number, frame in enumerate(sent.frames):
        pointer = f"/frames/{number}/image"
        data = base64.b64decode(frame.image)
        _refuse_large_frame(data, pointer)

        def look(picture: Picture, glance: bool = number in glanced) -> tuple[bytes, Grey, tuple[QualityReason, ...]]:
            return fingerprint(picture), small_grey(picture), measure_frame(picture).reasons if glance else ()

        image, (mark, grey, found) = await decode_and_look(plumbing, claims, data, look, pointer=pointer, quality=95)
        cleaned.append(image)
        marks.append(mark)
        small.append(grey)
        reasons.append(found)
    # A frame of the straight look that is good is enough: people blink.
    best = min((found for number, found in enumerate(reasons) if number in glanced), key=len)
    return Recorded(tuple(cleaned), tuple(marks), tuple(small), tuple(best))


def _refuse_large_frame(data: bytes, pointer: str) -> None:
    """By its header, before a pixel is decoded."""
    try:
        header = inspect(data)
    except ImageRefused as refused:
        fault = Fault(pointer, f"image_{refused.reason_code}", refused.sentence)
        raise Invalid([fault], code="invalid_image") from None
    if max(header.width, header.height) > FRAME_MAX_PX:
        fault = Fault(pointer, "image_too_many_pixels", f"A frame's long side must be at most {FRAME_MAX_PX} pixels.")
        raise Invalid([fault], code="invalid_image")


async def keep_frames(
    connection: Connection,
    capture: Capture,
    sent: SentFrames,
    steps: Sequence[Step],
    recorded: Recorded,
    stored: list[StoredPicture],
    *,
    sent_before: bool,
) -> tuple[FramesTaken | Invalid, list[str]]:
    """Use up the challenge and keep the frames, which were not refused in the same database transaction.

    Answers what the SDK is told and which stored pictures are loose.
    """
    await liveness_store.use_challenge(connection, nonce_hash(sent.nonce))
    await liveness_store.add_attempt(connection, capture, new_id())
    marks = list(recorded.fingerprints)
    replayed = sent_before or are_replayed(marks, await liveness_store.earlier_frames(connection, capture, marks))
    await liveness_store.remember_frames(connection, capture, marks)
    left = await attempts_left(connection, capture)
    if replayed:
        # Not raised: the attempt must count and the nonce stay spent, so the database transaction must commit.
        fault = Fault("/frames", "frames_repeated", "These frames were sent before.")
        return Invalid([fault], code="frames_repeated"), [picture.object_key for picture in stored]
    own = capture.account_id, capture.transaction_id
    loose = await drop_pictures(connection, *own, [MediaKind.LIVENESS_FRAME])
    await insert_pictures(connection, stored)
    new = NewTake(
        slot=Slot.LIVENESS,
        usable=not recorded.reasons,
        reasons=recorded.reasons,
        pictures=[
            TakenPicture(picture.media_id, frame.step, frame.at_ms)
            for picture, frame in zip(stored, sent.frames, strict=True)
        ],
        challenge=steps,
    )
    await store.replace_take(connection, capture, new)
    return FramesTaken(usable=new.usable, reasons=list(new.reasons), attempts_left=left), loose
