"""Does the service forget when it said it would? (P1) The clock is moved as in a sandbox: all but ids grow older."""

import secrets
from uuid import UUID

import psycopg
import pytest

from tests.support.people import Person, a_verified_person, key_of, left_of
from tests.support.transactions import alter_audit_head
from truename.accounts.create import create_account
from truename.accounts.model import AccountSettings, NewAccount
from truename.accounts.store import change_settings
from truename.plumbing.crypto import seals
from truename.plumbing.jobs.worker import run_pending
from truename.plumbing.resources import Plumbing
from truename.privacy import retain as retention
from truename.privacy.retain import retain
from truename.transactions.lifecycle import Status
from truename.wiring import load_jobs


@pytest.fixture(autouse=True)
def jobs():
    load_jobs()


@pytest.fixture
async def an_account(plumbing) -> NewAccount:
    return await create_account(plumbing, f"test {secrets.token_hex(8)}", livemode=False)


async def keep_for(plumbing: Plumbing, account: NewAccount, days: int | None) -> None:
    async with plumbing.database.system() as connection:
        await change_settings(connection, account.account_id, AccountSettings(retention_days=days))


async def date_back(plumbing: Plumbing, account: NewAccount, transaction_id: UUID, days: float) -> None:
    """As if the transaction had ended so many days earlier."""
    async with plumbing.database.account(account.account_id) as connection:
        for change in (
            "UPDATE transactions SET completed_at = completed_at - make_interval(secs => %s) WHERE transaction_id = %s",
            "UPDATE faces SET created_at = created_at - make_interval(secs => %s) WHERE transaction_id = %s",
        ):
            await connection.execute(change, (days * 86400, transaction_id))
        await connection.execute(
            "UPDATE accounts SET clock_advanced_seconds = greatest(clock_advanced_seconds, %s) WHERE account_id = %s",
            (min(round(days * 86400), 10**8), account.account_id),
        )


async def one_in_hand(plumbing: Plumbing, account: NewAccount, status: Status, days: float) -> Person:
    """One that was submitted so many days ago and has not ended, in an account that keeps for 30, after its sweep."""
    await keep_for(plumbing, account, 30)
    person = await a_verified_person(plumbing, account, status=Status.IN_REVIEW)
    async with plumbing.database.account(account.account_id) as connection:
        await connection.execute(
            "UPDATE transactions SET status = %s, submitted_at = now() - make_interval(secs => %s) "
            "WHERE transaction_id = %s",
            (status, days * 86400, person.transaction_id),
        )
    await retain(plumbing)
    await run_pending(plumbing)
    return person


async def enrolled(plumbing: Plumbing, account: NewAccount, person: Person) -> dict[str, bool]:
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT reference_face_id IS NOT NULL AS face, sealed_record IS NOT NULL AS record FROM customers "
            "WHERE customer_id = %s",
            (person.customer_id,),
        )
        row = await cursor.fetchone()
    assert row is not None
    return dict(row)


async def enrol(plumbing: Plumbing, account: NewAccount, person: Person) -> None:
    key = await key_of(plumbing, account, person.customer_id)
    async with plumbing.database.account(account.account_id) as connection:
        await connection.execute(
            "UPDATE customers SET reference_face_id = (SELECT face_id FROM faces WHERE transaction_id = %(id)s), "
            "sealed_record = %(record)s, record_transaction_id = %(id)s WHERE customer_id = %(customer_id)s",
            {
                "id": person.transaction_id,
                "record": key.seal(b"{}", seals.DOCUMENT_RECORD),
                "customer_id": person.customer_id,
            },
        )


async def test_what_a_capture_left_is_deleted_when_its_days_are_over(plumbing, an_account):
    await keep_for(plumbing, an_account, 30)
    old = await a_verified_person(plumbing, an_account, status=Status.APPROVED)
    young = await a_verified_person(plumbing, an_account, status=Status.APPROVED)
    for person, days in ((old, 30.01), (young, 29.9)):
        await enrol(plumbing, an_account, person)
        await date_back(plumbing, an_account, person.transaction_id, days)
    await retain(plumbing)
    await run_pending(plumbing)
    assert await left_of(plumbing, an_account, old) == set()
    assert await enrolled(plumbing, an_account, old) == {"face": False, "record": False}
    assert await left_of(plumbing, an_account, young) >= {"objects", "faces", "examinations", "device_signals"}
    assert await enrolled(plumbing, an_account, young) == {"face": True, "record": True}


async def test_the_days_of_a_face_count_from_the_end_of_its_transaction_and_not_from_the_photograph(
    plumbing, an_account
):
    """A case may have waited for a person for weeks."""
    await keep_for(plumbing, an_account, 30)
    person = await a_verified_person(plumbing, an_account, status=Status.APPROVED)
    await enrol(plumbing, an_account, person)
    await date_back(plumbing, an_account, person.transaction_id, 5)
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute(
            "UPDATE faces SET created_at = created_at - interval '35 days' WHERE transaction_id = %s",
            (person.transaction_id,),
        )
    await retain(plumbing)
    assert await enrolled(plumbing, an_account, person) == {"face": True, "record": True}
    assert "faces" in await left_of(plumbing, an_account, person)


