"""While a backup is taken no picture is deleted, however long it takes; and what deletes pictures may take its time."""

import asyncio
import dataclasses

import pytest

from tests.support.people import a_verified_person
from truename.backup.write import snapshot
from truename.media.delete import (
    NotDeleted,
    delete_loose,
    delete_of_customer,
    delete_of_transaction,
    deletions,
    without_deletions,
)
from truename.plumbing.database.pool import Database
from truename.plumbing.storage.objects import Objects


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


async def kept_of(plumbing, person):
    """Which of the person's pictures the store still has."""
    folder = person.object_keys[0].rpartition("/")[0]
    there = {found.key async for chunk in plumbing.objects.list(folder) for found in chunk}
    return [key for key in person.object_keys if key in there]


async def test_of_a_transaction_only_redacted_pictures_are_deleted(plumbing, an_account):
    person = await a_verified_person(plumbing, an_account)
    redacted, *others = person.pictures
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("UPDATE media SET redacted_at = now() WHERE media_id = %s", (redacted.media_id,))
    own = {"account_id": str(an_account.account_id), "transaction_id": str(person.transaction_id)}
    await delete_of_transaction(plumbing, **own)
    assert await kept_of(plumbing, person) == [one.object_key for one in others]


async def test_pictures_of_a_living_customer_are_never_deleted_wholesale(plumbing, an_account):
    person = await a_verified_person(plumbing, an_account)
    own = {"account_id": str(an_account.account_id), "customer_id": str(person.customer_id)}
    await delete_of_customer(plumbing, **own)
    assert await kept_of(plumbing, person) == person.object_keys


class Refuses(Objects):
    """A store that will not give up one object."""

    held = ""

    async def delete(self, key: str) -> None:
        if key == self.held:
            raise PermissionError(key)
        await super().delete(key)


async def test_a_picture_that_cannot_be_deleted_keeps_no_other_and_is_tried_again(plumbing, an_account):
    """The job fails, and so comes back: a deletion that was taken for done would leave the picture for ever."""
    person = await a_verified_person(plumbing, an_account)
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute(
            "UPDATE media SET redacted_at = now() WHERE transaction_id = %s", (person.transaction_id,)
        )
    store = Refuses(plumbing.settings.media_url)
    store.held = person.object_keys[0]
    own = {"account_id": str(an_account.account_id), "transaction_id": str(person.transaction_id)}
    with pytest.raises(NotDeleted, match="1 of 3"):
        await delete_of_transaction(dataclasses.replace(plumbing, objects=store), **own)
    assert await kept_of(plumbing, person) == [store.held]
    await delete_of_transaction(plumbing, **own)
    assert await kept_of(plumbing, person) == []


async def test_while_a_backup_is_taken_redacted_pictures_wait_and_loose_ones_stay(plumbing, an_account):
    person = await a_verified_person(plumbing, an_account)
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute(
            "UPDATE media SET redacted_at = now() WHERE transaction_id = %s", (person.transaction_id,)
        )
    own = {"account_id": str(an_account.account_id), "transaction_id": str(person.transaction_id)}
    async with without_deletions(plumbing.database):
        await delete_loose(plumbing, person.object_keys)
        with pytest.raises(NotDeleted, match="backup"):
            await delete_of_transaction(plumbing, **own)
    assert await kept_of(plumbing, person) == person.object_keys
    await delete_of_transaction(plumbing, **own)
    assert await kept_of(plumbing, person) == []
