"""When is an event tried again?"""

import random
from datetime import timedelta

WAITS = (
    timedelta(seconds=0),
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
)
"""How long each attempt waits after the one before."""

JITTER = 0.1
"""Up to a tenth longer, so that receivers that came back are not met by everyone at once."""

LONGEST_RETRY_AFTER = timedelta(hours=24)
LONGEST_WAIT = max(*WAITS, LONGEST_RETRY_AFTER) * (1 + JITTER)


def next_wait(attempts_made: int, retry_after: timedelta | None = None) -> timedelta | None:
    """The wait before the next attempt, or None when the schedule is exhausted."""
    if attempts_made >= len(WAITS):
        return None
    wait = WAITS[attempts_made] * (1 + JITTER * random.random())
    if retry_after is not None:
        wait = max(wait, min(retry_after, LONGEST_RETRY_AFTER))
    return wait
