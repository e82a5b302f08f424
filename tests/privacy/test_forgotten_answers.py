"""Does an erased or redacted person come back through an Idempotency-Key? (E1, S11)"""

import hashlib
import json
import secrets
from datetime import timedelta
from functools import partial
from uuid import UUID

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from tests.support.api import KYC
from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import CannotOpen
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import Gone
from truename.plumbing.http.idempotency import IdempotentRequest

MATCHING = {
    "surnames": {"value": "Canaryname", "similarity_min_score": 0.9},
    "document_number": "CANARY4711",
    "date_of_birth": "1980-01-02",
}


def a_scope(key: str) -> Scope:
    return {
        "type": "http",
        "method": "POST",
        "path": "/anything",
        "query_string": b"",
        "headers": [(b"idempotency-key", key.encode()), (b"host", b"localhost")],
        "server": ("localhost", 80),
        "scheme": "http",
    }


async def post(client, path, body=None, key=None):
    headers = {"Idempotency-Key": key} if key else {}
    async with client.post(f"{KYC}{path}", json=body, headers=headers) as answer:
        return answer.status, await answer.text()


async def a_person(client, key=None):
    body = {"external_customer_id": f"canary-{secrets.token_hex(4)}", "email": "canary@example.com"}
    async with client.post(f"{KYC}/customer", json=body, headers={"Idempotency-Key": key} if key else {}) as answer:
        assert answer.status == 201
        return body, (await answer.json())["customer_id"]


async def erase(client, customer_id):
    async with client.delete(f"{KYC}/customer/{customer_id}") as answer:
        assert answer.status == 200


async def test_a_repeated_change_of_status_shows_nothing_of_an_erased_customer(client):
    _, customer = await a_person(client)
    body = {"status": "SUSPICIOUS", "reason": "Canary reason"}
    first = await post(client, f"/customer/{customer}/status", body, "one")
    assert first[0] == 200
    assert "canary@example.com" in first[1]
    assert await post(client, f"/customer/{customer}/status", body, "one") == first
    await erase(client, customer)
    status, text = await post(client, f"/customer/{customer}/status", body, "one")
    assert status == 410
    assert "canary" not in text.lower()


async def test_a_repeated_change_of_an_erased_customer_is_gone_and_a_new_one_not_found(client):
    _, customer = await a_person(client)
    address, body = f"{KYC}/customer/{customer}", {"email": "canary2@example.com"}
    async with client.patch(address, json=body, headers={"Idempotency-Key": "patch"}) as answer:
        assert answer.status == 200
    await erase(client, customer)
    for key, refusal in (("patch", 410), ("another", 404)):
        async with client.patch(address, json=body, headers={"Idempotency-Key": key}) as answer:
            assert answer.status == refusal
            assert "canary" not in (await answer.text()).lower()


async def test_a_repeated_creation_does_not_bring_an_erased_customer_back(client):
    body, customer = await a_person(client, "make")
    await erase(client, customer)
    status, text = await post(client, "/customer", body, "make")
    assert status == 410
    assert "canary" not in text.lower()
    async with client.get(f"{KYC}/customer", params={"external_customer_id": body["external_customer_id"]}) as answer:
        assert (await answer.json())["data"] == []


async def test_a_repeated_cancellation_shows_nothing_of_an_erased_customer(client):
    _, customer = await a_person(client)
    config = {"document_policy": {"data_matching": MATCHING}}
    asked = {"customer_id": customer, "transaction_type": "DOCUMENT_ONLY", "config": config}
    async with client.post(f"{KYC}/transaction", json=asked, headers={"Idempotency-Key": "open"}) as answer:
        made = (await answer.json())["transaction_id"]
    first = await post(client, f"/transaction/{made}/cancel", key="stop")
    assert "Canaryname" in first[1]
    await erase(client, customer)
    for path, body, key in ((f"/transaction/{made}/cancel", None, "stop"), ("/transaction", asked, "open")):
        status, text = await post(client, path, body, key)
        assert status == 410
        assert "canary" not in text.lower()


