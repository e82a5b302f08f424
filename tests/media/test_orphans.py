"""Are pictures found that no row knows? (E3)"""

import os
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.people import JPEG, a_verified_person, key_of, left_of
from truename.media.delete import NotDeleted
from truename.media.orphans import SAFE_AGE, delete_orphans, sweep_orphans
from truename.media.pictures import MediaKind, store_picture
from truename.plumbing.clock import now
from truename.plumbing.database.ids import new_id
from truename.plumbing.storage.objects import PROBES, NoSuchObject, Objects


def age(plumbing, key: str, by: timedelta) -> None:
    written = (now() - by).timestamp()
    os.utime(Path(plumbing.settings.media_url) / key, (written, written))


async def keys_in_store(plumbing, account, customer_id) -> set[str]:
    prefix = f"{account.account_id}/{customer_id}"
    return {found.key async for chunk in plumbing.objects.list(prefix) for found in chunk}


async def test_a_picture_whose_upload_died_before_its_commit_is_deleted_after_a_day(plumbing, an_account):
    person = await a_verified_person(plumbing, an_account)
    key = await key_of(plumbing, an_account, person.customer_id)
    own = an_account.account_id, person.customer_id, person.transaction_id
    orphan = await store_picture(plumbing.objects, key, *own, MediaKind.DOCUMENT_FRONT, JPEG, 1, 1)
    # Here the process dies: no row is inserted.
    for picture in (*person.pictures, orphan):
        age(plumbing, picture.object_key, SAFE_AGE - timedelta(minutes=1))
    await sweep_orphans(plumbing, SAFE_AGE)
    assert orphan.object_key in await keys_in_store(plumbing, an_account, person.customer_id)
    for picture in (*person.pictures, orphan):
        age(plumbing, picture.object_key, SAFE_AGE + timedelta(minutes=1))
    assert await sweep_orphans(plumbing, SAFE_AGE) >= 1
    assert await keys_in_store(plumbing, an_account, person.customer_id) == set(person.object_keys)


async def test_an_upload_has_a_day_to_commit_its_row(plumbing, an_account):
    """A phone that lost its network comes back; the regular sweep must not have taken the picture."""
    person = await a_verified_person(plumbing, an_account)
    key = await key_of(plumbing, an_account, person.customer_id)
    own = an_account.account_id, person.customer_id, person.transaction_id
    under_way = await store_picture(plumbing.objects, key, *own, MediaKind.DOCUMENT_FRONT, JPEG, 1, 1)
    age(plumbing, under_way.object_key, timedelta(hours=23))
    await delete_orphans(plumbing)
    assert under_way.object_key in await keys_in_store(plumbing, an_account, person.customer_id)
    age(plumbing, under_way.object_key, timedelta(hours=25))
    await delete_orphans(plumbing)
    assert under_way.object_key not in await keys_in_store(plumbing, an_account, person.customer_id)


async def test_a_redacted_picture_that_is_still_there_is_deleted(plumbing, an_account):
    person = await a_verified_person(plumbing, an_account)
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute(
            "UPDATE media SET redacted_at = now() WHERE transaction_id = %s", (person.transaction_id,)
        )
    for key in person.object_keys:
        age(plumbing, key, SAFE_AGE * 2)
    await sweep_orphans(plumbing, SAFE_AGE)
    assert "objects" not in await left_of(plumbing, an_account, person)


async def test_what_is_no_picture_of_ours_is_left_alone(plumbing):
    for key in ("truename-probes/1", "some/body/else"):
        await plumbing.objects.put(key, b"x")
        age(plumbing, key, SAFE_AGE * 2)
    await sweep_orphans(plumbing, SAFE_AGE)
    for key in ("truename-probes/1", "some/body/else"):
        assert await plumbing.objects.get(key) == b"x"
        await plumbing.objects.delete(key)


async def test_what_a_check_of_the_store_left_behind_when_it_was_killed_is_deleted_after_a_day(plumbing):
    young, old = f"{PROBES}/{new_id()}", f"{PROBES}/{new_id()}"
    for key in (young, old):
        await plumbing.objects.put(key, b"truename")
    age(plumbing, old, SAFE_AGE + timedelta(minutes=1))
    await sweep_orphans(plumbing, timedelta(0))
    left = [found.key async for chunk in plumbing.objects.list(PROBES) for found in chunk]
    assert left == [young], "it may be about to be read"
    await plumbing.objects.delete(young)


class Holds(Objects):
    """A store that will not give up one object, as a bucket under a legal hold does."""

    held = ""

    async def delete(self, key: str) -> None:
        if key == self.held:
            raise PermissionError(key)
        await super().delete(key)


async def test_one_that_cannot_be_deleted_does_not_keep_the_others(plumbing, an_account):
    person = await a_verified_person(plumbing, an_account)
    key = await key_of(plumbing, an_account, person.customer_id)
    own = an_account.account_id, person.customer_id, person.transaction_id
    orphans = [
        (await store_picture(plumbing.objects, key, *own, MediaKind.DOCUMENT_FRONT, JPEG, 1, 1)).object_key
        for _ in range(4)
    ]
    for orphan in orphans:
        age(plumbing, orphan, SAFE_AGE * 2)
    store = Holds(plumbing.settings.media_url)
    async for chunk in store.list():  # whichever comes first
        store.held = store.held or next((found.key for found in chunk if found.key in orphans), "")
    with pytest.raises(NotDeleted):
        await sweep_orphans(replace(plumbing, objects=store), SAFE_AGE)
    assert set(orphans) & await keys_in_store(plumbing, an_account, person.customer_id) == {store.held}


async def test_pictures_of_an_account_that_this_database_does_not_know_are_left_to_whoever_knows_it(
    plumbing, an_account
):
    strange = f"{new_id()}/{new_id()}/{new_id()}"
    await plumbing.objects.put(strange, b"of another installation in the same bucket")
    own = f"{an_account.account_id}/{new_id()}/{new_id()}"
    await plumbing.objects.put(own, b"an orphan")
    for key in (strange, own):
        age(plumbing, key, SAFE_AGE + timedelta(minutes=1))
    await sweep_orphans(plumbing, SAFE_AGE)
    with pytest.raises(NoSuchObject):
        await plumbing.objects.get(own)
    assert await plumbing.objects.get(strange)
    await plumbing.objects.delete(strange)
