"""Does an analysis conclude once, safely after any crash, with everything that a decision means?"""

import asyncio
import secrets
from dataclasses import replace
from datetime import date
from typing import Any
from uuid import UUID

import aiohttp
import orjson
import pytest

from tests.support.api import CUSTOMER, TRANSACTION, problem
from tests.support.dossiers import a_document, a_dossier, a_zone
from tests.support.transactions import a_customer, a_transaction, store_capture, submitted
from truename.accounts.create import create_account
from truename.accounts.model import SCOPES, AccountSettings, NewAccount
from truename.accounts.tokens import issue_access_token
from truename.analysis.analyse import analyse, give_up
from truename.analysis.apply import apply
from truename.analysis.apply import status_of as status_after
from truename.analysis.gather import gather
from truename.analysis.replay import NothingToReplay, replay
from truename.plumbing.crypto import seals
from truename.plumbing.errors import WrongState
from truename.plumbing.jobs.registry import JOBS
from truename.plumbing.resources import Plumbing
from truename.plumbing.storage.objects import Objects
from truename.rules.dossier import CustomerStatus
from truename.rules.verdict import Decision, evaluate
from truename.transactions.lifecycle import Status
from truename.vision.examine import examine

LENIENT = {"biometric_policy": {"liveness_min_score": 0.1}, "webhook": {"url": "https://hooks.example.com/x"}}


async def run(plumbing: Plumbing, account: NewAccount, transaction_id: UUID) -> None:
    await analyse(plumbing, account_id=str(account.account_id), transaction_id=str(transaction_id))


async def row_of(plumbing: Plumbing, account: NewAccount, table: str, column: str, value: object) -> dict[str, Any]:
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute(f"SELECT * FROM {table} WHERE {column} = %s", (value,))
        row = await cursor.fetchone()
    assert row is not None
    return row


async def status_of(plumbing: Plumbing, account: NewAccount, transaction_id: UUID) -> str:
    row = await row_of(plumbing, account, "transactions", "transaction_id", transaction_id)
    found: str = row["status"]
    return found


async def with_signals(plumbing: Plumbing, account: NewAccount, transaction_id: UUID, **signals: Any) -> None:
    """What a native SDK reported of its device."""
    customer = (await row_of(plumbing, account, "transactions", "transaction_id", transaction_id))["customer_id"]
    wrapped = (await row_of(plumbing, account, "customers", "customer_id", customer))["data_key"]
    key = plumbing.vault.customer_key(bytes(wrapped), account.account_id, customer)
    told = orjson.dumps({"signals": {"platform": "ANDROID", **signals}, "addresses": []})
    async with plumbing.database.account(account.account_id) as connection:
        await connection.execute(
            "INSERT INTO device_signals (transaction_id, account_id, reported, sealed) VALUES (%s, %s, true, %s)",
            (transaction_id, account.account_id, key.seal(told, seals.device_signals(transaction_id))),
        )


async def a_submitted(plumbing: Plumbing, account: NewAccount, customer: UUID, **options: Any) -> UUID:
    one = await a_transaction(plumbing, account, customer, **options)
    await submitted(plumbing, account, one)
    return one


# ── conclusions ────────────────────────────────────────────────────────────────────────────────────────────


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


async def test_a_blocked_customer_is_rejected(client, plumbing, an_account) -> None:
    customer = await a_customer(plumbing, an_account)
    one = await a_submitted(plumbing, an_account, customer, kind="BIOMETRIC_ONLY", config=LENIENT)
    await client.post(f"{CUSTOMER}/{customer}/status", json={"status": "BLOCKED", "reason": "a test"})
    await run(plumbing, an_account, one)
    shown = await (await client.get(f"{TRANSACTION}/{one}")).json()
    assert shown["status"] == "REJECTED"
    blocked = next(issue for issue in shown["issues"] if issue["code"] == "CUSTOMER_BLOCKED")
    assert (blocked["severity"], blocked["policy"]) == ("REJECTION", None)


