"""Jobs that tests ask for, and what is left of them in the database."""

import pytest

from truename.plumbing.database.ids import new_id
from truename.plumbing.jobs import registry
from truename.plumbing.jobs.queue import enqueue


@pytest.fixture
def seen(monkeypatch):
    """Jobs registered by a test vanish with it."""
    monkeypatch.setattr(registry, "JOBS", registry.JOBS)
    before, ticks = dict(registry.JOBS), dict(registry.TICKS)
    yield []
    registry.JOBS.clear()
    registry.JOBS.update(before)
    registry.TICKS.clear()
    registry.TICKS.update(ticks)


async def count(plumbing, query):
    async with plumbing.database.system() as connection:
        row = await (await connection.execute(query)).fetchone()
        return next(iter(row.values()))


async def ask(plumbing, name, **options):
    async with plumbing.database.account(new_id()) as connection:
        await enqueue(connection, name, {"word": "hello"}, **options)
