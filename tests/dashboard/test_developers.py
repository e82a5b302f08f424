"""Developers: requests without a value of them, webhook events, why a signature fails, scenarios to click."""

import json
import secrets
from datetime import timedelta

import aiohttp
import orjson
import pytest

from tests.support.dashboard import an_operator, signed_in
from tests.support.transactions import a_customer, a_transaction, submitted
from tests.support.waiting import until
from truename.accounts.change import change_account
from truename.accounts.create import create_account
from truename.accounts.model import SCOPES
from truename.accounts.tokens import issue_access_token
from truename.customers.endpoints import PATH as CUSTOMERS
from truename.operators.model import Role
from truename.plumbing import clock
from truename.plumbing.http.request_log import MOST, OTHER_NAME, RequestLog
from truename.webhooks.diagnose import diagnose, headers_of
from truename.webhooks.sign import signed_headers

PATH = "/dashboard/developers"


async def logged(plumbing, account_id) -> list[dict]:
    async with plumbing.database.account(account_id) as connection:
        cursor = await connection.execute("SELECT * FROM request_log ORDER BY at")
        return [dict(row) for row in await cursor.fetchall()]


async def test_a_request_is_found_by_its_id_and_no_value_of_it_was_kept(
    plumbing, live_server, an_account, client, another_account
):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    secret, mine = secrets.token_hex(8), f"req-{secrets.token_hex(8)}"
    wrong = {"external_customer_id": secret, "email": f"{secret}@example.com", f"name-{secret}": secret, "phones": [1]}
    async with client.post(CUSTOMERS, json=wrong, headers={"X-Request-Id": mine}) as answer:
        assert answer.status == 400

    async def written() -> bool:
        return len(await logged(plumbing, an_account.account_id)) == 1

    await until(written)
    (row,) = await logged(plumbing, an_account.account_id)
    assert secret not in repr(row)
    shape = {"external_customer_id": "string", "email": "string", OTHER_NAME: ["number"]}
    assert orjson.loads(row["sent"]) == shape
    assert (row["method"], row["path"], row["status"], row["code"]) == ("POST", CUSTOMERS, 400, "validation_failed")
    assert row["client"] == an_account.client_id
    async with signed_in(plumbing, live_server, ana) as desk:
        page = (await desk.get(f"{PATH}?request_id={mine}"))[1]
        assert mine in page
        assert mine not in (await desk.get(f"{PATH}?request_id=other"))[1].replace("value=", "")
        status, page = await desk.get(f"{PATH}/requests/{mine}")
        assert status == 200
        assert "curl -X POST" in page
        assert "$TRUENAME_TOKEN" in page
    bob = await an_operator(plumbing, {another_account.account_id: Role.ADMIN})
    async with signed_in(plumbing, live_server, bob) as desk:
        assert (await desk.get(f"{PATH}/requests/{mine}"))[0] == 404


async def test_an_account_may_have_no_log(plumbing, live_server, an_account, another_account):
    async with plumbing.database.account(an_account.account_id) as connection:
        await change_account(connection, an_account.account_id, {"request_log": False}, actor="test")
    for account in (an_account, another_account):
        token = await issue_access_token(plumbing, account.account_id, account.client_id, SCOPES)
        async with aiohttp.ClientSession(live_server, headers={"Authorization": f"Bearer {token}"}) as http:
            await http.get(f"{CUSTOMERS}/{account.account_id}")

    async def written() -> bool:
        return len(await logged(plumbing, another_account.account_id)) == 1

    await until(written)
    assert await logged(plumbing, an_account.account_id) == []


async def test_what_an_address_names_is_kept_only_if_it_is_an_identifier(plumbing, an_account, client):
    """A name there would be personal, a NUL would lose the rows of everybody, a quote would run in a shell."""
    hostile = ["jane.doe@example.com", "%00", "';id;'", "evt_x"]
    for text in (*hostile, str(an_account.account_id)):
        async with client.get(f"{CUSTOMERS}/{text}") as answer:
            assert answer.status == 404

    async def written() -> bool:
        return len(await logged(plumbing, an_account.account_id)) == len(hostile) + 1

    await until(written)
    rows = await logged(plumbing, an_account.account_id)
    assert [row["subject"] for row in rows] == [None] * len(hostile) + [f"customer:{an_account.account_id}"]


