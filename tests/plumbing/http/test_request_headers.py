"""Is the header found that was sent, the first where there are two, and each time as it was written?"""

from starlette.requests import Request

from truename.plumbing.http.idempotency import key_faults, key_of
from truename.plumbing.http.request_context import header_of

SENT = [
    (b"host", b"x"),
    (b"content-type", b"application/json"),
    (b"content-type", b"text/plain"),
    (b"x-request-id", b"\xe9\xff"),
]


def test_the_first_header_of_a_name_counts_and_one_that_is_missing_is_empty():
    scope = {"type": "http", "headers": SENT}
    for _ in range(2):
        assert header_of(scope, b"content-type") == "application/json"
        assert header_of(scope, b"x-request-id") == "\xe9\xff"
        assert header_of(scope, b"authorization") == ""


def test_what_was_sorted_belongs_to_one_request():
    first, second = {"type": "http", "headers": SENT}, {"type": "http", "headers": [(b"host", b"y")]}
    assert (header_of(first, b"host"), header_of(second, b"host")) == ("x", "y")


def test_a_key_that_is_given_twice_is_seen_twice():
    once = Request({"type": "http", "headers": [*SENT, (b"idempotency-key", b"a")]})
    assert (key_of(once), key_faults(once)) == ("a", [])
    twice = Request({"type": "http", "headers": [*SENT, (b"idempotency-key", b"a"), (b"idempotency-key", b"a")]})
    assert [fault.code for fault in key_faults(twice)] == ["idempotency_key_malformed"]
    assert key_of(Request({"type": "http", "headers": SENT})) is None
