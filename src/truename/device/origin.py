"""IP → country and kind of network: where does the connection come from?"""

import importlib
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any, NamedTuple

import maxminddb

from truename.device.unusable import OriginFileUnusable

KINDS = ("hosting", "vpn", "proxy", "tor")


class Origin(NamedTuple):
    """What is known of an address; None is unknown."""

    country: str | None = None
    network_kind: str | None = None
    """`access` for an ordinary provider, else hosting, vpn, proxy or tor."""
    operator: str | None = None
    data: str = ""
    """The data the answer rests on, with its date."""

    @property
    def is_vpn_or_proxy(self) -> bool | None:
        return None if self.network_kind is None else self.network_kind != "access"


@dataclass(frozen=True)
class OriginData:
    """The files an operator brings; what is absent falls back to the data in the package."""

    country_file: Path | None = None
    asn_file: Path | None = None
    network_list: Path | None = None


def origin_of(address: str, data: OriginData = OriginData()) -> Origin:  # noqa: B008 (frozen)
    """Look an address up. Addresses that are not public have no origin."""
    try:
        ip = ip_address(address)
    except ValueError:
        return Origin()
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped:
        ip = ip.ipv4_mapped
    if not ip.is_global:
        return Origin(network_kind=_listed_kind(ip, data.network_list))
    embedded = _embedded().lookup(str(ip))
    country, operator = _known(embedded.country_code), embedded.asn_name or None
    sources = [_embedded_date()]
    if data.country_file:
        found = _record(data.country_file, str(ip))
        country = (found.get("country") or {}).get("iso_code") or found.get("country_code")
        sources.append(_file_date(data.country_file))
    if data.asn_file:
        found = _record(data.asn_file, str(ip))
        operator = found.get("autonomous_system_organization") or found.get("as_name")
        sources.append(_file_date(data.asn_file))
    kind = _listed_kind(ip, data.network_list) or _operator_kind(operator)
    return Origin(country, kind, operator, ", ".join(sources))


def load_origins(data: OriginData) -> None:
    """Read everything now, which takes a second, so that no look-up has to. Raises OriginFileUnusable."""
    _embedded_date()
    _operators()
    for file in (data.country_file, data.asn_file):
        if file is not None:
            _reader(file)
    if data.network_list is not None:
        _networks(data.network_list)


def _known(code: str) -> str | None:
    return code if len(code) == 2 and code.isalpha() else None


def _operator_kind(operator: str | None) -> str | None:
    if not operator:
        return None
    name = operator.casefold()
    return next((kind for kind, beginning in _operators() if name.startswith(beginning)), "access")


def _listed_kind(ip: IPv4Address | IPv6Address, listed: Path | None) -> str | None:
    if listed is None:
        return None
    return _networks(listed).kind_of(ip)


@cache
def _embedded() -> Any:
    return importlib.import_module("geoip2fast").GeoIP2Fast(geoip2fast_data_file="geoip2fast-asn-ipv6.dat.gz")


@cache
def _embedded_date() -> str:
    """For example `GeoLite2-CountryASN of 2024-06-18`."""
    stamp = _embedded().source_info.rpartition("-")[2]
    return f"GeoLite2 country and ASN of {stamp[:4]}-{stamp[4:6]}-{stamp[6:8]} in geoip2fast"


@cache
def _operators() -> tuple[tuple[str, str], ...]:
    lines = files("truename.device").joinpath("hosting_networks.txt").read_text().splitlines()
    rows = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    return tuple((kind, beginning.casefold()) for kind, beginning in rows)


class Networks:
    """Networks by their kind, looked up in time that grows with the logarithm of their number.

    Networks either lie within one another or have nothing in common, so that the ones around an address are found by
    going outwards from the last that begins at or before it. The line that stands first in the file wins.
    """

    def __init__(self, listed: Iterable[tuple[str, IPv4Network | IPv6Network]]) -> None:
        places: dict[tuple[int, int, int], tuple[int, str]] = {}
        for line, (kind, network) in enumerate(listed):
            first, last = int(network.network_address), int(network.broadcast_address)
            places.setdefault((network.version, first, -last), (line, kind))
        self._begins: list[tuple[int, int]] = []
        self._networks: list[tuple[int, int, str, int]] = []
        """The last address, the line, the kind, and which network lies around it (-1: none)."""
        around: list[int] = []
        for (version, first, minus_last), (line, kind) in sorted(places.items()):
            while around and not (self._begins[around[-1]][0] == version and first <= self._networks[around[-1]][0]):
                around.pop()
            self._begins.append((version, first))
            self._networks.append((-minus_last, line, kind, around[-1] if around else -1))
            around.append(len(self._networks) - 1)

    def kind_of(self, ip: IPv4Address | IPv6Address) -> str | None:
        place = bisect_right(self._begins, (ip.version, int(ip))) - 1
        found: tuple[int, str] | None = None
        while place >= 0 and self._begins[place][0] == ip.version:
            last, line, kind, around = self._networks[place]
            if int(ip) <= last and (found is None or line < found[0]):
                found = (line, kind)
            place = around
        return found[1] if found else None


@cache
def _networks(listed: Path) -> Networks:
    """An operator's list: `NETWORK KIND` one per line, for example `192.0.2.1 tor`."""
    try:
        lines = listed.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise OriginFileUnusable(listed, _why(fault)) from None
    found = []
    for number, line in enumerate(lines, 1):
        plain = line.partition("#")[0].split()
        if plain:
            network, kind = (*plain, "")[:2]
            if kind not in KINDS or len(plain) > 2 or not _is_network(network):
                raise OriginFileUnusable(listed, f"line {number} must be a network and one of {', '.join(KINDS)}")
            found.append((kind, ip_network(network, strict=False)))
    return Networks(found)


def _is_network(text: str) -> bool:
    try:
        ip_network(text, strict=False)
    except ValueError:
        return False
    return True


@cache
def _reader(path: Path) -> maxminddb.Reader:
    try:
        return maxminddb.open_database(path)
    except (OSError, maxminddb.InvalidDatabaseError) as fault:
        raise OriginFileUnusable(path, _why(fault)) from None


def _why(fault: Exception) -> str:
    return (fault.strerror if isinstance(fault, OSError) else None) or "it is no such file"


def _record(path: Path, address: str) -> dict[str, Any]:
    found = _reader(path).get(address)
    return found if isinstance(found, dict) else {}


def _file_date(path: Path) -> str:
    built = _reader(path).metadata()
    return f"{built.database_type} of {datetime.fromtimestamp(built.build_epoch, UTC):%Y-%m-%d}"
