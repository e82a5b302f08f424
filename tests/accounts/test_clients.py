"""Can an account's programs be added, limited, rotated and revoked, and is a revocation felt at once?"""

import asyncio
import secrets
from typing import Any

import aiohttp
import pytest
from tools.scopes_docs import PAGE, page

from tests.support.loopback import serving
from tests.support.transactions import a_customer, a_transaction, submitted
from truename.accounts.clients import add_client, revoke_client
from truename.accounts.model import SCOPES, USUAL_SCOPES
from truename.accounts.sign_in_failures import write_gathered_failures
from truename.accounts.tokens import issue_access_token
from truename.api.app import OPERATIONS
from truename.audit.model import INSTALLATION
from truename.audit.read import Filters, read_lines
from truename.transactions.conclude import conclude
from truename.transactions.lifecycle import Status

CLIENTS = "/api/account/clients"
CUSTOMER = "/api/account/integration/kyc/customer"
TRANSACTION = "/api/account/integration/kyc/transaction"


@pytest.fixture
async def outside(live_server):
    async with aiohttp.ClientSession(live_server) as session:
        yield session


async def sign_in(session, client_id: str, secret: str, **form: str) -> tuple[int, dict[str, Any], Any]:
    sent = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": secret, **form}
    async with session.post("/oauth/token", data=sent) as answer:
        return answer.status, await answer.json(content_type=None), answer.headers


async def bearer(plumbing, account, client_id: str, *scopes: str) -> dict[str, str]:
    token = await issue_access_token(plumbing, account.account_id, client_id, scopes)
    return {"Authorization": f"Bearer {token}"}


async def lines(plumbing, account_id, action: str):
    async with plumbing.database.system() as connection:
        return await read_lines(connection, Filters(account_id=account_id, action=action))


async def test_an_administrator_adds_a_client_that_can_do_what_it_was_granted(client, outside, plumbing, an_account):
    answer = await client.post(CLIENTS, json={"name": "reporting", "scopes": ["transactions:read"]})
    made = await answer.json()
    assert (answer.status, made["scopes"], made["name"]) == (201, ["transactions:read"], "reporting")
    status, token, _ = await sign_in(outside, made["client_id"], made["client_secret"])
    assert (status, token["scope"]) == (200, "transactions:read")
    headers = {"Authorization": f"Bearer {token['access_token']}"}
    assert (await outside.get(TRANSACTION, headers=headers)).status == 200
    assert (await outside.get(f"{CUSTOMER}?external_customer_id=x", headers=headers)).status == 403
    assert (await outside.get(CLIENTS, headers=headers)).status == 403
    listed = (await (await client.get(CLIENTS)).json())["data"]
    assert [one["client_id"] for one in listed] == [an_account.client_id, made["client_id"]]
    assert not any("secret" in name and "expires" not in name for one in listed for name in one)
    (line,) = [
        one for one in await lines(plumbing, an_account.account_id, "client.added") if made["client_id"] in one.subject
    ]
    assert (line.actor, line.details) == (f"client:{an_account.client_id}", {"scopes": "transactions:read"})


async def test_a_new_client_does_not_get_everything_and_admin_is_the_operators_to_grant(client):
    made = await (await client.post(CLIENTS, json={"name": "shop"})).json()
    assert made["scopes"] == list(USUAL_SCOPES)
    for scopes in (["admin"], ["customers:destroy"], []):
        assert (await client.post(CLIENTS, json={"name": "x", "scopes": scopes})).status == 400
    assert (await client.post(CLIENTS, json={"name": " x"})).status == 400


