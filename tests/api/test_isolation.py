"""Can one account reach anything of another? Every id of two accounts is swapped through every route."""

import secrets
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.support.api import CUSTOMER, JPEG, KYC, TRANSACTION, a_transaction, b64
from tests.support.jobs import forget_jobs
from truename.accounts.create import create_account
from truename.accounts.model import SCOPES, NewAccount
from truename.accounts.tokens import issue_access_token
from truename.api.app import OPERATIONS
from truename.face_search.blocklist import NewEntry, add_entry
from truename.plumbing.http.operations import Operation
from truename.plumbing.resources import Plumbing
from truename.vision.captures import FaceTemplate
from truename.vision.face.embed import template_sha256

BACKTEST = f"{KYC}/policy/backtest"
BODIES: dict[str, Any] = {
    "post_backtest": {"config": {}},
    "post_status": {"status": "BLOCKED", "reason": "a test"},
    "post_review": {"outcome": "APPROVED", "reason": "a test"},
    "create_transaction": {"customer_id": "{customer_id}", "transaction_type": "DOCUMENT_ONLY"},
    "add_client": {"name": "a test"},
    "list_customer": {"reason": "a test"},
    "create_customer": {"external_customer_id": "{fresh}"},
}
OURS = [one for one in OPERATIONS if one.scope and one.tag != "Sandbox"]
"""Those of the sandbox are asked by sandbox accounts, in tests/sandbox/."""
WITH_IDS = [one for one in OURS if "{" in one.path or one.endpoint.__name__ == "create_transaction"]


async def one_of_everything(http: aiohttp.ClientSession, plumbing: Plumbing, account: NewAccount) -> dict[str, str]:
    """What there is to ask for in the other account."""
    image = {"external_customer_id": secrets.token_hex(8), "face_reference_image": b64(JPEG)}
    customer = (await (await http.post(CUSTOMER, json=image)).json())["customer_id"]
    config = {"webhook": {"url": "https://hooks.example.com/x"}}
    body = {"customer_id": customer, "transaction_type": "DOCUMENT_ONLY", "config": config}
    transaction = (await (await http.post(TRANSACTION, json=body)).json())["transaction_id"]
    await http.post(f"{TRANSACTION}/{transaction}/cancel")
    async with plumbing.database.account(account.account_id) as connection:
        face = NewEntry(FaceTemplate((1.0, *[0.0] * 319), template_sha256()), None, "a test")
        entry = await add_entry(connection, plumbing.vault, account.account_id, face, actor="test")
    tested = await (await http.post(BACKTEST, json={"config": {}})).json()
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute("SELECT event_id FROM webhook_events")
        event = await cursor.fetchone()
        cursor = await connection.execute("UPDATE media SET transaction_id = %s RETURNING media_id", (transaction,))
        media = await cursor.fetchone()
    assert event is not None
    assert media is not None
    return {
        "customer_id": customer,
        "transaction_id": transaction,
        "media_id": str(media["media_id"]),
        "event_id": event["event_id"],
        "client_id": account.client_id,
        "backtest_id": tested["backtest_id"],
        "entry_id": str(entry.entry_id),
        "fresh": secrets.token_hex(8),
    }


@pytest.fixture
async def theirs(another_client: aiohttp.ClientSession, plumbing, another_account) -> dict[str, str]:
    """One of everything, fresh: its owner may delete it."""
    return await one_of_everything(another_client, plumbing, another_account)


@pytest.fixture(scope="module")
async def untouched(live_server: str, plumbing: Plumbing) -> AsyncIterator[dict[str, str]]:
    """The same once for all, for those who are refused before anything is looked up; with a token of the SDK."""
    account = await create_account(plumbing, f"test {secrets.token_hex(8)}")
    token = await issue_access_token(plumbing, account.account_id, account.client_id, SCOPES)
    async with aiohttp.ClientSession(live_server, headers={"Authorization": f"Bearer {token}"}) as http:
        ids = await one_of_everything(http, plumbing, account)
        yield {**ids, "sdk_token": (await a_transaction(http, "DOCUMENT_ONLY"))["sdk_token"]}
    await forget_jobs(plumbing, account)


async def call(client: aiohttp.ClientSession, operation: Operation, ids: dict[str, str]) -> aiohttp.ClientResponse:
    path = operation.path.format(**ids)
    body = BODIES.get(operation.endpoint.__name__, {})
    body = {name: value.format(**ids) if isinstance(value, str) else value for name, value in body.items()}
    return await client.request(operation.method, path, json=body if operation.method in ("POST", "PATCH") else None)


@pytest.mark.parametrize("operation", WITH_IDS, ids=[f"{one.method} {one.path}" for one in WITH_IDS])
async def test_an_id_of_another_account_is_as_unknown_as_any(client, another_client, theirs, operation) -> None:
    nobodys = dict.fromkeys(theirs, "01a1defc-aa33-758a-bd49-b1bf5e770d5a")
    nobodys["client_id"] = "client_" + "0" * 24
    nobodys["event_id"] = "evt_01a1defc-aa33-758a-bd49-b1bf5e770d5a"
    foreign, unknown = await call(client, operation, theirs), await call(client, operation, nobodys)
    assert foreign.status == unknown.status == 404
    one, other = await foreign.json(content_type=None), await unknown.json(content_type=None)
    for body in (one, other):
        body.pop("request_id")
        body.pop("instance")
    assert one == other
    own = await call(another_client, operation, theirs)
    assert own.status != 404 or (await own.json(content_type=None))["code"] in (
        "receipt_not_found",
        "evidence_not_found",
    )


async def test_lists_show_only_what_is_ours(client, theirs) -> None:
    assert (await (await client.get(TRANSACTION)).json())["data"] == []
    listed = await client.get(TRANSACTION, params={"customer_id": theirs["customer_id"]})
    assert (await listed.json())["data"] == []


@pytest.mark.parametrize("operation", OURS, ids=[f"{one.method} {one.path}" for one in OURS])
async def test_every_operation_asks_for_its_scope(live_server, plumbing, an_account, untouched, operation) -> None:
    others = [scope for scope in SCOPES if scope not in (operation.scope, "admin")]
    token = await issue_access_token(plumbing, an_account.account_id, an_account.client_id, others)
    async with aiohttp.ClientSession(live_server, headers={"Authorization": f"Bearer {token}"}) as caller:
        answer = await call(caller, operation, untouched)
        assert answer.status == 403
        assert f'scope="{operation.scope}"' in answer.headers["WWW-Authenticate"]
        assert (await answer.json(content_type=None))["code"] == "scope_missing"


@pytest.mark.parametrize("operation", OURS, ids=[f"{one.method} {one.path}" for one in OURS])
async def test_every_operation_asks_for_a_token(live_server, untouched, operation) -> None:
    for value in (
        None,
        "Bearer",
        "Bearer x",
        "Basic YTpi",
        f"Bearer {untouched['sdk_token']}",
        "Bearer " + "a.b.c" * 100,
    ):
        headers = {"Authorization": value} if value else {}
        async with aiohttp.ClientSession(live_server, headers=headers) as caller:
            answer = await call(caller, operation, untouched)
            assert answer.status == 401, value
            assert answer.headers["WWW-Authenticate"].startswith("Bearer")
