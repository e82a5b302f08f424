"""The sandbox can produce, on purpose and by HTTP, everything that a verification can come to."""

import secrets
from collections import defaultdict
from typing import Any
from uuid import UUID

import aiohttp
import pytest
from tools import sandbox_docs

from tests.support.api import CUSTOMER, TRANSACTION, a_transaction, problem
from tests.support.integrator_session import signed_in
from tests.support.simulations import TEST, simulated
from truename.accounts.create import create_account
from truename.accounts.model import SCOPES
from truename.accounts.tokens import issue_access_token
from truename.analysis.replay import replay
from truename.rules.config import Action
from truename.rules.issues import AGAINST_THE_RECORD, IssueCode, SetBy
from truename.rules.results import CheckName, Outcome
from truename.sandbox.operations import operations
from truename.sandbox.scenarios import BY_NAME, SCENARIOS, Scenario
from truename.transactions.lifecycle import Status


def codes(transaction: dict) -> list[tuple[str, str]]:
    return [(issue["code"], issue["severity"]) for issue in transaction["issues"]]


async def run(client, scenario: Scenario) -> list[dict]:
    """The scenario on every type of transaction that it is for."""
    kinds = sorted(scenario.applies_to)
    return [await simulated(client, dict(scenario.config), kind, scenario=scenario.name) for kind in kinds]


@pytest.mark.slow
async def test_each_scenario_gives_what_the_list_says_and_can_be_judged_again(sandbox_client, plumbing):
    async with sandbox_client.get(f"{TEST}/scenarios") as answer:
        listed = (await answer.json())["data"]
    assert [row["name"] for row in listed] == [row.name for row in SCENARIOS]
    wrong: list[object] = []
    statuses: set[str] = set()
    outcomes: dict[str, set[str]] = defaultdict(set)
    for row in listed:
        expected = row["status"], [(issue["code"], issue["severity"]) for issue in row["issues"]]
        for made in await run(sandbox_client, BY_NAME[row["name"]]):
            if (made["status"], codes(made)) != expected or made["livemode"] is not False:
                wrong.append((row["name"], made["transaction_type"], made["status"], codes(made)))
            statuses.add(made["status"])
            for check in made["checks"]:
                outcomes[check["check"]].add(check["result"])
            if made["checks"]:
                assert (await replay(plumbing, UUID(made["transaction_id"]))).same
    assert wrong == []
    assert statuses == set(Status) - {"CREATED"}
    for scenario in EXTRA:
        made = await simulated(sandbox_client, scenario.get("config", {}), scenario["kind"], **scenario["says"])
        for check in made["checks"]:
            outcomes[check["check"]].add(check["result"])
    assert {name: sorted(outcomes[name]) for name in CheckName} == {name: sorted(ENDS[name]) for name in CheckName}


P, F, N, O = Outcome.PASSED, Outcome.FAILED, Outcome.NOT_RUN, Outcome.INCONCLUSIVE  # noqa: E741
ENDS = {
    **dict.fromkeys(CheckName, (P, F, N)),
    CheckName.CUSTOMER_STATUS: (P, F),
    CheckName.LIVENESS: (P, F, N),
    CheckName.DOCUMENT_SUPPORTED: (P, F, N),
    CheckName.DOCUMENT_ELIGIBLE: (P, F, N, O),
    CheckName.DOCUMENT_EXPIRY: (P, F, N, O),
    CheckName.DOCUMENT_AUTHENTICITY: (P, F, N, O),
    CheckName.GIVEN_NAMES_CONSISTENT: (P, F, N, O),
    CheckName.SURNAMES_CONSISTENT: (P, F, N, O),
    CheckName.GENDER_CONSISTENT: (P, F, N, O),
    CheckName.REPEATED_FACE: (P, F, N, O),
    CheckName.INTERNAL_BLOCKLIST: (P, F, N, O),
    CheckName.GLOBAL_BLOCKLIST: (P, F, N, O),
}
"""Every end that each check can have: what the rules can answer, read off `rules/checks/`."""

RECORD = {"given_names": "ANNA", "surnames": "SPECIMEN", "gender": "F", "date_of_birth": "1990-05-17"}
UNREAD = dict.fromkeys(RECORD)
EXPECTED = {
    "document_policy": {
        "data_matching": {
            "given_names": {"value": "Ana", "similarity_min_score": 0.9},
            "surnames": {"value": "Pérez", "similarity_min_score": 0.9},
            "gender": "F",
            "document_type": "PASSPORT",
            "document_issuing_country": "AR",
            "document_number": "AAB123456",
            "date_of_birth": "1990-05-17",
        }
    },
    "biometric_policy": {"expected_gender": "MALE", "expected_min_age": 40, "expected_max_age": 50},
}
NOTHING_SEARCHED = {"repeated_face": None, "internal_blocklist_match": None, "global_blocklist_match": None}
EXTRA: tuple[dict[str, Any], ...] = (
    {"kind": "DOCUMENT_AND_BIOMETRIC", "says": {}, "config": EXPECTED},
    {"kind": "DOCUMENT_ONLY", "says": {"earlier_record": RECORD}},
    {"kind": "DOCUMENT_ONLY", "says": {"earlier_record": RECORD, "document": {"fields": UNREAD}}},
    {"kind": "BIOMETRIC_ONLY", "says": {"face_search": NOTHING_SEARCHED}},
    {"kind": "DOCUMENT_AND_BIOMETRIC", "says": {"faces": {"LIVENESS_AND_REFERENCE": 0.99}}},
)
"""What no scenario shows: everything expected is there, and questions that stay open."""


