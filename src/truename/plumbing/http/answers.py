"""What an answer looks like: JSON with exact times, never cached."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import orjson
from starlette.responses import Response

OPTIONS: Final = orjson.OPT_NON_STR_KEYS


def instant(moment: datetime | None) -> str | None:
    """An ISO-8601 timestamp in UTC, always with microseconds, so that texts compare as the times do."""
    return None if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def encode(content: Any) -> bytes:
    """JSON bytes; identifiers and enumerations are written as their text."""
    return orjson.dumps(content, option=OPTIONS)


def json_answer(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer whose body is JSON."""
    return Response(encode(content), status, dict(headers) if headers else None, "application/json")
