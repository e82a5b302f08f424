"""Can an integrator correct what it said of a customer, and is what was replaced gone?"""

import base64
import secrets

import numpy as np
import pytest
import skimage.data

from tests.support.api import CUSTOMER, problem
from tests.support.transactions import a_customer
from truename.media.pictures import customer_prefix
from truename.vision.images import encode_jpeg

FACE = base64.b64encode(encode_jpeg(skimage.data.astronaut())).decode()
NO_FACE = base64.b64encode(encode_jpeg(np.full((300, 300, 3), 120, np.uint8))).decode()


@pytest.fixture
async def customer(plumbing, an_account):
    return await a_customer(plumbing, an_account, email="ana@example.com", phone_number="+5491123456789")


async def rows(plumbing, account, query, *values):
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute(query, values)
        return await cursor.fetchall()


async def objects_of(plumbing, account, customer):
    """Where pictures of a customer lie in the store."""
    found = plumbing.objects.list(customer_prefix(account.account_id, customer))
    return {one.key async for chunk in found for one in chunk}


async def change(client, customer, body, **more):
    async with client.patch(f"{CUSTOMER}/{customer}", json=body, **more) as answer:
        assert answer.status == 200, await answer.text()
        return await answer.json()


async def test_a_field_that_is_left_out_stays_and_null_takes_it_away(client, customer):
    changed = await change(client, customer, {"email": "ana.perez@example.com"})
    assert (changed["email"], changed["phone_number"]) == ("ana.perez@example.com", "+5491123456789")
    changed = await change(client, customer, {"phone_number": None})
    assert (changed["email"], changed["phone_number"]) == ("ana.perez@example.com", None)
    assert await change(client, customer, {}) == changed
    async with client.get(f"{CUSTOMER}/{customer}") as answer:
        assert await answer.json() == changed


async def test_an_unusable_reference_image_is_replaced_and_its_picture_and_row_are_gone(client, plumbing, an_account):
    customer = await a_customer(plumbing, an_account, face_reference_image=NO_FACE)
    of_customer = "SELECT storage_key FROM media WHERE customer_id = %s"
    [before] = await rows(plumbing, an_account, of_customer, customer)
    changed = await change(client, customer, {"face_reference_image": FACE})
    assert (changed["reference_face"]["usable"], changed["reference_face"]["origin"]) == (True, "REFERENCE_IMAGE")
    [after] = await rows(plumbing, an_account, of_customer, customer)
    assert after["storage_key"] != before["storage_key"]
    assert await objects_of(plumbing, an_account, customer) == {after["storage_key"]}
    assert len(await rows(plumbing, an_account, "SELECT 1 FROM faces WHERE customer_id = %s", customer)) == 1
    changed = await change(client, customer, {"face_reference_image": None})
    assert changed["reference_face"] is None
    assert await rows(plumbing, an_account, of_customer, customer) == []
    assert await objects_of(plumbing, an_account, customer) == set()


async def test_a_change_is_audited_by_the_names_of_its_fields_alone(client, plumbing, an_account, customer):
    await change(client, customer, {"email": "ana.perez@example.com", "phone_number": None})
    [entry] = await rows(
        plumbing,
        an_account,
        "SELECT actor, details FROM audit_log WHERE action = 'customer.changed' AND subject = %s",
        f"customer:{customer}",
    )
    assert entry["actor"] == f"client:{an_account.client_id}"
    assert entry["details"]["fields"] == "email, phone_number"


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({"email": "no address"}, {"/email"}),
        ({"email": "no address", "phone_number": "12"}, {"/email", "/phone_number"}),
        ({"external_customer_id": "another"}, {"/external_customer_id"}),
        ({"status": "BLOCKED"}, {"/status"}),
        ({"face_reference_image": "data:image/png;base64,AAAA"}, {"/face_reference_image"}),
        ({"face_reference_image": base64.b64encode(b"GIF89a").decode()}, {"/face_reference_image"}),
    ],
)
async def test_what_cannot_be_is_refused_and_changes_nothing(client, customer, body, pointers):
    before = await (await client.get(f"{CUSTOMER}/{customer}")).json()
    answer = await problem(await client.patch(f"{CUSTOMER}/{customer}", json=body), 400)
    assert {fault["pointer"] for fault in answer["errors"]} == pointers
    assert await (await client.get(f"{CUSTOMER}/{customer}")).json() == before


async def test_a_customer_of_another_account_or_none_is_not_found(client, plumbing, another_account):
    theirs = await a_customer(plumbing, another_account)
    for customer in (theirs, "00000000-0000-7000-8000-000000000000"):
        answer = await problem(await client.patch(f"{CUSTOMER}/{customer}", json={"email": "a@example.com"}), 404)
        assert answer["code"] == "customer_not_found"


async def test_a_repeated_change_is_done_once(client, plumbing, an_account, customer):
    headers = {"Idempotency-Key": secrets.token_hex(8)}
    first = await change(client, customer, {"email": "first@example.com"}, headers=headers)
    await change(client, customer, {"email": "second@example.com"})
    assert await change(client, customer, {"email": "first@example.com"}, headers=headers) == first
    assert (await (await client.get(f"{CUSTOMER}/{customer}")).json())["email"] == "second@example.com"
