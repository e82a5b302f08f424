"""Which pages of the list a session has seen lately, so that rows which refresh by themselves are no new look."""

import time
import weakref
from typing import Final
from uuid import UUID

from truename.plumbing.database.pool import Database

AGAIN_SECONDS: Final = 600.0
"""A page that stays open is written down so often, if its rows change."""
MOST: Final = 10_000

_SEEN: "weakref.WeakKeyDictionary[Database, dict[tuple[UUID, str], float]]" = weakref.WeakKeyDictionary()


def is_new_look(database: Database, session_id: UUID, query: str, *, by_itself: bool) -> bool:
    """Must this look be written down? Always when a person asks; when the page asks by itself, if not done lately.

    `query` is the whole address of the page: another filter, or the next page, is another look.
    """
    seen, moment, key = _SEEN.setdefault(database, {}), time.monotonic(), (session_id, query)
    if by_itself and moment - seen.get(key, -AGAIN_SECONDS) < AGAIN_SECONDS:
        return False
    seen.pop(key, None)
    seen[key] = moment
    while len(seen) > MOST:
        del seen[next(iter(seen))]  # the oldest
    return True
