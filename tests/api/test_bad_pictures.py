"""Every picture in the list of bad inputs gets the answer written there, and nothing is created on the way."""

import base64
import struct
import zlib
from collections.abc import Callable

import aiohttp
import pytest
from PIL import Image

from tests.support.api import CUSTOMER, JPEG, PNG, b64, person_id, problem, saved
from tests.support.bombs import packed_zeros
from truename.accounts.model import NewAccount
from truename.plumbing.crypto import seals
from truename.plumbing.resources import Plumbing


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
    "200 MB of zTXt": lambda: PNG[:33] + chunk(b"zTXt", b"a\0\0" + packed_zeros(200)) + PNG[33:],
    "200 MB of iCCP": lambda: PNG[:33] + chunk(b"iCCP", b"a\0\0" + packed_zeros(200)) + PNG[33:],
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
    body = {"external_customer_id": person_id(), "face_reference_image": text}
    found = await problem(await client.post(CUSTOMER, json=body))
    assert [fault["pointer"] for fault in found["errors"]] == ["/face_reference_image"]
    assert await customers_of(plumbing, an_account) == 0


@pytest.mark.parametrize("data", BAD_FILES.values(), ids=BAD_FILES.keys())
async def test_a_reference_image_is_a_sound_jpeg_or_png_or_refused(
    client: aiohttp.ClientSession, plumbing: Plumbing, an_account: NewAccount, data: bytes | Callable[[], bytes]
) -> None:
    image = b64(data() if callable(data) else data)
    body = {"external_customer_id": person_id(), "face_reference_image": image}
    found = await problem(await client.post(CUSTOMER, json=body))
    assert [fault["pointer"] for fault in found["errors"]] == ["/face_reference_image"]
    assert found["errors"][0]["code"].startswith("image_")
    assert await customers_of(plumbing, an_account) == 0


@pytest.mark.parametrize("data", GOOD_FILES.values(), ids=GOOD_FILES.keys())
async def test_odd_but_sound_pictures_are_accepted_and_said_to_have_no_face(
    client: aiohttp.ClientSession, data: bytes
) -> None:
    body = {"external_customer_id": person_id(), "face_reference_image": b64(data)}
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
    body = {"external_customer_id": person_id(), "face_reference_image": b64(with_exif() + b"<script>")}
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
    key = plumbing.vault.customer_key(bytes(row["data_key"]), an_account.account_id, row["customer_id"])
    opened = key.open(stored, seals.picture(row["media_id"]))
    assert opened.startswith(b"\xff\xd8\xff")
    assert opened[:8] not in stored, "two bytes alone come by chance"
    assert b"Exif" not in opened
    assert b"<script>" not in opened
