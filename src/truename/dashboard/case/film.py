"""The film strip of a challenge: above each frame what was asked, below what was seen, and the frame that decided."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from truename.dashboard.case.model import Case, Frame, Picture
from truename.rules.facts import SeenStep

MOST_FRAMES: Final = 12
"""So many frames are shown at most, at equal distances."""
STRAIGHT_DEGREES: Final = 6.0
"""A head that is turned by less looks straight, to the eye."""
SAME_SIZE: Final = 0.08


@dataclass(frozen=True, slots=True)
class Still:
    """One frame of the strip."""

    picture: Picture
    at_ms: int
    asked: str
    seen: str
    """What was measured at the end of its step; empty for frames on the way."""
    mark: str
    """Why this frame is outlined, in words; empty for all others."""

    @property
    def seconds(self) -> float:
        return self.at_ms / 1000


def stored_steps(case: Case) -> Sequence[SeenStep]:
    """The steps of the challenge as the evidence keeps them; none for what was stored before they were kept."""
    live = case.dossier.evidence.liveness if case.dossier else None
    return live.steps if live else ()


def step_words(name: str | None) -> str:
    """A step in words, whatever steps there are: TURN_LEFT is "turn left"."""
    return (name or "").replace("_", " ").lower()


def film_of(frames: Sequence[Frame], steps: Sequence[SeenStep] = (), most: int = MOST_FRAMES) -> list[Still]:
    """The strip: frames at equal distances, and among them the last of each step, where the step was judged.

    Without steps (a blind look, or what was stored before they were) only what was asked is said.
    """
    ends = {step.to_ms: step for step in steps}
    missed = next((step for step in steps if not step.done), None)
    judged = [place for place, frame in enumerate(frames) if frame.at_ms in ends]
    chosen = sorted({*spread(len(frames), max(2, most - len(judged))), *judged})
    return [
        Still(
            frame.picture,
            frame.at_ms,
            step_words(frame.step),
            seen_words(ends[frame.at_ms]) if frame.at_ms in ends else "",
            _mark(frame.at_ms, missed, ends),
        )
        for frame in (frames[place] for place in chosen)
    ]


def seen_words(step: SeenStep) -> str:
    """Where the head was at the end of a step, in words."""
    if step.seen_yaw is None and step.seen_size is None:
        return "no face"
    yaw, pitch, size = step.seen_yaw or 0.0, step.seen_pitch or 0.0, step.seen_size
    words = []
    if abs(yaw) >= STRAIGHT_DEGREES:
        words.append(f"{abs(yaw):.0f}° {'left' if yaw > 0 else 'right'}")
    if abs(pitch) >= STRAIGHT_DEGREES:
        words.append(f"{abs(pitch):.0f}° {'up' if pitch > 0 else 'down'}")
    if size is not None and abs(size - 1) >= SAME_SIZE:
        words.append(f"{'nearer' if size > 1 else 'farther'}, {size:.2f} ×")
    return ", ".join(words) or "straight"


def _mark(at_ms: int, missed: SeenStep | None, ends: dict[int, SeenStep]) -> str:
    if missed is not None and at_ms == missed.to_ms:
        return "decided here: not done"
    return "done" if at_ms in ends and ends[at_ms].done else ""


def spread(count: int, most: int) -> list[int]:
    """At most so many places of a row, at equal distances; the first and the last among them."""
    if count <= most:
        return list(range(count))
    return sorted({round(place * (count - 1) / (most - 1)) for place in range(most)})
