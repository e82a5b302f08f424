"""Lines as people read them: looks that were repeated without a break are one line with a count."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from truename.audit.model import Action, Line

LOOKS: Final = frozenset(
    {
        Action.CUSTOMER_READ,
        Action.CUSTOMERS_LISTED,
        Action.TRANSACTION_READ,
        Action.TRANSACTIONS_LISTED,
        Action.MEDIA_READ,
        Action.AUDIT_READ,
    }
)
"""Actions that change nothing: somebody looked."""


@dataclass(frozen=True)
class Folded:
    """A line, how often it was repeated, and when it was first."""

    line: Line
    """The newest of them."""
    times: int
    first_at: datetime


def folded(lines: Iterable[Line]) -> list[Folded]:
    """Lines, newest first, in which a look that follows the same look is counted instead of shown."""
    found: list[Folded] = []
    for line in lines:
        last = found[-1] if found else None
        same = last is not None and (last.line.actor, last.line.action, last.line.subject) == (
            line.actor,
            line.action,
            line.subject,
        )
        if last is not None and same and line.action in LOOKS:
            found[-1] = replace(last, times=last.times + 1, first_at=line.at)
        else:
            found.append(Folded(line, 1, line.at))
    return found
