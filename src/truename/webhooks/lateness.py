"""How late are webhooks? The age of their queue does not tell: it is that of jobs, and who is put off gets a new one.

A job that finds its account's receivers slow, and their half of the places taken, waits for a few seconds and is young
again; so does the one that follows a job which took what it could. Autoscaling by that age is right to see nothing
there: more workers would wait for the same receivers, and whoever let webhooks hang could grow the service at will.
"""

import asyncio
from typing import Final

import psycopg
import psycopg_pool

from truename.plumbing.database.pool import Database
from truename.plumbing.metrics import gauge
from truename.webhooks.store import oldest_due_seconds

PATIENCE_SECONDS: Final = 3.0
NAME: Final = "truename_webhook_age_seconds"
WORDS: Final = "Wait of the webhook that has been due for the longest, whatever it waits for."


def shown(seconds: float) -> bytes:
    """As Prometheus reads it."""
    return gauge(NAME, WORDS, seconds)


async def webhook_metrics(database: Database) -> bytes:
    """How late the latest is, as of now; nothing where the database does not answer."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS), database.system() as connection:
            return shown(await oldest_due_seconds(connection))
    except (TimeoutError, OSError, psycopg.Error, psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed):
        return b""
