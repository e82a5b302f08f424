"""What a decision does to the customer, what the customer does to a decision, and when a person decides."""

import asyncio
import secrets

import aiohttp
import pytest

from tests.support.analyses import LENIENT, a_submitted, row_of, run, status_of, with_signals
from tests.support.api import CUSTOMER, TRANSACTION, problem
from tests.support.dossiers import a_document, a_dossier, a_zone
from tests.support.transactions import a_customer, a_transaction, submitted
from truename.accounts.create import create_account
from truename.accounts.model import SCOPES, AccountSettings, NewAccount
from truename.accounts.tokens import issue_access_token
from truename.analysis.apply import apply
from truename.analysis.apply import status_of as status_after
from truename.analysis.gather import gather
from truename.analysis.replay import replay
from truename.plumbing.resources import Plumbing
from truename.rules.dossier import CustomerStatus
from truename.rules.verdict import Decision, evaluate
from truename.transactions.lifecycle import Status
from truename.vision.examine import examine


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


async def test_a_customer_erased_meanwhile_fails_the_analysis(client, plumbing, an_account) -> None:
    customer = await a_customer(plumbing, an_account)
    one = await a_submitted(plumbing, an_account, customer)
    assert (await client.delete(f"{CUSTOMER}/{customer}")).status == 200
    await run(plumbing, an_account, one)
    assert await status_of(plumbing, an_account, one) == "FAILED"


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
    """What is over is told as such: nobody needs to look at the customer for that."""
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
        again = await problem(await client.post(f"{TRANSACTION}/{waiting}/review", json=approve), 409)
        assert (again["code"], again["transaction_status"]) == ("wrong_state", "REJECTED")
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
