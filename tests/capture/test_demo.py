"""The demo is there for trial accounts only, and its key reads one transaction."""

from base64 import urlsafe_b64decode
from uuid import UUID

import aiohttp
import pytest

from truename.accounts.store import account_settings, change_settings


@pytest.fixture
async def outside(live_server):
    async with aiohttp.ClientSession(live_server) as session:
        yield session


async def on_trial(plumbing, account_id, trial):
    async with plumbing.database.account(account_id) as connection:
        settings = await account_settings(connection, account_id)
        changed = settings.model_copy(update={"trial": trial})
        await change_settings(connection, account_id, changed)


async def result(outside, key):
    async with outside.get("/demo/result", headers={"Authorization": f"Bearer {key}"}) as answer:
        return answer.status


async def test_the_demo_ends_with_the_trial(outside, plumbing, an_account):
    async with outside.post("/demo/transactions", json={}) as answer:
        assert answer.status == 201
        token, _, key = (await answer.json())["url"].partition("#t=")[2].partition("&d=")
    # Other tests have trial accounts in this database too: whose demo it is stands in its key.
    account_id = UUID(bytes=urlsafe_b64decode(key)[:16])
    assert await result(outside, key) == 200
    assert await result(outside, token) == 401
    assert await result(outside, key[:-4] + "AAA=") == 401
    await on_trial(plumbing, account_id, False)
    try:
        assert await result(outside, key) == 404
    finally:
        await on_trial(plumbing, account_id, True)