async def test_a_customer_who_is_blocked_during_the_look_is_rejected(client, plumbing, an_account) -> None:
    customer = await a_customer(plumbing, an_account)
    one = await a_submitted(plumbing, an_account, customer, config=LENIENT)
    gathered = await gather(plumbing, an_account.account_id, one)
    assert gathered is not None
    await client.post(f"{CUSTOMER}/{customer}/status", json={"status": "BLOCKED", "reason": "a test"})
    decode = plumbing.decoders.in_thread("a test")
    examination = await asyncio.to_thread(examine, gathered.captures, None, today=gathered.case.today, decode=decode)
    judged = evaluate(a_dossier())
    assert judged.decision is Decision.APPROVED
    await apply(plumbing, gathered.case, examination, a_dossier(), judged)
    shown = await (await client.get(f"{TRANSACTION}/{one}")).json()
    assert (shown["status"], [issue["code"] for issue in shown["issues"]]) == ("REJECTED", ["CUSTOMER_BLOCKED"])
    assert (await replay(plumbing, one)).same


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


async def test_a_customer_erased_meanwhile_fails_the_analysis(client, plumbing, an_account) -> None:
    customer = await a_customer(plumbing, an_account)
    one = await a_submitted(plumbing, an_account, customer)
    assert (await client.delete(f"{CUSTOMER}/{customer}")).status == 200
    await run(plumbing, an_account, one)
    assert await status_of(plumbing, an_account, one) == "FAILED"


# ── faces ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="session")
def live_frames() -> list[tuple[bytes, str, int]]:
    """Every second frame of a living person's sequence: half the work, and enough for the threshold of `LENIENT`."""
    from tests.support.faces import a_live_sequence

    return [(frame.image, frame.step.value, frame.at_ms) for frame in a_live_sequence()[1::2]]


async def a_live_transaction(
    plumbing: Plumbing, account: NewAccount, customer: UUID, frames: list[tuple[bytes, str, int]]
) -> UUID:
    from tests.support.faces import CHALLENGE

    one = await a_transaction(plumbing, account, customer, "BIOMETRIC_ONLY", LENIENT)
    steps = [step.value for step in CHALLENGE]
    await store_capture(plumbing, account, customer, one, "LIVENESS", list(frames), steps)
    await submitted(plumbing, account, one)
    return one


async def test_the_first_approval_enrols_the_live_face_and_the_next_is_compared_with_it(
    client, plumbing, an_account, live_frames
) -> None:
    customer = await a_customer(plumbing, an_account)
    first = await a_live_transaction(plumbing, an_account, customer, live_frames)
    await run(plumbing, an_account, first)
    assert await status_of(plumbing, an_account, first) == "APPROVED"
    shown = await (await client.get(f"{CUSTOMER}/{customer}")).json()
    assert (shown["reference_face"]["usable"], shown["reference_face"]["origin"]) == (True, "LIVENESS")

    second = await a_live_transaction(plumbing, an_account, customer, live_frames)
    await run(plumbing, an_account, second)
    shown = await (await client.get(f"{TRANSACTION}/{second}")).json()
    assert shown["status"] == "APPROVED", shown["issues"]
    assert shown["biometrics"]["comparisons"]["LIVENESS_AND_REFERENCE"]["score"] > 0.85
    assert shown["engine"]
    assert all(len(model["sha256"]) == 64 for model in shown["engine"])

    again = await replay(plumbing, second)
    assert again.same, again.differences


async def test_pictures_can_be_read_audited_and_then_redacted(client, plumbing, an_account, live_frames) -> None:
    customer = await a_customer(plumbing, an_account)
    one = await a_live_transaction(plumbing, an_account, customer, live_frames)
    await run(plumbing, an_account, one)
    shown = await (await client.get(f"{TRANSACTION}/{one}")).json()
    kinds = {picture["kind"] for picture in shown["media"]}
    assert {"LIVENESS_FRAME", "LIVENESS_FACE"} <= kinds
    picture = next(picture for picture in shown["media"] if picture["kind"] == "LIVENESS_FACE")
    answer = await client.get(f"{TRANSACTION}/{one}/media/{picture['media_id']}")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "image/jpeg")
    assert (await answer.read()).startswith(b"\xff\xd8\xff")
    audited = await row_of(plumbing, an_account, "audit_log", "action", "media.read")
    assert audited["subject"] == f"media:{picture['media_id']}"

    redacted = await (await client.post(f"{TRANSACTION}/{one}/redact")).json()
    assert redacted["biometrics"] is redacted["device"] is redacted["document"] is None
    assert all(picture["redacted"] for picture in redacted["media"])
    assert redacted["issues"] == shown["issues"]
    await problem(await client.get(f"{TRANSACTION}/{one}/media/{picture['media_id']}"), 410)
    with pytest.raises(NothingToReplay):
        await replay(plumbing, one)


