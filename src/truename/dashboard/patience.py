"""Questions that would take too long are given up, so that nobody keeps the database busy with one address."""

import contextlib
from collections.abc import AsyncIterator
from typing import Final

import psycopg

from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import NotReady

PATIENCE_SECONDS: Final = 10.0


@contextlib.asynccontextmanager
async def bounded(connection: Connection) -> AsyncIterator[None]:
    """Give each statement of the open transaction ten seconds; raises NotReady, with what to do, if one took longer."""
    await connection.execute(f"SET LOCAL statement_timeout = {round(PATIENCE_SECONDS * 1000)}")
    try:
        yield
    except psycopg.errors.QueryCanceled:
        words = "This would take too long. Choose a shorter range of time, or another filter beside it."
        raise NotReady(words, retry_after_seconds=60) from None
