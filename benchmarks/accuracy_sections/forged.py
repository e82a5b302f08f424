"""Everything forged for measuring, each with the sign that is there to tell it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from benchmarks.accuracy_rows import LeftOut
from benchmarks.accuracy_sections import forged_texts, forgeries, recaptures
from truename.rules.authenticity_signs import AuthenticitySign
from truename.vision.captures import Picture

SHOWN = 12
"""So many pictures are shown on screens, each on two, and printed."""


@dataclass(frozen=True)
class Forged:
    """One way to forge a document."""

    words: str
    make: Callable[[], Iterable[Picture]]
    told_by: AuthenticitySign | None = None
    """The sign that should speak; None where several may, or where no sign claims to tell it."""


def every(scans: list[Picture], left_out: LeftOut) -> tuple[Forged, ...]:
    """Each way, made of these scans or drawn; what needs a font that is not installed is left out."""
    shown = scans[:SHOWN]
    return (
        Forged("portrait swapped by a program", partial(forgeries.swapped, scans)),
        Forged(
            "zone typed in another font",
            partial(forgeries.typed_zones, forgeries.installed_fonts(left_out)),
            AuthenticitySign.ZONE_FONT,
        ),
        Forged("page drawn by a program", forgeries.drawn, AuthenticitySign.NO_CAMERA_NOISE),
        Forged("drawn page, photographed: nothing is wrong with its pixels", forgeries.drawn_and_photographed),
        Forged(
            "birth changed in print alone", forged_texts.births_changed_in_print, AuthenticitySign.SOURCES_CONTRADICT
        ),
        Forged(
            "names changed in print alone", forged_texts.names_changed_in_print, AuthenticitySign.SOURCES_CONTRADICT
        ),
        Forged(
            "birth changed in print and zone",
            forged_texts.births_changed_everywhere,
            AuthenticitySign.CHECK_DIGITS_FAILED,
        ),
        Forged("end put off in print and zone", forged_texts.ends_put_off, AuthenticitySign.IMPOSSIBLE_DATES),
        Forged("somebody else's national number", forged_texts.numbers_of_others, AuthenticitySign.NUMBER_CONTRADICTS),
        Forged(
            "off a screen of stripes, simulated",
            partial(recaptures.off_striped_screens, 2 * shown),
            AuthenticitySign.SCREEN,
        ),
        Forged(
            "off a screen of diamonds, simulated",
            partial(recaptures.off_diamond_screens, 2 * shown),
            AuthenticitySign.SCREEN,
        ),
        Forged(
            "off a print in black, simulated", partial(recaptures.off_black_prints, shown), AuthenticitySign.PHOTOCOPY
        ),
        Forged("off a print in colours, simulated", partial(recaptures.off_colour_prints, shown)),
    )
