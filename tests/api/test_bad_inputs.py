"""Everything else in the list of bad inputs gets the answer written there, and nothing is created on the way."""

import json
from collections.abc import Iterator
from typing import Any

import aiohttp
import pytest

from tests.support.api import CUSTOMER, TRANSACTION, person_id, problem

BAD_IDS: dict[str, object] = {
    "empty": "",
    "only spaces": "   ",
    "leading space": " a",
    "trailing space": "a ",
    "trailing newline": "a\n",
    "leading no-break space": "\u00a0a",
    "NUL": "a\0b",
    "over 255": "x" * 256,
    "number": 1,
    "bool": True,
    "null": None,
    "list": ["a"],
    "object": {},
}


GOOD_IDS = ["😀", "x" * 255, "a b", "ñandú", "../../etc/passwd", "'; DROP TABLE customers; --", "ｆｕｌｌ", "0"]


BAD_PHONES = [
    "5491123456789",
    "+0123456789",
    "+54 911 2345",
    "+54-911-2345",
    "tel:+5491123456789",
    "+1234567890123456",
    "+٥٤٩١١٢٣٤٥٦",
    "+5491123456789\n",
    "+",
    "",
    "+54a",
    5491123456789,
    None,
]


BAD_EMAILS = [
    "a@b",
    "a..b@c.de",
    "a b@c.de",
    " a@c.de",
    "a@c.de ",
    "a@c.de\r\nBcc: x@y.de",
    "x" * 65 + "@c.de",
    "@c.de",
    "a@",
    "a",
    "",
    "a@@c.de",
    "a@-c.de",
    "a@c..de",
    1,
    None,
]


GOOD_EMAILS = ["ana@example.com", "a+tag@example.com", "ana@bücher.example", "ana@xn--bcher-kva.example", "a.b@c.de"]


@pytest.mark.parametrize("given", BAD_IDS.values(), ids=BAD_IDS.keys())
async def test_an_external_id_that_could_be_misread_is_refused(client: aiohttp.ClientSession, given: object) -> None:
    found = await problem(await client.post(CUSTOMER, json={"external_customer_id": given}))
    assert [fault["pointer"] for fault in found["errors"]] == ["/external_customer_id"]


async def test_an_external_id_is_required(client: aiohttp.ClientSession) -> None:
    found = await problem(await client.post(CUSTOMER, json={}))
    assert found["errors"] == [
        {"pointer": "/external_customer_id", "code": "field_required", "detail": "The field is required."}
    ]


@pytest.mark.parametrize(
    ("given", "code", "detail"),
    [
        ("", "text_too_short", "The text must have at least 1 character."),
        ("x" * 256, "text_too_long", "The text must have at most 255 characters."),
    ],
)
async def test_a_text_of_the_wrong_length_is_called_a_text(
    client: aiohttp.ClientSession, given: str, code: str, detail: str
) -> None:
    found = await problem(await client.post(CUSTOMER, json={"external_customer_id": given}))
    assert found["errors"] == [{"pointer": "/external_customer_id", "code": code, "detail": detail}]


@pytest.mark.parametrize("given", GOOD_IDS)
async def test_any_readable_external_id_is_accepted_and_echoed(client: aiohttp.ClientSession, given: str) -> None:
    answer = await client.post(CUSTOMER, json={"external_customer_id": given})
    assert answer.status == 201
    made = await answer.json()
    assert made["external_customer_id"] == given
    found = await (await client.get(CUSTOMER, params={"external_customer_id": given})).json()
    assert [one["customer_id"] for one in found["data"]] == [made["customer_id"]]


async def test_composed_and_decomposed_letters_are_different_ids(client: aiohttp.ClientSession) -> None:
    answers = [await client.post(CUSTOMER, json={"external_customer_id": one}) for one in ("é", "e\u0301")]
    assert [answer.status for answer in answers] == [201, 201]
    assert [(await answer.json())["external_customer_id"] for answer in answers] == ["é", "e\u0301"]


@pytest.mark.parametrize("given", BAD_PHONES)
async def test_a_phone_number_is_e164_or_refused(client: aiohttp.ClientSession, given: object) -> None:
    body = {"external_customer_id": person_id(), "phone_number": given}
    found = await problem(await client.post(CUSTOMER, json=body))
    assert [fault["pointer"] for fault in found["errors"]] == ["/phone_number"]


@pytest.mark.parametrize("given", BAD_EMAILS)
async def test_an_email_is_an_address_or_refused(client: aiohttp.ClientSession, given: object) -> None:
    body = {"external_customer_id": person_id(), "email": given}
    found = await problem(await client.post(CUSTOMER, json=body))
    assert [fault["pointer"] for fault in found["errors"]] == ["/email"]


