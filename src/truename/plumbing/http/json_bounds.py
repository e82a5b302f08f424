"""How much is in a JSON body, and how deep it is nested: asked of its bytes, before anything is made of them."""

import re
from collections.abc import Iterator
from typing import Final

MAX_DEPTH: Final = 100
MAX_VALUES: Final = 20_000
"""Ten times what the longest config needs; millions of values would keep everybody waiting while they are read."""
WINDOW: Final = 64 * 1024
_MARK: Final = re.compile(rb'["\[\]{}]')


def has_too_many_values(body: bytes) -> bool:
    """Counted in windows: to count millions at once would stop every thread of the process meanwhile.

    A comma stands between two values, a bracket before one, and with a value come four quotation marks at most: of
    nothing but brackets or marks there could else be millions.
    """
    values = quotes = 0
    for start in range(0, len(body), WINDOW):
        end = start + WINDOW
        values += sum(body.count(sign, start, end) for sign in (b",", b"[", b"{"))
        quotes += body.count(b'"', start, end)
        if values > MAX_VALUES or quotes > 4 * (MAX_VALUES + 1):
            return True
    return False


def depth_of(body: bytes) -> int:
    """How deep it is nested; counted no further than is allowed, nor beyond the end of the first value."""
    depth = deepest = 0
    for bracket in _brackets(body):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
        if not 0 < depth <= MAX_DEPTH:
            break
    return deepest


def _brackets(body: bytes) -> Iterator[int]:
    """Each bracket that stands in no string."""
    at = 0
    while (found := _MARK.search(body, at)) is not None:
        at = found.end()
        if found.group() == b'"':
            at = _end_of_string(body, at)
        else:
            yield body[at - 1]


def _end_of_string(body: bytes, at: int) -> int:
    # Searched for, not matched: an expression keeps a gigabyte for all it could give back of a string of megabytes.
    while (mark := body.find(b'"', at)) >= 0:
        before, at = body[at:mark], mark + 1
        if (len(before) - len(before.rstrip(b"\\"))) % 2 == 0:
            break
    else:
        at = len(body)
    return at