async def test_a_client_may_have_any_name_that_the_description_allows(client):
    for name in ("x\u00a0\u3000y", "Zċ\U000cd1fa", "\u200f\ue000"):  # of which Python calls none printable
        async with client.post(CLIENTS, json={"name": name}) as answer:
            assert (answer.status, (await answer.json())["name"]) == (201, name)
    refused = {"x\u0007y": "text_forbidden_character", "x\u3000": "text_forbidden_character"}
    refused |= {"\ufeffx": "text_forbidden_character", "x" * 201: "text_too_long", "": "text_too_short"}
    for name, code in refused.items():
        async with client.post(CLIENTS, json={"name": name}) as answer:
            told = (await answer.json())["errors"]
            assert (answer.status, [(one["pointer"], one["code"]) for one in told]) == (400, [("/name", code)])


async def test_a_repeated_request_adds_one_client(client):
    headers = {"Idempotency-Key": secrets.token_hex(8)}
    first, again = [await (await client.post(CLIENTS, json={"name": "a"}, headers=headers)).json() for _ in range(2)]
    assert first == again
    assert len((await (await client.get(CLIENTS)).json())["data"]) == 2


async def test_two_secrets_work_while_one_is_replaced(client, outside, plumbing, an_account):
    made = await (await client.post(CLIENTS, json={"name": "a"})).json()
    rotated = await (await client.post(f"{CLIENTS}/{made['client_id']}/rotate", json={"overlap_seconds": 60})).json()
    assert rotated["previous_secret_expires_at"] is not None
    for secret in (made["client_secret"], rotated["client_secret"]):
        assert (await sign_in(outside, made["client_id"], secret))[0] == 200
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("UPDATE clients SET previous_expires_at = now()")
    assert (await sign_in(outside, made["client_id"], made["client_secret"]))[0] == 401
    assert (await sign_in(outside, made["client_id"], rotated["client_secret"]))[0] == 200
    third = await (await client.post(f"{CLIENTS}/{made['client_id']}/rotate", json={"overlap_seconds": 0})).json()
    assert third["previous_secret_expires_at"] is None
    assert (await sign_in(outside, made["client_id"], rotated["client_secret"]))[0] == 401
    assert len(await lines(plumbing, an_account.account_id, "client.secret_rotated")) == 2


async def test_a_revocation_ends_tokens_already_issued_at_once_and_in_every_process(client, plumbing, an_account):
    """Two applications on one database stand for two processes."""
    from truename.cli.doors import application

    made = await (await client.post(CLIENTS, json={"name": "a"})).json()
    headers = await bearer(plumbing, an_account, made["client_id"], *made["scopes"])
    async with serving(application(plumbing)) as second, aiohttp.ClientSession(headers=headers) as both:
        for base in (str(client._base_url).rstrip("/"), second):
            assert (await both.get(base + TRANSACTION)).status == 200
        assert (await client.post(f"{CLIENTS}/{made['client_id']}/revoke")).status == 200
        for base in (str(client._base_url).rstrip("/"), second):
            answer = await both.get(base + TRANSACTION)
            assert answer.status == 401
            assert answer.headers["WWW-Authenticate"].startswith("Bearer ")
    answer = await client.post(f"{CLIENTS}/{made['client_id']}/revoke")
    assert (answer.status, (await answer.json())["code"]) == (409, "client_revoked")
    assert (await client.post(f"{CLIENTS}/{made['client_id']}/rotate", json={})).status == 409
    assert len(await lines(plumbing, an_account.account_id, "client.revoked")) == 1


async def test_a_revocation_also_ends_a_request_that_waits(client, outside, plumbing, an_account):
    made = await (await client.post(CLIENTS, json={"name": "a"})).json()
    headers = await bearer(plumbing, an_account, made["client_id"], *made["scopes"])
    one = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    waiting = asyncio.create_task(outside.get(f"{TRANSACTION}/{one}?wait=20", headers=headers))
    await asyncio.sleep(0.3)
    assert (await client.post(f"{CLIENTS}/{made['client_id']}/revoke")).status == 200
    assert (await client.post(f"{TRANSACTION}/{one}/cancel")).status == 200
    assert (await waiting).status == 401


