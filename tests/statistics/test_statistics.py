"""Are the hourly sums those of the transactions themselves, and do they stay so?"""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from tests.support.reviews import MISMATCH
from tests.support.transactions import a_customer, a_transaction
from truename.plumbing.database.ids import new_id
from truename.statistics import store
from truename.statistics.count import count_again, keep_sums
from truename.statistics.model import Step, bucket_of, percentile, usual
from truename.statistics.read import read_numbers, read_scores
from truename.transactions.cancel import cancel

NOON = datetime(2026, 3, 14, 12, 30, tzinfo=UTC)


async def ended(
    connection, account_id, customer_id, at, status="APPROVED", *, took=4.0, by="ENGINE", issues=(), checks=()
):
    decided, transaction_id = at if status in ("APPROVED", "REJECTED") else None, new_id()
    await connection.execute(
        """
        INSERT INTO transactions (transaction_id, account_id, customer_id, transaction_type, status, config, created_at,
            submitted_at, completed_at, expires_at, outcome, decided_by, decided_at, issues, checks)
        VALUES (%(id)s, %(account)s, %(customer)s, 'DOCUMENT_AND_BIOMETRIC', %(status)s, '{}', %(began)s, %(began)s,
            %(at)s, %(at)s, %(status)s, %(by)s, %(decided)s, %(issues)s, %(checks)s)
        """,
        {
            "id": transaction_id,
            "account": account_id,
            "customer": customer_id,
            "status": status,
            "began": at - timedelta(seconds=took),
            "at": at,
            "by": by if decided else None,
            "decided": decided,
            "issues": Jsonb(list(issues)),
            "checks": Jsonb(list(checks)),
        },
    )
    return transaction_id


async def test_sums_are_those_of_the_transactions_by_day_in_the_zone_of_who_looks(plumbing, an_account):
    account_id = an_account.account_id
    customer = await a_customer(plumbing, an_account)
    async with plumbing.database.account(account_id) as connection:
        for minute in range(10):
            await ended(connection, account_id, customer, NOON + timedelta(minutes=minute), took=4)
        await ended(connection, account_id, customer, NOON, "REJECTED", took=64, by="REVIEWER", issues=[MISMATCH])
        late = NOON.replace(hour=23, minute=30)
        await ended(connection, account_id, customer, late, "EXPIRED")
        await count_again(connection, account_id)
        utc = await read_numbers(connection, account_id, date(2026, 3, 13), date(2026, 3, 15), "UTC")
        berlin = await read_numbers(connection, account_id, date(2026, 3, 13), date(2026, 3, 15), "Europe/Berlin")
    assert [day.started for day in utc.days] == [0, 12, 0]
    assert utc.days[1].ended == {"APPROVED": 10, "REJECTED": 1, "EXPIRED": 1}
    assert utc.days[1].approval_share == pytest.approx(10 / 11)
    assert [sum(day.ended.values()) for day in berlin.days] == [0, 11, 1], "half past midnight is another day"
    assert utc.issues == {MISMATCH["code"]: 1}
    assert utc.stopped[Step.LINK] == 1
    assert (utc.engine.count, utc.reviewer.count) == (10, 1)
    assert utc.engine.p50 == pytest.approx(4, rel=0.2)
    assert utc.reviewer.p95 == pytest.approx(64, rel=0.2)


BOTH, DOCUMENT, FACE = "DOCUMENT_AND_BIOMETRIC", "DOCUMENT_ONLY", "BIOMETRIC_ONLY"


