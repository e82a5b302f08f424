"""Is every hostile request answered shortly, in our own form, and without stopping the others?"""

import asyncio
from urllib.parse import urlsplit

import orjson
import pytest

CUSTOMER = "/api/account/integration/kyc/customer"
EVENTS = "/api/account/integration/webhooks/event"
MALFORMED = {
    "two lengths": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "both lengths": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    "folded header": b"GET / HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c\r\n\r\n",
    "NUL in a header": b"GET / HTTP/1.1\r\nHost: x\r\nX-A: b\x00c\r\n\r\n",
    "another protocol": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\nAccept: */*\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
}


async def sent(live_server, request: bytes) -> tuple[bytes, bytes]:
    address = urlsplit(live_server)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(request)
    answer = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    return head.lower(), body


@pytest.mark.parametrize("name", MALFORMED)
async def test_what_is_no_http_is_refused_in_our_own_form(live_server, name):
    head, body = await sent(live_server, MALFORMED[name])
    problem = orjson.loads(body)
    assert head.startswith(b"http/1.1 400 ")
    assert b"content-type: application/problem+json" in head
    assert b"content-security-policy: default-src 'none'" in head
    assert f"x-request-id: {problem['request_id']}".encode() in head
    assert (problem["status"], problem["code"]) == (400, "http_malformed")


async def test_a_body_of_nothing_but_faults_gets_a_short_answer(client):
    body = {f"{number:x}": 1 for number in range(15_000)}
    async with client.post(CUSTOMER, json=body) as answer:
        problem = await answer.json()
        assert (answer.status, [fault["code"] for fault in problem["errors"]]) == (400, ["too_many_faults"])


async def test_millions_of_values_are_refused_before_anybody_waits_for_them(client):
    body = b'{"external_customer_id":"a","email":[' + b"0.5," * 1_000_000 + b"0]}"
    async with client.post(CUSTOMER, data=body, headers={"Content-Type": "application/json"}) as answer:
        problem = await answer.json()
        assert (answer.status, [fault["code"] for fault in problem["errors"]]) == (400, ["json_too_many_values"])


async def test_a_long_name_is_not_sent_back_whole(client):
    async with client.post(CUSTOMER, json={"external_customer_id": "a", "x" * 5000: 1}) as answer:
        assert answer.status == 400
        assert [len(fault["pointer"]) for fault in (await answer.json())["errors"]] == [129]


@pytest.mark.parametrize("cursor", ["evt_" + "\x00" * 36, "evt_" + "x" * 36, "evt_", ""])
async def test_a_cursor_that_no_list_gave_is_refused(client, cursor):
    async with client.get(EVENTS, params={"cursor": cursor}) as answer:
        assert answer.status == 400
