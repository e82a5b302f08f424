"""Addresses that a command calls: whoever stands in between must neither read a secret nor put in keys of their own."""

from urllib.parse import urlsplit

from truename.cli.exit_codes import complain
from truename.plumbing.settings import OWN_NAMES


def refuse_plain_http(address: str) -> None:
    """End the command unless the address is https, or http on this very machine."""
    try:
        parts = urlsplit(address)
        known = parts.port is None or parts.port > 0
    except ValueError:  # a bracket without its other, a port that cannot be
        known = False
    if not known:
        raise complain(f"{address} is no address: write https://HOST/… or https://HOST:PORT/….")
    host = parts.hostname or ""
    own = host in OWN_NAMES or host.endswith(".localhost")
    if not host or parts.scheme not in ("https", "http") or (parts.scheme == "http" and not own):
        raise complain("Give an address with https://; http:// is for this machine only (localhost, 127.0.0.1).")
