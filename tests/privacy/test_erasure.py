"""Is everything gone in the end, whatever breaks in between? (E2, E3, E4)"""

import contextlib

import pytest

from tests.support.jobs import count
from tests.support.people import a_verified_person, key_of, left_of
from tests.support.transactions import a_customer, a_transaction, submitted
from truename.media.delete import NotDeleted, delete_of_customer, delete_of_transaction
from truename.plumbing.crypto import seals
from truename.plumbing.errors import NotFound
from truename.plumbing.jobs.queue import move_due
from truename.plumbing.jobs.registry import JOBS
from truename.plumbing.jobs.worker import run_pending
from truename.plumbing.resources import Plumbing
from truename.plumbing.storage.objects import Objects
from truename.privacy.erase import erase, finish_erasure
from truename.privacy.redact import redact
from truename.transactions.lifecycle import Status, move
from truename.wiring import load_jobs


class FailsOnce(Objects):
    """A store that refuses the first deletion of each object, as a bucket does on a bad day."""

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self.refused: set[str] = set()

    async def delete(self, key: str) -> None:
        if key not in self.refused:
            self.refused.add(key)
            raise OSError("the store is having a bad day")
        await super().delete(key)


@pytest.fixture(autouse=True)
def jobs():
    load_jobs()


async def test_redaction_removes_the_live_face_the_fingerprints_and_the_pictures(plumbing, an_account):
    person = await a_verified_person(plumbing, an_account)
    async with plumbing.database.account(an_account.account_id) as connection:
        await redact(connection, an_account.account_id, person.transaction_id, actor="test")
    assert await left_of(plumbing, an_account, person) == {"objects"}
    await run_pending(plumbing)
    assert await left_of(plumbing, an_account, person) == set()


async def test_redaction_keeps_the_enrolled_face_and_what_the_check_found(client, plumbing, an_account):
    person = await a_verified_person(plumbing, an_account)
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute(
            "UPDATE customers SET reference_face_id = (SELECT face_id FROM faces WHERE transaction_id = %s) "
            "WHERE customer_id = %s",
            (person.transaction_id, person.customer_id),
        )
        await redact(connection, an_account.account_id, person.transaction_id, actor="test")
        cursor = await connection.execute(
            "SELECT issues FROM transactions WHERE transaction_id = %s", (person.transaction_id,)
        )
        row = await cursor.fetchone()
    assert await left_of(plumbing, an_account, person) == {"faces", "objects"}
    assert row is not None
    assert [(issue["code"], issue["details"]) for issue in row["issues"]] == [("GEO_IP_MISMATCH", {"reason": "FAR"})]


async def test_a_crash_after_the_commit_leaves_no_picture(plumbing, an_account):
    """The job was queued in the same database transaction: whoever starts next finishes the work, also twice."""
    person = await a_verified_person(plumbing, an_account)
    async with plumbing.database.account(an_account.account_id) as connection:
        await erase(connection, an_account.account_id, person.customer_id, actor="test")
    assert await left_of(plumbing, an_account, person) == {"objects"}  # here the process dies
    await run_pending(plumbing)
    assert await left_of(plumbing, an_account, person) == set()
    own = {"account_id": str(an_account.account_id), "customer_id": str(person.customer_id)}
    await delete_of_customer(plumbing, **own)
    await finish_erasure(plumbing, **own)
    with pytest.raises(NotFound):
        async with plumbing.database.account(an_account.account_id) as connection:
            await erase(connection, an_account.account_id, person.customer_id, actor="test")


