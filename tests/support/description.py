"""Reads the OpenAPI description as a strict client would: JSON Schema, and what x-format and the x-rules say beside it.

The validators here are the documented meaning of those words (`X_FORMATS`, `X_RULES` of truename.api.components), made
from libraries where there is one and not from the code of the service.
"""

import base64
import binascii
import io
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import jsonschema_rs
from email_validator import EmailNotValidError, validate_email
from PIL import Image
from pydantic_core import PydanticCustomError

from truename.plumbing.clock import date_at_utc_plus_14, now
from truename.rules.webhook_url import checked_url
from truename.webhooks.addresses import LOOPBACK, AddressForbidden, refuse_forbidden_host


def is_past_date(text: str) -> bool:
    try:
        return date.fromisoformat(text) <= date_at_utc_plus_14(now())
    except ValueError:
        return False


def is_email(text: str) -> bool:
    try:
        found = validate_email(text, check_deliverability=False, test_environment=True, strict=True)
    except EmailNotValidError:
        return False
    return "." in found.ascii_domain and text == text.strip()


def is_picture(text: str) -> bool:
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
        with Image.open(io.BytesIO(data), formats=["JPEG", "PNG"]) as image:
            image.load()
    except (binascii.Error, UnicodeEncodeError, OSError, SyntaxError, ValueError):
        return False
    return base64.b64encode(data).decode() == text and len(data) <= 4 * 1024 * 1024


def is_webhook_url(text: str) -> bool:
    """No library defines this word, only these two functions do; tests/webhooks tries them by themselves."""
    try:
        refuse_forbidden_host(checked_url(text, plain_loopback=True), LOOPBACK)
    except (PydanticCustomError, AddressForbidden):
        return False
    return True


FORMATS: dict[str, Callable[[str], bool]] = {
    "past-date": is_past_date,
    "email": is_email,
    "picture": is_picture,
    "webhook-url": is_webhook_url,
}


class XFormat:
    def __init__(self, _parent: Any, value: str, _path: Any) -> None:
        self.fits = FORMATS[value]
        self.name = value

    def validate(self, instance: Any) -> None:
        if isinstance(instance, str) and not self.fits(instance):
            raise ValueError(f"is no {self.name}")


def moment(text: str) -> datetime | None:
    """Of an RFC 3339 timestamp; None for other texts."""
    try:
        found = datetime.fromisoformat(text.upper())
    except ValueError:
        return None
    return found if found.tzinfo else None


class NotBelow:
    def __init__(self, _parent: Any, value: dict[str, str], _path: Any) -> None:
        self.pairs = value

    def validate(self, instance: Any) -> None:
        for high, low in self.pairs.items():
            pair = [instance.get(name) if isinstance(instance, dict) else None for name in (low, high)]
            known = [moment(one) if isinstance(one, str) else one for one in pair]
            numbers = [one for one in known if isinstance(one, (int, float))]
            moments = [one for one in known if isinstance(one, datetime)]
            if any(len(both) == 2 and both[1] < both[0] for both in (numbers, moments)):  # type: ignore[operator]
                raise ValueError(f"{high} is below {low}")


class OneMeaning:
    def __init__(self, _parent: Any, value: dict[str, Any], _path: Any) -> None:
        self.same, self.told = value["of"], value["in"]

    def validate(self, instance: Any) -> None:
        said: dict[tuple[Any, ...], Any] = {}
        for item in instance if isinstance(instance, list) else []:
            if isinstance(item, dict):
                key = tuple(repr(item.get(name)) for name in self.same)
                if said.setdefault(key, item.get(self.told)) != item.get(self.told):
                    raise ValueError("an item contradicts another")


RULES = {"x-format": XFormat, "x-not-below": NotBelow, "x-one-meaning": OneMeaning}


def validator(description: dict[str, Any], schema: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
    """Of one schema of the description, with everything that it refers to."""
    return jsonschema_rs.Draft202012Validator(
        {**schema, "components": description["components"]}, keywords=RULES, validate_formats=True
    )
