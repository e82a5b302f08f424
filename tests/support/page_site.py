"""The capture page's files on a free port of loopback, in this very process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI

from tests.conftest import free_port
from truename.capture_page.endpoints import router
from truename.plumbing.resources import Plumbing


def page_only(plumbing: Plumbing | None = None) -> FastAPI:
    """The capture page's files and nothing else."""
    app = FastAPI()
    if plumbing is not None:
        app.state.plumbing = plumbing
    app.include_router(router)
    return app


@asynccontextmanager
async def served(app: FastAPI) -> AsyncIterator[str]:
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
