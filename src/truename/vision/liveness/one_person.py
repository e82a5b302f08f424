"""Is the same person in all frames?"""

from collections.abc import Sequence
from itertools import product
from typing import Final

from truename.vision.captures import FaceTemplate
from truename.vision.face.embed import cosine, cosines_in_turn

SAME_PERSON: Final = 0.30
"""Cosine to the straight view; one impostor pair in 250 reaches it, so that it only needs to hold for each frame."""
SAME_AS_NEIGHBOUR: Final = 0.42
"""Cosine to the frame before or after, which differ less than frames far apart."""
BESIDE: Final = 2
"""Frames on each side of a moment: one of them may be smeared, or turned far."""


def is_one_person(templates: Sequence[FaceTemplate], straight: FaceTemplate) -> bool:
    """Are all frames, in their order, of who is seen in the straight one?"""
    to_straight, to_neighbour = cosines_in_turn(straight, templates)
    nearest = [max(before, after) for before, after in zip([-1.0, *to_neighbour], [*to_neighbour, -1.0], strict=True)]
    alike = min(to_straight) >= SAME_PERSON and min(nearest) >= SAME_AS_NEIGHBOUR
    return alike and not _somebody_takes_over(templates)


def _somebody_takes_over(templates: Sequence[FaceTemplate]) -> bool:
    """Is there a moment after which nobody is like whoever was there before? Each by themselves has neighbours."""
    for moment in range(BESIDE, len(templates) - BESIDE + 1):
        before, after = templates[moment - BESIDE : moment], templates[moment : moment + BESIDE]
        if max(cosine(one, other) for one, other in product(before, after)) < SAME_AS_NEIGHBOUR:
            return True
    return False
