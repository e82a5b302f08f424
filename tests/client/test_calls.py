"""The calls of the Python client against the real service, by the client that blocks and by the one that is awaited."""

import asyncio
import itertools
from datetime import UTC, datetime, timedelta

import pytest

import truename_client
from tests.support.api import JPEG
from tests.support.sdk import Phone, a_passport_photo
from truename.plumbing.database.ids import new_id
from truename_client import AsyncTruename, Truename, problems
from truename_client.answers import ShownCustomer, ShownTransaction
from truename_client.client import AsyncTruename as Later

PASSPORT: truename_client.Config = {
    "transaction_ttl_minutes": 30,
    "document_policy": {"data_matching": {"surnames": {"value": "Mustermann", "similarity_min_score": 0.9}}},
}


def whole_story(truename: Truename) -> None:
    """A customer and a transaction from the first call to erasure."""
    person = str(new_id())
    made = truename.customers.create(person, email="ana@example.com", face_reference_image=JPEG)
    assert made.external_customer_id == person
    assert made.created_at.tzinfo is not None

    with pytest.raises(problems.CustomerAlreadyExists) as again:
        truename.customers.create(person)
    assert again.value.customer_id == made.customer_id

    found = truename.customers.find(person)
    assert found == truename.customers.get(made.customer_id)
    assert found is not None
    assert (found.email, found.status) == ("ana@example.com", "ACTIVE")
    assert truename.customers.find("nobody") is None

    changed = truename.customers.change(made.customer_id, phone_number="+5491123456789", email=None)
    assert isinstance(changed, ShownCustomer)
    assert (changed.email, changed.phone_number) == (None, "+5491123456789")
    assert truename.customers.set_status(made.customer_id, "SUSPICIOUS", "Chargeback").status == "SUSPICIOUS"

    opened = truename.transactions.create(made.customer_id, "DOCUMENT_ONLY", PASSPORT)
    assert opened.expires_in == 1800
    assert truename.capture_url(opened.sdk_token).endswith(f"/verify/#t={opened.sdk_token}")
    shown = truename.transactions.get(opened.transaction_id)
    assert (shown.status, shown.customer_id) == ("CREATED", made.customer_id)
    # What was answered as config may be sent again as it is.
    another = truename.transactions.create(made.customer_id, "DOCUMENT_ONLY", shown.config)
    assert truename.transactions.refresh_sdk_token(another.transaction_id).transaction_id == another.transaction_id

    cancelled = truename.transactions.cancel(opened.transaction_id)
    assert isinstance(cancelled, ShownTransaction)
    assert cancelled.status == truename.transactions.wait(opened.transaction_id, timeout=5).status == "CANCELLED"
    with pytest.raises(problems.WrongState) as wrong:
        truename.transactions.cancel(opened.transaction_id)
    assert wrong.value.transaction_status == "CANCELLED"
    with pytest.raises(problems.WrongState):
        truename.transactions.review(opened.transaction_id, "APPROVED", "Seen in person.")
    assert truename.transactions.redact(opened.transaction_id).redacted_at is not None
    assert [one.transaction_id for one in truename.transactions.list(status="CANCELLED")] == [opened.transaction_id]

    codes = truename.transactions.issue_codes()
    assert (len(codes), [one.code for one in codes if one.extension]) == (28, ["ANOTHER_CUSTOMER_REPEATED_FACE"])
    assert truename.customers.erase(made.customer_id).transactions_kept == 2
    with pytest.raises(problems.CustomerNotFound):
        truename.customers.get(made.customer_id)


async def test_a_whole_story_by_the_client_that_blocks(in_a_thread):
    await in_a_thread(whole_story)


async def test_the_client_that_is_awaited_does_the_same(truename: AsyncTruename):
    made = await truename.customers.create(str(new_id()))
    opened = await truename.transactions.create(made.customer_id, "BIOMETRIC_ONLY")
    found = [one async for one in truename.transactions.list(customer_id=made.customer_id)]
    assert [one.transaction_id for one in found] == [opened.transaction_id]
    with pytest.raises(problems.TransactionNotFound):
        await truename.transactions.get(str(new_id()))


async def test_a_list_is_read_page_by_page_and_no_further_than_asked(in_a_thread, network):
    def story(truename: Truename) -> None:
        customer = truename.customers.create(str(new_id())).customer_id
        made = [truename.transactions.create(customer, "DOCUMENT_ONLY").transaction_id for _ in range(5)]
        pages = lambda: sum("GET " in call for call in network.passed)  # noqa: E731
        listed = truename.transactions.list(customer_id=customer, page_size=2)
        assert pages() == 0
        assert [one.transaction_id for one in itertools.islice(listed, 2)] == made[:2:-1]
        assert pages() == 1
        assert [one.transaction_id for one in listed] == made[2::-1]
        assert pages() == 3
        long_ago = datetime.now(UTC) - timedelta(days=9)
        assert list(truename.transactions.list(customer_id=customer, created_before=long_ago)) == []

    await in_a_thread(story)


async def test_clients_of_the_account_are_managed_by_its_administrator(in_a_thread, live_server):
    def story(truename: Truename) -> None:
        added = truename.clients.add("shop", ["customers:read"])
        rotated = truename.clients.rotate(added.client_id, overlap_seconds=0)
        assert rotated.client_secret != added.client_secret
        assert [one.name for one in truename.clients.list()][-1] == "shop"
        with Truename(live_server, added.client_id, rotated.client_secret) as shop:
            with pytest.raises(problems.ScopeMissing, match="customers:write") as lacking:
                shop.customers.create("x")
            assert (lacking.value.status, lacking.value.code) == (403, "scope_missing")
        with (
            Truename(live_server, added.client_id, added.client_secret) as old,
            pytest.raises(truename_client.InvalidCredentials) as refused,
        ):
            old.customers.find("x")
        assert (refused.value.status, refused.value.code) == (401, "invalid_client")
        assert added.client_secret not in str(refused.value) + repr(old)
        assert truename.clients.revoke(added.client_id).revoked_at is not None

    await in_a_thread(story)


async def test_wait_ends_with_the_decision_of_somebody_else_or_with_its_time(truename: Later):
    customer = (await truename.customers.create(str(new_id()))).customer_id
    opened = await truename.transactions.create(customer, "DOCUMENT_ONLY")
    waiting = asyncio.ensure_future(truename.transactions.wait(opened.transaction_id, timeout=60))
    await asyncio.sleep(0.05)
    await truename.transactions.cancel(opened.transaction_id)
    assert (await waiting).status == "CANCELLED"

    opened = await truename.transactions.create(customer, "DOCUMENT_ONLY")
    with pytest.raises(TimeoutError, match="still CREATED") as over:
        await truename.transactions.wait(opened.transaction_id, timeout=0)
    assert isinstance(over.value, truename_client.WaitTimedOut)
    assert over.value.status == "CREATED"


@pytest.mark.slow
async def test_a_picture_is_read_as_bytes(truename: AsyncTruename, client):
    customer = (await truename.customers.create(str(new_id()))).customer_id
    opened = await truename.transactions.create(customer, "DOCUMENT_ONLY")
    phone = Phone(client, opened.sdk_token)
    await phone.consent()
    await phone.device()
    await phone.document("front", a_passport_photo())
    media = (await truename.transactions.get(opened.transaction_id)).media
    assert media
    taken = await truename.transactions.media(opened.transaction_id, media[0].media_id)
    assert (taken[:3], len(taken)) == (b"\xff\xd8\xff", media[0].size)
    with pytest.raises(problems.MediaNotFound):
        await truename.transactions.media(opened.transaction_id, str(new_id()))
