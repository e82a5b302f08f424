"""Which addresses may a webhook go to?

Our own list of forbidden networks, because the standard library's `is_global` has changed its mind between releases
and knows nothing of cloud metadata services. A host is judged twice: when the transaction is created (what can be told
from the text alone, no look-up) and again at each connection, on the very address that is being connected.
"""

import re
import socket
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

FORBIDDEN: tuple[Network, ...] = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT, Alibaba metadata
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # Azure's platform address
        "169.254.0.0/16",  # link-local, metadata of most clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments, Oracle metadata
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarking
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
        "::/96",  # unspecified, loopback, IPv4-compatible
        "::ffff:0:0/96",  # IPv4-mapped
        "::ffff:0:0:0/96",  # IPv4-translated
        "64:ff9b::/96",  # NAT64
        "64:ff9b:1::/48",  # NAT64, local
        "100::/64",  # discard
        "2001::/23",  # Teredo, ORCHID and other protocol assignments
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "3fff::/20",  # documentation
        "5f00::/16",  # segment routing
        "fc00::/7",  # private, AWS metadata
        "fe80::/10",  # link-local
        "fec0::/10",  # site-local
        "ff00::/8",  # multicast
    )
)
GLOBAL_IPV6 = ip_network("2000::/3")

OWN_NAMES = frozenset({"localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback", "broadcasthost"})
METADATA_NAMES = frozenset(
    {"metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal"}
)

NUMBER = re.compile(r"\A(?:0[xX][0-9a-fA-F]*|[0-9]+)\Z")


class AddressForbidden(Exception):
    """The address is the machine itself, private, or otherwise not on the public internet."""


@dataclass(frozen=True)
class AllowList:
    """What the operator opened: networks, names, and either with a port (`127.0.0.1:8443`, `hooks.corp:443`)."""

    entries: tuple[str, ...] = ()
    names_of_networks: frozenset[str] = frozenset()
    """Names that may be written for a network of the list: where they really lead is still checked."""

    def __or__(self, more: "AllowList") -> "AllowList":
        return AllowList(self.entries + more.entries, self.names_of_networks | more.names_of_networks)

    @cached_property
    def _networks(self) -> tuple[tuple[Network, int | None], ...]:
        return tuple((network, port) for network, port in map(_network_entry, self.entries) if network)

    @cached_property
    def _names(self) -> frozenset[tuple[str, int | None]]:
        return frozenset(_name_entry(entry) for entry in self.entries if _network_entry(entry)[0] is None)

    def has_address(self, address: Address, port: int) -> bool:
        """Whether the operator opened this very address and port."""
        return any(address in network and opened in (None, port) for network, opened in self._networks)

    def has_name(self, name: str, port: int) -> bool:
        """Whether the operator opened this host name and port."""
        return (name, None) in self._names or (name, port) in self._names


LOOPBACK = AllowList(("127.0.0.0/8", "::1/128"), frozenset({"localhost"}))
"""What a trial account may use, so that a newcomer can receive webhooks on the same machine."""


def allow_list(entries: Iterable[str]) -> AllowList:
    """The operator's entries, each a network or a host name, with a port or without. What is no network is a name."""
    return AllowList(tuple(entries))


def refuse_forbidden_host(url: str, allowed: AllowList) -> None:
    """Raise AddressForbidden when the text of the URL alone shows that it leads somewhere forbidden."""
    parts = urlsplit(url)
    host, port = plain_host(parts.hostname or ""), parts.port or 443
    if allowed.has_name(host, port) or host in allowed.names_of_networks:
        return
    if is_literal(host):
        refuse_forbidden_address(literal_address(host), port, allowed)
        return
    own = OWN_NAMES | {socket.gethostname().lower()}
    if host in own or host in METADATA_NAMES or host.endswith(".localhost"):
        raise AddressForbidden("The host is a name of this machine or of a metadata service.")


def refuse_forbidden_address(address: Address | None, port: int, allowed: AllowList) -> None:
    """Raise AddressForbidden unless the address is public or the operator opened it."""
    if address is None:
        raise AddressForbidden("The host looks like a number but is no address.")
    if allowed.has_address(address, port):
        return
    if any(address in network for network in FORBIDDEN) or (address.version == 6 and address not in GLOBAL_IPV6):
        raise AddressForbidden("The address is not on the public internet.")


def plain_host(host: str) -> str:
    """The host as a resolver would understand it: circled digits, full-width letters and odd dots made plain."""
    plain = unicodedata.normalize("NFKC", host).replace("。", ".").casefold()
    return plain.rstrip(".")


def is_literal(host: str) -> bool:
    """Would a resolver take this for an address and not for a name?"""
    return ":" in host or bool(NUMBER.match(host.rpartition(".")[2]))


def literal_address(host: str) -> Address | None:
    """Read an address in any form that `getaddrinfo` takes: dotted, short, decimal, hex, octal; or IPv6."""
    if ":" in host:
        try:
            return ip_address(host.partition("%")[0])
        except ValueError:
            return None
    numbers = [_number(part) for part in host.split(".")]
    if len(numbers) > 4 or any(number is None for number in numbers):
        return None
    *heads, tail = [number for number in numbers if number is not None]
    if any(head > 255 for head in heads) or tail >= 256 ** (4 - len(heads)):
        return None
    packed = sum(head << (24 - 8 * place) for place, head in enumerate(heads)) + tail
    return IPv4Address(packed)


def _number(text: str) -> int | None:
    if not NUMBER.match(text):
        return None
    try:
        if text[:2] in ("0x", "0X"):
            return int(text[2:] or "0", 16)
        return int(text, 8 if len(text) > 1 and text[0] == "0" else 10)
    except ValueError:
        return None


def _network_entry(entry: str) -> tuple[Network | None, int | None]:
    for text, port in ((entry, None), _split_port(entry)):
        try:
            return ip_network(text.strip("[]"), strict=False), port
        except ValueError:
            continue
    return None, None


def _name_entry(entry: str) -> tuple[str, int | None]:
    name, port = _split_port(entry)
    return plain_host(name), port


def _split_port(entry: str) -> tuple[str, int | None]:
    name, colon, port = entry.rpartition(":")
    return (name, int(port)) if colon and port.isascii() and port.isdigit() else (entry, None)
