"""One side of the document: looked at at once, so that the person can take it again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from truename.accounts.tokens import SdkClaims
from truename.capture import store
from truename.capture.accepted_documents import accepted_documents
from truename.capture.access import Capture, open_capture
from truename.capture.answers import DocumentTaken
from truename.capture.consent import refuse_without_consent
from truename.capture.pictures import decode_and_look
from truename.capture.takes import Choice, NewTake, Slot, TakenPicture, Takes
from truename.media.pictures import MediaKind, StoredPicture
from truename.media.store import drop_pictures, insert_pictures
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import Invalid, TooManyTakes, WrongState
from truename.plumbing.resources import Plumbing
from truename.rules.documents import needs_back
from truename.rules.evidence import QualityReason
from truename.rules.faults import Fault
from truename.vision.captures import Side
from truename.vision.document.preview import DocumentPreview, preview_document
from truename.vision.images import CleanImage

SLOTS: Final = {Side.FRONT: Slot.DOCUMENT_FRONT, Side.BACK: Slot.DOCUMENT_BACK}
KINDS: Final = {Side.FRONT: MediaKind.DOCUMENT_FRONT, Side.BACK: MediaKind.DOCUMENT_BACK}
HOPELESS: Final = frozenset({QualityReason.NO_DOCUMENT, QualityReason.UNREADABLE, QualityReason.WRONG_SIDE})
"""With these a take is of no use to the analysis, whatever the person says."""

ADVICE: Final = {
    QualityReason.NO_DOCUMENT: "No document was found: lay it on a plain, dark surface and fill the frame.",
    QualityReason.BLURRED: "Hold the phone still and tap to focus.",
    QualityReason.GLARE: "Tilt the document or the phone until the reflection is gone.",
    QualityReason.TOO_SMALL: "Move closer until the document fills the frame.",
    QualityReason.CROPPED: "Keep all four corners inside the frame.",
    QualityReason.TOO_DARK: "Find more light.",
    QualityReason.SCREEN: "Photograph the document itself, not a screen.",
    QualityReason.PHOTOCOPY: "Photograph the document itself, not a copy.",
    QualityReason.WRONG_SIDE: "This looks like the other side.",
    QualityReason.NO_FACE: "No portrait was found on the document.",
    QualityReason.UNREADABLE: "The document could not be read: more light and a steady hand help.",
}


@dataclass(frozen=True)
class Taken:
    """A picture that was read, cleaned and looked at."""

    image: CleanImage
    seen: DocumentPreview


async def refuse_useless_take(
    connection: Connection, claims: SdkClaims, side: Side, choice: Choice, *, lock: bool = True
) -> Capture:
    """Everything that can be refused before the picture is looked at, or even read."""
    capture = await open_capture(connection, claims, lock=lock)
    if not capture.transaction_type.has_document:
        raise WrongState("This transaction calls for no document.", code="wrong_step")
    await refuse_without_consent(connection, capture)
    takes = await store.takes_of(connection, capture)
    if side is Side.BACK and takes.front is None:
        raise WrongState("Take the front first.", code="wrong_step")
    made = await store.takes_made(connection, capture)
    if made.get(SLOTS[side], 0) >= store.TAKES_MAX:
        raise TooManyTakes("This side was taken too often; the last take stays.")
    if side is Side.FRONT and _is_other_document(takes, choice) and made.get(SLOTS[Side.BACK], 0) >= store.TAKES_MAX:
        raise TooManyTakes("Another document cannot be chosen any more: its back could not be taken.")
    if choice.source == "FILE" and not capture.settings.file_upload:
        raise WrongState("Files are not accepted: use the camera.", code="wrong_step")
    if choice.type is not None:
        accepted = {(row.country, row.type) for row in accepted_documents(capture)}
        if (choice.country, choice.type) not in accepted:
            fault = Fault("/type", "document_not_accepted", "This transaction does not accept such a document.")
            raise Invalid([fault])
    return capture


async def keep_take(
    connection: Connection, capture: Capture, side: Side, choice: Choice, taken: Taken, picture: StoredPicture
) -> tuple[DocumentTaken, list[str]]:
    """Replace the take before, of which it was asked in the same database transaction whether it may be replaced.

    Answers what the SDK is told and which stored pictures are now loose.
    """
    seen, own = taken.seen, (capture.account_id, capture.transaction_id)
    takes = await store.takes_of(connection, capture)
    loose = await drop_pictures(connection, *own, [KINDS[side]])
    if side is Side.FRONT and _is_other_document(takes, choice):
        loose += await drop_pictures(connection, *own, [KINDS[Side.BACK]])
        await store.drop_take(connection, capture, SLOTS[Side.BACK])
    new = NewTake(
        slot=SLOTS[side],
        usable=seen.usable,
        reasons=[reason for reason in seen.reasons if reason is not QualityReason.BACK_NEEDED],
        pictures=[TakenPicture(picture.media_id)],
        choice=choice,
        back_needed=_back_needed(side, seen, choice, takes),
    )
    await insert_pictures(connection, [picture])
    count = await store.replace_take(connection, capture, new)
    answer = DocumentTaken(
        usable=new.usable,
        reasons=list(new.reasons),
        back_needed=new.back_needed,
        takes_left=max(0, store.TAKES_MAX - count),
        can_use_anyway=not new.usable and may_go_on(new.reasons, count),
        advice=ADVICE.get(seen.reasons[0], "Take the picture again.") if not seen.usable and seen.reasons else None,
    )
    return answer, loose


def _is_other_document(takes: Takes, choice: Choice) -> bool:
    """Does the person now say that it is another document than at the take before?"""
    return takes.front is not None and takes.front.choice.document != choice.document


def may_go_on(reasons: Sequence[QualityReason], takes: int) -> bool:
    """May the person go on with an unusable take? When there are no takes left, the analysis will judge it."""
    return takes >= store.TAKES_MAX or not HOPELESS & set(reasons)


def _back_needed(side: Side, seen: DocumentPreview, choice: Choice, takes: Takes) -> bool | None:
    if side is Side.BACK:
        return takes.front.back_needed if takes.front else None
    if seen.back_needed:
        return True
    if choice.country and choice.type:
        return needs_back(choice.country, choice.type)
    return seen.back_needed if seen.type_guess else None


async def look_at_side(plumbing: Plumbing, claims: SdkClaims, side: Side, body: bytes) -> Taken:
    """Decode the picture and look at it; nothing is kept yet."""
    image, seen = await decode_and_look(plumbing, claims, body, lambda picture: preview_document(picture, side))
    return Taken(image, seen)