async def test_clients_of_another_account_do_not_exist(client, another_account):
    for verb in ("rotate", "revoke"):
        for unknown in (another_account.client_id, "client_" + "0" * 24, "x"):
            answer = await client.post(f"{CLIENTS}/{unknown}/{verb}", json={})
            assert (answer.status, (await answer.json())["code"]) == (404, "client_not_found")


async def test_an_administrator_cannot_lock_out_another(client, plumbing, an_account):
    async with plumbing.database.system() as connection:
        other = await add_client(connection, an_account.account_id, ["admin"], actor="operator")
    for verb in ("rotate", "revoke"):
        answer = await client.post(f"{CLIENTS}/{other.client.client_id}/{verb}", json={})
        assert (answer.status, (await answer.json())["code"]) == (409, "client_is_administrator")
    assert (await client.post(f"{CLIENTS}/{an_account.client_id}/revoke")).status == 200
    assert (await client.get(CLIENTS)).status == 401


# ── who may write may not read for that ──────────────────────────────────────────────────────────────────────


async def test_customers_write_alone_shows_no_e_mail_also_not_by_a_replay(outside, plumbing, an_account):
    customer = await a_customer(plumbing, an_account, email="ana@example.com", phone_number="+5491123456789")
    path, body = f"{CUSTOMER}/{customer}/status", {"status": "BLOCKED", "reason": "Chargeback"}
    reader = await bearer(plumbing, an_account, an_account.client_id, "customers:read", "customers:write")
    writer = await bearer(plumbing, an_account, an_account.client_id, "customers:write")
    key = {"Idempotency-Key": secrets.token_hex(8)}
    whole = await (await outside.post(path, json=body, headers={**reader, **key})).json()
    assert whole["email"] == "ana@example.com"
    answer = await outside.post(path, json=body, headers={**writer, **key})
    assert answer.status == 422
    lean = await (await outside.post(path, json=body, headers=writer)).json()
    assert lean.keys() == {"customer_id", "external_customer_id", "status", "created_at"}
    assert lean["status"] == "BLOCKED"
    assert (await outside.get(f"{CUSTOMER}/{customer}", headers=writer)).status == 403


async def test_transactions_write_alone_shows_nothing_that_was_read(outside, plumbing, an_account):
    customer = await a_customer(plumbing, an_account)
    config = {"document_policy": {"data_matching": {"document_number": "CANARY123"}}}
    one, other = [await a_transaction(plumbing, an_account, customer, config=config) for _ in range(2)]
    await submitted(plumbing, an_account, one)
    own = an_account.account_id, one
    async with plumbing.database.account(an_account.account_id) as connection:
        await conclude(connection, plumbing, *own, Status.IN_REVIEW, decided_by="ENGINE", after=Status.PROCESSING)
    writer = await bearer(plumbing, an_account, an_account.client_id, "transactions:write")
    for path, sent, status in (
        (f"{other}/cancel", {}, "CANCELLED"),
        (f"{one}/review", {"outcome": "APPROVED", "reason": "Seen in person"}, "APPROVED"),
        (f"{one}/redact", {}, "APPROVED"),
    ):
        answer = await outside.post(f"{TRANSACTION}/{path}", json=sent, headers=writer)
        assert answer.status == 200, await answer.text()
        shown = await answer.json()
        assert shown["status"] == status
        assert not shown.keys() & {"document", "biometrics", "device", "config", "issues", "media", "checks"}
        assert "CANARY" not in await answer.text()


# ── scopes ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_scope_opens_something_and_nothing_asks_for_another():
    asked = {one.scope for one in OPERATIONS if one.scope is not None}
    assert asked == set(SCOPES)


