"""Does the same request do its work once, however often and however fast it comes?"""

import asyncio
import secrets
from collections import Counter
from types import SimpleNamespace

import aiohttp
import pytest
from starlette.requests import Request
from starlette.responses import Response

from tests.support.api import CUSTOMER, JPEG, TRANSACTION, b64, problem
from truename.accounts.model import NewAccount
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import CustomerNotFound
from truename.plumbing.http.idempotency import IdempotentRequest
from truename.plumbing.resources import Plumbing


async def rows_in(plumbing: Plumbing, account: NewAccount, table: str) -> int:
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute(f"SELECT count(*) AS many FROM {table}")
        row = await cursor.fetchone()
    assert row is not None
    return int(row["many"])


@pytest.mark.parametrize(
    "image", [None, pytest.param(b64(JPEG), marks=pytest.mark.slow)], ids=["plain", "with a picture"]
)
async def test_of_50_equal_customers_at_once_exactly_one_is_created(client, plumbing, an_account, image) -> None:
    body = {"external_customer_id": "the same"} | ({"face_reference_image": image} if image else {})
    answers = await asyncio.gather(*(client.post(CUSTOMER, json=body) for _ in range(50)))
    assert Counter(answer.status for answer in answers) == {201: 1, 400: 49}
    made = [(await answer.json())["customer_id"] for answer in answers if answer.status == 201]
    named = [await problem(answer) for answer in answers if answer.status == 400]
    assert {one["code"] for one in named} == {"customer_already_exists"}
    assert {one["customer_id"] for one in named} == set(made)
    assert await rows_in(plumbing, an_account, "customers") == 1
    assert await rows_in(plumbing, an_account, "media") == (1 if image else 0)


async def test_of_each_of_many_customers_that_come_twice_at_once_one_is_created(client, plumbing, an_account) -> None:
    """More than one statement holds: the second of a pair often comes in another, beside that of the first."""
    names = [*(f"person {place}" for place in range(60)), *(f"person {place}" for place in reversed(range(60)))]
    answers = await asyncio.gather(*(client.post(CUSTOMER, json={"external_customer_id": name}) for name in names))
    assert Counter(answer.status for answer in answers) == {201: 60, 400: 60}
    created = [await answer.json() for answer in answers if answer.status == 201]
    made = {one["external_customer_id"]: one["customer_id"] for one in created}
    for name, answer in zip(names, answers, strict=True):
        if answer.status == 400:
            assert (await problem(answer))["customer_id"] == made[name]
    assert await rows_in(plumbing, an_account, "customers") == 60


@pytest.mark.parametrize(
    "image", [None, pytest.param(b64(JPEG), marks=pytest.mark.slow)], ids=["plain", "with a picture"]
)
async def test_a_storm_of_one_key_makes_one_row(client, plumbing, an_account, image) -> None:
    body = {"external_customer_id": "once"} | ({"face_reference_image": image} if image else {})
    headers = {"Idempotency-Key": secrets.token_hex(8)}
    answers = await asyncio.gather(*(client.post(CUSTOMER, json=body, headers=headers) for _ in range(50)))
    assert set(Counter(answer.status for answer in answers)) <= {201, 409}
    made = {(await answer.json())["customer_id"] for answer in answers if answer.status == 201}
    assert len(made) == 1
    assert await rows_in(plumbing, an_account, "customers") == 1
    again = await client.post(CUSTOMER, json=body, headers=headers)
    assert again.status == 201
    assert again.headers["Idempotent-Replayed"] == "true"
    assert {(await again.json())["customer_id"]} == made


async def test_a_storm_of_transactions_with_one_key_makes_one_row(client, plumbing, an_account) -> None:
    made = await (await client.post(CUSTOMER, json={"external_customer_id": "a"})).json()
    body = {"customer_id": made["customer_id"], "transaction_type": "DOCUMENT_ONLY"}
    headers = {"Idempotency-Key": "storm"}
    answers = await asyncio.gather(*(client.post(TRANSACTION, json=body, headers=headers) for _ in range(50)))
    assert set(Counter(answer.status for answer in answers)) <= {201, 409}
    assert len({await answer.text() for answer in answers if answer.status == 201}) == 1
    assert await rows_in(plumbing, an_account, "transactions") == 1


