"""How often may a face be tried?

NIST SP 800-63B-4 (3.2.3) allows 5 consecutive failed biometric attempts, or 10 where presentation attacks are detected,
as they are here; a wait must follow. Ours: 5 in one transaction, 10 of one customer in a day, since the last approval.
"""

from typing import Final

from truename.capture import liveness_store
from truename.capture.access import Capture
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import TooManyTakes

IN_ONE_TRANSACTION: Final = 5
IN_ONE_DAY: Final = 10
CHALLENGES: Final = 12
"""Given in one transaction: enough for reloads, interruptions and slow movements between the attempts. They are not as
many draws: `challenge.next_steps` asks for the same steps again."""


async def attempts_left(connection: Connection, capture: Capture) -> int:
    """How often the face may still be tried, by the smaller of the two caps."""
    made = await liveness_store.attempts_made(connection, capture)
    return max(0, min(IN_ONE_TRANSACTION - made.here, IN_ONE_DAY - made.lately))


async def refuse_too_many(connection: Connection, capture: Capture) -> int:
    """How many attempts are left; refuses when none is."""
    left = await attempts_left(connection, capture)
    if left == 0:
        raise TooManyTakes(
            "The face was tried too often. Try again tomorrow, or ask for help.", code="too_many_attempts"
        )
    return left


async def refuse_too_many_challenges(connection: Connection, capture: Capture) -> None:
    """Refuse (429) when the transaction was given its last challenge."""
    if await liveness_store.challenges_given(connection, capture) >= CHALLENGES:
        raise TooManyTakes("A challenge was asked for too often. Ask for help.", code="too_many_attempts")
