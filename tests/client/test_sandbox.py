"""Every outcome on purpose, by the Python client in a sandbox."""

import base64
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from truename.accounts.model import NewAccount
from truename.plumbing.database.ids import new_id
from truename.rules.issues import AGAINST_THE_RECORD, IssueCode, SetBy, Severity
from truename.rules.results import CheckName
from truename.transactions.lifecycle import Status
from truename_client import AsyncTruename, BadArgument, ShownTransaction, problems
from truename_client.answers import ShownScenario


@pytest.fixture
async def sandbox(live_server: str, a_sandbox: NewAccount) -> AsyncIterator[AsyncTruename]:
    async with AsyncTruename(live_server, a_sandbox.client_id, a_sandbox.client_secret) as client:
        yield client


async def played(
    sandbox: AsyncTruename, scenario: ShownScenario, config: dict[str, object], kind: str = ""
) -> ShownTransaction:
    """A transaction with this config, once the scenario was simulated."""
    customer = (await sandbox.customers.create(str(new_id()))).customer_id
    kind = kind or scenario.transaction_types[0]
    opened = await sandbox.transactions.create(customer, kind, config)  # type: ignore[arg-type]
    await sandbox.sandbox.simulate(opened.transaction_id, scenario.name)
    return await sandbox.transactions.get(opened.transaction_id)


@pytest.mark.slow
async def test_every_code_at_every_severity_every_status_and_every_check_can_be_produced(sandbox: AsyncTruename):
    scenarios = await sandbox.sandbox.scenarios()
    found: set[tuple[str, str]] = set()
    statuses, outcomes = {"CREATED"}, set()
    for scenario in scenarios:
        shown = await played(sandbox, scenario, scenario.config)
        issues = {(issue.code, issue.severity) for issue in shown.issues}
        assert (shown.status, shown.livemode) == (scenario.status, False), scenario.name
        assert issues == {(issue.code, issue.severity) for issue in scenario.issues}, scenario.name
        found |= issues
        statuses.add(shown.status)
        outcomes |= {(check.check, check.result) for check in shown.checks}
    for kind in scenarios[0].transaction_types:  # of other types, others are not run
        outcomes |= {(check.check, check.result) for check in (await played(sandbox, scenarios[0], {}, kind)).checks}
    every = {(code.name, severity.severity) for code, severity in AGAINST_THE_RECORD.items()}
    for code in IssueCode:
        if not isinstance(code.severity, SetBy):
            every.add((code.name, code.severity.severity))
            continue
        scenario = next(one for one in scenarios if [issue.code for issue in one.issues] == [code.name])
        part, field = code.severity.policy.strip("/").split("/")
        for action, severity in (("REJECT", "REJECTION"), ("WARN", "WARNING"), ("IGNORE", "INFORMATIONAL")):
            every.add((code.name, Severity(severity)))
            shown = await played(sandbox, scenario, {part: {field: action}})
            assert [(issue.code, issue.severity) for issue in shown.issues] == [(code.name, severity)]
            assert shown.status == ("REJECTED" if action == "REJECT" else "APPROVED")
            found.add((code.name, severity))
    assert len({code for code, _ in found}) == 28
    assert found == every
    assert statuses == set(Status)
    assert {(check, result) for check in CheckName for result in ("FAILED", "NOT_RUN")} - outcomes == NEVER_NOT_RUN
    assert {result for _, result in outcomes} == {"PASSED", "FAILED", "NOT_RUN", "INCONCLUSIVE"}


NEVER_NOT_RUN = {("CUSTOMER_STATUS", "NOT_RUN")}
"""The status of a customer is always known."""


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
