"""Which frames of a recording are spoilt, so that nothing can be measured on them?

A camera looks for its focus, a head moves while the shutter is open, a hand swings the picture aside: in one frame of
many the face is smeared or half outside, and what the networks say of it is chance. Such a frame proves nothing for
anybody and is held against nobody. Whoever attacks could have left it out: nothing is won by what is left out here.
"""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final

from truename.rules.evidence import QualityReason
from truename.vision.liveness.frame_quality import quality_of
from truename.vision.liveness.views import View

HALF_AS_SHARP: Final = 0.5
"""A frame is blurred when it is less than half as sharp as the middle one of its recording: a soft camera is soft
throughout, and a head's own turns change the sharpness of its face by a tenth down and a half up."""

MOST_TRIED: Final = 6
"""Where more frames than this are spoilt, they are left out together, and not one at a time as well."""

Seen = View | QualityReason


def what_is_left(seen: Sequence[Seen]) -> Iterator[list[Seen]]:
    """The recording without one of its spoilt frames, for each of them, and then without all; nothing if none is.

    One at a time, because a head that moves is smeared, and the frame that shows it on its way may be measured well.
    """
    kept = without_spoilt(seen)
    spoilt = [number for number, (one, other) in enumerate(zip(seen, kept, strict=True)) if one is not other]
    if 1 < len(spoilt) <= MOST_TRIED:
        yield from ([*seen[:number], kept[number], *seen[number + 1 :]] for number in spoilt)
    if spoilt:
        yield kept


def without_spoilt(seen: Sequence[Seen]) -> list[Seen]:
    """What was seen in each frame, with the reason in place of every view that is spoilt."""
    measured = {one.number: quality_of(one) for one in seen if isinstance(one, View)}
    usual = median([one.sharpness or 0.0 for one in measured.values()]) if measured else 0.0
    kept: list[Seen] = []
    for one in seen:
        quality = measured.get(one.number) if isinstance(one, View) else None
        if quality is None:
            kept.append(one)
        elif QualityReason.CROPPED in quality.reasons:
            kept.append(QualityReason.CROPPED)
        elif (quality.sharpness or 0.0) < HALF_AS_SHARP * usual:
            kept.append(QualityReason.BLURRED)
        else:
            kept.append(one)
    return kept
