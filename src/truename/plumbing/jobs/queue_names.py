"""Which queues are there, and what belongs into which?"""

from enum import StrEnum
from typing import Final


class Queue(StrEnum):
    """What a worker can be for: each kind of work waits by itself, so that none waits for another."""

    ANALYSIS = "analysis"
    DELIVERY = "delivery"
    UPKEEP = "upkeep"

    @property
    def alone(self) -> str:
        """Where jobs go that were in the hands of a worker that died: each is run again in a process of its own."""
        return f"{self}{ALONE}"


ALONE: Final = ".alone"
ONE_FOR_ALL: Final = "truename"
"""The only queue of versions up to 0.2: while they are replaced, their processes still put jobs there."""
BY_ROOM: Final = {"analysis": Queue.ANALYSIS, "webhooks": Queue.DELIVERY}
"""What belongs into another queue than upkeep, by the room that its name begins with."""

SHARED_FAIRLY: Final = frozenset({Queue.ANALYSIS, Queue.DELIVERY})
"""Here an account that asks for ten thousand jobs keeps the others waiting for one of them, not for all."""


def queue_of(name: str) -> Queue:
    """Where a job or regular task of this name belongs: its room, which the name begins with, says so."""
    return BY_ROOM.get(name.partition(".")[0], Queue.UPKEEP)
