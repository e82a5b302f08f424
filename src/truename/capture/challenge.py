"""Which movements are asked for, and do the frames that came answer them?

The server chooses, at random, and the nonce that names its choice works once, for one transaction, for a short time.
"""

import hashlib
import secrets
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Final

from truename.plumbing.errors import Invalid
from truename.rules.faults import Fault
from truename.vision.captures import Step

CHALLENGE_SECONDS: Final = 90
"""From the asking to the arrival of the frames; never more than 120."""
FRAMES_MIN: Final = 8
"""Two for each of the four steps: a movement is seen between two pictures."""
FRAMES_MAX: Final = 40
FRAME_MAX_PX: Final = 720
CLOCK_SLACK_MS: Final = 2000
"""How much later than it arrived a frame may claim to have been taken, since clocks start a moment apart."""

_chance = secrets.SystemRandom()


def choose_steps() -> tuple[Step, ...]:
    """Look straight first; then both turns and one change of distance, in any order."""
    moves = [Step.TURN_LEFT, Step.TURN_RIGHT, _chance.choice((Step.MOVE_CLOSER, Step.MOVE_AWAY))]
    _chance.shuffle(moves)
    return (Step.LOOK_STRAIGHT, *moves)


def new_nonce() -> str:
    return secrets.token_urlsafe(32)


def nonce_hash(nonce: str) -> bytes:
    """Only this is stored: who reads the database cannot answer a challenge."""
    return hashlib.sha256(nonce.encode()).digest()


def refuse_disorder(asked: Sequence[Step], answered: Sequence[tuple[Step, int]], elapsed_ms: int) -> None:
    """Refuse frames that are not in the order asked for, lack a step, or bear times that cannot be.

    `answered` holds the step and the time of each frame as sent; `elapsed_ms` is how long ago the challenge was given.
    """
    times = [at for _, at in answered]
    if any(later <= earlier for earlier, later in pairwise(times)):
        raise Invalid([Fault("/frames", "frames_out_of_order", "Times must rise.")], code="frames_out_of_order")
    if times and times[-1] > elapsed_ms + CLOCK_SLACK_MS:
        fault = Fault("/frames", "frames_out_of_order", "A frame claims to be from the future.")
        raise Invalid([fault], code="frames_out_of_order")
    seen = [step for step, _ in groupby(step for step, _ in answered)]
    if seen == list(asked):
        return
    if set(asked) - set(seen):
        raise Invalid([Fault("/frames", "frames_missing_step", "A step has no frame.")], code="frames_missing_step")
    raise Invalid([Fault("/frames", "frames_out_of_order", "Steps are in another order.")], code="frames_out_of_order")
