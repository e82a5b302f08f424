"""While a backup is taken no picture is deleted, however long it takes; and what deletes pictures may take its time."""

import asyncio
import dataclasses

import pytest

from truename.backup.write import snapshot
from truename.media.delete import deletions, without_deletions
from truename.plumbing.database.pool import Database


@pytest.fixture
async def impatient(new_database, monkeypatch):
    """A database that breaks off a transaction after a second in which it was asked nothing."""
    monkeypatch.setattr("truename.plumbing.database.pool.IDLE_IN_TRANSACTION_SECONDS", 1)
    database = Database(new_database(), connections=4)
    await database.open()
    yield database
    await database.close()


@pytest.mark.slow
async def test_pictures_stay_for_as_long_as_a_backup_takes(impatient):
    async with without_deletions(impatient):
        await asyncio.sleep(1.5)
        async with deletions(impatient) as granted:
            assert not granted
    async with deletions(impatient) as granted:
        assert granted


@pytest.mark.slow
async def test_no_backup_begins_for_as_long_as_pictures_are_deleted(impatient):
    async with deletions(impatient) as granted, deletions(impatient) as another:
        assert granted
        assert another, "those who delete do not wait for each other"
        begun = asyncio.create_task(_begin(impatient))
        await asyncio.sleep(1.5)
        assert not begun.done()
    await asyncio.wait_for(begun, 30)


async def _begin(database):
    async with without_deletions(database):
        pass


@pytest.mark.slow
async def test_the_moment_of_a_backup_is_held_for_as_long_as_its_pictures_are_copied(impatient, plumbing):
    async with snapshot(dataclasses.replace(plumbing, database=impatient)) as moment:
        await asyncio.sleep(1.5)
        assert [keys async for keys in moment.storage_keys()] == []
