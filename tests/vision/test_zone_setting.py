"""How evenly a zone is set is told by the characters that were seen, not by those that a finger covers."""

import numpy as np

from truename.rules.authenticity_signs import LIMITS, AuthenticitySign
from truename.vision.document.mrz.decode import DecodedLine
from truename.vision.document.mrz.layouts import ALPHABET
from truename.vision.document.mrz.type_setting import uneven_spacing

SPACING = LIMITS[AuthenticitySign.ZONE_SPACING]
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


def test_characters_under_a_finger_do_not_speak_against_the_zone() -> None:
    unseen = [1.0] * (len(TEXT) - HIDDEN) + [0.35] * HIDDEN
    assert not SPACING.speaks(uneven_spacing([a_line(covered(), unseen)]))


def test_characters_that_were_seen_to_stand_unevenly_do() -> None:
    assert SPACING.speaks(uneven_spacing([a_line(covered(), [1.0] * len(TEXT))]))


def test_a_line_that_was_hardly_seen_is_measured_as_it_was_read() -> None:
    assert SPACING.speaks(uneven_spacing([a_line(covered(), [0.4] * len(TEXT))]))