async def test_a_crash_before_the_commit_erases_nothing(plumbing, an_account):
    person = await a_verified_person(plumbing, an_account)
    with contextlib.suppress(RuntimeError):
        async with plumbing.database.account(an_account.account_id) as connection:
            await erase(connection, an_account.account_id, person.customer_id, actor="test")
            raise RuntimeError("the process dies")
    await run_pending(plumbing)
    await key_of(plumbing, an_account, person.customer_id)
    assert await left_of(plumbing, an_account, person) >= {"objects", "faces", "examinations", "seen_frames"}
    own = {"account_id": str(an_account.account_id), "customer_id": str(person.customer_id)}
    before = await left_of(plumbing, an_account, person)
    await delete_of_customer(plumbing, **own)  # as if an old job came late: a living customer is left alone
    await finish_erasure(plumbing, **own)
    await delete_of_transaction(
        plumbing, account_id=own["account_id"], transaction_id=str(person.transaction_id)
    )  # nor is one that was not redacted
    await key_of(plumbing, an_account, person.customer_id)
    assert await left_of(plumbing, an_account, person) == before


async def test_the_face_of_a_reference_image_goes_though_no_transaction_knows_it(plumbing, an_account):
    person = await a_verified_person(plumbing, an_account)
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute(
            "UPDATE faces SET transaction_id = NULL, origin = 'REFERENCE_IMAGE' WHERE customer_id = %s",
            (person.customer_id,),
        )
        await erase(connection, an_account.account_id, person.customer_id, actor="test")
    faces = f"SELECT count(*) FROM faces WHERE customer_id = '{person.customer_id}'"
    assert await count(plumbing, faces) == 0


async def test_the_receipt_counts_no_picture_that_was_deleted_before(plumbing, an_account):
    person = await a_verified_person(plumbing, an_account)
    async with plumbing.database.account(an_account.account_id) as connection:
        await redact(connection, an_account.account_id, person.transaction_id, actor="test")
        erased = await erase(connection, an_account.account_id, person.customer_id, actor="test")
    assert erased.media_deleted == 0


@pytest.mark.parametrize("work", ["erase", "redact"])
async def test_a_store_that_fails_once_is_asked_again(plumbing, an_account, work):
    flaky = Plumbing(plumbing.settings, plumbing.database, FailsOnce(plumbing.settings.media_url), plumbing.vault)
    person = await a_verified_person(plumbing, an_account)
    own = {"account_id": str(an_account.account_id)}
    async with plumbing.database.account(an_account.account_id) as connection:
        if work == "erase":
            await erase(connection, an_account.account_id, person.customer_id, actor="test")
            again, own = delete_of_customer, own | {"customer_id": str(person.customer_id)}
        else:
            await redact(connection, an_account.account_id, person.transaction_id, actor="test")
            again, own = delete_of_transaction, own | {"transaction_id": str(person.transaction_id)}
    with pytest.raises(NotDeleted, match=f"{len(person.pictures)} of {len(person.pictures)}"):
        await again(flaky, **own)
    await again(flaky, **own)
    assert await left_of(plumbing, an_account, person) == set()


@pytest.mark.parametrize("later", [False, True], ids=["before the first sweep", "after it"])
async def test_what_a_request_left_that_was_under_way_is_swept_up(plumbing, an_account, later):
    """A capture that began before the erasure may commit after it; so may the picture that it stored."""
    customer_id = await a_customer(plumbing, an_account)
    key = await key_of(plumbing, an_account, customer_id)
    async with plumbing.database.account(an_account.account_id) as connection:
        await erase(connection, an_account.account_id, customer_id, actor="test")
    if later:
        await run_pending(plumbing)
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute(
            "INSERT INTO transactions (transaction_id, account_id, customer_id, transaction_type, status, config, "
            "sealed_matching, expires_at) VALUES (gen_random_uuid(), %s, %s, 'DOCUMENT_ONLY', 'CANCELLED', %s, %s, "
            "now()) RETURNING transaction_id",
            (an_account.account_id, customer_id, '{"webhook": {"url": "https://x.example/?who=ana"}}', b"sealed"),
        )
        row = await cursor.fetchone()
    assert row is not None
    where = f"{an_account.account_id}/{customer_id}/{row['transaction_id']}"
    await plumbing.objects.put(where, key.seal(b"late", seals.PROFILE))
    async with plumbing.database.system() as connection:  # an hour later
        own = (str(customer_id),)
        await connection.execute("UPDATE jobs.later SET run_at = now() WHERE args ->> 'customer_id' = %s", own)
        await move_due(connection)
    await run_pending(plumbing)
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT sealed_matching, redacted_at, config FROM transactions WHERE transaction_id = %s",
            (row["transaction_id"],),
        )
        found = await cursor.fetchone()
    assert found is not None
    assert found["sealed_matching"] is None
    assert found["redacted_at"] is not None
    assert found["config"] == {"webhook": {"url": "https://x.example/"}}
    assert [chunk async for chunk in plumbing.objects.list(f"{an_account.account_id}/{customer_id}")] == []


