"""Does every answer bear its standing headers, every refusal the shape of a problem, and every page stay at home?"""

import re
from dataclasses import replace

import aiohttp
import pytest
import structlog

from tests.support.api import CUSTOMER, TRANSACTION, problem
from tests.support.loopback import serving
from tests.support.waiting import free_port
from truename.accounts.model import SCOPES
from truename.accounts.tokens import issue_access_token
from truename.api.app import OPERATIONS, Shared, create_app
from truename.customers.model import CustomerCreated
from truename.plumbing.database.pool import Database
from truename.plumbing.error_codes import PROBLEMS
from truename.plumbing.http.answers import encode
from truename.plumbing.http.request_context import API_VERSION
from truename.transactions.answers import TokenIssued


@pytest.fixture
async def outside(live_server):
    async with aiohttp.ClientSession(live_server) as session:
        yield session


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/docs", "/openapi.json", "/metrics", CUSTOMER, "/nowhere"])
async def test_every_answer_bears_the_standing_headers(outside, path: str) -> None:
    answer = await outside.get(path)
    assert re.fullmatch("[0-9a-f]{32}", answer.headers["X-Request-Id"])
    assert answer.headers["Truename-Version"] == API_VERSION
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "Cache-Control" in answer.headers
    rules = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
    assert (rules["default-src"], rules["base-uri"], rules["frame-ancestors"]) == ("'none'", "'none'", "'none'")


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("order-4711-abc", True),
        ("0123456789abcdef", True),
        ("short", False),
        ("a b c d e f g", False),
        ("x" * 129, False),
    ],
)
async def test_a_sane_request_id_is_taken_over(outside, sent: str, kept: bool) -> None:
    answer = await outside.get("/healthz", headers={"X-Request-Id": sent})
    assert (answer.headers["X-Request-Id"] == sent) is kept


async def test_an_unknown_path_and_method_are_problems(outside) -> None:
    assert (await problem(await outside.get("/nowhere"), 404))["code"] == "route_not_found"
    await problem(await outside.get(CUSTOMER + "/"), 404)
    answer = await outside.put(CUSTOMER, json={})
    assert (await problem(answer, 405))["code"] == "method_not_allowed"
    assert answer.headers["Allow"] == "GET, HEAD, POST"
    assert (await problem(await outside.request("TRACE", CUSTOMER), 405))["code"] == "method_not_allowed"


async def test_what_is_answered_without_a_model_is_what_the_model_says(client) -> None:
    """Both creations write their fields by hand; the description is made of the models."""
    answer = await client.post(CUSTOMER, json={"external_customer_id": "né 1"})
    customer = await answer.json()
    assert answer.status == 201
    assert list(customer) == [name for name in CustomerCreated.model_fields if name != "livemode"]
    assert encode(CustomerCreated.model_validate(customer)) == await answer.read()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", customer["created_at"])
    wanted = {"customer_id": customer["customer_id"], "transaction_type": "DOCUMENT_AND_BIOMETRIC"}
    answer = await client.post(TRANSACTION, json=wanted)
    issued = await answer.json()
    assert answer.status == 201
    assert list(issued) == [name for name in TokenIssued.model_fields if name != "livemode"]
    assert encode(TokenIssued.model_validate(issued)) == await answer.read()


async def test_what_requests_share_is_found_at_once_and_what_is_not_there_is_an_attribute_error() -> None:
    shared = Shared()
    shared.one = 1
    assert "one" in vars(shared), "the framework would look for it in a dictionary of its own, after an error"
    assert shared.one == 1
    del shared.one
    assert getattr(shared, "one", None) is None


async def test_a_caller_who_comes_too_often_is_told_when_to_return(plumbing, an_account) -> None:
    port = free_port()
    hasty = plumbing.settings.model_copy(update={"client_requests_per_minute": 6, "client_burst": 2, "port": port})
    app = create_app(replace(plumbing, settings=hasty))
    token = await issue_access_token(app.state.plumbing, an_account.account_id, an_account.client_id, SCOPES)
    async with serving(app, port) as base:
        headers = {"Authorization": f"Bearer {token}"}
        async with aiohttp.ClientSession(base, headers=headers) as client:
            answers = [await client.get(CUSTOMER, params={"external_customer_id": "x"}) for _ in range(3)]
            assert [answer.status for answer in answers] == [200, 200, 429]
            assert answers[0].headers["RateLimit-Policy"] == '"client";q=2;w=20'
            assert answers[0].headers["RateLimit"].startswith('"client";r=1;t=')
            assert (await problem(answers[2], 429))["code"] == "too_many_requests"
            assert 1 <= int(answers[2].headers["Retry-After"]) <= 10


