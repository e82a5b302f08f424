"""What is not even HTTP is refused by the server itself, in the same form as every other refusal."""

import uuid
from http import HTTPStatus
from typing import cast

from starlette.applications import Starlette
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from truename.plumbing.errors import Invalid
from truename.plumbing.http.problems import MEDIA_TYPE, problem_of
from truename.plumbing.http.request_context import STANDING


class Protocol(HttpToolsProtocol):
    """The server's own reading of HTTP/1.1, but for the words of its one refusal."""

    def send_400_response(self, msg: str) -> None:
        identity = uuid.uuid4().hex
        refusal = Invalid(detail="The request is not valid HTTP.", code="http_malformed")
        body = problem_of(refusal, "/", identity, cast(Starlette, self.config.app).state.plumbing.settings.base_url)
        headers = [
            *self.server_state.default_headers,
            *STANDING,
            (b"x-request-id", identity.encode()),
            (b"cache-control", b"no-store"),
            (b"content-type", MEDIA_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        status = f"HTTP/1.1 400 {HTTPStatus.BAD_REQUEST.phrase}\r\n".encode()
        self.transport.write(status + b"".join(b"%b: %b\r\n" % header for header in headers) + b"\r\n" + body)
        self.transport.close()
