"""What the values of settings must look like; each refusal is the end of a sentence that begins with its name."""

import ipaddress
import re
import ssl
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, SecretStr
from pydantic_settings import NoDecode

from truename.plumbing.storage_address import storage_address

HOST: Final = re.compile(r"[\w.-]+")


def _listed(value: object) -> object:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def _network(value: str) -> str:
    return str(ipaddress.ip_network(value, strict=False))


def a_postgres_url(value: SecretStr | None) -> SecretStr | None:
    """An address of PostgreSQL that its library can take apart; what the library says may quote the password."""
    if value is None:
        return None
    if urlsplit(value.get_secret_value()).scheme not in ("postgresql", "postgres"):
        raise ValueError("must be an address such as postgresql://user:password@host:5432/database")
    from psycopg import ProgrammingError  # loads for a tenth of a second, and most settings have no address
    from psycopg.conninfo import conninfo_to_dict

    try:
        conninfo_to_dict(value.get_secret_value())
    except ProgrammingError:
        raise ValueError(
            "is no address that PostgreSQL's library can read: is an option behind the ? misspelt, or a sign in the "
            "password not written as %XX?"
        ) from None
    return value


def a_web_url(value: str | None) -> str | None:
    """An address of the web, without a slash at its end."""
    if value is None:
        return None
    parts = urlsplit(value)
    plain = parts.username is None and not parts.query and not parts.fragment
    if not plain or not _leads_somewhere(value):
        raise ValueError("must be an address such as https://verify.example.com")
    return value.rstrip("/")


def a_collector(value: str | None) -> str | None:
    """An address to which something is sent, with whatever follows the host."""
    if value is not None and not _leads_somewhere(value):
        raise ValueError("must be an address such as http://127.0.0.1:4318/v1/traces")
    return value


def _leads_somewhere(address: str) -> bool:
    """Is it an address of the web, with a host, a port that can be, and no space? Raises ValueError for some others."""
    parts = urlsplit(address)
    printable = address.isprintable() and " " not in address
    return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and printable


def a_storage_url(value: str | None) -> str | None:
    """A folder or a bucket; where an authority's file is named, it must be one."""
    if value is not None and (authority := storage_address(value).ca_file):
        certificates(authority)
    return value


def certificates(file: Path | None) -> Path | None:
    """A file with certificates of authorities, in PEM."""
    if file is None:
        return None
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=file)
    except ssl.SSLError:
        raise ValueError(f"{file} holds no certificate of an authority (PEM)") from None
    except OSError as fault:
        raise ValueError(f"{file} cannot be read: {fault.strerror}") from None
    return file


def _receiver(entry: str) -> str:
    """A network or a host, either with a port; anything else would be a name that nothing ever has."""
    if _is_network(entry):
        return entry
    host, colon, port = entry.rpartition(":")
    host, port = (host, port) if colon else (entry, "443")
    named = bool(HOST.fullmatch(host)) or _is_network(host) or _is_network(host.strip("[]"))
    if not (named and port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536):
        raise ValueError(f"{entry!r} is no host, host with port, or network, such as hooks.corp:8443 or 10.0.0.0/8")
    return entry


def _is_network(text: str) -> bool:
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        return False
    return True


Receivers = Annotated[tuple[Annotated[str, AfterValidator(_receiver)], ...], NoDecode, BeforeValidator(_listed)]
Networks = Annotated[tuple[Annotated[str, AfterValidator(_network)], ...], NoDecode, BeforeValidator(_listed)]