async def test_the_first_answer_is_replayed_whole(client) -> None:
    headers = {"Idempotency-Key": "a key with spaces inside"}
    first, second = [await client.post(CUSTOMER, json={"external_customer_id": "x"}, headers=headers) for _ in range(2)]
    assert (first.status, await first.text()) == (second.status, await second.text())
    assert first.headers["Location"] == second.headers["Location"]
    assert "Idempotent-Replayed" not in first.headers
    assert second.headers["Idempotent-Replayed"] == "true"
    assert first.headers["X-Request-Id"] != second.headers["X-Request-Id"]


async def test_a_refusal_of_the_work_is_replayed_too(client) -> None:
    await client.post(CUSTOMER, json={"external_customer_id": "x"})
    headers = {"Idempotency-Key": "k"}
    first, second = [await client.post(CUSTOMER, json={"external_customer_id": "x"}, headers=headers) for _ in range(2)]
    assert first.status == second.status == 400
    assert second.headers["Content-Type"] == "application/problem+json"
    assert await first.text() == await second.text()


async def test_of_work_that_is_refused_half_way_the_refusal_alone_is_kept(plumbing, an_account) -> None:
    app = SimpleNamespace(state=SimpleNamespace(plumbing=plumbing))
    headers = [(b"idempotency-key", b"k")]
    scope = {"type": "http", "app": app, "method": "POST", "path": "/x", "query_string": b"", "headers": headers}
    mark = "UPDATE accounts SET name = 'half done' WHERE account_id = %s"

    async def work(connection: Connection) -> Response:
        await connection.execute(mark, (an_account.account_id,))
        raise CustomerNotFound

    for _ in range(2):
        asked = IdempotentRequest(Request(scope), plumbing, an_account.account_id, "client", b"{}")
        assert (await asked.run(work)).status_code == 404
    assert await rows_in(plumbing, an_account, "accounts WHERE name = 'half done'") == 0
    assert await rows_in(plumbing, an_account, "idempotent_answers") == 1


async def test_a_key_of_a_malformed_request_can_be_used_again(client) -> None:
    headers = {"Idempotency-Key": "k"}
    await problem(await client.post(CUSTOMER, json={"external_customer_id": ""}, headers=headers))
    assert (await client.post(CUSTOMER, json={"external_customer_id": "x"}, headers=headers)).status == 201


async def test_a_key_with_another_body_or_path_is_refused(client) -> None:
    headers = {"Idempotency-Key": "k"}
    made = await (await client.post(CUSTOMER, json={"external_customer_id": "x"}, headers=headers)).json()
    found = await problem(await client.post(CUSTOMER, json={"external_customer_id": "y"}, headers=headers), 422)
    assert found["code"] == "idempotency_key_reused"
    body = {"customer_id": made["customer_id"], "transaction_type": "DOCUMENT_ONLY"}
    await problem(await client.post(TRANSACTION, json=body, headers=headers), 422)


async def test_keys_of_two_accounts_are_strangers(client, another_client) -> None:
    headers = {"Idempotency-Key": "k"}
    one = await client.post(CUSTOMER, json={"external_customer_id": "x"}, headers=headers)
    other = await another_client.post(CUSTOMER, json={"external_customer_id": "y"}, headers=headers)
    assert (one.status, other.status) == (201, 201)


async def test_a_key_is_forgotten_after_24_hours(client, plumbing, an_account) -> None:
    headers = {"Idempotency-Key": "k"}
    await client.post(CUSTOMER, json={"external_customer_id": "x"}, headers=headers)
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("UPDATE idempotent_answers SET created_at = now() - interval '24 hours 1 second'")
    second = await client.post(CUSTOMER, json={"external_customer_id": "y"}, headers=headers)
    assert (second.status, second.headers.get("Idempotent-Replayed")) == (201, None)
    again = await client.post(CUSTOMER, json={"external_customer_id": "y"}, headers=headers)
    assert (again.status, again.headers.get("Idempotent-Replayed")) == (201, "true"), "its own 24 hours begin anew"


@pytest.mark.parametrize("key", ["", " ", "x" * 256, "ключ", "a\tb"])
async def test_a_key_is_printable_ascii_or_refused(client: aiohttp.ClientSession, key: str) -> None:
    answer = await client.post(CUSTOMER, json={"external_customer_id": "x"}, headers={"Idempotency-Key": key})
    assert [fault["code"] for fault in (await problem(answer))["errors"]] == ["idempotency_key_malformed"]


async def test_kept_answers_are_sealed(client, plumbing, an_account) -> None:
    await client.post(CUSTOMER, json={"external_customer_id": "visible"}, headers={"Idempotency-Key": "k"})
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute("SELECT sealed FROM idempotent_answers")
        row = await cursor.fetchone()
    assert row is not None
    assert b"visible" not in bytes(row["sealed"])