@pytest.mark.parametrize(("path", "status"), [(CUSTOMER, 403), ("/api/account/integration/kyc/test/clock", 404)])
async def test_a_call_that_may_not_be_made_is_charged_and_named_as_any_other(
    live_server, plumbing, an_account, path, status
):
    """A loop that calls with too few scopes was never slowed down, and nobody could tell whose it was."""
    token = await issue_access_token(plumbing, an_account.account_id, an_account.client_id, ["transactions:write"])
    headers = {"Authorization": f"Bearer {token}"}
    with structlog.testing.capture_logs() as lines:
        async with aiohttp.ClientSession(live_server, headers=headers) as client:
            answers = [await client.get(path) for _ in range(2)]
            found = [await problem(answer, status) for answer in answers]
    assert all({"RateLimit", "RateLimit-Policy"} <= answer.headers.keys() for answer in answers)
    told = {line["request_id"]: line["client"] for line in lines if line["event"] == "request"}
    assert [told[one["request_id"]] for one in found] == [an_account.client_id] * 2


async def test_without_a_database_the_service_says_so_and_nothing_of_its_insides(plumbing, an_account) -> None:
    token = await issue_access_token(plumbing, an_account.account_id, an_account.client_id, SCOPES)
    gone = Database("postgresql://nobody@127.0.0.1:1/none")
    app = create_app(replace(plumbing, database=gone))
    async with serving(app) as base, aiohttp.ClientSession(base) as client:
        await problem(await client.get("/readyz"), 503)
        answer = await client.get(CUSTOMER, headers={"Authorization": f"Bearer {token}"})
        found = await problem(answer, 503)
        assert "nobody" not in await answer.text()
        assert found["code"] == "not_ready"
        assert (await client.get("/healthz")).status == 200


@pytest.mark.parametrize("path", ["/", "/docs", "/docs/errors", "/docs/errors/scope_missing"])
async def test_a_page_for_developers_takes_nothing_from_elsewhere(outside, path: str) -> None:
    answer = await outside.get(path)
    page = await answer.text()
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "script-src" not in answer.headers["Content-Security-Policy"] or path == "/docs"
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", page)


async def test_the_type_of_a_problem_is_the_address_of_its_page(outside, plumbing) -> None:
    for code, row in PROBLEMS.items():
        page = await (await outside.get(f"/docs/errors/{code}")).text()
        assert code in page
        assert f"HTTP status {row.status}" in page
    found = await problem(await outside.get(CUSTOMER), 401)
    assert found["type"] == f"{plumbing.settings.base_url}/docs/errors/not_authenticated"
    await problem(await outside.get("/docs/errors/no_such_code"), 404)


async def test_the_description_names_every_operation_error_and_scope(outside) -> None:
    described = await (await outside.get("/openapi.json")).json()
    for operation in OPERATIONS:
        found = described["paths"][operation.path][operation.method.lower()]
        assert {"400", "405", "500"} <= found["responses"].keys()
        if operation.scope:
            assert {"401", "403", "429"} <= found["responses"].keys()
            assert found["security"] == [{"oauth2": [operation.scope]}]
    sent = described["components"]["schemas"]["NewTransaction"]
    assert sent["additionalProperties"] is False
    assert set(sent["required"]) == {"customer_id", "transaction_type"}


async def test_metrics_count_by_pattern_and_never_by_id(client, outside) -> None:
    await client.get(f"{CUSTOMER}/01a1defc-aa33-758a-bd49-b1bf5e770d5a")
    assert (await outside.get("/metrics")).status == 401
    assert (await outside.get("/metrics", headers={"Authorization": "Bearer wrong"})).status == 401
    written = await (await outside.get("/metrics", headers={"Authorization": "Bearer the metrics of tests"})).text()
    assert 'path="/api/account/integration/kyc/customer/{customer_id}",status="404"' in written
    assert "01a1defc-aa33-758a-bd49-b1bf5e770d5a" not in written


async def test_without_a_token_of_the_operator_there_are_no_metrics(plumbing) -> None:
    settings = plumbing.settings.model_copy(update={"metrics_token": None})
    app = create_app(replace(plumbing, settings=settings))
    async with serving(app) as address, aiohttp.ClientSession(address) as outside:
        await problem(await outside.get("/metrics"), 404)
