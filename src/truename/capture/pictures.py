"""Pictures in: decoded safely, kept sealed."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from truename.accounts.tokens import SdkClaims
from truename.capture.access import Capture
from truename.media.pictures import MediaKind, StoredPicture, store_picture, store_pictures
from truename.plumbing.errors import Invalid
from truename.plumbing.resources import Plumbing
from truename.rules.faults import Fault
from truename.vision.captures import Picture
from truename.vision.decoding.header import ImageRefused
from truename.vision.decoding.protocol import LARGEST_SIDE, Wanted
from truename.vision.images import CleanImage

Seen = TypeVar("Seen")
QUALITY: Final = 92


async def decode_and_look(
    plumbing: Plumbing,
    claims: SdkClaims,
    data: bytes,
    look: Callable[[Picture], Seen],
    *,
    pointer: str = "",
    quality: int = QUALITY,
) -> tuple[CleanImage, Seen]:
    """Decode a stranger's picture in its transaction's turn: the copy to keep, and what `look` sees in its pixels.

    The look runs beside the event loop. A picture that cannot be decoded is a refusal that points to it.
    """
    wanted = Wanted(largest_side=LARGEST_SIDE, copy_quality=quality)
    sender, account = f"transaction:{claims.transaction_id}", f"account:{claims.account_id}"
    try:
        async with plumbing.decoders.turn(data, sender, account) as turn:
            decoded = await turn.decode(wanted)
            seen = await turn.look(lambda: look(decoded.pixels))
    except ImageRefused as refused:
        fault = Fault(pointer, f"image_{refused.reason_code}", refused.sentence)
        raise Invalid([fault], code="invalid_image") from None
    return CleanImage(decoded.copy, decoded.width, decoded.height), seen


async def store_sealed(plumbing: Plumbing, capture: Capture, image: CleanImage, kind: MediaKind) -> StoredPicture:
    """Put the sealed picture into the store; its row is inserted with the take."""
    own = capture.account_id, capture.customer_id, capture.transaction_id
    return await store_picture(
        plumbing.objects, await capture.key(plumbing), *own, kind, image.data, image.width, image.height
    )


async def store_all_sealed(
    plumbing: Plumbing, capture: Capture, images: Sequence[CleanImage], kind: MediaKind
) -> list[StoredPicture]:
    """The same for many at once."""
    own = capture.account_id, capture.customer_id, capture.transaction_id
    sizes = [(image.data, image.width, image.height) for image in images]
    return await store_pictures(plumbing.objects, await capture.key(plumbing), *own, kind, sizes)
