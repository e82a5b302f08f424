"""What the values of settings must look like; each refusal is the end of a sentence that begins with its name."""

import ipaddress
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, SecretStr
from pydantic_settings import NoDecode

from truename.plumbing.storage_address import storage_address


def _listed(value: object) -> object:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def _network(value: str) -> str:
    return str(ipaddress.ip_network(value, strict=False))


def a_postgres_url(value: SecretStr | None) -> SecretStr | None:
    """An address of PostgreSQL."""
    if value is not None and urlsplit(value.get_secret_value()).scheme not in ("postgresql", "postgres"):
        raise ValueError("must be an address such as postgresql://user:password@host:5432/database")
    return value


def a_web_url(value: str | None) -> str | None:
    """An address of the web, without a slash at its end."""
    if value is None:
        return None
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("must be an address such as https://verify.example.com")
    return value.rstrip("/")


def a_storage_url(value: str | None) -> str | None:
    """A folder or a bucket."""
    if value is not None:
        storage_address(value)
    return value


Listed = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]
Networks = Annotated[tuple[Annotated[str, AfterValidator(_network)], ...], NoDecode, BeforeValidator(_listed)]
