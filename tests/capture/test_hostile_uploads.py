"""What a hostile sender's pictures cost: a refusal for it, nothing for anybody else."""

import asyncio
import base64

import pytest

from tests.support import bombs
from tests.support.sdk import code_of, photographed
from tests.support.waiting import until
from truename.accounts.tokens import read_sdk_token
from truename.capture import store
from truename.sandbox.drawing import documents

KYC = "/api/account/integration/kyc"

BOMBS = {
    "scans": (bombs.scan_bomb(2000, 400, 300), "image_too_many_scans"),
    "text": (bombs.unfolding_png(b"zTXt", b"note\0\0", 20), "image_metadata_too_large"),
    "profile": (bombs.unfolding_png(b"iCCP", b"profile\0\0", 20), "image_metadata_too_large"),
    "a wide ribbon": (bombs.ribbon(65_500, 1), "image_too_narrow"),
    "a tall ribbon": (bombs.ribbon(1, 65_500), "image_too_narrow"),
    "a wide ribbon as JPEG": (bombs.ribbon(65_500, 1, "JPEG"), "image_too_narrow"),
}


@pytest.mark.parametrize("name", BOMBS)
async def test_a_bomb_is_a_refusal_at_the_upload_of_a_document(opened, name):
    data, fault = BOMBS[name]
    phone, _ = await opened("DOCUMENT_ONLY")
    await phone.consent()
    status, problem = await phone.document("front", data)
    assert (status, problem["code"], problem["errors"][0]["code"]) == (400, "invalid_image", fault)


@pytest.mark.parametrize("name", BOMBS)
async def test_a_bomb_is_a_refusal_as_a_reference_image(client, name):
    data, fault = BOMBS[name]
    body = {"external_customer_id": f"bomb {name}", "face_reference_image": base64.b64encode(data).decode()}
    async with client.post(f"{KYC}/customer", json=body) as answer:
        assert (answer.status, (await answer.json())["errors"][0]["code"]) == (400, fault)


async def test_a_frame_is_measured_before_it_is_decoded(opened, plumbing):
    phone, _ = await opened("BIOMETRIC_ONLY")
    await phone.consent()
    _, challenge = await phone.challenge()
    large = base64.b64encode(bombs.wide_png(8000, 5000, "L")).decode()
    frames = [
        {"step": step, "at_ms": 100 * number, "image": large}
        for number, step in enumerate(step for step in challenge["steps"] for _ in range(2))
    ]
    status, problem = await phone.call("POST", "/liveness", json={"nonce": challenge["nonce"], "frames": frames})
    assert (status, problem["errors"][0]["code"]) == (400, "image_too_many_pixels")
    assert problem["errors"][0]["pointer"] == "/frames/0/image"


@pytest.mark.slow
async def test_who_hangs_up_has_the_work_ended(opened, plumbing):
    phone, _ = await opened("DOCUMENT_ONLY")
    await phone.consent()
    slow = plumbing.decoders._slow
    sending = asyncio.create_task(phone.document("front", bombs.wide_png()))

    async def decoding() -> bool:
        return not slow.idle

    async def free() -> bool:
        return bool(slow.idle)

    await until(decoding)
    sending.cancel()
    await asyncio.gather(sending, return_exceptions=True)
    await until(free)
    assert slow.decoders[0].cancelled, "it did not come to its end"
    assert (await phone.session())[1]["progress"]["document"]["front"] is None


async def test_a_body_is_not_read_when_the_state_refuses_it_anyway(opened, live_server):
    phone, _ = await opened("BIOMETRIC_ONLY")
    await phone.consent()
    host, port = live_server.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(
        f"POST /api/sdk/document/front HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {phone.token}\r\n"
        "Content-Type: image/jpeg\r\nContent-Length: 12000000\r\n\r\n".encode()
    )
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
    writer.close()
    assert head.startswith(b"HTTP/1.1 409 ")


async def test_an_answer_is_replayed_even_when_the_state_has_moved_on(opened, client):
    phone, made = await opened("DOCUMENT_ONLY")
    await phone.consent()
    key = {"Idempotency-Key": "front"}
    first = await phone.document("front", bombs.photo(800, 600), headers=key)
    async with client.post(f"{KYC}/transaction/{made['transaction_id']}/cancel", json={}) as answer:
        assert answer.status == 200
    assert await phone.document("front", bombs.photo(800, 600), headers=key) == first
    assert code_of(await phone.document("front", bombs.photo(), headers={"Idempotency-Key": "b"}))[0] == 409


async def test_polls_do_not_wait_for_whoever_holds_the_transaction(opened, plumbing, an_account):
    phone, made = await opened("DOCUMENT_ONLY")
    await phone.consent()
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute(
            "SELECT FROM transactions WHERE transaction_id = %s FOR UPDATE", (made["transaction_id"],)
        )
        async with asyncio.timeout(5):
            assert (await phone.status())[0] == 200
            assert (await phone.session())[0] == 200


@pytest.mark.slow
async def test_alternating_documents_brings_no_further_takes_of_the_back(opened, plumbing, an_account):
    phone, _ = await opened("DOCUMENT_ONLY")
    await phone.consent()
    claims = await read_sdk_token(plumbing, phone.token)
    card = photographed(documents.id_card().front)
    spanish, portuguese = ({"country": country, "type": "NATIONAL_ID"} for country in ("ES", "PT"))
    assert (await phone.document("front", card, params=spanish))[0] == 200
    assert (await phone.document("back", card, params=spanish))[1]["takes_left"] == store.TAKES_MAX - 1
    assert (await phone.document("front", card, params=portuguese))[0] == 200
    assert (await phone.session())[1]["progress"]["document"]["back"] is None
    assert (await phone.document("back", card, params=portuguese))[1]["takes_left"] == store.TAKES_MAX - 2
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute(
            "UPDATE captures SET takes = %s WHERE transaction_id = %s AND slot = 'DOCUMENT_BACK'",
            (store.TAKES_MAX, claims.transaction_id),
        )
    assert code_of(await phone.document("back", card, params=portuguese)) == (429, "too_many_takes")
    # Another choice would leave the person without a back, and without a way to take one.
    assert code_of(await phone.document("front", card, params=spanish)) == (429, "too_many_takes")
    assert (await phone.session())[1]["progress"]["document"]["back"] is not None
