"""What is measured to tell whether a document is genuine: each sign is a number, with the limit at which it speaks.

The numbers are evidence (`DocumentEvidence.authenticity`); the limits stand here. How often each errs on genuine
pictures, with its limit chosen on other sources, is counted by `benchmarks.accuracy --only authenticity`. A sign that
was not measured is missing, and says nothing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class AuthenticitySign(StrEnum):
    """The signs, by the word that the check gives as its reason."""

    __hash__ = str.__hash__

    SOURCES_CONTRADICT = "SOURCES_CONTRADICT"
    """How sure the print is of what contradicts the zone or the barcode; 0 when nothing does."""
    CHECK_DIGITS_FAILED = "CHECK_DIGITS_FAILED"
    """Wrong check digits of the zone; measured where both readers saw the same characters."""
    SIDES_DO_NOT_MATCH = "SIDES_DO_NOT_MATCH"
    """How many of the values that were stated stand in the print beside the portrait, where two sides were captured."""
    NUMBER_CONTRADICTS = "NUMBER_CONTRADICTS"
    """How many numbers fail their own check digit, or say another birth date or sex than the document."""
    IMPOSSIBLE_DATES = "IMPOSSIBLE_DATES"
    """How many dates cannot be: issued before birth or in the future, ended before it began, valid for too long."""
    ZONE_SPACING = "ZONE_SPACING"
    """How far the zone's characters stand from even spacing, in character widths."""
    ZONE_FONT = "ZONE_FONT"
    """How unlike OCR-B the zone's characters are, from 0 to 1."""
    SCREEN = "SCREEN"
    """How far the hues of one regular pattern run round in one direction, as over a screen's stripes, never in ink."""
    PHOTOCOPY = "PHOTOCOPY"
    """Colour of the most colourful twentieth of the front, for its brightness: little on a copy in black."""
    PORTRAIT_NOISE = "PORTRAIT_NOISE"
    """By how many doublings the grain of the portrait differs from that of its page."""
    PORTRAIT_EDGE = "PORTRAIT_EDGE"
    """How sharply straight lines cut the portrait out of its page, against the sharpest print."""
    PORTRAIT_COMPRESSION = "PORTRAIT_COMPRESSION"
    """By how much the portrait bears a grid of compression that its surroundings do not."""
    SECOND_PORTRAIT = "SECOND_PORTRAIT"
    """How alike the two portraits of one document are: the score of a face comparison."""
    NO_CAMERA_NOISE = "NO_CAMERA_NOISE"
    """Share of the page that is perfectly even, as no camera sees anything."""


@dataclass(frozen=True, slots=True)
class SignLimit:
    """From which number on a sign speaks against the document."""

    limit: float
    low_speaks: bool = False
    """The sign speaks below its limit instead of from it on."""
    fails: bool = True
    """Does it fail the check? A sign that errs too often on genuine documents is shown and not counted."""

    def speaks(self, value: float) -> bool:
        """Does the number speak against the document?"""
        return value < self.limit if self.low_speaks else value >= self.limit


LIMITS: Final[Mapping[AuthenticitySign, SignLimit]] = {
    AuthenticitySign.SOURCES_CONTRADICT: SignLimit(0.8),
    AuthenticitySign.CHECK_DIGITS_FAILED: SignLimit(1),
    AuthenticitySign.SIDES_DO_NOT_MATCH: SignLimit(1, low_speaks=True),
    AuthenticitySign.NUMBER_CONTRADICTS: SignLimit(1),
    AuthenticitySign.IMPOSSIBLE_DATES: SignLimit(1),
    AuthenticitySign.ZONE_SPACING: SignLimit(0.3),
    AuthenticitySign.ZONE_FONT: SignLimit(0.21),
    AuthenticitySign.SCREEN: SignLimit(9.5),
    AuthenticitySign.PHOTOCOPY: SignLimit(5.0, low_speaks=True),
    AuthenticitySign.PORTRAIT_NOISE: SignLimit(2.6),
    AuthenticitySign.PORTRAIT_EDGE: SignLimit(1.1, fails=False),
    AuthenticitySign.PORTRAIT_COMPRESSION: SignLimit(12.0, fails=False),
    AuthenticitySign.SECOND_PORTRAIT: SignLimit(0.6, low_speaks=True, fails=False),
    AuthenticitySign.NO_CAMERA_NOISE: SignLimit(0.3),
}


def speaking(measured: Mapping[AuthenticitySign, float]) -> Iterator[AuthenticitySign]:
    """The signs that fail the check, in the order of the list."""
    for sign, limit in LIMITS.items():
        value = measured.get(sign)
        if value is not None and limit.fails and limit.speaks(value):
            yield sign
