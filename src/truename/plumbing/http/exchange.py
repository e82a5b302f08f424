"""One request and its answer, as the server keeps them; the head of the answer is checked and written in one go.

The server's own class looks at each header with two patterns, which takes longer than all the rest of writing.
"""

import re
from collections.abc import Iterable
from typing import Final

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

_NAME: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FORBIDDEN: Final = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_good_names: Final[dict[bytes, bytes]] = {}
"""Names that were looked at before, each as it is written: they stand in our code, so there are few."""
MOST_NAMES: Final = 1000


class Exchange(RequestResponseCycle):
    """Writes what the server's own class would write, and refuses what that refuses."""

    async def send(self, message: ASGISendEvent) -> None:
        if (
            message["type"] != "http.response.start"
            or self.response_started
            or self.disconnected
            or self.flow.write_paused
        ):
            await super().send(message)
            return
        self.response_started = True  # also where it cannot be written: then the connection breaks
        self.waiting_for_100_continue = False
        self.transport.write(self._head(message["status"], [*self.default_headers, *message.get("headers", ())]))

    def _head(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
        """The head as it goes out; RuntimeError for a header that would say something else than it should."""
        lines, closes = [], False
        for name, value in headers:
            name = _good_names.get(name) or _good(name)
            lines.append(b"%b: %b\r\n" % (name, value))
            if name == b"content-length" and self.chunked_encoding is None:
                self.expected_content_length, self.chunked_encoding = int(value), False
            elif name == b"transfer-encoding" and value.lower() == b"chunked":
                self.expected_content_length, self.chunked_encoding = 0, True
            elif name == b"connection" and b"close" in [word.strip() for word in value.lower().split(b",")]:
                self.keep_alive, closes = False, True
        if not self.keep_alive and not closes:
            lines.append(b"connection: close\r\n")
        if self.chunked_encoding is None and self.scope["method"] != "HEAD" and status not in (204, 304):
            self.chunked_encoding = True
            lines.append(b"transfer-encoding: chunked\r\n")
        head = b"".join(lines)
        # A value that holds the end of a line would begin another header, or the body.
        if head.count(b"\n") != len(lines) or head.count(b"\r") != len(lines) or _FORBIDDEN.search(head):
            raise RuntimeError("Invalid HTTP header value.")
        return STATUS_LINE[status] + head + b"\r\n"


def _good(name: bytes) -> bytes:
    if not _NAME.fullmatch(name):
        raise RuntimeError("Invalid HTTP header name.")
    if len(_good_names) < MOST_NAMES:
        _good_names[name] = name.lower()
    return name.lower()