class FailingOnce(Objects):
    """A store whose third writing fails, as a full disk would."""

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self.writings = 0

    async def put(self, key: str, data: bytes) -> None:
        self.writings += 1
        if self.writings == 1:
            raise OSError("No space left on device")
        await super().put(key, data)


async def test_after_a_crash_the_analysis_repeats_safely(plumbing, an_account, live_frames) -> None:
    customer = await a_customer(plumbing, an_account)
    one = await a_live_transaction(plumbing, an_account, customer, live_frames)
    before = await row_of(plumbing, an_account, "customers", "customer_id", customer)
    failing = replace(plumbing, objects=FailingOnce(plumbing.settings.media_url))
    with pytest.raises(OSError, match="No space"):
        await run(failing, an_account, one)
    assert await status_of(plumbing, an_account, one) == "PROCESSING"
    assert await row_of(plumbing, an_account, "customers", "customer_id", customer) == before
    await run(failing, an_account, one)
    assert await status_of(plumbing, an_account, one) == "APPROVED"
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute("SELECT count(*) AS many FROM faces WHERE transaction_id = %s", (one,))
        row = await cursor.fetchone()
    assert row is not None
    assert row["many"] == 1


# ── the customer ───────────────────────────────────────────────────────────────────────────────────────────


async def test_three_rejections_with_fraud_signs_make_a_customer_suspicious(client, plumbing, an_account) -> None:
    customer = await a_customer(plumbing, an_account)
    found = []
    for _ in range(3):
        one = await a_transaction(plumbing, an_account, customer, "DOCUMENT_ONLY")
        await with_signals(plumbing, an_account, one, emulator=True)
        await submitted(plumbing, an_account, one)
        await run(plumbing, an_account, one)
        found.append((await (await client.get(f"{CUSTOMER}/{customer}")).json())["status"])
    assert found == ["ACTIVE", "ACTIVE", "SUSPICIOUS"]
    audited = await row_of(plumbing, an_account, "audit_log", "action", "customer.status_changed")
    assert audited["actor"] == "rule:three_fraud_rejections"


async def test_the_rule_can_be_switched_off_and_bad_pictures_do_not_count(plumbing) -> None:
    settings = AccountSettings(suspicious_rule=False)
    strict = await create_account(plumbing, f"test {secrets.token_hex(8)}", settings=settings)
    plain = await create_account(plumbing, f"test {secrets.token_hex(8)}")
    for account, signals in ((strict, {"emulator": True}), (plain, {})):
        customer = await a_customer(plumbing, account)
        for _ in range(3):
            one = await a_transaction(plumbing, account, customer, "DOCUMENT_ONLY")
            await with_signals(plumbing, account, one, **signals)
            await submitted(plumbing, account, one)
            await run(plumbing, account, one)
            assert await status_of(plumbing, account, one) == "REJECTED"
        assert (await row_of(plumbing, account, "customers", "customer_id", customer))["status"] == "ACTIVE"


async def reviewing(live_server: str, plumbing: Plumbing) -> tuple[NewAccount, aiohttp.ClientSession]:
    """An account that has switched manual review on, and its client."""
    settings = AccountSettings(manual_review=True)
    account = await create_account(plumbing, f"test {secrets.token_hex(8)}", settings=settings)
    token = await issue_access_token(plumbing, account.account_id, account.client_id, SCOPES)
    return account, aiohttp.ClientSession(live_server, headers={"Authorization": f"Bearer {token}"})