@pytest.mark.parametrize(
    ("kind", "consent", "captured", "step"),
    [
        (BOTH, None, {}, Step.CONSENT),
        (BOTH, False, {}, Step.CONSENT),
        (BOTH, True, {}, Step.DOCUMENT),
        (BOTH, True, {"DOCUMENT_FRONT": False, "LIVENESS": True}, Step.DOCUMENT),
        (BOTH, True, {"DOCUMENT_BACK": True}, Step.DOCUMENT),
        (BOTH, True, {"DOCUMENT_FRONT": True}, Step.FACE),
        (BOTH, True, {"DOCUMENT_FRONT": True, "LIVENESS": False}, Step.SUBMIT),
        (DOCUMENT, True, {}, Step.DOCUMENT),
        (DOCUMENT, True, {"DOCUMENT_FRONT": True}, Step.SUBMIT),
        (FACE, True, {}, Step.FACE),
        (FACE, True, {"LIVENESS": True}, Step.SUBMIT),
    ],
)
async def test_where_somebody_stopped_is_the_first_step_that_is_left(
    plumbing, an_account, kind, consent, captured, step
):
    account_id = an_account.account_id
    customer = await a_customer(plumbing, an_account)
    async with plumbing.database.account(account_id) as connection:
        await ended(connection, account_id, customer, NOON, "APPROVED")  # who arrived stopped nowhere
        stopped = await ended(connection, account_id, customer, NOON, "CANCELLED")
        # Whoever came further with another transaction did so with that one.
        other = await ended(connection, account_id, customer, NOON - timedelta(days=2), "EXPIRED")
        change = "UPDATE transactions SET transaction_type = %s, started_at = created_at WHERE transaction_id = %s"
        await connection.execute(change, (kind, stopped))
        for one, given, slots in (
            (stopped, consent, captured),
            (other, True, {"DOCUMENT_FRONT": True, "LIVENESS": True}),
        ):
            if given is not None:
                await connection.execute(
                    "INSERT INTO consents VALUES (%s, %s, %s, '1', 'en')", (one, account_id, given)
                )
            for slot, usable in slots.items():
                await connection.execute(
                    "INSERT INTO captures (transaction_id, account_id, slot, usable) VALUES (%s, %s, %s, %s)",
                    (one, account_id, slot, usable),
                )
        await count_again(connection, account_id)
        found = await read_numbers(connection, account_id, NOON.date(), NOON.date(), "UTC")
    assert {one: count for one, count in found.stopped.items() if count} == {step: 1}


async def test_a_range_holds_its_own_days_alone_and_the_scores_of_faces(plumbing, an_account):
    account_id = an_account.account_id
    customer = await a_customer(plumbing, an_account)

    def compared(score, check="DOCUMENT_VS_LIVENESS_FACE"):
        return {"check": check, "score": score}

    async with plumbing.database.account(account_id) as connection:
        for day in (13, 14, 15):
            at = NOON.replace(day=day)
            issues = [{**MISMATCH, "code": f"OF_{day}"}]
            await ended(connection, account_id, customer, at, "REJECTED", issues=issues, checks=[compared(0.62)])
            await ended(connection, account_id, customer, at, checks=[compared(0.2, "LIVENESS"), compared(0.97)])
            await ended(connection, account_id, customer, at, checks=[compared(None)])
            await ended(connection, account_id, customer, at, "FAILED", checks=[compared(0.2)])
        await count_again(connection, account_id)
        own = account_id, NOON.date(), NOON.date(), "UTC"
        found = await read_numbers(connection, *own)
        scores = await read_scores(connection, *own)
    assert found.issues == {"OF_14": 1}
    assert [(day.started, day.ended) for day in found.days] == [(4, {"REJECTED": 1, "APPROVED": 2, "FAILED": 1})]
    assert found.engine.count == 3
    assert scores == [0, 0, 1, 0, 0, 0, 1]


async def stale(plumbing):
    async with plumbing.database.system() as connection:
        return {row["account_id"] for row in await (await connection.execute(store.STALE)).fetchall()}


async def test_an_account_is_counted_again_only_when_something_happened_in_it(plumbing, an_account, another_account):
    account_id, other_id = an_account.account_id, another_account.account_id
    customer = await a_customer(plumbing, an_account)
    assert await stale(plumbing) >= {account_id, other_id}, "neither was ever counted"
    for one in (account_id, other_id):
        async with plumbing.database.account(one) as connection:
            await count_again(connection, one)
    assert not await stale(plumbing) & {account_id, other_id}
    made = await a_transaction(plumbing, an_account, customer)
    assert await stale(plumbing) & {account_id, other_id} == {account_id}
    async with plumbing.database.account(account_id) as connection:
        await count_again(connection, account_id)
    assert account_id not in await stale(plumbing)
    async with plumbing.database.account(account_id) as connection:
        await cancel(connection, account_id, made, actor="client:x")
    assert account_id in await stale(plumbing)


