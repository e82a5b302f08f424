"""Lists in pages: newest first, and a cursor that stays right while new rows arrive."""

import base64
import binascii
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

DEFAULT_LIMIT: Final = 20
MAX_LIMIT: Final = 100
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
CURSOR_PATTERN: Final = "^AA[A-Za-z0-9_-]{30}$"
"""Eight bytes of microseconds, which begin with twelve zero bits until the year 2112, and an identifier."""
_CURSOR = re.compile(CURSOR_PATTERN[1:-1])


@dataclass(frozen=True)
class Position:
    """The last row of a page: the next page begins after it."""

    created_at: datetime
    identity: UUID

    def cursor(self) -> str:
        """The position as the text that a client sends back."""
        microseconds = (self.created_at - _EPOCH) // timedelta(microseconds=1)
        return base64.urlsafe_b64encode(microseconds.to_bytes(8, "big") + self.identity.bytes).decode()

    @classmethod
    def of(cls, cursor: str) -> "Position | None":
        """The position that a cursor stands for, or None when it is none of ours."""
        if not _CURSOR.fullmatch(cursor):
            return None
        try:
            raw = base64.b64decode(cursor, altchars=b"-_", validate=True)
            moment = _EPOCH + timedelta(microseconds=int.from_bytes(raw[:8], "big"))
        except (binascii.Error, OverflowError):
            return None
        return cls(moment, UUID(bytes=raw[8:]))
