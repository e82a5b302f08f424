"""How evenly a zone is set is told by the characters that were seen, not by those that a finger covers."""

import cv2
import numpy as np
import pytest

from truename.rules.authenticity_signs import LIMITS, AuthenticitySign
from truename.vision.document.mrz.decode import DecodedLine
from truename.vision.document.mrz.layouts import ALPHABET
from truename.vision.document.mrz.type_setting import TALL, WIDE, glyphs, uneven_spacing, unlike_ocr_b

SPACING = LIMITS[AuthenticitySign.ZONE_SPACING]
FONT = LIMITS[AuthenticitySign.ZONE_FONT]
TEXT = "R3492297<7XXB6301019F3103094<<<<<<<<<<<<<<<8"
HIDDEN = 4
"""Characters at the end of the line, beside the last of which the grammar found room behind a finger."""


def a_line(middles: list[float], sure: list[float]) -> DecodedLine:
    characters = np.full((len(TEXT), len(ALPHABET)), -20.0, np.float32)
    for place, (character, certain) in enumerate(zip(TEXT, sure, strict=True)):
        characters[place, ALPHABET.index(character)] = np.log(certain)
    return DecodedLine(TEXT, 0.0, characters, np.array(middles, np.float32))


def covered() -> list[float]:
    even = [5.0 * place for place in range(len(TEXT) - HIDDEN)]
    return [*even, *(even[-1] + 14.5 + 2.0 * place for place in range(HIDDEN))]


@pytest.mark.parametrize("guessed", [0.35, 0.73])
def test_characters_under_a_finger_do_not_speak_against_the_zone(guessed: float) -> None:
    unseen = [1.0] * (len(TEXT) - HIDDEN) + [guessed] * HIDDEN
    assert not SPACING.speaks(uneven_spacing([a_line(covered(), unseen)]))


def test_characters_that_were_seen_to_stand_unevenly_do() -> None:
    assert SPACING.speaks(uneven_spacing([a_line(covered(), [1.0] * len(TEXT))]))


def test_a_line_that_was_hardly_seen_is_measured_as_it_was_read() -> None:
    assert SPACING.speaks(uneven_spacing([a_line(covered(), [0.4] * len(TEXT))]))


@pytest.mark.parametrize("pitch", [16.0, 13.0, 12.0])
def test_letters_of_ocr_b_are_known_in_a_smaller_strip_too(pitch: float) -> None:
    """A tilted page gives strips in which letters are smaller than those that they are held against."""
    step, tall = 16, 32
    strip = np.full((tall, step * len(TEXT) + 2 * WIDE), 255.0, np.float32)
    for place, character in enumerate(TEXT):
        left, top = WIDE + step * place - WIDE // 2, (tall - TALL) // 2
        inked = 255 - 17 * glyphs()[character]
        part = strip[top : top + TALL, left : left + WIDE]
        strip[top : top + TALL, left : left + WIDE] = np.minimum(part, inked)
    share = pitch / step
    small = cv2.resize(strip, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    above = (tall - small.shape[0]) // 2
    framed = cv2.copyMakeBorder(small, above, tall - small.shape[0] - above, 0, 0, cv2.BORDER_REPLICATE)
    middles = [((WIDE + step * place) * share) / 4 - 0.5 for place in range(len(TEXT))]
    unlike = unlike_ocr_b([framed.astype(np.uint8)], [a_line(middles, [1.0] * len(TEXT))])
    assert unlike is not None
    assert not FONT.speaks(unlike)
