"""Is this text an address a webhook can be sent to? Syntax only: where the name leads is asked by the webhooks room."""

import re
import unicodedata
from ipaddress import AddressValueError, IPv6Address
from typing import Final

import idna
from pydantic_core import PydanticCustomError

SCHEME: Final = "https://"
PLAIN: Final = "http://"
_LOOPBACK: Final = r"localhost|127(\.[0-9]{1,3}){3}|\[::1\]"
LOOPBACK: Final = re.compile(_LOOPBACK)
"""Hosts that plain http may name, and only where the account is for tests."""
NOT_HTTPS: Final = "The address must start with https:// in lower case."
MAX_LENGTH: Final = 2048

JSON_SCHEMA: Final[dict[str, object]] = {
    "pattern": r"^(https://[^\u0000-\u0020\\@/?#]+|http://("
    + _LOOPBACK
    + r")(:[0-9]{1,5})?)([/?#][^\u0000-\u0020\\]*)?$",
    "maxLength": MAX_LENGTH,
    "x-format": "webhook-url",
    "examples": ["https://hooks.example.com/truename"],
}
"""What can be said of it in JSON Schema, which is the same for every account; that the host is a valid and a permitted
one, and that plain http is for accounts that are for tests, stands in `x-format`."""

_LABEL = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)")
_PORT = re.compile(r"[0-9]{1,5}")
_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zs", "Zl", "Zp"})


def checked_url(url: str, *, plain_loopback: bool = False) -> str:
    """The address with its host in punycode, or a fault that says what is wrong without repeating it.

    With `plain_loopback` it may also be one of this machine by plain http: for accounts that are for tests.
    """
    if len(url) > MAX_LENGTH:
        raise PydanticCustomError("webhook_url_too_long", "The address must have at most 2048 characters.")
    scheme = PLAIN if plain_loopback and url.startswith(PLAIN) else SCHEME
    if not url.startswith(scheme):
        raise PydanticCustomError("webhook_url_not_https", NOT_HTTPS)
    if any(_is_unseen(character) for character in url):
        raise PydanticCustomError(
            "webhook_url_forbidden_character", "The address must not hold spaces or control characters."
        )
    if "\\" in url:
        raise PydanticCustomError("webhook_url_forbidden_character", "The address must not hold backslashes.")
    authority, rest = _split(url.removeprefix(scheme))
    if "@" in authority:
        raise PydanticCustomError("webhook_url_credentials", "The address must not hold a user name or password.")
    host, port = _host_and_port(authority)
    if scheme is PLAIN and not LOOPBACK.fullmatch(host):
        raise PydanticCustomError("webhook_url_not_https", NOT_HTTPS)
    return f"{scheme}{_checked_host(host)}{_checked_port(port)}{rest}"


def _is_unseen(character: str) -> bool:
    return character <= " " or (character > "~" and unicodedata.category(character) in _UNSEEN_CATEGORIES)


def _split(text: str) -> tuple[str, str]:
    end = min((at for at in map(text.find, "/?#") if at >= 0), default=len(text))
    return text[:end], text[end:]


def _host_and_port(authority: str) -> tuple[str, str]:
    if authority.startswith("["):
        host, bracket, port = authority.partition("]")
        return host + bracket, port
    host, colon, port = authority.partition(":")
    return host, colon + port


def _checked_port(port: str) -> str:
    if port and not (port[0] == ":" and _PORT.fullmatch(port[1:]) and 1 <= int(port[1:]) <= 65535):
        raise PydanticCustomError("webhook_url_bad_port", "The port must be a number from 1 to 65535.")
    return port


def _checked_host(host: str) -> str:
    if host.startswith("["):
        try:
            IPv6Address(host[1:-1] if host.endswith("]") and "%" not in host else "")
        except AddressValueError:
            raise _bad_host() from None
        return host
    if not host.isascii():
        try:
            host = idna.encode(host, uts46=True, std3_rules=True).decode("ascii")
        except (idna.IDNAError, UnicodeError):
            raise _bad_host() from None
    name = host.removesuffix(".")
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in name.split(".")):
        raise _bad_host()
    return host


def _bad_host() -> PydanticCustomError:
    return PydanticCustomError("webhook_url_bad_host", "The address needs a valid host name.")
