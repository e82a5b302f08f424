"""Does /readyz say of each thing that fails that it is this one, and of nothing else?"""

from dataclasses import replace

import aiohttp
import pytest

from tests.support.api import problem
from tests.support.loopback import serving
from tests.support.people import a_verified_person
from truename.api.app import create_app
from truename.plumbing.database.keys_database import KeysDatabase
from truename.plumbing.database.pool import Database
from truename.plumbing.resources import Plumbing
from truename.plumbing.storage.objects import NoSuchStore, Objects
from truename.wiring import wired

NOWHERE = "postgresql://nobody@127.0.0.1:1/none"
DATABASE = "The database does not answer."
KEYS = "The database of keys does not answer."
STORE = "The store of pictures does not answer."


@pytest.mark.parametrize("failing", [(DATABASE,), (KEYS,), (STORE,), (DATABASE, KEYS, STORE)], ids=" ".join)
async def test_each_thing_that_fails_is_named_and_nothing_else(plumbing, tmp_path, failing):
    own: Plumbing = plumbing
    if DATABASE in failing:
        own = replace(own, database=Database(NOWHERE))
    if KEYS in failing:
        own = replace(own, keys_database=KeysDatabase(NOWHERE))
    if STORE in failing:
        own = replace(own, objects=Objects(str(tmp_path / "pictures")))
        (tmp_path / "pictures").rmdir()
    async with serving(create_app(own)) as address, aiohttp.ClientSession(address) as caller:
        answer = await caller.get("/readyz")
        told = await problem(answer, 503)
        assert int(answer.headers["Retry-After"]) > 0
        assert (told["code"], told["detail"]) == ("not_ready", " ".join(failing))
        assert (await caller.get("/healthz")).status == 200, "a process that waits for others is not to be killed"


async def test_a_database_that_may_only_be_read_is_named_and_callers_are_asked_to_wait(plumbing, an_account):
    """A standby, or one that its administrator has frozen. Seen before: 500 to every call, and /readyz said "ok"."""
    only_read = Database(f"{plumbing.database.url}&options=-c%20default_transaction_read_only%3Don", connections=2)
    await only_read.open()
    try:
        app = create_app(replace(plumbing, database=only_read))
        async with serving(app) as address, aiohttp.ClientSession(address) as caller:
            assert (await problem(await caller.get("/readyz"), 503))["detail"] == "The database may only be read."
            asked = {"grant_type": "client_credentials", "client_id": "client_of_nobody", "client_secret": "wrong"}
            assert (await problem(await caller.post("/oauth/token", data=asked), 503))["code"] == "not_ready"
    finally:
        await only_read.close()


async def test_where_all_is_well_it_says_so(plumbing):
    async with serving(create_app(plumbing)) as address, aiohttp.ClientSession(address) as caller:
        answer = await caller.get("/readyz")
        assert (answer.status, await answer.json()) == (200, {"status": "ok"})


async def test_a_process_that_starts_while_the_folder_of_pictures_is_gone_makes_no_empty_one(
    plumbing, an_account, tmp_path
):
    """It passed for pictures that were deleted: `truename doctor` was enough, and /readyz said that all was well."""
    await a_verified_person(plumbing, an_account)  # so that there is a picture somewhere
    folder = tmp_path / "not mounted"
    async with wired(plumbing.settings.model_copy(update={"storage_url": str(folder)})) as started:
        async with serving(create_app(started)) as address, aiohttp.ClientSession(address) as caller:
            assert (await problem(await caller.get("/readyz"), 503))["detail"] == STORE
        with pytest.raises(NoSuchStore):
            await started.objects.check()
    assert not folder.exists()
