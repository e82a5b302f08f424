"""Serving on loopback, in this very process."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn

from tests.support.waiting import free_port, until


@asynccontextmanager
async def serving(served: uvicorn.Config | Any, port: int | None = None) -> AsyncIterator[str]:
    """The address of an application (or of what a whole configuration serves) while it answers.

    No logger is set up for it: levels and handlers would stay, and hide the lines of later tests.
    """
    config = served
    if not isinstance(served, uvicorn.Config):
        config = uvicorn.Config(served, host="127.0.0.1", port=port or free_port(), log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign, assignment] # Ctrl-C belongs to pytest
    running = asyncio.create_task(server.serve())

    async def started() -> bool:
        if running.done():
            running.result()
        return server.started

    await until(started)
    try:
        yield f"http://127.0.0.1:{config.port}"
    finally:
        server.should_exit = True
        await running
