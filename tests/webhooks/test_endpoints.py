"""The delivery log, redelivery and rotation, over HTTP."""

import pytest
from aiohttp import web
from standardwebhooks import Webhook

from tests.support.webhooks import a_transaction, make_due, start
from truename.audit.read import Filters, read_lines
from truename.plumbing.database.ids import new_id
from truename.plumbing.jobs.worker import run_pending

BASE = "/api/account/integration/webhooks"


async def answer_of(call):
    async with call as answer:
        return answer.status, await answer.json()


async def test_the_log_tells_every_attempt_and_a_redelivery_keeps_the_id(house, an_account, receiver, client):
    receiver.answer_next(web.Response(status=410))
    transaction_id = await a_transaction(house, an_account, receiver.url)
    await start(house, an_account, transaction_id)
    await run_pending(house)

    status, page = await answer_of(client.get(f"{BASE}/event", params={"transaction_id": str(transaction_id)}))
    assert status == 200
    [event] = page["data"]
    assert (event["state"], event["attempts"], event["next_attempt_at"]) == ("STOPPED", 1, None)

    status, again = await answer_of(client.post(f"{BASE}/event/{event['event_id']}/redeliver"))
    assert (status, again["state"]) == (202, "PENDING")
    async with house.database.account(an_account.account_id) as connection:
        lines = await read_lines(connection, Filters(an_account.account_id, action="webhook_event.redelivered"))
    assert [(line.actor, line.subject) for line in lines] == [
        (f"client:{an_account.client_id}", f"webhook_event:{event['event_id']}")
    ]
    await run_pending(house)
    status, whole = await answer_of(client.get(f"{BASE}/event/{event['event_id']}"))
    assert (status, whole["state"]) == (200, "DELIVERED")
    assert [(attempt["number"], attempt["outcome"]) for attempt in whole["log"]] == [(1, "GONE"), (2, "DELIVERED")]
    assert whole["body"]["data"]["transaction_id"] == str(transaction_id)
    assert {got.headers["webhook-id"] for got in receiver.received} == {event["event_id"]}


async def test_pages_of_the_log_meet_without_gap_or_overlap(house, an_account, receiver, client):
    for _ in range(5):
        await start(house, an_account, await a_transaction(house, an_account, receiver.url))
    seen, cursor = [], None
    while True:
        params = {"limit": "2"} | ({"cursor": cursor} if cursor else {})
        _, page = await answer_of(client.get(f"{BASE}/event", params=params))
        seen += [event["event_id"] for event in page["data"]]
        cursor = page["next_cursor"]
        if not page["has_more"]:
            break
    assert len(seen) == len(set(seen)) == 5
    assert seen == sorted(seen, reverse=True)
    await make_due(house, an_account)
    await run_pending(house)


async def test_another_account_sees_none_of_it(house, an_account, receiver, client, another_client):
    await start(house, an_account, await a_transaction(house, an_account, receiver.url))
    _, page = await answer_of(client.get(f"{BASE}/event"))
    event_id = page["data"][0]["event_id"]
    foreign = await answer_of(another_client.get(f"{BASE}/event/{event_id}"))
    unknown = await answer_of(another_client.get(f"{BASE}/event/evt_{new_id()}"))
    assert foreign[0] == unknown[0] == 404
    assert (await answer_of(another_client.post(f"{BASE}/event/{event_id}/redeliver", json={})))[0] == 404
    assert (await answer_of(another_client.get(f"{BASE}/event")))[1]["data"] == []
    await run_pending(house)


async def test_rotation_answers_a_new_secret_and_both_sign(house, an_account, receiver, client):
    status, rotated = await answer_of(client.post(f"{BASE}/secret/rotate", json={}))
    assert status == 200
    assert rotated["previous_expires_at"]
    await start(house, an_account, await a_transaction(house, an_account, receiver.url))
    await run_pending(house)
    [got] = await receiver.wait_for(1)
    for secret in (an_account.webhook_secret, rotated["webhook_secret"]):
        assert Webhook(secret).verify(got.body, got.headers)


async def test_a_sixth_secret_is_refused_and_the_problem_says_until_when(client):
    for _ in range(4):
        status, rotated = await answer_of(client.post(f"{BASE}/secret/rotate", json={}))
        assert status == 200
    status, problem = await answer_of(client.post(f"{BASE}/secret/rotate", json={}))
    assert (status, problem["code"]) == (409, "too_many_webhook_secrets")
    assert rotated["previous_expires_at"][:13] in problem["detail"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/event?state=LOST", 400),
        ("/event?limit=0", 400),
        ("/event?cursor=x", 400),
        ("/event?transaction_id=x", 400),
        ("/event?colour=red", 400),
        ("/event/x", 404),
    ],
)
async def test_a_faulty_question_is_told_so(client, path, status):
    got, problem = await answer_of(client.get(BASE + path))
    assert got == problem["status"] == status
