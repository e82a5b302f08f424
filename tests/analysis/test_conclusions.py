"""Does an analysis conclude once, with everything that a decision means?"""

import asyncio
from datetime import date

import pytest

from tests.support.analyses import LENIENT, a_submitted, row_of, run, status_of
from tests.support.api import JPEG, TRANSACTION, problem
from tests.support.transactions import a_customer, a_transaction, store_capture, submitted
from truename.analysis.analyse import give_up
from truename.analysis.gather import gather
from truename.analysis.replay import replay
from truename.media.pictures import PictureAltered
from truename.plumbing.errors import WrongState
from truename.plumbing.jobs.registry import JOBS
from truename.transactions.lifecycle import Status


async def test_what_was_not_captured_is_never_taken_for_good(client, plumbing, an_account) -> None:
    one = await a_submitted(plumbing, an_account, await a_customer(plumbing, an_account))
    await run(plumbing, an_account, one)
    shown = await (await client.get(f"{TRANSACTION}/{one}")).json()
    assert (shown["status"], shown["decision"]["outcome"], shown["decision"]["decided_by"]) == (
        "REJECTED",
        "REJECTED",
        "ENGINE",
    )
    codes = {issue["code"] for issue in shown["issues"]}
    assert {"DOCUMENT_TYPE_NOT_SUPPORTED", "LIVENESS_LOW_CONFIDENCE", "DOCUMENT_VS_LIVENESS_FACE_MISMATCH"} <= codes
    results = {check["check"]: check["result"] for check in shown["checks"]}
    assert results["GPS_IP_LOCATION"] == "NOT_RUN"
    assert shown["document"]["recognised"] is False
    assert shown["biometrics"]["liveness"]["score"] == 0
    assert shown["device"]["emulator"] is None


async def test_two_analyses_at_once_conclude_once(plumbing, an_account) -> None:
    customer = await a_customer(plumbing, an_account)
    one = await a_submitted(plumbing, an_account, customer, config=LENIENT)
    await asyncio.gather(*(run(plumbing, an_account, one) for _ in range(3)))
    await run(plumbing, an_account, one)
    row = await row_of(plumbing, an_account, "transactions", "transaction_id", one)
    assert (row["status"], row["sequence"]) == ("REJECTED", 3)
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute("SELECT type FROM webhook_events WHERE sequence = 3")
        assert [found["type"] for found in await cursor.fetchall()] == ["transaction.rejected"]


async def test_an_analysis_that_is_given_up_ends_failed_and_undecided(client, plumbing, an_account) -> None:
    one = await a_submitted(plumbing, an_account, await a_customer(plumbing, an_account), config=LENIENT)
    ids = {"account_id": str(an_account.account_id), "transaction_id": str(one)}
    assert JOBS["analysis.analyse"].on_exhausted is give_up
    await give_up(plumbing, **ids, error=RuntimeError("no luck"))
    shown = await (await client.get(f"{TRANSACTION}/{one}")).json()
    assert (shown["status"], shown["decision"]) == ("FAILED", None)
    await run(plumbing, an_account, one)
    assert await status_of(plumbing, an_account, one) == "FAILED"


@pytest.mark.parametrize("spoil", [lambda kept: kept[:-1] + b"?", lambda kept: kept[:100], lambda kept: b""])
async def test_a_picture_that_the_store_gives_back_altered_is_named_as_the_reason_and_decides_nothing(
    client, plumbing, an_account, spoil
) -> None:
    customer = await a_customer(plumbing, an_account)
    one = await a_transaction(plumbing, an_account, customer, "DOCUMENT_ONLY")
    await store_capture(plumbing, an_account, customer, one, "DOCUMENT_FRONT", [(JPEG, None, 0)])
    await submitted(plumbing, an_account, one)
    picture = await row_of(plumbing, an_account, "media", "transaction_id", one)
    kept = await plumbing.objects.get(picture["storage_key"])
    await plumbing.objects.put(picture["storage_key"], spoil(kept))
    with pytest.raises(PictureAltered) as altered:
        await run(plumbing, an_account, one)
    ids = {"account_id": str(an_account.account_id), "transaction_id": str(one)}
    await give_up(plumbing, **ids, error=altered.value)
    line = await row_of(
        plumbing, an_account, "audit_log", "details ->> 'to' = 'FAILED' AND subject", f"transaction:{one}"
    )
    assert line["details"] == {"from": "PROCESSING", "to": "FAILED", "reason": "PICTURE_ALTERED"}
    told = await problem(await client.get(f"{TRANSACTION}/{one}/media/{picture['media_id']}"), 410)
    assert told["detail"].startswith("The picture is damaged")


@pytest.mark.parametrize(
    ("submitted_at", "today"),
    [("2026-11-15T11:59:59Z", date(2026, 11, 14)), ("2026-11-15T12:00:00Z", date(2026, 11, 15))],
)
async def test_today_is_the_date_of_the_submission_where_the_day_ends_last(
    plumbing, an_account, submitted_at: str, today: date
) -> None:
    one = await a_submitted(plumbing, an_account, await a_customer(plumbing, an_account), kind="DOCUMENT_ONLY")
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute(
            "UPDATE transactions SET submitted_at = %s WHERE transaction_id = %s", (submitted_at, one)
        )
    gathered = await gather(plumbing, an_account.account_id, one)
    assert gathered is not None
    assert gathered.case.today == today


async def test_evidence_that_was_judged_before_a_check_existed_replays_the_same(plumbing, an_account) -> None:
    one = await a_submitted(plumbing, an_account, await a_customer(plumbing, an_account), kind="DOCUMENT_ONLY")
    await run(plumbing, an_account, one)
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute(
            """UPDATE transactions SET checks = (SELECT jsonb_agg(c) FROM jsonb_array_elements(checks) c
            WHERE c ->> 'check' <> 'DOCUMENT_AUTHENTICITY') WHERE transaction_id = %s""",
            (one,),
        )
    assert (await replay(plumbing, one)).same


async def test_concluding_needs_a_transaction_that_is_being_processed(plumbing, an_account) -> None:
    from truename.transactions.conclude import conclude

    one = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    async with plumbing.database.account(an_account.account_id) as connection:
        with pytest.raises(WrongState):
            await conclude(
                connection,
                plumbing,
                an_account.account_id,
                one,
                Status.APPROVED,
                decided_by="ENGINE",
                after=Status.PROCESSING,
            )


async def test_an_analysis_that_wakes_up_late_decides_nothing_that_waits_for_a_person(plumbing, an_account) -> None:
    """As by a worker that was frozen past its lease: from IN_REVIEW an approval is allowed, but to a person alone."""
    from truename.transactions.conclude import conclude

    one = await a_submitted(plumbing, an_account, await a_customer(plumbing, an_account))
    own = an_account.account_id, one

    async def the_engine_says(status: Status) -> None:
        async with plumbing.database.account(an_account.account_id) as connection:
            await conclude(connection, plumbing, *own, status, decided_by="ENGINE", after=Status.PROCESSING)

    await the_engine_says(Status.IN_REVIEW)
    for late in (Status.APPROVED, Status.REJECTED):
        with pytest.raises(WrongState):
            await the_engine_says(late)
    row = await row_of(plumbing, an_account, "transactions", "transaction_id", one)
    assert (row["status"], row["decided_by"], row["sequence"]) == ("IN_REVIEW", None, 3)
