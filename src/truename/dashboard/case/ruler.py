"""The ruler of a face's score, drawn as SVG: what it means in strangers, with the needed score as a labelled line."""

from dataclasses import dataclass
from typing import Final

from truename.rules.score_words import shown_limit, shown_score
from truename.rules.strangers import MEASURED, RAREST, RULER, in_strangers, place_on_ruler

WIDTH: Final = 560
LEFT: Final = 24
RIGHT: Final = 24
"""Room beside the ends, so that labels there are not cut."""


@dataclass(frozen=True, slots=True)
class Tick:
    """One mark of the ruler."""

    x: float
    label: str


@dataclass(frozen=True, slots=True)
class Ruler:
    """Positions for the template; all text is there, so that nothing depends on colour."""

    score_x: float | None
    needed_x: float
    score_words: str
    needed_words: str
    score_anchor: str
    needed_anchor: str
    ticks: tuple[Tick, ...]
    description: str
    width: int = WIDTH
    start_x: float = LEFT
    end_x: float = WIDTH - RIGHT
    beyond: bool = False
    """The score lies beyond the last mark."""

    @property
    def measured_x(self) -> float:
        """From here on the ruler is extrapolated."""
        return _x(MEASURED)

    @property
    def measured_to(self) -> float:
        """As far as the score's bar is drawn whole; the rest of it is extrapolated."""
        return min(self.score_x or 0.0, self.measured_x)


def ruler_of(score: float | None, needed: float) -> Ruler:
    """The ruler of one comparison."""
    ticks = tuple(Tick(_x(mark.score), _short(mark.one_in)) for mark in RULER)
    needed_words = f"needed {shown_limit(needed)}"
    if score is None:
        return Ruler(None, _x(needed), "", needed_words, "middle", _anchor(_x(needed)), ticks, "Not compared.")
    words = shown_score(score, needed)
    at = _x(score)
    description = f"Score {words}, {needed_words}: {in_strangers(score)}."
    beyond = score > RAREST.score
    return Ruler(
        at, _x(needed), words, needed_words, _anchor(at), _anchor(_x(needed)), ticks, description, beyond=beyond
    )


def _x(score: float) -> float:
    return round(LEFT + place_on_ruler(score) * (WIDTH - LEFT - RIGHT), 1)


def _anchor(x: float) -> str:
    return "start" if x < 60 else "end" if x > WIDTH - 60 else "middle"


def _short(number: int) -> str:
    return "1 in 10" if number == 10 else "1 million" if number == 1_000_000 else f"{number:,}"
