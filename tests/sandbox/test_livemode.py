"""An account is live or a sandbox for good, and whatever is answered about a sandbox says so."""

import json

import aiohttp
import psycopg
import pytest

from tests.support.api import CUSTOMER, TRANSACTION, a_transaction
from tests.support.integrator_session import signed_in
from tests.support.sdk import Phone
from truename.accounts.create import NameTaken, create_account, create_with_sandbox
from truename.accounts.store import list_accounts


async def told(answering) -> dict:
    async with answering as answer:
        assert answer.status < 300, await answer.text()
        return await answer.json()


async def test_every_answer_of_a_sandbox_says_so(sandbox_client, plumbing, a_sandbox, live_server):
    form = {"grant_type": "client_credentials"}
    login = {"Authorization": aiohttp.encode_basic_auth(a_sandbox.client_id, a_sandbox.client_secret)}
    async with aiohttp.ClientSession(live_server) as plain:
        assert (await told(plain.post("/oauth/token", data=form, headers=login)))["livemode"] is False
    customer = await told(sandbox_client.post(CUSTOMER, json={"external_customer_id": "ana"}))
    here = f"{CUSTOMER}/{customer['customer_id']}"
    body = {
        "customer_id": customer["customer_id"],
        "transaction_type": "DOCUMENT_ONLY",
        "config": {"webhook": {"url": "https://127.0.0.1:9/hook"}},
    }
    opened = await told(sandbox_client.post(TRANSACTION, json=body))
    one = f"{TRANSACTION}/{opened['transaction_id']}"
    listed = await told(sandbox_client.get(TRANSACTION))
    customers = await told(sandbox_client.get(CUSTOMER, params={"external_customer_id": "ana"}))
    async with aiohttp.ClientSession(live_server) as plain:
        _, session = await Phone(plain, opened["sdk_token"]).session()
    refreshed = await told(sandbox_client.post(f"{one}/sdk-token"))
    read = await told(sandbox_client.get(one))
    cancelled = await told(sandbox_client.post(f"{one}/cancel"))
    events = await told(sandbox_client.get("/api/account/integration/webhooks/event"))
    event_id = events["data"][0]["event_id"]
    event = await told(sandbox_client.get(f"/api/account/integration/webhooks/event/{event_id}"))
    again = await told(sandbox_client.post(f"/api/account/integration/webhooks/event/{event_id}/redeliver"))
    changed = await told(sandbox_client.patch(here, json={"email": "ana@example.com"}))
    blocked = await told(sandbox_client.post(f"{here}/status", json={"status": "BLOCKED", "reason": "test"}))
    whole = await told(sandbox_client.get(here))
    erased = await told(sandbox_client.delete(here))
    answers = [customer, opened, listed, customers, session, refreshed, read, cancelled, events, event, again, changed]
    answers += [blocked, whole, erased, event["body"], *listed["data"], *customers["data"], *events["data"]]
    assert [answer for answer in answers if answer.get("livemode") is not False] == []


async def test_no_answer_of_a_live_account_speaks_of_a_mode(client):
    opened = await a_transaction(client, "DOCUMENT_ONLY", {"webhook": {"url": "https://127.0.0.1:9/hook"}})
    one = f"{TRANSACTION}/{opened['transaction_id']}"
    paths = (one, TRANSACTION, f"{CUSTOMER}/{opened['customer_id']}")
    answers = [opened, *[await told(client.get(path)) for path in paths]]
    answers.append(await told(client.post(f"{one}/cancel")))
    events = await told(client.get("/api/account/integration/webhooks/event"))
    path = f"/api/account/integration/webhooks/event/{events['data'][0]['event_id']}"
    answers += [events, await told(client.get(path))]
    assert "livemode" not in json.dumps(answers)


async def test_what_a_sandbox_holds_is_not_seen_by_its_live_twin(plumbing, live_server):
    live, sandbox = await create_with_sandbox(plumbing, "twins")
    async with signed_in(live_server, sandbox) as testing, signed_in(live_server, live) as selling:
        opened = await a_transaction(testing, "DOCUMENT_ONLY")
        assert (await told(selling.get(TRANSACTION)))["data"] == []
        for path in (f"{TRANSACTION}/{opened['transaction_id']}", f"{CUSTOMER}/{opened['customer_id']}"):
            async with selling.get(path) as answer:
                assert answer.status == 404
        other = await a_transaction(selling, "DOCUMENT_ONLY")
        seen = [row["transaction_id"] for row in (await told(testing.get(TRANSACTION)))["data"]]
        assert seen == [opened["transaction_id"]] != [other["transaction_id"]]
    async with plumbing.database.account(live.account_id) as connection:
        cursor = await connection.execute("SELECT count(*) AS n FROM transactions")
        assert await cursor.fetchone() == {"n": 1}


async def test_a_live_account_is_made_with_its_sandbox_or_not_at_all(plumbing):
    live, sandbox = await create_with_sandbox(plumbing, "pair")
    async with plumbing.database.system() as connection:
        rows = {row.account_id: row for row in await list_accounts(connection)}
    assert rows[live.account_id].livemode
    assert not rows[sandbox.account_id].livemode
    assert rows[sandbox.account_id].sandbox_of == live.account_id
    assert rows[sandbox.account_id].name == "pair-sandbox"
    await create_account(plumbing, "alone-sandbox", livemode=False)
    with pytest.raises(NameTaken, match="named 'alone-sandbox'"):
        await create_with_sandbox(plumbing, "alone")
    async with plumbing.database.system() as connection:
        assert "alone" not in [row.name for row in await list_accounts(connection)]


async def test_the_mode_of_an_account_cannot_be_changed(plumbing, a_sandbox):
    with pytest.raises(psycopg.errors.RaiseException, match="stays live or sandbox"):
        async with plumbing.database.system() as connection:
            await connection.execute(
                "UPDATE accounts SET livemode = true WHERE account_id = %s", (a_sandbox.account_id,)
            )