@pytest.mark.parametrize("given", GOOD_EMAILS)
async def test_tags_and_international_domains_are_accepted(client: aiohttp.ClientSession, given: str) -> None:
    body = {"external_customer_id": person_id(), "email": given, "phone_number": "+123456789012345"}
    answer = await client.post(CUSTOMER, json=body)
    assert answer.status == 201, await answer.text()
    shown = await (await client.get(f"{CUSTOMER}/{(await answer.json())['customer_id']}")).json()
    assert (shown["email"], shown["phone_number"]) == (given, "+123456789012345")


async def test_every_fault_stands_in_one_answer_and_no_value_is_repeated(client: aiohttp.ClientSession) -> None:
    body = {"external_customer_id": " secret", "email": "secret", "phone_number": "secret", "a/b~c": "secret"}
    answer = await client.post(CUSTOMER, json=body)
    found = await problem(answer)
    pointers = {fault["pointer"] for fault in found["errors"]}
    assert pointers == {"/external_customer_id", "/email", "/phone_number", "/a~1b~0c"}
    assert "secret" not in await answer.text()


MALFORMED = {
    "array": b"[]",
    "string": b'"x"',
    "null": b"null",
    "empty": b"",
    "malformed": b"{",
    "BOM": b'\xef\xbb\xbf{"external_customer_id":"a"}',
    "trailing comma": b'{"external_customer_id":"a",}',
    "NaN": b'{"external_customer_id":NaN}',
    "Infinity": b'{"external_customer_id":Infinity}',
    "1e400": b'{"external_customer_id":1e400}',
    "duplicate keys": b'{"external_customer_id":"a","external_customer_id":"a"}',
    "duplicate keys deep down": b'{"external_customer_id":"a","x":{"y":1,"y":1}}',
    "nested too deep": b'{"external_customer_id":' + b"[" * 101 + b"]" * 101 + b"}",
    "very deep": b"[" * 200_000,
    "4,301 digits": b'{"external_customer_id":' + b"9" * 4301 + b"}",
    "lone surrogate": b'{"external_customer_id":"\\ud800"}',
    "unknown field": b'{"external_customer_id":"a","emial":"x@y.de"}',
    "utf-16": '{"external_customer_id":"a"}'.encode("utf-16"),
}


JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize("path", [CUSTOMER, TRANSACTION])
@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED.keys())
async def test_a_body_that_is_not_plain_json_is_refused(client: aiohttp.ClientSession, path: str, body: bytes) -> None:
    await problem(await client.post(path, data=body, headers=JSON))


TYPES = {
    None: 415,
    "text/plain": 415,
    "application/x-www-form-urlencoded": 415,
    "application/xml": 415,
    "application/jsonx": 415,
    "application/json; charset=latin-1": 415,
    "application/json": 201,
    "application/json; charset=utf-8": 201,
    'APPLICATION/JSON;charset="UTF-8"': 201,
}


@pytest.mark.parametrize(("kind", "status"), TYPES.items())
async def test_only_json_is_read(client: aiohttp.ClientSession, kind: str | None, status: int) -> None:
    body = json.dumps({"external_customer_id": person_id()}).encode()
    headers = {"Content-Type": kind} if kind else {}
    async with client.post(CUSTOMER, data=body, headers=headers, skip_auto_headers=["Content-Type"]) as answer:
        assert answer.status == status


async def test_a_compressed_body_is_not_unpacked(client: aiohttp.ClientSession) -> None:
    headers = {**JSON, "Content-Encoding": "gzip"}
    await problem(await client.post(CUSTOMER, data=b"\x1f\x8b", headers=headers), 415)


LIMITS = [(CUSTOMER, 6 * 1024 * 1024, 400), (TRANSACTION, 256 * 1024, 413)]
"""Of a customer only the picture can be large, and the interface says 400 of one that is too large."""


@pytest.mark.parametrize(("path", "limit", "status"), LIMITS)
@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_over_the_limit_is_refused_while_it_is_read(
    client: aiohttp.ClientSession, path: str, limit: int, status: int, chunked: bool
) -> None:
    def pieces(size: int) -> Iterator[bytes]:
        yield b"{"
        yield from (b" " * 65536 for _ in range(size // 65536))

    async def sent(size: int) -> aiohttp.ClientResponse:
        whole = b"".join(pieces(size))[:size]

        async def stream() -> Any:
            for at in range(0, size, 65536):
                yield whole[at : at + 65536]

        return await client.post(path, data=stream() if chunked else whole, headers=JSON)

    assert (await problem(await sent(limit), 400))["errors"][0]["pointer"] == ""
    refused = await problem(await sent(limit + 1), status)
    assert status == 413 or refused["errors"][0]["pointer"] == "/face_reference_image"


async def test_a_duplicate_says_which_customer_there_is(
    client: aiohttp.ClientSession, another_client: aiohttp.ClientSession
) -> None:
    body = {"external_customer_id": person_id()}
    first = await (await client.post(CUSTOMER, json=body)).json()
    found = await problem(await client.post(CUSTOMER, json=body))
    assert (found["code"], found["customer_id"]) == ("customer_already_exists", first["customer_id"])
    assert (await another_client.post(CUSTOMER, json=body)).status == 201
