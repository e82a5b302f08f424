"""Is the description complete, in one style, and true of what is answered?"""

import json
import re
from collections.abc import Iterator
from typing import Any

import aiohttp
import pytest
from packaging.version import Version
from starlette.routing import Route

from tests.support.api import CUSTOMER, KYC, TRANSACTION, b64
from tests.support.description import validator
from truename.accounts.model import SCOPES
from truename.accounts.tokens import issue_access_token
from truename.api.components import WORDS
from truename.cli.doors import application
from truename.rules.config import TransactionType
from truename.rules.results import CheckName
from truename.transactions.lifecycle import Status

VERBS = re.compile(
    "create|get|list|find|change|erase|cancel|refresh|redact|review|redeliver|rotate|issue|give|report|send|submit|offer|"
    "claim|confirm|refuse|update|add|revoke|simulate|read|advance"
)


@pytest.fixture(scope="session")
async def description(live_server: str) -> dict[str, Any]:
    async with aiohttp.ClientSession(live_server) as session, session.get("/openapi.json") as answer:
        found: dict[str, Any] = await answer.json()
        return found


def operations(description: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


OUTSIDE = {
    "/openapi.json": "the description itself",
    "/metrics": "for Prometheus, with the operator's token",
    "/": "a page",
    "/docs": "pages and their files",
    "/verify": "the capture page and its files",
    "/demo": "the demo's page and the two calls that it alone makes; there only with a trial account",
    "/dashboard": "pages for people who sign in",
}
"""Paths that are no part of the interface; what stands below them is not either."""


def outside(path: str) -> str | None:
    """The row of OUTSIDE that speaks of this path."""
    return next((row for row in OUTSIDE if path == row or (row != "/" and path.startswith(row + "/"))), None)


def test_every_route_is_described_or_known_to_be_no_part_of_the_interface(description, plumbing) -> None:
    paths = {route.path for route in application(plumbing).routes if isinstance(route, Route)}
    described = set(description["paths"])
    assert described <= paths
    assert sorted(path for path in paths - described if outside(path) is None) == []
    assert {outside(path) for path in paths - described} == set(OUTSIDE), "a row of OUTSIDE has no route any more"


def test_every_schema_says_what_it_is(description) -> None:
    schemas = description["components"]["schemas"]
    assert [name for name, schema in schemas.items() if not schema.get("description")] == []


def test_every_limit_is_written_in_the_words_of_json_schema(description) -> None:
    """Where a validator stands before a limit, the library writes the limit down in words of its own."""

    def keywords(part: Any, names: bool = False) -> Iterator[str]:
        if isinstance(part, dict):
            yield from () if names else part
            for name, inner in part.items():
                yield from keywords(inner, names=name == "properties" and not names)
        elif isinstance(part, list):
            for inner in part:
                yield from keywords(inner)

    own = {"ge", "gt", "le", "lt", "min_length", "max_length", "multiple_of"}
    assert own.isdisjoint(keywords(description["components"]["schemas"], names=True))


def test_every_schema_is_used(description) -> None:
    text = json.dumps(description)
    unused = [name for name in description["components"]["schemas"] if f'#/components/schemas/{name}"' not in text]
    assert unused == []


def test_every_field_parameter_and_header_is_described(description) -> None:
    silent = [
        f"{name}.{field}"
        for name, schema in description["components"]["schemas"].items()
        for field, shown in schema.get("properties", {}).items()
        if not shown.get("description")
    ]
    for method, path, operation in operations(description):
        silent += [
            f"{method} {path} {one['name']}"
            for one in operation.get("parameters", [])
            if "$ref" not in one and not one.get("description")
        ]
        for status, answer in operation["responses"].items():
            assert answer["description"], (method, path, status)
            silent += [name for name, header in answer.get("headers", {}).items() if not header.get("description")]
    assert silent == []


def test_every_operation_is_called_by_a_verb_and_a_noun_and_once(description) -> None:
    names = [operation["operationId"] for _, _, operation in operations(description)]
    assert len(set(names)) == len(names)
    for name in names:
        assert re.fullmatch(r"[a-z]+([A-Z][a-z]+)+", name), name
        assert VERBS.fullmatch(re.split(r"[A-Z]", name)[0]), name


def test_the_version_is_one_that_tools_understand(description) -> None:
    assert str(Version(description["info"]["version"])) == description["info"]["version"]


def test_every_post_that_can_be_repeated_refers_to_the_key(description) -> None:
    key = {"$ref": "#/components/parameters/IdempotencyKey"}
    without = {
        operation["operationId"]
        for method, _, operation in operations(description)
        if method == "post" and key not in operation.get("parameters", [])
    }
    assert without == {"issueToken"}


def test_codes_and_statuses_are_enumerations(description) -> None:
    schemas = description["components"]["schemas"]
    assert {name: schemas[name]["enum"] for name in WORDS} == {name: word["enum"] for name, word in WORDS.items()}
    assert schemas["Status"]["enum"] == [status.value for status in Status]
    assert schemas["ShownIssue"]["properties"]["code"]["$ref"].endswith("/IssueCode")
    assert schemas["Problem"]["properties"]["code"]["$ref"].endswith("/ProblemCode")
    assert schemas["BiometricPolicy"].keys() >= {"type", "properties"}
    assert "anyOf" not in schemas["BiometricPolicy"]


def test_scopes_are_those_of_the_accounts(description) -> None:
    flow = description["components"]["securitySchemes"]["oauth2"]["flows"]["clientCredentials"]
    assert tuple(flow["scopes"]) == SCOPES
    listed = description["components"]["schemas"]["ShownClient"]["properties"]["scopes"]
    assert tuple(listed["items"]["enum"]) == SCOPES
    for method, path, operation in operations(description):
        for one in operation["security"]:
            assert set(one.get("oauth2", [])) <= set(SCOPES), (method, path)


def test_a_webhook_is_described_with_its_headers_and_body(description) -> None:
    post = description["webhooks"]["transactionStatusChanged"]["post"]
    assert [one["name"] for one in post["parameters"]] == ["webhook-id", "webhook-timestamp", "webhook-signature"]
    assert post["requestBody"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/WebhookEvent"}
    types = description["components"]["schemas"]["EventType"]["enum"]
    assert types == [f"transaction.{status.value.lower()}" for status in Status if status is not Status.CREATED]


def test_every_example_fits_its_schema(description) -> None:
    tried = 0
    validators = {}
    for _, path, operation in operations(description):
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for content in (one for body in bodies for one in body.get("content", {}).values()):
            examples = [one["value"] for one in content.get("examples", {}).values()]
            examples += [content["example"]] if "example" in content else []
            for example in examples:
                schema = repr(content["schema"])  # most are the problem's
                if schema not in validators:
                    validators[schema] = validator(description, content["schema"])
                errors = [error.message for error in validators[schema].iter_errors(example)]
                assert errors == [], (path, errors)
                tried += 1
    assert tried > 100


def test_a_finished_transaction_of_each_type_and_decision_is_shown_as_it_was(description) -> None:
    path = f"{TRANSACTION}/{{transaction_id}}"
    shown = description["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["examples"]
    kinds = {(one["value"]["transaction_type"], one["value"]["decision"]["outcome"]) for one in shown.values()}
    assert kinds == {(kind.value, outcome) for kind in TransactionType for outcome in ("APPROVED", "REJECTED")}
    for one in shown.values():
        asked = {check["check"] for check in one["value"]["checks"]}
        assert asked <= {name.value for name in CheckName}
        assert one["value"]["engine"], "made up"


ACCEPTED_BY_BOTH: list[tuple[str, dict[str, Any]]] = [
    *(("NewCustomer", {"external_customer_id": "x", "email": email}) for email in (
        "o'brien@example.com", "josé@example.com", "a.b.c.d@example.com", "用户@例子.广告",
    )),
    *(("Config", {"document_policy": {"data_matching": {"date_of_birth": day}}}) for day in (
        "2026-01-31", "2024-02-29", "1999-12-30",
    )),
    *(("Config", {"webhook": {"url": url}}) for url in (
        "https://localhost/x", "https://hooks.example.com:10443/x", "https://hooks.example.com/a%20b?c=%C3%A9",
    )),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), ACCEPTED_BY_BOTH)
async def test_what_the_first_description_refused_is_accepted_by_both(client, description, name: str, value) -> None:
    assert validator(description, {"$ref": f"#/components/schemas/{name}"}).is_valid(value)
    if name == "NewCustomer":
        answer = await client.post(CUSTOMER, json=value)
    else:
        made = await (await client.post(CUSTOMER, json={"external_customer_id": "x"})).json()
        body = {"customer_id": made["customer_id"], "transaction_type": "DOCUMENT_ONLY", "config": value}
        answer = await client.post(TRANSACTION, json=body)
    assert answer.status == 201, await answer.text()


@pytest.mark.parametrize("day", ["2026-01-29", "2026-03-30", "2026-08-31"])
async def test_the_last_days_of_a_month_can_be_asked_for(client, description, day: str) -> None:
    asked = description["paths"][TRANSACTION]["get"]["parameters"]
    schema = next(one["schema"] for one in asked if one["name"] == "created_after")
    assert validator(description, schema).is_valid(f"{day}T10:00:00Z")
    assert (await client.get(TRANSACTION, params={"created_after": f"{day}T10:00:00Z"})).status == 200


async def test_a_reason_may_be_written_in_any_language(client, description) -> None:
    made = await (await client.post(CUSTOMER, json={"external_customer_id": "x"})).json()
    body = {"status": "SUSPICIOUS", "reason": "Contracargo número 3: «niño» 検討"}
    assert validator(description, {"$ref": "#/components/schemas/NewStatus"}).is_valid(body)
    assert (await client.post(f"{CUSTOMER}/{made['customer_id']}/status", json=body)).status == 200


TELLING = {"location", "www-authenticate", "idempotent-replayed", "ratelimit", "ratelimit-policy", "retry-after"}
"""Headers by which a caller goes on; all others are of HTTP, or stand on every answer."""


async def test_an_answer_bears_each_telling_header_that_is_described_and_no_other(
    client, plumbing, an_account, description
) -> None:
    own = an_account.account_id, an_account.client_id
    told = {"external_customer_id": "told"}
    key = {"Idempotency-Key": "told"}
    nobody = {"Authorization": f"Basic {b64(b'nobody:nothing')}"}
    few = {"Authorization": f"Bearer {await issue_access_token(plumbing, *own, ['transactions:read'])}"}
    answers = [
        ("/customer", await client.post(CUSTOMER, json=told, headers=key)),
        ("/customer", await client.post(CUSTOMER, json=told, headers=key)),
        ("/customer", await client.post(CUSTOMER, json=told, headers=few)),
        ("/customer", await client.post(CUSTOMER, json=told, headers={"Authorization": "Bearer nothing"})),
        ("/customer", await client.post(CUSTOMER, json={})),
        ("/policy/backtest", await client.post(f"{KYC}/policy/backtest", json={"config": {}})),
        ("/oauth/token", await client.post("/oauth/token", json={})),
        ("/oauth/token", await client.post("/oauth/token", data={"grant_type": "client_credentials"}, headers=nobody)),
    ]
    made = await answers[0][1].json()
    body = {"customer_id": made["customer_id"], "transaction_type": "DOCUMENT_ONLY"}
    answers.append(("/transaction", await client.post(TRANSACTION, json=body)))
    described, borne = [], []
    for path, answer in answers:
        whole = path if path.startswith("/oauth") else KYC + path
        promised = description["paths"][whole]["post"]["responses"][str(answer.status)]["headers"]
        names = {name.lower() for name in promised} & TELLING
        if answer is not answers[1][1]:
            names -= {"idempotent-replayed"}  # of repetitions alone
        described.append((path, answer.status, names))
        borne.append((path, answer.status, {name.lower() for name in answer.headers} & TELLING))
    assert [status for _, status, _ in borne] == [201, 201, 403, 401, 400, 200, 400, 401, 201]
    assert described == borne
