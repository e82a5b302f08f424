"""Connections to receivers that may say only so much: what a stranger sends must not keep this process busy.

The library reads interim answers (100 and its like) for as long as they come, and listens to a kept connection that
nobody has asked anything. Both are without end where a receiver wants it, and others' work stands still meanwhile.
"""

import asyncio
from functools import partial
from typing import Final, cast

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import RawResponseMessage
from aiohttp.streams import StreamReader

HEAD_BYTES: Final = 32 * 1024
"""What may come until the head of an answer is complete, interim answers before it included."""


class TooMuchBeforeAnswer(aiohttp.ClientError):
    """The receiver sent more than a head, and it was none."""


class BoundedAnswers(ResponseHandler):
    """One connection: it ends when a head becomes too long, or when the receiver speaks without being asked."""

    _before_answer = 0
    _body: StreamReader | None = None
    """Of the answer whose head has come; None while one is expected."""

    def set_response_params(self, **params: object) -> None:
        """The next answer is expected from here on."""
        self._before_answer, self._body = 0, None
        super().set_response_params(**params)  # type: ignore[arg-type]  # handed on as they came

    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        """One head was read, interim or not."""
        message, body = data
        if message.code >= 200 or message.code == 101:
            self._body = body
        super().feed_data(data, size)

    def data_received(self, data: bytes) -> None:
        """Some bytes came: those of a head are counted, the rest is the library's."""
        if self._body is None:
            head, data = data[: HEAD_BYTES - self._before_answer], data[HEAD_BYTES - self._before_answer :]
            self._before_answer += len(head)
            super().data_received(head)
            if self._body is None and self._before_answer >= HEAD_BYTES:
                self._hang_up(TooMuchBeforeAnswer())
                return
        elif self._body.is_eof():
            self._hang_up(None)  # who asks next does so over another connection
            return
        if data:
            super().data_received(data)

    def _hang_up(self, fault: aiohttp.ClientError | None) -> None:
        if self.transport is not None:
            self.transport.abort()
        if fault is not None:
            self.set_exception(fault)


def bounded(connector: aiohttp.TCPConnector) -> aiohttp.TCPConnector:
    """The same, opening only such connections."""
    loop = asyncio.get_running_loop()
    connector._factory = cast(partial[ResponseHandler], partial(BoundedAnswers, loop=loop))
    return connector
