"""Which movements are asked for, and do the frames that came answer them?

The server chooses, at random, and the nonce that names its choice works once, for one transaction, for a short time.
"""

import hashlib
import secrets
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, product
from typing import Final

from truename.plumbing.errors import Invalid
from truename.rules.faults import Fault
from truename.vision.captures import Step
from truename.vision.liveness.light import COLOURS
from truename.vision.liveness.targets import AIMS, FAR_LEFT, FAR_RIGHT, SIZES, WAY_OF

CHALLENGE_SECONDS: Final = 90
"""From the asking to the arrival of the frames; never more than 120."""
FRAMES_MIN: Final = 12
"""Two for each of the six steps: a movement is seen between two pictures."""
FRAMES_MAX: Final = 40
FRAME_MAX_PX: Final = 720
TARGETS_IN_ONE: Final = 4
COLOURS_IN_ONE: Final = 4
DRAWS_IN_ONE_DAY: Final = 3
"""Of a customer: who has a recording of one challenge has so many chances in a day to meet it, of all that there are
(`number_of_challenges`)."""
CLOCK_SLACK_MS: Final = 2000
"""How much later than it arrived a frame may claim to have been taken, since clocks start a moment apart."""

_chance = secrets.SystemRandom()


@dataclass(frozen=True)
class Given:
    """A challenge of the last day: its steps, and whether it was answered."""

    steps: tuple[Step, ...]
    answered: bool


def choose_steps(besides: Collection[tuple[Step, ...]] = ()) -> tuple[Step, ...]:
    """Look straight first; then four targets and, somewhere among them, one distance; none of those named."""
    while True:
        targets = tuple(_chance.sample(tuple(AIMS), TARGETS_IN_ONE))
        place, distance = _chance.randrange(TARGETS_IN_ONE + 1), _chance.choice(tuple(SIZES))
        steps = (Step.LOOK_STRAIGHT, *targets[:place], distance, *targets[place:])
        if are_fit(targets) and steps not in besides:
            return steps


def choose_colours() -> tuple[Step, ...]:
    """The colours that the screen shows while the person looks straight, each once: one of 360 sequences."""
    return tuple(_chance.sample(tuple(COLOURS), COLOURS_IN_ONE))


def with_colours(steps: tuple[Step, ...], colours: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps with these colours after the straight look, in place of those that it may have had."""
    return (steps[0], *colours, *(step for step in steps[1:] if step not in COLOURS))


def are_fit(targets: Sequence[Step]) -> bool:
    """Do these targets turn the head far to both sides, where its relief shows, and is each in another direction?"""
    sides = any(one in FAR_LEFT for one in targets) and any(one in FAR_RIGHT for one in targets)
    return sides and all(WAY_OF[one] != WAY_OF[other] for one, other in pairwise(targets))


def number_of_challenges() -> int:
    """How many different challenges there are; each is drawn as often as any other."""
    orders = sum(
        len(set(targets)) == TARGETS_IN_ONE and are_fit(targets) for targets in product(AIMS, repeat=TARGETS_IN_ONE)
    )
    return orders * (TARGETS_IN_ONE + 1) * len(SIZES)


def next_steps(given: Sequence[Given]) -> tuple[Step, ...]:
    """The steps of the next challenge of a customer, to whom these were given in the last day, the oldest first.

    Who leaves a challenge unanswered, reloads the page or opens another transaction is asked for the same steps again;
    and after so many draws the last one stays. To fish for the order that a recording fits is then not worth while.
    """
    # An update may lie between; and colours are drawn afresh each time.
    asked = [
        Given(with_colours(one.steps, ()), one.answered) for one in given if any(step in AIMS for step in one.steps)
    ]
    if not asked:
        return choose_steps()
    last, drawn = asked[-1], list(dict.fromkeys(one.steps for one in asked))
    if not last.answered or len(drawn) >= DRAWS_IN_ONE_DAY:
        return last.steps
    return choose_steps(drawn)


def new_nonce() -> str:
    """A name for one challenge that nobody can guess: 256 bits of chance."""
    return secrets.token_urlsafe(32)


def nonce_hash(nonce: str) -> bytes:
    """Only this is stored: who reads the database cannot answer a challenge."""
    return hashlib.sha256(nonce.encode()).digest()


def refuse_disorder(asked: Sequence[Step], answered: Sequence[tuple[Step, int]], elapsed_ms: int) -> None:
    """Refuse frames that are not in the order asked for, lack a step, or bear times that cannot be.

    `answered` holds the step and the time of each frame as sent; `elapsed_ms` is how long ago the challenge was given.
    """
    times = [at for _, at in answered]
    early = [place for place, (before, after) in enumerate(pairwise(times), start=1) if after <= before]
    late = [place for place, at in enumerate(times) if at > elapsed_ms + CLOCK_SLACK_MS]
    faults = [
        _out_of_order(f"/frames/{place}/at_ms", "The time must be later than the frame's before.") for place in early
    ]
    faults += [_out_of_order(f"/frames/{place}/at_ms", "The frame claims to be from the future.") for place in late]
    steps = [step for step, _ in answered]
    missing = [step for step in asked if step not in steps]
    if missing:
        words = f"No frame shows {', '.join(missing)}."
        raise Invalid([*faults, Fault("/frames", "frames_missing_step", words)], code="frames_missing_step")
    if [step for step, _ in groupby(steps)] != list(asked):
        place = next(place for place, rank in enumerate(_ranks(asked, steps)) if rank is None)
        faults.append(_out_of_order(f"/frames/{place}/step", f"The steps must come as {', '.join(asked)}."))
    if faults:
        raise Invalid(faults, code="frames_out_of_order")


def _out_of_order(pointer: str, words: str) -> Fault:
    return Fault(pointer, "frames_out_of_order", words)


def _ranks(asked: Sequence[Step], steps: Sequence[Step]) -> Iterator[int | None]:
    """Where in the challenge each frame stands; None for one that stands neither there nor one further."""
    at = 0
    for step in steps:
        if step is not asked[at] and at + 1 < len(asked) and step is asked[at + 1]:
            at += 1
        yield at if step is asked[at] else None