async def test_a_repeated_cancellation_shows_nothing_of_a_redacted_transaction(client):
    _, customer = await a_person(client)
    config = {"document_policy": {"data_matching": MATCHING}}
    asked = {"customer_id": customer, "transaction_type": "DOCUMENT_ONLY", "config": config}
    async with client.post(f"{KYC}/transaction", json=asked) as answer:
        made = (await answer.json())["transaction_id"]
    assert "Canaryname" in (await post(client, f"/transaction/{made}/cancel", key="stop"))[1]
    status, text = await post(client, f"/transaction/{made}/redact", key="redact")
    assert status == 200
    assert "Canaryname" not in text
    assert (await post(client, f"/transaction/{made}/cancel", key="stop"))[0] == 410
    assert (await post(client, f"/transaction/{made}/redact", key="redact")) == (status, text)


async def test_neither_the_callers_key_nor_the_body_can_be_guessed_from_the_table(client, plumbing, an_account):
    """Whoever has the database alone cannot try out e-mail addresses against it."""
    key = "create-canary@example.com"
    sent, customer = await a_person(client, key)
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute("SELECT * FROM idempotent_answers")
        (row,) = await cursor.fetchall()
    assert row["customer_id"] == UUID(customer)
    assert b"canary" not in b"".join(bytes(value) for value in row.values() if isinstance(value, bytes | memoryview))
    assert "canary" not in str(row)
    assert len(bytes(row["fingerprint"])) == len(bytes(row["key_hash"])) == 32
    body, about = json.dumps(sent), f"POST\n{KYC}/customer\n\n"
    owner = f"{row['account_id']}\n{row['client_id']}\n{key}"
    for guess in (body, about + body, key, owner):
        assert hashlib.sha256(guess.encode()).digest() not in (bytes(row["fingerprint"]), bytes(row["key_hash"]))


async def test_answers_about_nobody_are_sealed_under_a_key_of_their_account_and_day(client, plumbing, an_account):
    first = await post(client, f"/customer/{UUID(int=7)}/status", {"status": "BLOCKED", "reason": "x"}, "nobody")
    assert first[0] == 404
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT sealed, sealed_on, customer_id, created_at::date AS day FROM idempotent_answers"
        )
        (row,) = await cursor.fetchall()
    assert row["customer_id"] is None
    assert row["sealed_on"] == row["day"]
    again = await post(client, f"/customer/{UUID(int=7)}/status", {"status": "BLOCKED", "reason": "x"}, "nobody")
    assert again == first
    for account_id, day, opens in (
        (an_account.account_id, row["day"], True),
        (an_account.account_id, row["day"] - timedelta(days=1), False),
        (new_id(), row["day"], False),
    ):
        asked = IdempotentRequest(Request(a_scope("nobody")), plumbing, account_id, an_account.client_id, b"")
        opening = partial(
            asked._key_of_day(day).open, bytes(row["sealed"]), seals.idempotent_answer(an_account.client_id, "nobody")
        )
        if opens:
            assert b"body" in opening()
        else:
            with pytest.raises(CannotOpen):
                opening()


async def test_an_answer_about_somebody_who_was_erased_meanwhile_is_not_kept(plumbing, an_account):
    """The work of a request commits together with its answer; the person may be gone by then."""

    def asked() -> IdempotentRequest:
        request = IdempotentRequest(Request(a_scope("late")), plumbing, an_account.account_id, "client", b"{}")
        request.concerns(customer_id=new_id())
        return request

    async def work(_: Connection) -> Response:
        return Response(b"canary", 200)

    assert (await asked().run(work)).body == b"canary"
    with pytest.raises(Gone):
        await asked().run(work)
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute("SELECT sealed, fingerprint FROM idempotent_answers")
        assert await cursor.fetchall() == [{"sealed": None, "fingerprint": None}]
