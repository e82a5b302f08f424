"""How the HTTP server is set: its own settings where it has them, our limits where it has none."""

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp

from truename.plumbing.http.connection import connection_class
from truename.plumbing.http.connection_limits import ConnectionLimits
from truename.plumbing.settings import Settings


def connection_limits(settings: Settings) -> ConnectionLimits:
    """The limits that the operator has set."""
    return ConnectionLimits(
        head_bytes=settings.http_head_bytes,
        headers=settings.http_headers,
        head_seconds=settings.http_head_seconds,
        body_seconds=settings.http_body_seconds,
        body_bytes_per_second=settings.http_body_bytes_per_second,
        idle_seconds=settings.http_idle_seconds,
        connections=settings.http_connections,
        connections_per_address=settings.http_connections_per_address,
        body_bytes_in_flight=settings.http_bodies_mb * 1024 * 1024,
        proxies=settings.trusted_proxies,
    )


YOUNG_OBJECTS: Final = 20_000
"""After so many new objects the garbage collector looks at them; the usual 700 are made by a few requests."""


SWITCH_SECONDS: Final = 0.001
"""After so long a thread that reads a picture's header or a long body lets the event loop go on; usually it is 5 ms, at
each of the five or six steps of a request."""


@contextmanager
def spare_what_stays() -> Iterator[None]:
    """Tell the garbage collector, once everything is loaded, that what is there now stays as long as this lasts.

    Else it walks through all modules, models and routes again and again while requests wait. And let threads give way
    to the event loop sooner. Afterwards it may be collected again: what is still spared when Python ends, libraries
    take for leaks, and print a page about it.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, 20, 20)
    try:
        yield
    finally:
        gc.unfreeze()


LARGE_BLOCK: Final = 512 * 1024
"""Blocks from this size on are mapped by themselves, and go back as soon as they are free.

Above the pieces in which bodies are read (256 kB): where each of those had a mapping of its own, to read 12 MB took
11,800 page faults and 45 to 50 ms of the event loop, with none 10 ms."""
KEPT: Final = 16 * 1024 * 1024
"""So much that is free may stay, for the pieces of the next body."""
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8  # of malloc.h


def give_memory_back() -> None:
    """Have what bodies and pictures took returned to the system as soon as they are done.

    glibc learns from each large block that is freed to keep the next ones, and keeps a heap for each thread: after
    fifty uploads at once it would hold on to most of what they took. Where there is no glibc, nothing is set.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return
    for what, value in ((M_MMAP_THRESHOLD, LARGE_BLOCK), (M_TRIM_THRESHOLD, KEPT), (M_ARENA_MAX, 2)):
        mallopt(what, value)


def server_config(
    application: ASGIApp, settings: Settings, limits: ConnectionLimits | None = None, **more: Any
) -> uvicorn.Config:
    """The configuration of one server process; `limits` are those of the settings unless a test gives its own."""
    limits = limits or connection_limits(settings)
    return uvicorn.Config(
        application,
        http=connection_class(limits, settings.base_url),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=True,
        proxy_headers=False,  # whom to believe is decided by our own settings
        timeout_graceful_shutdown=20,
        timeout_keep_alive=max(1, round(limits.idle_seconds)),
        **more,
    )