async def test_a_face_that_is_due_takes_no_other_reference_with_it(plumbing, an_account):
    """Neither the picture that the integrator sent itself, nor what a later capture enrolled."""
    await keep_for(plumbing, an_account, 30)
    old = await a_verified_person(plumbing, an_account, status=Status.APPROVED)
    young = await a_verified_person(plumbing, an_account, status=Status.APPROVED, customer_id=old.customer_id)
    await enrol(plumbing, an_account, young)
    await date_back(plumbing, an_account, old.transaction_id, 31)
    await retain(plumbing)
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute("SELECT transaction_id FROM faces WHERE customer_id = %s", (old.customer_id,))
        assert [row["transaction_id"] for row in await cursor.fetchall()] == [young.transaction_id]
    assert await enrolled(plumbing, an_account, young) == {"face": True, "record": True}


async def test_what_was_enrolled_goes_too_when_its_transaction_was_redacted_before(client, plumbing, an_account):
    await keep_for(plumbing, an_account, 7)
    person = await a_verified_person(plumbing, an_account, status=Status.APPROVED)
    await enrol(plumbing, an_account, person)
    async with client.post(f"/api/account/integration/kyc/transaction/{person.transaction_id}/redact") as answer:
        assert answer.status == 200
    await retain(plumbing)
    assert await enrolled(plumbing, an_account, person) == {"face": True, "record": True}
    await date_back(plumbing, an_account, person.transaction_id, 8)
    await retain(plumbing)
    assert await enrolled(plumbing, an_account, person) == {"face": False, "record": False}


async def test_the_audit_log_says_that_retention_took_the_pictures_and_what_was_enrolled(plumbing, an_account):
    """Else a customer whose face is gone looks as if somebody had changed it."""
    await keep_for(plumbing, an_account, 30)
    person = await a_verified_person(plumbing, an_account, status=Status.APPROVED)
    await enrol(plumbing, an_account, person)
    await date_back(plumbing, an_account, person.transaction_id, 31)
    await retain(plumbing)
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT action, subject, details FROM audit_log WHERE actor = 'rule:retention' ORDER BY sequence"
        )
        redacted, changed = await cursor.fetchall()
    assert (redacted["action"], redacted["subject"]) == ("transaction.redacted", f"transaction:{person.transaction_id}")
    assert redacted["details"]["media_deleted"] > 0
    assert changed == {
        "action": "customer.changed",
        "subject": f"customer:{person.customer_id}",
        "details": {"reason": "RETENTION"},
    }


async def test_one_that_waits_for_a_review_is_forgotten_too_and_can_only_be_rejected(client, plumbing, an_account):
    person = await one_in_hand(plumbing, an_account, Status.IN_REVIEW, days=31)
    assert await left_of(plumbing, an_account, person) == set()
    address = f"/api/account/integration/kyc/transaction/{person.transaction_id}"
    async with client.post(f"{address}/review", json={"outcome": "APPROVED", "reason": "late"}) as answer:
        assert (answer.status, (await answer.json())["code"]) == (409, "transaction_redacted")
    async with client.post(f"{address}/review", json={"outcome": "REJECTED", "reason": "nobody looked"}) as answer:
        assert (answer.status, (await answer.json())["status"]) == (200, "REJECTED")


async def test_one_that_waits_for_a_review_is_kept_for_the_reviewer_until_its_days_are_over(plumbing, an_account):
    person = await one_in_hand(plumbing, an_account, Status.IN_REVIEW, days=29.9)
    assert await left_of(plumbing, an_account, person) >= {"objects", "faces", "examinations"}


async def test_one_that_is_still_examined_is_not_taken_away_under_who_examines_it(plumbing, an_account):
    person = await one_in_hand(plumbing, an_account, Status.PROCESSING, days=31)
    assert await left_of(plumbing, an_account, person) >= {"objects", "faces"}


async def test_an_account_without_retention_keeps_everything(plumbing, an_account):
    person = await a_verified_person(plumbing, an_account)
    await date_back(plumbing, an_account, person.transaction_id, 40000)
    await retain(plumbing)
    assert await left_of(plumbing, an_account, person) >= {"objects", "faces", "examinations"}


async def test_an_account_whose_audit_log_takes_no_more_lines_keeps_no_other_from_forgetting(plumbing, an_account):
    """Accounts take their turns in one order: behind one that failed nobody's days were ever over."""
    behind = await create_account(plumbing, f"test {secrets.token_hex(8)}", livemode=False)
    people = {}
    for account in (an_account, behind):
        await keep_for(plumbing, account, 30)
        people[account.account_id] = await a_verified_person(plumbing, account, status=Status.APPROVED)
        await date_back(plumbing, account, people[account.account_id].transaction_id, 31)
    await alter_audit_head(plumbing, an_account, -1)
    with pytest.raises(psycopg.errors.UniqueViolation):
        await retain(plumbing)
    await alter_audit_head(plumbing, an_account, 1)
    await run_pending(plumbing)
    assert await left_of(plumbing, behind, people[behind.account_id]) == set()
    assert await left_of(plumbing, an_account, people[an_account.account_id]) >= {"objects", "examinations"}


async def test_retention_goes_on_where_it_was_stopped(plumbing, an_account, monkeypatch):
    """Several batches; the first round dies in the middle."""
    monkeypatch.setattr(retention, "BATCH", 2)
    await keep_for(plumbing, an_account, 1)
    people = [await a_verified_person(plumbing, an_account) for _ in range(5)]
    for person in people:
        await date_back(plumbing, an_account, person.transaction_id, 2)
    first = retention.Retention(an_account.account_id, 1)
    assert await retention._redact_batch(plumbing, first) == 2  # here the process dies
    await retain(plumbing)
    await run_pending(plumbing)
    assert [await left_of(plumbing, an_account, person) for person in people] == [set()] * 5
    await retain(plumbing)