async def test_events_lose_the_identifier_at_once_and_the_query_when_they_are_told(plumbing, an_account):
    customer_id = await a_customer(plumbing, an_account)
    url = "https://receiver.example/hook?person=ana"
    transaction_id = await a_transaction(plumbing, an_account, customer_id, config={"webhook": {"url": url}})
    await submitted(plumbing, an_account, transaction_id)
    own = {"account_id": str(an_account.account_id), "customer_id": str(customer_id)}
    async with plumbing.database.account(an_account.account_id) as connection:
        await move(connection, an_account.account_id, transaction_id, Status.REJECTED, decided_by="ENGINE")
        await erase(connection, an_account.account_id, customer_id, actor="test")

    async def events():
        async with plumbing.database.account(an_account.account_id) as connection:
            cursor = await connection.execute("SELECT url, body FROM webhook_events ORDER BY sequence")
            return await cursor.fetchall()

    asked = (
        "SELECT count(*) FROM jobs.later WHERE name = 'privacy.finish_erasure' "
        f"AND args ->> 'customer_id' = '{customer_id}'"
    )
    assert await count(plumbing, asked) == 1
    await finish_erasure(plumbing, **own)
    assert await count(plumbing, asked) == 2, "it comes back by itself while something is to be told"
    assert len(await events()) == 3
    assert {(row["url"], '"external_customer_id": null' in row["body"]) for row in await events()} == {(url, True)}
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("UPDATE webhook_events SET state = 'DELIVERED'")
    await finish_erasure(plumbing, **own)
    assert {row["url"] for row in await events()} == {"https://receiver.example/hook"}
    assert await count(plumbing, asked) == 2, "and no longer"


async def test_an_erasure_takes_nothing_out_of_what_others_are_told_and_waits_for_none_of_it(plumbing, an_account):
    url, made, own = "https://receiver.example/hook?person=any#part", [], {"account_id": str(an_account.account_id)}
    for _ in range(2):
        customer_id = await a_customer(plumbing, an_account)
        transaction_id = await a_transaction(plumbing, an_account, customer_id, config={"webhook": {"url": url}})
        await submitted(plumbing, an_account, transaction_id)
        async with plumbing.database.account(an_account.account_id) as connection:
            await move(connection, an_account.account_id, transaction_id, Status.REJECTED, decided_by="ENGINE")
        made.append((customer_id, transaction_id))
    (erased, gone), (_, kept) = made
    async with plumbing.database.account(an_account.account_id) as connection:
        await erase(connection, an_account.account_id, erased, actor="test")
        await connection.execute("UPDATE webhook_events SET state = 'DELIVERED' WHERE transaction_id = %s", (gone,))
    await finish_erasure(plumbing, **own, customer_id=str(erased))
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT transaction_id, url, body::jsonb #> '{data,external_customer_id}' = 'null' AS nameless, "
            "config #>> '{webhook,url}' AS given FROM webhook_events "
            "JOIN transactions USING (account_id, transaction_id)"
        )
        found = {tuple(row.values()) for row in await cursor.fetchall()}
    cut = "https://receiver.example/hook"
    assert found == {(gone, cut, True, cut), (kept, url, False, url)}


def test_the_jobs_that_finish_an_erasure_are_never_given_up():
    for name in ("media.delete_of_customer", "media.delete_of_transaction", "privacy.finish_erasure"):
        retry = JOBS[name].retry
        assert retry.attempts >= 10**9
        assert retry.wait_after(10**6) == retry.wait_after(1) == 30
