"""Time passes in a sandbox when it is told to, and nowhere else."""

import asyncio
from datetime import datetime

from tests.support.api import TRANSACTION, a_transaction, problem
from tests.support.sdk import Phone
from tests.support.simulations import TEST, settled
from truename.accounts.model import AccountSettings
from truename.accounts.store import change_settings
from truename.sandbox.clock import MOST_SECONDS

DAY = 24 * 3600


async def advance(client, seconds: int) -> dict:
    async with client.post(f"{TEST}/clock", json={"advance_seconds": seconds}) as answer:
        told = await answer.json()
        assert answer.status == 200, told
        return told


async def read(client, transaction_id: str) -> dict:
    async with client.get(f"{TRANSACTION}/{transaction_id}") as answer:
        return await answer.json()


async def test_a_day_passes_and_what_was_open_has_expired_with_its_event_and_token(
    sandbox_client, client, plumbing, live_server
):
    config = {"webhook": {"url": "https://127.0.0.1:9/hook"}, "transaction_ttl_minutes": 60}
    made, other = await a_transaction(sandbox_client, "DOCUMENT_ONLY", config), await a_transaction(client)
    before = await read(sandbox_client, made["transaction_id"])
    told = await advance(sandbox_client, 3601)
    assert (told["advanced_seconds"], told["livemode"]) == (3601, False)
    after = await read(sandbox_client, made["transaction_id"])
    assert (after["status"], after["completed_at"]) == ("EXPIRED", after["expires_at"])
    aged = datetime.fromisoformat(before["created_at"]) - datetime.fromisoformat(after["created_at"])
    assert aged.total_seconds() == 3601
    status, refused = await Phone(sandbox_client, made["sdk_token"]).session()
    assert (status, refused["code"]) == (401, "transaction_expired")
    await settled(plumbing)
    async with sandbox_client.get("/api/account/integration/webhooks/event") as answer:
        events = (await answer.json())["data"]
    assert [event["type"] for event in events] == ["transaction.expired"]
    assert (await read(client, other["transaction_id"]))["status"] == "CREATED"
    assert (await advance(sandbox_client, DAY))["advanced_seconds"] == 3601 + DAY


async def test_a_webhook_is_tried_again_when_its_time_has_come(sandbox_client, plumbing):
    config = {"webhook": {"url": "https://127.0.0.1:9/hook"}}
    made = await a_transaction(sandbox_client, "DOCUMENT_ONLY", config)
    await sandbox_client.post(f"{TRANSACTION}/{made['transaction_id']}/cancel")
    await settled(plumbing)
    path = "/api/account/integration/webhooks/event"
    tried = []
    for seconds in (10, 400, 2400):
        async with sandbox_client.get(path) as answer:
            tried.append((await answer.json())["data"][0]["attempts"])
        await advance(sandbox_client, seconds)
        await settled(plumbing)
    async with sandbox_client.get(path) as answer:
        tried.append((await answer.json())["data"][0]["attempts"])
    assert tried == [1, 2, 3, 4]


async def test_what_was_captured_is_deleted_when_its_days_are_over(sandbox_client, plumbing, a_sandbox):
    async with plumbing.database.system() as connection:
        await change_settings(connection, a_sandbox.account_id, AccountSettings(retention_days=30))
    made = await a_transaction(sandbox_client, "DOCUMENT_ONLY")
    await sandbox_client.post(f"{TEST}/transaction/{made['transaction_id']}/simulate", json={})
    await advance(sandbox_client, 29 * DAY)
    await settled(plumbing)
    assert (await read(sandbox_client, made["transaction_id"]))["document"] is not None
    await advance(sandbox_client, 2 * DAY)
    await settled(plumbing)
    assert (await read(sandbox_client, made["transaction_id"]))["document"] is None


async def test_the_clock_goes_only_forwards_and_not_for_ever(sandbox_client):
    for body in ({"advance_seconds": 0}, {"advance_seconds": -5}, {"advance_seconds": 1.5}, {"advance_seconds": True}):
        refused = await problem(await sandbox_client.post(f"{TEST}/clock", json=body))
        assert refused["errors"][0]["pointer"] == "/advance_seconds"
    assert (await advance(sandbox_client, MOST_SECONDS))["advanced_seconds"] == MOST_SECONDS
    refused = await problem(await sandbox_client.post(f"{TEST}/clock", json={"advance_seconds": 1}))
    assert refused["errors"][0]["code"] == "clock_too_far"
    async with sandbox_client.get(f"{TEST}/clock") as answer:
        assert (await answer.json())["advanced_seconds"] == MOST_SECONDS


async def test_two_who_move_the_clock_at_once_move_it_twice(sandbox_client):
    await asyncio.gather(advance(sandbox_client, 60), advance(sandbox_client, 60))
    async with sandbox_client.get(f"{TEST}/clock") as answer:
        assert (await answer.json())["advanced_seconds"] == 120
