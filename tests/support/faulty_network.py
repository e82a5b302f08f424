"""What lies between a browser and the service: a reverse proxy on loopback that breaks on command."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
from aiohttp import web
from multidict import CIMultiDict

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "content-length"}


@dataclass(frozen=True)
class Cut:
    """The connection breaks off without an answer, before the service has heard anything or after it has."""

    after_the_service: bool = False


@dataclass(frozen=True)
class Says:
    """Somebody on the way answers in the service's place."""

    status: int
    body: str = "<html><body>Sorry.</body></html>"
    kind: str = "text/html"
    retry_after: int | None = None


@dataclass(frozen=True)
class Shortened:
    """The answer comes, with its length, and breaks off in the middle of its body."""


@dataclass
class FaultyNetwork:
    """Passes everything on, except what `faults` names by how its path begins."""

    address: str
    service: str
    faults: dict[str, Cut | Says | Shortened] = field(default_factory=dict)
    forwarded_for: str | None = None
    """From where the person seems to come, for a service that trusts this proxy."""
    once: list[tuple[str, Cut | Says | Shortened]] = field(default_factory=list)
    """Faults that happen one time each, to the first call whose path begins so."""
    held: dict[str, asyncio.Event] = field(default_factory=dict)
    passed: list[str] = field(default_factory=list)
    """Every call as METHOD /path?query, in order."""

    def hold(self, path: str) -> asyncio.Event:
        """Keep the answers of a path back until the event is set."""
        self.held[path] = asyncio.Event()
        return self.held[path]

    def _fault(self, path: str) -> Cut | Says | Shortened | None:
        return next((fault for beginning, fault in self.faults.items() if path.startswith(beginning)), None)

    def _next(self, path: str) -> Cut | Says | Shortened | None:
        place = next((place for place, (beginning, _) in enumerate(self.once) if path.startswith(beginning)), None)
        return None if place is None else self.once.pop(place)[1]

    async def handle(self, request: web.Request, http: aiohttp.ClientSession) -> web.StreamResponse:
        self.passed.append(f"{request.method} {request.path_qs}")
        body = await request.read()
        fault = self._next(request.path) or self._fault(request.path)
        if isinstance(fault, Says):
            headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
            return web.Response(status=fault.status, text=fault.body, content_type=fault.kind, headers=headers)
        if fault == Cut():
            return _broken(request)
        headers = {name: value for name, value in request.headers.items() if name.lower() not in HOP_BY_HOP}
        if self.forwarded_for:
            headers["X-Forwarded-For"] = self.forwarded_for
        url = f"{self.service}{request.raw_path}"
        async with http.request(request.method, url, headers=headers, data=body, allow_redirects=False) as answer:
            content = await answer.read()
            kept = [(name, value) for name, value in answer.headers.items() if name.lower() not in HOP_BY_HOP]
        for path, event in self.held.items():
            if request.path.startswith(path):
                await event.wait()
        if isinstance(fault, Cut) or isinstance(self._fault(request.path), Cut):
            return _broken(request)
        if isinstance(fault, Shortened):
            return await _shortened(request, answer.status, content, CIMultiDict(kept))
        return web.Response(status=answer.status, body=content, headers=CIMultiDict(kept))


async def _shortened(
    request: web.Request, status: int, content: bytes, headers: CIMultiDict[str]
) -> web.StreamResponse:
    started = web.StreamResponse(status=status, headers=headers)
    started.content_length = len(content)
    await started.prepare(request)
    await started.write(content[: len(content) // 2])
    if request.transport is not None:
        request.transport.close()  # what was written goes out first
    return started


def _broken(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


def _handler(
    network: FaultyNetwork, http: aiohttp.ClientSession
) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def handle(request: web.Request) -> web.StreamResponse:
        return await network.handle(request, http)

    return handle


@asynccontextmanager
async def a_faulty_network(service: str) -> AsyncIterator[FaultyNetwork]:
    """A way to the service at another address, whole until told otherwise."""
    network = FaultyNetwork("", service)
    async with aiohttp.ClientSession(auto_decompress=False) as http:
        app = web.Application(client_max_size=32 * 1024 * 1024)
        app.router.add_route("*", "/{path:.*}", _handler(network, http))
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            network.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
            yield network
        finally:
            await runner.cleanup()
