"""The capture page's files on a free port of loopback, in this very process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.applications import Starlette

from tests.support.waiting import free_port
from truename.capture_page.endpoints import routes
from truename.plumbing.resources import Plumbing


def page_only(plumbing: Plumbing | None = None) -> Starlette:
    """The capture page's files and nothing else."""
    app = Starlette(routes=list(routes))
    if plumbing is not None:
        app.state.plumbing = plumbing
    return app


@asynccontextmanager
async def served(app: Starlette) -> AsyncIterator[str]:
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning", lifespan="off"))
    server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    serving = asyncio.create_task(server.serve())
    while not server.started:
        if serving.done():
            serving.result()
        await asyncio.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        await serving
