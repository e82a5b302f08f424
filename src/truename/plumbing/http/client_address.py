"""Whose address is it? A proxy's word counts only when the proxy is one of ours."""

from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address, ip_network

from starlette.requests import Request


def client_address(request: Request, trusted_proxies: Iterable[str]) -> str | None:
    """The nearest address that is not a trusted proxy, read from right to left; None when it cannot be told."""
    peer = request.client.host if request.client else None
    networks = [ip_network(proxy) for proxy in trusted_proxies]
    forwarded = [part.strip() for header in request.headers.getlist("x-forwarded-for") for part in header.split(",")]
    for hop in (peer, *reversed(forwarded)):
        try:
            address = ip_address(_without_port(hop or ""))
        except ValueError:
            return None
        if isinstance(address, IPv6Address) and address.ipv4_mapped:
            address = address.ipv4_mapped
        if not any(address in network for network in networks):
            return str(address)
    return str(ip_address(_without_port(forwarded[0]))) if forwarded else peer


def _without_port(hop: str) -> str:
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop
