"""Arguments that the service could never accept are refused here, by name, before anything is sent."""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from truename_client.errors import BadArgument

LARGEST_IMAGE: Final = 4 * 1024 * 1024
PICTURES: Final = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")
LOOPBACK: Final = re.compile(r"localhost|127(\.\d{1,3}){3}|::1|.*\.localhost")


def identifier(name: str, value: str | UUID) -> str:
    """A UUID in the service's spelling."""
    try:
        return str(UUID(str(value)))
    except ValueError:
        raise BadArgument(f"{name} must be a UUID, as the service answered it.") from None


def text(name: str, value: str) -> str:
    """Some text that says something."""
    if not isinstance(value, str) or not value.strip():
        raise BadArgument(f"{name} must be a text that is not empty.")
    return value


def word(name: str, value: str, allowed: Sequence[str]) -> str:
    """One of some words."""
    if value not in allowed:
        raise BadArgument(f"{name} must be one of {', '.join(allowed)}.")
    return value


def whole(name: str, value: int, least: int, most: int) -> int:
    """A whole number within its range."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadArgument(f"{name} must be a whole number from {least} to {most}.")
    return value


def instant(name: str, value: datetime | None) -> str | None:
    """A moment that says of which time zone it is."""
    if value is None:
        return None
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise BadArgument(f"{name} must be a datetime with a time zone, such as datetime.now(UTC).")
    return value.isoformat()


def picture(name: str, value: bytes) -> str:
    """The bytes of a JPEG or PNG file of at most 4 MB, in base64."""
    if not isinstance(value, bytes):
        raise BadArgument(f"{name} must be the bytes of the file.")
    if not value.startswith(PICTURES):
        raise BadArgument(f"{name} must be a JPEG or PNG file.")
    if len(value) > LARGEST_IMAGE:
        raise BadArgument(f"{name} has {len(value):,} bytes; at most {LARGEST_IMAGE:,} are accepted.")
    return base64.b64encode(value).decode()


def json_object(name: str, value: Mapping[str, object]) -> dict[str, object]:
    """A mapping that can be written as JSON."""
    if not isinstance(value, Mapping):
        raise BadArgument(f"{name} must be a mapping.")
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as fault:
        raise BadArgument(f"{name} cannot be written as JSON: {fault}.") from None
    return dict(value)


def service_address(base_url: str, allow_plain_http: bool) -> str:
    """The address of the service without a slash at its end; plain http only to this machine, unless allowed."""
    try:
        parts = urlsplit(base_url)
        host = parts.hostname or ""
    except (ValueError, AttributeError, TypeError):
        raise BadArgument("base_url must be an address such as https://kyc.example.com.") from None
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment or parts.username:
        raise BadArgument("base_url must be an address such as https://kyc.example.com, without query or credentials.")
    if parts.scheme == "http" and not LOOPBACK.fullmatch(host) and not allow_plain_http:
        raise BadArgument(
            "base_url is plain http to another machine, where anybody on the way reads the secret: use https, or say "
            "allow_plain_http=True inside a network of your own."
        )
    return base_url.rstrip("/")