@pytest.mark.parametrize("outcome", ["APPROVED", "REJECTED"])
async def test_where_review_is_on_a_rejection_waits_for_a_person(live_server, plumbing, outcome: str) -> None:
    account, client = await reviewing(live_server, plumbing)
    one = await a_submitted(plumbing, account, await a_customer(plumbing, account), kind="DOCUMENT_ONLY")
    await run(plumbing, account, one)
    assert await status_of(plumbing, account, one) == "IN_REVIEW"
    async with client:
        waiting = await (await client.get(f"{TRANSACTION}/{one}")).json()
        assert waiting["decision"] is None
        body = {"outcome": outcome, "reason": "seen in person"}
        shown = await (await client.post(f"{TRANSACTION}/{one}/review", json=body)).json()
        assert shown["status"] == outcome
        assert shown["decision"]["decided_by"] == "REVIEWER"
        assert shown["issues"] == waiting["issues"]
        await problem(await client.post(f"{TRANSACTION}/{one}/review", json=body), 409)


async def test_a_blocked_customer_is_rejected_without_review_and_no_review_approves_one(live_server, plumbing) -> None:
    account, client = await reviewing(live_server, plumbing)
    async with client:
        customer = await a_customer(plumbing, account)
        waiting = await a_submitted(plumbing, account, customer, kind="DOCUMENT_ONLY")
        await run(plumbing, account, waiting)
        assert await status_of(plumbing, account, waiting) == "IN_REVIEW"
        blocked = {"status": "BLOCKED", "reason": "chargebacks"}
        assert (await client.post(f"{CUSTOMER}/{customer}/status", json=blocked)).status == 200
        approve = {"outcome": "APPROVED", "reason": "seen in person"}
        answer = await problem(await client.post(f"{TRANSACTION}/{waiting}/review", json=approve), 409)
        assert answer["code"] == "customer_blocked"
        assert await status_of(plumbing, account, waiting) == "IN_REVIEW"
        reject = {"outcome": "REJECTED", "reason": "blocked"}
        assert (await client.post(f"{TRANSACTION}/{waiting}/review", json=reject)).status == 200
    later = await a_submitted(plumbing, account, customer, kind="DOCUMENT_ONLY")
    await run(plumbing, account, later)
    assert await status_of(plumbing, account, later) == "REJECTED"


@pytest.mark.parametrize("manual_review", [True, False])
def test_a_document_that_contradicts_itself_waits_for_a_person_only_where_review_is_on(manual_review: bool) -> None:
    forged = a_document().model_copy(update={"mrz": a_zone(composite=False)})
    verdict = evaluate(a_dossier(document=forged))
    assert verdict.decision is Decision.APPROVED
    assert status_after(verdict, manual_review) is (Status.IN_REVIEW if manual_review else Status.APPROVED)
    assert status_after(evaluate(a_dossier()), manual_review) is Status.APPROVED
    blocked = evaluate(a_dossier(document=forged, customer_status=CustomerStatus.BLOCKED))
    assert status_after(blocked, manual_review) is Status.REJECTED


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


async def test_erasure_destroys_the_key_and_keeps_bare_facts(client, plumbing, an_account) -> None:
    customer = await a_customer(plumbing, an_account, email="ana@example.com")
    one = await a_submitted(plumbing, an_account, customer)
    await run(plumbing, an_account, one)
    external = (await (await client.get(f"{CUSTOMER}/{customer}")).json())["external_customer_id"]
    receipt = await (await client.delete(f"{CUSTOMER}/{customer}")).json()
    assert (receipt["customer_id"], receipt["transactions_kept"]) == (str(customer), 1)
    await problem(await client.get(f"{CUSTOMER}/{customer}"), 404)
    await problem(await client.delete(f"{CUSTOMER}/{customer}"), 404)
    row = await row_of(plumbing, an_account, "customers", "customer_id", customer)
    assert row["data_key"] is row["sealed_profile"] is row["external_customer_id"] is None
    shown = await (await client.get(f"{TRANSACTION}/{one}")).json()
    assert (shown["status"], shown["document"], shown["external_customer_id"]) == ("REJECTED", None, None)
    assert (await client.post(CUSTOMER, json={"external_customer_id": external})).status == 201


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
