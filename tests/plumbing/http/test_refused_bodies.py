"""Is a body let go as soon as it is refused? Many of 12 MB would fill the memory before the garbage collector looks."""

import asyncio
import gc
import weakref

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from truename.plumbing.errors import Invalid
from truename.plumbing.http.request_context import RequestContext


class Body:
    """Can be watched, which bytes cannot."""


async def refuse(body: Body) -> None:
    raise ValueError("No body is good.")


async def test_a_body_that_a_task_found_fault_with_is_gone_with_its_answer():
    watched: list[weakref.ref[Body]] = []

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        body = Body()
        watched.append(weakref.ref(body))
        work = asyncio.ensure_future(refuse(body))
        await asyncio.wait([work])
        try:
            work.result()
        except ValueError:
            raise Invalid() from None

    async def answer(request: Request, fault: Exception) -> Response:
        return Response(str(type(fault).__name__), 400)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    context = RequestContext(application, answer)
    scope = {"type": "http", "method": "POST", "path": "/", "headers": [], "query_string": b""}
    gc.collect()
    gc.disable()
    try:
        await context(scope, receive, send)
        assert sent[0]["status"] == 400
        assert watched[0]() is None
    finally:
        gc.enable()