async def test_the_last_hours_are_counted_anew_and_what_is_settled_stays(plumbing, an_account):
    account_id = an_account.account_id
    customer = await a_customer(plumbing, an_account)
    rows = "SELECT measure, label, sum(count)::int AS count FROM statistics_hours GROUP BY 1, 2"
    async with plumbing.database.account(account_id) as connection:

        async def counted():
            await count_again(connection, account_id)
            found = await (await connection.execute(rows)).fetchall()
            return {(row["measure"], row["label"]): row["count"] for row in found}

        await ended(connection, account_id, customer, NOON, took=1)
        assert (await counted())["ENDED", "APPROVED"] == 1
        until = "SELECT date_trunc('hour', until) AS hour FROM statistics_progress"
        (last,) = await (await connection.execute(until)).fetchall()
        hour_before = last["hour"] - timedelta(minutes=59)
        # Redaction takes no sum away, and what committed late is counted in its hour, once.
        await connection.execute("DELETE FROM transactions WHERE account_id = %s", (account_id,))
        await ended(connection, account_id, customer, hour_before, "REJECTED", took=1)
        for _ in range(2):
            found = await counted()
            assert (found["STARTED", ""], found["ENDED", "APPROVED"], found["ENDED", "REJECTED"]) == (2, 1, 1)


async def test_what_goes_to_a_person_is_counted_by_its_submission_and_once(plumbing, an_account):
    account_id = an_account.account_id
    customer = await a_customer(plumbing, an_account)
    rows = "SELECT hour, count FROM statistics_hours WHERE measure = 'QUEUED' ORDER BY hour"
    async with plumbing.database.account(account_id) as connection:
        await count_again(connection, account_id)
        (clock,) = await (await connection.execute("SELECT date_trunc('hour', clock_timestamp()) AS hour")).fetchall()
        submitted = clock["hour"] - timedelta(hours=40)
        for status, by in (("IN_REVIEW", "ENGINE"), ("APPROVED", "REVIEWER"), ("APPROVED", "ENGINE")):
            at = clock["hour"] + timedelta(minutes=1)
            await ended(connection, account_id, customer, at, status, took=(at - submitted).total_seconds(), by=by)
        for _ in range(2):
            await count_again(connection, account_id)
            found = await (await connection.execute(rows)).fetchall()
            assert [(row["hour"], row["count"]) for row in found] == [(submitted, 2)]


@pytest.mark.slow
async def test_a_regular_task_follows_what_happens_and_a_rebuild_gives_the_same(plumbing, an_account):
    account_id = an_account.account_id
    customer = await a_customer(plumbing, an_account)
    await keep_sums(plumbing)
    gone = await a_transaction(plumbing, an_account, customer)
    await a_transaction(plumbing, an_account, customer)
    async with plumbing.database.account(account_id) as connection:
        await cancel(connection, account_id, gone, actor="client:x")
    await keep_sums(plumbing)
    rows = "SELECT hour, measure, label, count FROM statistics_hours ORDER BY 1, 2, 3"
    async with plumbing.database.account(account_id) as connection:
        kept = await (await connection.execute(rows)).fetchall()
        await count_again(connection, account_id, everything=True)
        assert await (await connection.execute(rows)).fetchall() == kept
    counted = {(row["measure"], row["label"]): row["count"] for row in kept}
    assert counted == {("STARTED", ""): 2, ("ENDED", "CANCELLED"): 1, ("STOPPED", "LINK"): 1}


@given(st.lists(st.floats(0.2, 1e6), min_size=1, max_size=60))
def test_a_percentile_of_buckets_lies_within_a_fifth_of_the_true_one(seconds):
    buckets: dict[int, int] = {}
    for one in seconds:
        buckets[bucket_of(one)] = buckets.get(bucket_of(one), 0) + 1
    true = sorted(seconds)[max(0, -(-len(seconds) // 2) - 1)]
    assert percentile(buckets, 0.5) == pytest.approx(true, rel=0.2)


def test_a_habit_needs_a_week():
    assert usual([1.0] * 6) is None
    assert usual([float(n) for n in range(11)]) == (1.0, 9.0)
    assert percentile({}, 0.5) is None
