"""Everything in the list of bad inputs gets the answer written there, and nothing is created on the way."""

import base64
import json
import secrets
import struct
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import aiohttp
import pytest
from PIL import Image

from tests.support.api import CUSTOMER, JPEG, PNG, TRANSACTION, b64, problem, saved
from truename.accounts.model import NewAccount
from truename.plumbing.crypto import seals
from truename.plumbing.resources import Plumbing


def new_id() -> str:
    return f"person-{secrets.token_hex(8)}"


# ── pictures ───────────────────────────────────────────────────────────────────────────────────────────────


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I4s", len(body), kind) + body + struct.pack(">I", zlib.crc32(kind + body))


def png_of(width: int, height: int, data: bytes = b"\0") -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def jpeg_of(width: int, height: int) -> bytes:
    jpeg = bytearray(saved("JPEG"))
    at = jpeg.index(b"\xff\xc0")
    jpeg[at + 5 : at + 9] = struct.pack(">HH", height, width)
    return bytes(jpeg)


def exactly(size: int) -> bytes:
    """A JPEG of so many bytes: what trails a picture is not looked at."""
    jpeg = saved("JPEG")
    return jpeg + b"\0" * (size - len(jpeg))


@cache
def packed_zeros() -> bytes:
    """200 MB of zeros, packed: made when it is sent, not whenever tests are collected."""
    packer = zlib.compressobj(1)
    return b"".join([*(packer.compress(bytes(1_000_000)) for _ in range(200)), packer.flush()])


def with_exif() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x8825] = {1: "N", 2: (40.0, 26.0, 46.0)}
    return saved("JPEG", exif=exif)


BAD_TEXTS: dict[str, object] = {
    "data prefix": "data:image/png;base64," + b64(PNG),
    "CR": b64(PNG)[:40] + "\r" + b64(PNG)[40:],
    "LF": b64(PNG)[:40] + "\n" + b64(PNG)[40:],
    "trailing LF": b64(PNG) + "\n",
    "space": b64(PNG)[:40] + " " + b64(PNG)[40:],
    "tab": "\t" + b64(PNG),
    "NUL": b64(PNG) + "\0",
    "URL-safe alphabet": base64.urlsafe_b64encode(b"\xfb\xff\xfe" * 9).decode(),
    "missing padding": b64(PNG + b"x" * (1 + -len(PNG) % 3)).rstrip("="),
    "extra padding": b64(PNG) + "====",
    "inner padding": "YQ==" + b64(PNG),
    "non-canonical last bits": "YWJ=",
    "full-width letters": "ＡＢＣＤ",
    "empty": "",
    "a number": 12345,
    "null": None,
    "a list": ["YWJj"],
}
BAD_FILES: dict[str, bytes | Callable[[], bytes]] = {
    "GIF": saved("GIF"),
    "WebP": saved("WEBP"),
    "BMP": saved("BMP"),
    "TIFF": saved("TIFF"),
    "ICO": saved("ICO"),
    "SVG": b'<svg xmlns="http://www.w3.org/2000/svg"/>',
    "PDF": b"%PDF-1.7\n1 0 obj<<>>endobj\n%%EOF",
    "text": b"hello",
    "header of 60000×60000": png_of(60000, 60000),
    "178 Mpx in a small file": lambda: png_of(13340, 13340, b"\0" * (13340 * 1669)),
    "JPEG of 65535²": jpeg_of(65535, 65535),
    "0×0": png_of(0, 0),
    "over 40 Mpx": png_of(8000, 5001),
    "200 MB of zTXt": lambda: PNG[:33] + chunk(b"zTXt", b"a\0\0" + packed_zeros()) + PNG[33:],
    "200 MB of iCCP": lambda: PNG[:33] + chunk(b"iCCP", b"a\0\0" + packed_zeros()) + PNG[33:],
    "truncated half": saved("JPEG", Image.effect_noise((400, 400), 90).convert("RGB"))[:20000],
    "truncated PNG": saved("PNG", Image.effect_noise((400, 400), 90).convert("RGB"))[:40000],
    "bad CRC": PNG[:40] + bytes([PNG[40] ^ 1]) + PNG[41:],
    "JPEG magic and junk": b"\xff\xd8\xff\xe0" + b"junk" * 100,
    "PNG magic alone": b"\x89PNG\r\n\x1a\n",
    "one byte too many": exactly(4_194_305),
}
GOOD_FILES: dict[str, bytes] = {
    "JPEG": JPEG,
    "PNG": PNG,
    "exactly 4 MB": exactly(4_194_304),
    "missing EOI": JPEG.removesuffix(b"\xff\xd9"),
    "trailing HTML": JPEG + b"<html><script>alert(1)</script></html>",
    "trailing ZIP": JPEG + b"PK\x03\x04",
    "script in a comment": saved("JPEG", comment=b"<script>alert(1)</script>"),
    "EXIF with GPS": with_exif(),
    "CMYK": saved("JPEG", Image.new("CMYK", (32, 32))),
    "grey": saved("JPEG", Image.new("L", (32, 32))),
    "palette": saved("PNG", Image.new("P", (32, 32))),
    "RGBA": saved("PNG", Image.new("RGBA", (32, 32))),
    "16-bit": saved("PNG", Image.new("I;16", (32, 32))),
    "APNG": saved("PNG", Image.new("RGB", (9, 9)), save_all=True, append_images=[Image.new("RGB", (9, 9), "red")]),
    "1×1": saved("PNG", Image.new("RGB", (1, 1))),
}