async def test_an_address_with_a_nul_names_nothing(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    async with signed_in(plumbing, live_server, ana) as desk:
        for path in (f"{PATH}/requests/%00", f"{PATH}?path=%00", "/dashboard/audit?subject=%00x", f"{PATH}?x%00=1"):
            assert (await desk.get(path))[0] == 404, path


async def test_more_requests_than_can_be_written_are_dropped_those_of_who_sends_most_first(
    plumbing, an_account, another_account
):
    log = RequestLog(plumbing.database, lambda: ["name"])
    scope = {
        "truename.account": an_account.account_id,
        "truename.path": "/x",
        "truename.request_id": "none",
        "method": "GET",
    }
    for _ in range(MOST + 10):
        log.note(scope, 200, 0.001)
    for _ in range(3):
        log.note(scope, 404, 0.001)  # what is looked for has room all the same
    for _ in range(20):  # and so has a neighbour, who sends a few
        log.note({**scope, "truename.account": another_account.account_id}, 200, 0.001)

    async def written() -> list[int]:
        return [len(await logged(plumbing, one.account_id)) for one in (an_account, another_account)]

    async def all_written() -> bool:
        return sum(await written()) >= MOST + 3

    await until(all_written)
    assert await written() == [MOST - 20 + 3, 20]
    for account in (an_account, another_account):
        async with plumbing.database.account(account.account_id) as connection:
            await connection.execute("DELETE FROM request_log")
    assert log.shape(b'{"name": {"name": "x"}, "y": [1, true, null]}') == (
        '{"name":{"name":"string"},"' + OTHER_NAME + '":["number","boolean","null"]}'
    )
    assert log.shape(b"\xff\xd8 no json") is None


async def test_an_event_is_shown_with_its_attempts_and_sent_again(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    config = {"webhook": {"url": "https://127.0.0.1:9/hook"}}
    made = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account), config=config)
    await submitted(plumbing, an_account, made)
    async with signed_in(plumbing, live_server, ana) as desk:
        page = (await desk.get(f"{PATH}/webhooks?transaction_id={made}"))[1]
        assert "transaction.in_progress" in page
        event_id = "evt_" + page.partition("/dashboard/developers/webhooks/evt_")[2].partition('"')[0]
        assert event_id.startswith("evt_")
        async with plumbing.database.account(an_account.account_id) as connection:
            await connection.execute("UPDATE webhook_events SET next_attempt_at = now() - interval '45 s'")
        for shown in (f"{PATH}/webhooks", f"{PATH}/webhooks/{event_id}", f"/dashboard/transactions/{made}"):
            status, page = await desk.get(shown)
            assert status == 200
            assert ">now</time>" in page, shown
            assert ">45 s ago<" not in page, "what has not happened yet is due, and not past"
        assert await desk.post_for_location(f"{PATH}/webhooks/{event_id}/redeliver") == f"{PATH}/webhooks/{event_id}"
        assert (await desk.post(f"{PATH}/webhooks/evt_1/redeliver"))[0] == 404
        assert "No event fits" in (await desk.get(f"{PATH}/webhooks?state=EXHAUSTED"))[1]
        async with plumbing.database.account(an_account.account_id) as connection:
            cursor = await connection.execute("SELECT body FROM webhook_events WHERE event_id = %s", (event_id,))
            body = (await cursor.fetchone())["body"]
        headers = signed_headers(event_id, clock.now(), body, [an_account.webhook_secret])
        pasted = "\n".join(f"{name}: {value}" for name, value in headers.items())
        right = (await desk.post(f"{PATH}/signature", headers=pasted, body=body))[1]
        assert "The signature is valid" in right
        wrong = (await desk.post(f"{PATH}/signature", headers=pasted, body=json.dumps(json.loads(body))))[1]
        assert "your framework parsed it and wrote it anew" in wrong


def test_the_wrong_part_of_a_webhook_is_named():
    secret, body, now = "whsec_" + "A" * 43 + "=", '{"a":1}', clock.now()
    headers = signed_headers("evt_1", now, body, [secret])

    def last(given: dict[str, str], text: str = body, keys=(secret,), sent: str | None = body) -> tuple[str, str, str]:
        found = diagnose(given, text, list(keys), now, sent)
        return found[-1].part, found[-1].state, " ".join(one.words for one in found)

    assert last(headers)[:2] == ("signature", "right")
    assert last({**headers, "webhook-id": ""})[:2] == ("headers", "wrong")
    assert last({**headers, "webhook-timestamp": "soon"})[:2] == ("timestamp", "wrong")
    assert last({**headers, "webhook-signature": headers["webhook-signature"][3:]})[:2] == ("signature", "wrong")
    assert "line break" in last(headers, body + "\n")[2] or "white space" in last(headers, body + "\n")[2]
    assert "another secret" in last(headers, keys=["whsec_" + "B" * 43 + "="])[2]
    assert "names no event" in last(headers, sent=None)[2]
    late = signed_headers("evt_1", now - timedelta(hours=1), body, [secret])
    assert "five minutes off" in last(late)[2]
    assert headers_of("Webhook-Id: evt_1\n 'webhook-timestamp': '5',") == {
        "webhook-id": "evt_1",
        "webhook-timestamp": "5",
    }


@pytest.mark.parametrize("live", [True, False])
async def test_scenarios_are_clicked_in_a_sandbox_only(plumbing, live_server, live):
    account = await create_account(plumbing, f"shop {secrets.token_hex(6)}", livemode=live)
    ana = await an_operator(plumbing, {account.account_id: Role.ADMIN})
    async with signed_in(plumbing, live_server, ana) as desk:
        page = (await desk.get(f"{PATH}/sandbox"))[1]
        assert ("This account is live" in page) == live
        assert ("SANDBOX" in page) != live
        assert ("To the scenarios" in (await desk.get("/dashboard/transactions"))[1]) != live
        status, _ = await desk.post(f"{PATH}/sandbox", scenario="face-mismatch")
        assert status == (404 if live else 303)
        async with plumbing.database.account(account.account_id) as connection:
            cursor = await connection.execute("SELECT status FROM transactions")
            assert [row["status"] for row in await cursor.fetchall()] == ([] if live else ["REJECTED"])