@pytest.mark.parametrize(
    "code", [code for code in IssueCode if isinstance(code.severity, SetBy)], ids=lambda one: one.name
)
async def test_a_code_with_a_policy_has_each_severity_that_the_policy_can_give(sandbox_client, code):
    scenario = next(row for row in SCENARIOS if [name for name, _ in row.issues] == [code])
    part, field = code.severity.policy.strip("/").split("/")
    found = {}
    for action in Action:
        made = await simulated(
            sandbox_client, {part: {field: action}}, sorted(scenario.applies_to)[0], scenario=scenario.name
        )
        found[action] = made["status"], codes(made)
    assert found == {
        Action.REJECT: ("REJECTED", [(code.name, "REJECTION")]),
        Action.WARN: ("APPROVED", [(code.name, "WARNING")]),
        Action.IGNORE: ("APPROVED", [(code.name, "INFORMATIONAL")]),
    }


def test_the_page_of_the_sandbox_lists_every_scenario():
    assert sandbox_docs.PAGE.read_text(encoding="utf-8") == sandbox_docs.page(), "run `make docs`"


def test_the_scenarios_have_every_code_with_every_severity_that_no_policy_sets():
    given = {pair for row in SCENARIOS for pair in row.issues}
    fixed = {(code, code.severity.severity) for code in IssueCode if not isinstance(code.severity, SetBy)}
    fixed |= {(code, severity.severity) for code, severity in AGAINST_THE_RECORD.items()}
    assert fixed - given == set()
    assert {code for code, _ in given} == set(IssueCode)


async def test_an_empty_simulation_is_approved_under_any_config(sandbox_client):
    assert (await simulated(sandbox_client, EXPECTED, "DOCUMENT_AND_BIOMETRIC"))["status"] == "APPROVED"
    strict = {"biometric_policy": {"liveness_min_score": 1.0, "face_comparison_min_score": 1.0}}
    assert (await simulated(sandbox_client, strict, "DOCUMENT_AND_BIOMETRIC"))["issues"] == []
    for mode, expected in (("ALLOW", "PASSPORT"), ("REJECT", "NATIONAL_ID")):
        rule = {"filter_mode": mode, "target_documents": [{"country": "ES", "type": expected, "allow_expired": False}]}
        made = await simulated(sandbox_client, {"document_policy": {"document_eligibility": rule}}, "DOCUMENT_ONLY")
        assert (made["status"], made["issues"]) == ("APPROVED", [])


async def test_a_body_changes_what_its_scenario_says(sandbox_client):
    made = await simulated(
        sandbox_client,
        {},
        "DOCUMENT_AND_BIOMETRIC",
        scenario="expired-document",
        document={"country": "FR", "type": "PASSPORT", "fields": {"surnames": "SCHMIDT"}},
        liveness={"score": 0.4, "signs": ["MOIRE"]},
    )
    assert codes(made) == [("EXPIRED_DOCUMENT", "REJECTION"), ("LIVENESS_LOW_CONFIDENCE", "REJECTION")]
    assert (made["document"]["country"], made["document"]["fields"]["surnames"]["value"]) == ("FR", "SCHMIDT")
    assert made["document"]["fields"]["date_of_expiry"]["value"] == "2019-04-30"
    assert made["biometrics"]["liveness"]["score"] == 0.4
    assert made["device"]["details"] == {"simulated": True, "scenario": "expired-document"}


async def test_a_simulation_is_refused_in_words_when_it_cannot_be(sandbox_client):
    made = await a_transaction(sandbox_client, "BIOMETRIC_ONLY")
    path = f"{TEST}/transaction/{made['transaction_id']}/simulate"
    for body, pointer, code in (
        ({"scenario": "no-such"}, "/scenario", "scenario_unknown"),
        ({"scenario": "expired-document"}, "/scenario", "scenario_not_for_this_type"),
        ({"livenes": {}}, "/livenes", "field_unknown"),
        ({"liveness": {"score": 2}}, "/liveness/score", "number_out_of_range"),
    ):
        refused = await problem(await sandbox_client.post(path, json=body))
        assert [(one["pointer"], one["code"]) for one in refused["errors"]] == [(pointer, code)]
    misspelt = await problem(
        await sandbox_client.post(path, json={"scenario": "expired-documents", "liveness": {"score": 2}})
    )
    assert misspelt["errors"][0]["detail"].endswith("Did you mean expired-document?")
    assert [one["pointer"] for one in misspelt["errors"]] == ["/scenario", "/liveness/score"]
    async with sandbox_client.get(f"{TRANSACTION}/{made['transaction_id']}") as answer:
        assert (await answer.json())["status"] == "CREATED"
    async with sandbox_client.post(path, json={}) as answer:
        assert answer.status == 200
    assert (await problem(await sandbox_client.post(path, json={}), 409))["transaction_status"] == "APPROVED"