async def customers_of(plumbing: Plumbing, account: NewAccount) -> int:
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute("SELECT count(*) AS many FROM customers")
        row = await cursor.fetchone()
    assert row is not None
    return int(row["many"])


@pytest.mark.parametrize("text", BAD_TEXTS.values(), ids=BAD_TEXTS.keys())
async def test_a_reference_image_is_plain_base64_or_refused(
    client: aiohttp.ClientSession, plumbing: Plumbing, an_account: NewAccount, text: object
) -> None:
    body = {"external_customer_id": new_id(), "face_reference_image": text}
    found = await problem(await client.post(CUSTOMER, json=body))
    assert [fault["pointer"] for fault in found["errors"]] == ["/face_reference_image"]
    assert await customers_of(plumbing, an_account) == 0


@pytest.mark.parametrize("data", BAD_FILES.values(), ids=BAD_FILES.keys())
async def test_a_reference_image_is_a_sound_jpeg_or_png_or_refused(
    client: aiohttp.ClientSession, plumbing: Plumbing, an_account: NewAccount, data: bytes | Callable[[], bytes]
) -> None:
    image = b64(data() if callable(data) else data)
    body = {"external_customer_id": new_id(), "face_reference_image": image}
    found = await problem(await client.post(CUSTOMER, json=body))
    assert [fault["pointer"] for fault in found["errors"]] == ["/face_reference_image"]
    assert found["errors"][0]["code"].startswith("image_")
    assert await customers_of(plumbing, an_account) == 0


@pytest.mark.parametrize("data", GOOD_FILES.values(), ids=GOOD_FILES.keys())
async def test_odd_but_sound_pictures_are_accepted_and_said_to_have_no_face(
    client: aiohttp.ClientSession, data: bytes
) -> None:
    body = {"external_customer_id": new_id(), "face_reference_image": b64(data)}
    answer = await client.post(CUSTOMER, json=body)
    assert answer.status == 201, await answer.text()
    made = await answer.json()
    shown = await (await client.get(f"{CUSTOMER}/{made['customer_id']}")).json()
    assert shown["reference_face"]["usable"] is False
    assert shown["reference_face"]["reason"] == "NO_FACE"
    assert shown["reference_face"]["origin"] == "REFERENCE_IMAGE"


async def test_only_a_sealed_copy_without_metadata_is_kept(
    client: aiohttp.ClientSession, plumbing: Plumbing, an_account: NewAccount
) -> None:
    body = {"external_customer_id": new_id(), "face_reference_image": b64(with_exif() + b"<script>")}
    made = await (await client.post(CUSTOMER, json=body)).json()
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT m.*, c.data_key FROM media m JOIN customers c USING (customer_id) WHERE customer_id = %s",
            (made["customer_id"],),
        )
        row = await cursor.fetchone()
    assert row is not None
    assert (row["width"], row["height"]) == (48, 64)  # turned once, as its EXIF says
    stored = await plumbing.objects.get(row["storage_key"])
    assert b"\xff\xd8" not in stored[:64]
    key = plumbing.vault.customer_key(bytes(row["data_key"]), an_account.account_id, row["customer_id"])
    opened = key.open(stored, seals.picture(row["media_id"]))
    assert opened.startswith(b"\xff\xd8\xff")
    assert b"Exif" not in opened
    assert b"<script>" not in opened


# ── customer ───────────────────────────────────────────────────────────────────────────────────────────────

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
    body = {"external_customer_id": new_id(), "phone_number": given}
    found = await problem(await client.post(CUSTOMER, json=body))
    assert [fault["pointer"] for fault in found["errors"]] == ["/phone_number"]


@pytest.mark.parametrize("given", BAD_EMAILS)
async def test_an_email_is_an_address_or_refused(client: aiohttp.ClientSession, given: object) -> None:
    body = {"external_customer_id": new_id(), "email": given}
    found = await problem(await client.post(CUSTOMER, json=body))
    assert [fault["pointer"] for fault in found["errors"]] == ["/email"]


@pytest.mark.parametrize("given", GOOD_EMAILS)
async def test_tags_and_international_domains_are_accepted(client: aiohttp.ClientSession, given: str) -> None:
    body = {"external_customer_id": new_id(), "email": given, "phone_number": "+123456789012345"}
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
    body = json.dumps({"external_customer_id": new_id()}).encode()
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
    body = {"external_customer_id": new_id()}
    first = await (await client.post(CUSTOMER, json=body)).json()
    found = await problem(await client.post(CUSTOMER, json=body))
    assert (found["code"], found["customer_id"]) == ("customer_already_exists", first["customer_id"])
    assert (await another_client.post(CUSTOMER, json=body)).status == 201
