"""What an answer looks like: JSON with exact times, never cached."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

import orjson
from pydantic import BaseModel
from starlette.responses import Response

OPTIONS: Final = orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_DATETIME


@lru_cache(maxsize=256)
def _in_utc(moment: datetime) -> str:
    """Remembered, because all that one statement makes bears the same time, and to write one takes as long as the rest
    of an answer. Only times in UTC: elsewhere two that are an hour apart may count as equal."""
    return moment.isoformat(timespec="microseconds")[:-6] + "Z"


def instant(moment: datetime | None) -> str | None:
    """An ISO-8601 timestamp in UTC, always with microseconds, so that texts compare as the times do."""
    if moment is None:
        return None
    if moment.tzinfo is UTC:
        return _in_utc(moment)
    text = moment.isoformat(timespec="microseconds")
    if not text.endswith("+00:00"):
        text = moment.astimezone(UTC).isoformat(timespec="microseconds")
    return text[:-6] + "Z"


def encode(content: object) -> bytes:
    """JSON bytes of plain values and models; identifiers and enumerations are written as text, times by `instant`."""
    return orjson.dumps(content, _plain, OPTIONS)


def _plain(value: object) -> object:
    """What the encoder does not know by itself."""
    if isinstance(value, datetime):  # first: an answer is one model, and holds many times
        return instant(value)
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True)
    raise TypeError(f"Nothing is known of how to write {type(value).__name__} as JSON.")


class JsonAnswer(Response):
    """An answer whose body is JSON, its few headers written without asking which of them there are."""

    media_type = "application/json"

    def init_headers(self, headers: Mapping[str, str] | None = None) -> None:
        """Those that are given, with length and type."""
        self.raw_headers = [
            *((name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in (headers or {}).items()),
            (b"content-length", str(len(self.body)).encode()),
            (b"content-type", b"application/json"),
        ]


def json_answer(content: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer whose body is JSON; `headers` do not name its length or type."""
    return JsonAnswer(encode(content), status, headers)
