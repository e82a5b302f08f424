"""Is every hostile request answered shortly, in our own form, and without stopping the others?"""

import asyncio
from urllib.parse import urlsplit

import orjson
import pytest

from tests.support.waiting import until

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


@pytest.mark.parametrize(
    ("called", "told"),
    [
        (b"/no/Jos%C3%A9%2f%41", "/no/Jos%C3%A9%2f%41"),  # as it was sent
        (b"/no/%zz%4", "/no/%25zz%254"),
        (b'/no/"<b>^`{|}\\', "/no/%22%3Cb%3E%5E%60%7B%7C%7D%5C"),
        (b"/no/a%20b%0d%00", "/no/a%20b%0d%00"),
        (b"/no/%3Fa%23?query=1", "/no/%3Fa%23"),
        (b"//host/no", "/.//host/no"),
        (b"http://host/no?x", "/no"),
        (b"/no/:@!$&'()*+,;=-._~", "/no/:@!$&'()*+,;=-._~"),
    ],
)
async def test_the_instance_of_a_problem_is_a_uri_reference(live_server, called, told):
    _, body = await sent(live_server, b"GET %b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % called)
    problem = orjson.loads(body)
    assert (problem["code"], problem["instance"]) == ("route_not_found", told)


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


async def test_an_account_whose_requests_all_hang_keeps_nobody_else_waiting(
    client, another_client, plumbing, an_account
):
    """Fifteen would hold every connection to the database, if fifteen were let in at once."""
    async with client.post(CUSTOMER, json={"external_customer_id": "locked"}) as answer:
        customer = (await answer.json())["customer_id"]

    async def hang() -> int:
        body = {"status": "BLOCKED", "reason": "a test"}
        async with client.post(f"{CUSTOMER}/{customer}/status", json=body) as answer:
            return answer.status

    async def as_many_wait_as_may() -> bool:
        async with plumbing.database.system() as connection:
            cursor = await connection.execute(
                "SELECT count(*) AS n FROM pg_locks JOIN pg_database d ON d.oid = database "
                "WHERE datname = current_database() AND NOT granted"
            )
            return (await cursor.fetchone())["n"] > 0

    async with another_client.get(EVENTS) as answer:
        assert answer.status == 200
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("SELECT FROM customers WHERE customer_id = %s FOR UPDATE", (customer,))
        hanging = [asyncio.create_task(hang()) for _ in range(15)]
        await until(as_many_wait_as_may)
        async with asyncio.timeout(10), another_client.get(EVENTS) as answer:
            assert answer.status == 200
    assert set(await asyncio.gather(*hanging)) == {200}


async def test_a_long_name_is_not_sent_back_whole(client):
    async with client.post(CUSTOMER, json={"external_customer_id": "a", "x" * 5000: 1}) as answer:
        assert answer.status == 400
        assert [len(fault["pointer"]) for fault in (await answer.json())["errors"]] == [129]


@pytest.mark.parametrize("cursor", ["evt_" + "\x00" * 36, "evt_" + "x" * 36, "evt_", ""])
async def test_a_cursor_that_no_list_gave_is_refused(client, cursor):
    async with client.get(EVENTS, params={"cursor": cursor}) as answer:
        assert answer.status == 400
