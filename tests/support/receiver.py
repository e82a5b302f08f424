"""A real HTTPS receiver of webhooks on loopback, with a certificate of its own CA."""

import asyncio
import ssl
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import trustme
from aiohttp import web


@dataclass
class Received:
    path: str
    headers: dict[str, str]
    body: str
    peer: object = None
    """The other end of the connection that it came over."""


@dataclass
class Receiver:
    """Answers 204 unless told otherwise; remembers what came."""

    url: str
    ca_file: Path
    received: list[Received] = field(default_factory=list)
    answers: deque[web.Response] = field(default_factory=deque)
    delay: float = 0.0
    before_answer: Callable[[], Awaitable[None]] | None = None

    def answer_next(self, *answers: web.Response) -> None:
        self.answers.extend(answers)

    async def wait_for(self, count: int, seconds: float = 60.0) -> list[Received]:
        async with asyncio.timeout(seconds):
            while len(self.received) < count:
                await asyncio.sleep(0.02)
        return self.received

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.text()
        transport = request.transport
        peer = transport.get_extra_info("peername") if transport else None
        self.received.append(Received(request.path, dict(request.headers), body, peer))
        if self.delay:
            await asyncio.sleep(self.delay)
        if self.before_answer:
            await self.before_answer()
        return self.answers.popleft() if self.answers else web.Response(status=204)


@asynccontextmanager
async def a_receiver(folder: Path, name: str = "localhost") -> AsyncIterator[Receiver]:
    authority = trustme.CA()
    ca_file = folder / "ca.pem"
    authority.cert_pem.write_to_path(str(ca_file))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name, "127.0.0.1").configure_cert(tls)
    receiver = Receiver("", ca_file)
    app = web.Application()
    app.router.add_post("/{path:.*}", receiver._handle)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
    await site.start()
    port = runner.addresses[0][1]
    receiver.url = f"https://127.0.0.1:{port}/hook"
    try:
        yield receiver
    finally:
        await runner.cleanup()
