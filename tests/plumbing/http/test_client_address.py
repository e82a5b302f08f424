"""Whose address is it? A header counts only when a trusted proxy wrote it."""

import pytest
from starlette.requests import Request

from truename.plumbing.http.client_address import client_address

PROXIES = ("10.0.0.0/8", "fd00::/8")


def asked(peer: str | None, forwarded: str = "") -> Request:
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    return Request({"type": "http", "headers": headers, "client": (peer, 1) if peer else None})


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("81.2.69.142", "", "81.2.69.142"),
        ("81.2.69.142", "1.1.1.1", "81.2.69.142"),
        ("10.0.0.1", "1.1.1.1", "1.1.1.1"),
        ("::ffff:10.0.0.1", "1.1.1.1", "1.1.1.1"),
        ("10.0.0.1", "6.6.6.6, 1.1.1.1, 10.2.3.4", "1.1.1.1"),
        ("10.0.0.1", "1.1.1.1:4711", "1.1.1.1"),
        ("fd00::1", "[2606:4700::1]:443", "2606:4700::1"),
        ("10.0.0.1", "nonsense", None),
        (None, "1.1.1.1", None),
    ],
)
def test_only_a_trusted_proxy_may_say_who_calls(peer, forwarded, address):
    assert client_address(asked(peer, forwarded), PROXIES) == address