async def test_processing_is_left_by_a_second_simulation_and_review_by_a_person(sandbox_client):
    made = await a_transaction(sandbox_client, "DOCUMENT_ONLY")
    path = f"{TEST}/transaction/{made['transaction_id']}/simulate"
    for body, status in (({"status": "IN_PROGRESS"}, "IN_PROGRESS"), ({"status": "PROCESSING"}, "PROCESSING")):
        async with sandbox_client.post(path, json=body) as answer:
            assert (await answer.json())["status"] == status
    async with sandbox_client.post(path, json={"scenario": "doubtful-document-in-review"}) as answer:
        assert (await answer.json())["status"] == "IN_REVIEW"
    decision = {"outcome": "REJECTED", "reason": "A copy."}
    async with sandbox_client.post(f"{TRANSACTION}/{made['transaction_id']}/review", json=decision) as answer:
        assert (await answer.json())["status"] == "REJECTED"


async def test_whose_customer_was_erased_meanwhile_fails_as_the_real_analysis_does(sandbox_client):
    made = await a_transaction(sandbox_client, "DOCUMENT_ONLY")
    path = f"{TEST}/transaction/{made['transaction_id']}/simulate"
    assert (await sandbox_client.post(path, json={"status": "PROCESSING"})).status == 200
    assert (await sandbox_client.delete(f"{CUSTOMER}/{made['customer_id']}")).status == 200
    async with sandbox_client.post(path, json={}) as answer:
        assert (answer.status, (await answer.json())["status"]) == (200, "FAILED")


async def test_the_customer_of_a_blocked_scenario_stays_blocked(sandbox_client):
    made = await simulated(sandbox_client, {}, "DOCUMENT_ONLY", scenario="customer-blocked")
    async with sandbox_client.get(f"{CUSTOMER}/{made['customer_id']}") as answer:
        assert (await answer.json())["status"] == "BLOCKED"


async def test_whom_a_person_has_cleared_only_another_sign_of_fraud_makes_suspicious_again(sandbox_client):
    made = await simulated(sandbox_client, {}, "BIOMETRIC_ONLY", scenario="spoof")
    customer, found = made["customer_id"], []
    for scenario in ("spoof", "spoof", "liveness-low", "spoof"):
        if scenario == "liveness-low":
            cleared = {"status": "ACTIVE", "reason": "Came in person."}
            assert (await sandbox_client.post(f"{CUSTOMER}/{customer}/status", json=cleared)).status == 200
        one = await a_transaction(sandbox_client, "BIOMETRIC_ONLY", customer_id=customer)
        path = f"{TEST}/transaction/{one['transaction_id']}/simulate"
        assert (await (await sandbox_client.post(path, json={"scenario": scenario})).json())["status"] == "REJECTED"
        found.append((await (await sandbox_client.get(f"{CUSTOMER}/{customer}")).json())["status"])
    assert found == ["ACTIVE", "SUSPICIOUS", "ACTIVE", "SUSPICIOUS"]


async def test_live_clients_find_nothing_there(client, another_client):
    made = await a_transaction(client, "DOCUMENT_ONLY")
    calls = [
        client.post(f"{TEST}/transaction/{made['transaction_id']}/simulate", json={}),
        client.get(f"{TEST}/scenarios"),
        client.get(f"{TEST}/clock"),
        client.post(f"{TEST}/clock", json={"advance_seconds": 60}),
    ]
    for call in calls:
        assert (await problem(await call, 404))["code"] == "route_not_found"


async def test_another_accounts_transaction_is_as_unknown_as_any(sandbox_client, plumbing, live_server):
    other = await create_account(plumbing, f"sandbox {secrets.token_hex(8)}", livemode=False)
    async with signed_in(live_server, other) as stranger:
        made = await a_transaction(stranger, "DOCUMENT_ONLY")
    for unknown in (made["transaction_id"], "01a1defc-aa33-758a-bd49-b1bf5e770d5a"):
        path = f"{TEST}/transaction/{unknown}/simulate"
        assert (await problem(await sandbox_client.post(path, json={}), 404))["code"] == "transaction_not_found"


@pytest.mark.parametrize("operation", operations, ids=lambda one: one.operation_id)
async def test_every_operation_of_the_sandbox_asks_for_its_scope(live_server, plumbing, a_sandbox, operation):
    others = [scope for scope in SCOPES if scope != operation.scope]
    token = await issue_access_token(plumbing, a_sandbox.account_id, a_sandbox.client_id, others, livemode=False)
    path = operation.path.format(transaction_id="01a1defc-aa33-758a-bd49-b1bf5e770d5a")
    async with aiohttp.ClientSession(live_server, headers={"Authorization": f"Bearer {token}"}) as caller:
        body: dict[str, Any] | None = {} if operation.method == "POST" else None
        refused = await problem(await caller.request(operation.method, path, json=body), 403)
        assert (refused["code"], operation.scope in refused["detail"]) == ("scope_missing", True)
