"""What time is it? For logs and tokens only: deadlines are judged by the database's clock."""

import time
from datetime import UTC, datetime


def now() -> datetime:
    """The present moment, in UTC."""
    return datetime.now(UTC)


def seconds() -> int:
    """Whole seconds since 1970, as tokens count them."""
    return int(time.time())
