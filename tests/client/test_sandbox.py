"""Every outcome on purpose, by the Python client in a sandbox."""

import base64
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from truename.accounts.model import NewAccount
from truename.plumbing.database.ids import new_id
from truename.rules.issues import IssueCode
from truename_client import AsyncTruename, BadArgument, problems
from truename_client.answers import ShownScenario


@pytest.fixture
async def sandbox(live_server: str, a_sandbox: NewAccount) -> AsyncIterator[AsyncTruename]:
    async with AsyncTruename(live_server, a_sandbox.client_id, a_sandbox.client_secret) as client:
        yield client


async def played(sandbox: AsyncTruename, scenario: ShownScenario) -> set[str]:
    """The issues of a scenario, as CODE SEVERITY, once it was simulated."""
    customer = (await sandbox.customers.create(str(new_id()))).customer_id
    kind = scenario.transaction_types[0]
    opened = await sandbox.transactions.create(customer, kind, scenario.config)  # type: ignore[arg-type]
    await sandbox.sandbox.simulate(opened.transaction_id, scenario.name)
    shown = await sandbox.transactions.get(opened.transaction_id)
    assert (shown.status, shown.livemode) == (scenario.status, False), scenario.name
    issues = {f"{issue.code} {issue.severity}" for issue in shown.issues}
    assert issues == {f"{issue.code} {issue.severity}" for issue in scenario.issues}, scenario.name
    return issues


@pytest.mark.slow
async def test_every_scenario_gives_the_issues_that_it_promises_and_all_codes_are_among_them(sandbox: AsyncTruename):
    found: set[str] = set()
    for scenario in await sandbox.sandbox.scenarios():
        found |= await played(sandbox, scenario)
    assert {one.split()[0] for one in found} == {code.name for code in IssueCode}


async def test_evidence_may_be_given_in_detail(sandbox: AsyncTruename):
    customer = (await sandbox.customers.create(str(new_id()))).customer_id
    opened = await sandbox.transactions.create(customer, "DOCUMENT_AND_BIOMETRIC")
    await sandbox.sandbox.simulate(opened.transaction_id, simulation={"liveness": {"score": 0.4}})
    decided = await sandbox.transactions.wait(opened.transaction_id, timeout=10)
    assert [issue.code for issue in decided.issues if issue.severity == "REJECTION"] == ["LIVENESS_LOW_CONFIDENCE"]


async def test_a_decision_is_explained_and_has_a_receipt(sandbox: AsyncTruename):
    customer = (await sandbox.customers.create(str(new_id()))).customer_id
    opened = await sandbox.transactions.create(customer, "DOCUMENT_ONLY")
    with pytest.raises(problems.ReceiptNotFound):
        await sandbox.transactions.receipt(opened.transaction_id)
    await sandbox.sandbox.simulate(opened.transaction_id, "expired-document")
    explained = await sandbox.transactions.explain(opened.transaction_id)
    assert (explained.status, explained.judgement) == ("REJECTED", "REJECTED")
    assert "expired" in explained.sentence
    receipt = await sandbox.transactions.receipt(opened.transaction_id)
    stated = json.loads(base64.urlsafe_b64decode(receipt.split(b".")[1] + b"=="))
    assert (stated["transaction_id"], stated["livemode"]) == (opened.transaction_id, False)
    evidence = json.loads(await sandbox.transactions.evidence(opened.transaction_id))
    assert evidence["transaction_id"] == opened.transaction_id


async def test_another_policy_is_tried_on_what_was_decided(sandbox: AsyncTruename):
    customer = (await sandbox.customers.create(str(new_id()))).customer_id
    opened = await sandbox.transactions.create(customer, "BIOMETRIC_ONLY")
    await sandbox.sandbox.simulate(opened.transaction_id, simulation={"liveness": {"score": 0.9}})
    stricter = await sandbox.policy.backtest({"biometric_policy": {"liveness_min_score": 0.95}}, mode="CHANGE")
    assert (stricter.status, stricter.total) == ("DONE", 1)
    assert stricter.result is not None
    assert [flip.transaction_id for flip in stricter.result.flips] == [opened.transaction_id]
    assert stricter.result.to_rejected_by_code == {"LIVENESS_LOW_CONFIDENCE": 1}
    same = await sandbox.policy.backtest({}, since=datetime.now(UTC) - timedelta(days=1))
    assert same.result is not None
    assert same.result.flips == []
    with pytest.raises(BadArgument, match="mode"):
        await sandbox.policy.backtest({}, mode="ADD")  # type: ignore[arg-type]


async def test_time_passes_when_it_is_told_to(sandbox: AsyncTruename):
    customer = (await sandbox.customers.create(str(new_id()))).customer_id
    opened = await sandbox.transactions.create(customer, "DOCUMENT_ONLY")
    assert (await sandbox.sandbox.clock()).advanced_seconds == 0
    assert (await sandbox.sandbox.advance(timedelta(days=1, seconds=1))).advanced_seconds == 86_401
    assert (await sandbox.transactions.get(opened.transaction_id)).status == "EXPIRED"


async def test_a_wrong_word_is_told_and_a_live_account_has_no_sandbox(sandbox: AsyncTruename, truename: AsyncTruename):
    for by in (0, timedelta(seconds=-5), True):
        with pytest.raises(BadArgument, match="at least one second"):
            await sandbox.sandbox.advance(by)
    with pytest.raises(BadArgument, match="twice"):
        await sandbox.sandbox.simulate(str(new_id()), "approved", {"scenario": "approved"})
    customer = (await sandbox.customers.create(str(new_id()))).customer_id
    opened = await sandbox.transactions.create(customer, "DOCUMENT_ONLY")
    with pytest.raises(problems.ValidationFailed):
        await sandbox.sandbox.simulate(opened.transaction_id, "no-such-scenario")
    with pytest.raises(problems.RouteNotFound):
        await truename.sandbox.scenarios()