def test_the_page_of_scopes_is_current():
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make docs`"


LIVE = [one for one in OPERATIONS if one.scope and one.tag != "Sandbox"]
"""A live client finds nothing of the sandbox, whatever its scopes: tests/sandbox/ asks there."""


@pytest.mark.parametrize("operation", LIVE, ids=lambda one: f"{one.method} {one.path}")
async def test_a_call_needs_the_scope_that_its_description_says(outside, plumbing, an_account, operation):
    others = [scope for scope in SCOPES if scope != operation.scope]
    headers = await bearer(plumbing, an_account, an_account.client_id, *others)
    path = operation.path.replace("{client_id}", an_account.client_id)
    for name in ("customer_id", "transaction_id", "media_id"):
        path = path.replace("{" + name + "}", str(an_account.account_id))
    path = path.replace("{event_id}", f"evt_{an_account.account_id}")
    answer = await outside.request(operation.method, path, headers=headers)
    assert answer.status == 403
    assert f'scope="{operation.scope}"' in answer.headers["WWW-Authenticate"]


# ── failed sign-ins ──────────────────────────────────────────────────────────────────────────────────────────


async def from_address(live_server: str, address: str) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(live_server, connector=aiohttp.TCPConnector(local_addr=(address, 0)))


async def test_wrong_secrets_are_slowed_down_and_the_real_client_is_not_locked_out(live_server, plumbing, an_account):
    async with await from_address(live_server, "127.1.0.1") as attacker:
        found = [await sign_in(attacker, an_account.client_id, f"guess {number}") for number in range(100)]
        statuses = [status for status, _, _ in found]
        assert statuses[:30] == [401] * 30
        assert statuses.count(429) >= 60
        _, problem, headers = next(one for one in found if one[0] == 429)
        assert (problem["code"], int(headers["Retry-After"]) >= 1) == ("too_many_requests", True)
        # Also from the very address of the attack, which many share behind one gateway.
        assert (await sign_in(attacker, an_account.client_id, an_account.client_secret))[0] == 200
        assert (await sign_in(attacker, "client_of_nobody", "x"))[0] == 429
    async with await from_address(live_server, "127.1.0.2") as elsewhere:
        assert (await sign_in(elsewhere, an_account.client_id, an_account.client_secret))[0] == 200
        assert (await sign_in(elsewhere, an_account.client_id, "wrong"))[0] == 429
        assert (await sign_in(elsewhere, "client_of_nobody", "x"))[0] == 401


async def test_failed_sign_ins_are_written_down_but_cannot_fill_the_log(live_server, plumbing, an_account):
    async with plumbing.database.system() as connection:
        made = await add_client(connection, an_account.account_id, actor="operator")
        await revoke_client(connection, an_account.account_id, made.client.client_id, actor="operator")
    before = len(await lines(plumbing, INSTALLATION, "sign_in.failed"))
    async with await from_address(live_server, "127.1.0.3") as stranger:
        for number in range(9):
            await sign_in(stranger, an_account.client_id, f"wrong {number}")
        await sign_in(stranger, made.client.client_id, made.client_secret)
        for number in range(5):
            await sign_in(stranger, f"nobody {number}", "my-real-password")
    found = await lines(plumbing, an_account.account_id, "sign_in.failed")
    assert [(line.subject, line.details["reason"], line.details["count"]) for line in found] == [
        (f"client:{an_account.client_id}", "WRONG_SECRET", 1),
        (f"client:{made.client.client_id}", "REVOKED", 1),
    ]
    assert len(await lines(plumbing, INSTALLATION, "sign_in.failed")) <= before + 1
    async with plumbing.database.system() as connection:
        await connection.execute("UPDATE failed_sign_ins SET first_at = first_at - interval '1 minute'")
    await write_gathered_failures(plumbing)
    last = (await lines(plumbing, an_account.account_id, "sign_in.failed"))[-1]
    assert (last.details["reason"], last.details["count"]) == ("WRONG_SECRET", 8)
    assert (await lines(plumbing, INSTALLATION, "sign_in.failed"))[-1].subject == "client:unknown"
