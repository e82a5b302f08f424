"""Events on a developer's own machine: by plain http to loopback, for sandbox and trial accounts alone."""

import asyncio
import json
import secrets
from dataclasses import replace
from ipaddress import ip_address

import aiohttp
import pytest
from aiohttp import web

from tests.support.api import TRANSACTION, a_transaction, problem
from tests.support.description import validator
from tests.support.simulations import TEST, settled
from tests.support.waiting import free_port
from truename.accounts.authentication import Caller
from truename.accounts.store import account_settings
from truename.cli.webhooks import _listen, _send_test
from truename.sandbox.listener import Heard, Listener
from truename.transactions.create import webhook_faults
from truename.webhooks.allowed import addresses_open_to

PLAIN = "http://127.0.0.1:9/hook"


@pytest.fixture
async def shop():
    """The developer's own program: remembers what came, answers as told."""
    came: list[tuple[dict[str, str], bytes]] = []
    answers = [503]

    async def hook(request: web.Request) -> web.Response:
        came.append((dict(request.headers), await request.read()))
        return web.Response(status=answers.pop() if answers else 204)

    application = web.Application()
    application.router.add_post("/hook", hook)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://localhost:{runner.addresses[0][1]}/hook", came
    await runner.cleanup()


async def test_plain_http_is_for_this_machine_and_for_accounts_that_are_for_tests(
    sandbox_client, client, another_client, another_account, plumbing
):
    for url in (PLAIN, "http://localhost:3000/hook", "http://[::1]:3000/"):
        for testing in (sandbox_client, client):
            await a_transaction(testing, "DOCUMENT_ONLY", {"webhook": {"url": url}})
    for refused, url in (
        (another_client, PLAIN),
        (sandbox_client, "http://hooks.example.com/"),
        (client, "http://10.0.0.1/"),
    ):
        async with refused.post("/api/account/integration/kyc/customer", json={"external_customer_id": "x"}) as answer:
            customer = (await answer.json())["customer_id"]
        for more in ({}, {"transaction_ttl_minutes": 0}):
            body = {
                "customer_id": customer,
                "transaction_type": "DOCUMENT_ONLY",
                "config": {"webhook": {"url": url}, **more},
            }
            told = await problem(await refused.post(TRANSACTION, json=body))
            assert ("/config/webhook/url", "webhook_url_not_https") in [
                (e["pointer"], e["code"]) for e in told["errors"]
            ]


async def test_what_is_answered_of_an_address_by_plain_http_is_as_described(sandbox_client):
    description = await (await sandbox_client.get("/openapi.json")).json()
    fits = validator(description, description["components"]["schemas"]["ShownTransaction"])
    for url in (PLAIN, "http://localhost", "http://[::1]:3000/?a=b"):
        made = await a_transaction(sandbox_client, "DOCUMENT_ONLY", {"webhook": {"url": url}})
        shown = await (await sandbox_client.get(f"{TRANSACTION}/{made['transaction_id']}")).json()
        assert shown["config"]["webhook"]["url"].startswith("http://")
        assert [str(error) for error in fits.iter_errors(shown)] == []


@pytest.mark.parametrize(
    ("changes", "is_open"),
    [
        ({}, True),
        ({"public_url": "http://127.0.0.1:8000"}, True),
        ({"public_url": "https://shop.localhost"}, True),
        ({"public_url": "https://verify.example.com"}, False),
        ({"public_url": "https://localhost.example.com"}, False),
        ({"public_url": "https://verify.example.com", "webhook_loopback": True}, True),
        ({"webhook_loopback": False}, False),
    ],
)
async def test_where_others_reach_the_service_its_own_machine_is_closed_to_them(plumbing, a_sandbox, changes, is_open):
    settings = plumbing.settings.model_copy(update=changes)
    served = replace(plumbing, settings=settings)
    caller = Caller(a_sandbox.account_id, a_sandbox.client_id, frozenset(), livemode=False)
    for url in (PLAIN, "https://127.0.0.1:9/hook", "https://[::1]/hook", "https://localhost/hook"):
        assert (await webhook_faults(served, caller, url) == []) == is_open, url
    async with plumbing.database.account(a_sandbox.account_id) as connection:
        opened = await addresses_open_to(connection, settings, a_sandbox.account_id)
    # Also at the delivery, where a name may lead anywhere.
    assert opened.has_address(ip_address("127.0.0.1"), 9) == is_open
    if not is_open:
        with pytest.raises(LookupError, match="TRUENAME_WEBHOOK_LOOPBACK"):
            await _listen(settings, str(a_sandbox.account_id), None, 0, 1, True)


async def test_who_listens_gets_every_event_verified_and_hands_it_on_unchanged(
    sandbox_client, a_sandbox, plumbing, shop, capsys
):
    url, came = shop
    settings = plumbing.settings
    listening = asyncio.create_task(_listen(settings, str(a_sandbox.account_id), url, 0, 4, True))
    async with asyncio.timeout(30):
        while True:
            async with plumbing.database.account(a_sandbox.account_id) as connection:
                address = (await account_settings(connection, a_sandbox.account_id)).webhook_listener
            if address:
                break
            await asyncio.sleep(0.05)
    made = await a_transaction(sandbox_client, "DOCUMENT_ONLY")
    await sandbox_client.post(f"{TEST}/transaction/{made['transaction_id']}/simulate", json={})
    await settled(plumbing)
    async with sandbox_client.post(f"{TEST}/clock", json={"advance_seconds": 30}):
        await settled(plumbing)
    async with asyncio.timeout(30):
        await listening
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith('{"event_id"')]
    assert [line["verified"] for line in lines] == [True] * 4
    assert sorted(line["event"]["data"]["sequence"] for line in lines)[-1] == 3
    assert all(line["event"]["livemode"] is False for line in lines)
    assert sorted(line["answered"] for line in lines) == [204, 204, 204, 503]
    assert {json.loads(body)["data"]["transaction_id"] for _, body in came} == {made["transaction_id"]}
    assert all(headers["webhook-signature"].startswith("v1,") for headers, _ in came)
    async with plumbing.database.account(a_sandbox.account_id) as connection:
        assert (await account_settings(connection, a_sandbox.account_id)).webhook_listener is None


async def test_a_test_event_is_signed_and_arrives(a_sandbox, plumbing, shop):
    url, came = shop
    where, attempt = await _send_test(plumbing.settings, str(a_sandbox.account_id), url)
    assert (where, attempt.outcome, attempt.status_code) == (url, "REFUSED_BY_RECEIVER", 503)
    _, attempt = await _send_test(plumbing.settings, str(a_sandbox.account_id), url)
    assert attempt.outcome == "DELIVERED"
    heard: asyncio.Queue[Heard] = asyncio.Queue()

    async def theirs() -> list[str]:
        return [a_sandbox.webhook_secret]

    async def others() -> list[str]:
        return ["whsec_" + "A" * 43 + "="]

    for given, verified in ((theirs, True), (others, False)):
        listener = Listener(given, heard.put)
        await listener.start(free_port())
        headers, body = came[-1]
        kept = {name: headers[name] for name in headers if name.lower().startswith("webhook-")}
        async with aiohttp.ClientSession() as http, http.post(listener.url, data=body, headers=kept) as answer:
            assert (answer.status, (await heard.get()).verified) == (204 if verified else 401, verified)
        await listener.close()


async def test_nothing_is_sent_to_where_it_must_not_go(a_sandbox, another_account, plumbing):
    with pytest.raises(ValueError, match="this machine only"):
        Listener(lambda: None, lambda heard: None, "http://hooks.example.com/")  # type: ignore[arg-type,return-value]
    for account, url in ((a_sandbox, "http://hooks.example.com/"), (another_account, PLAIN)):
        with pytest.raises(LookupError, match="by https"):
            await _send_test(plumbing.settings, str(account.account_id), url)
    for url in ("https://[::1", "http://localhost:99999/", "https://", "https://a b/"):
        with pytest.raises(LookupError, match=r"^The (address|port) "):
            await _send_test(plumbing.settings, str(a_sandbox.account_id), url)
        with pytest.raises(ValueError, match="this machine only"):
            Listener(lambda: None, lambda heard: None, url)  # type: ignore[arg-type,return-value]
    with pytest.raises(LookupError, match="live account"):
        await _listen(plumbing.settings, str(another_account.account_id), None, 0, 1, True)
    with pytest.raises(LookupError, match="no account"):
        await _send_test(plumbing.settings, secrets.token_hex(8), PLAIN)


async def test_a_port_that_is_taken_leaves_nothing_open():
    async def none() -> list[str]:
        return []

    taken = Listener(none, lambda heard: asyncio.sleep(0))
    await taken.start()
    port = int(taken.url.rsplit(":", 1)[1].strip("/"))
    second = Listener(none, lambda heard: asyncio.sleep(0))
    with pytest.raises(OSError, match="in use"):
        await second.start(port)
    assert second._http.closed
    await taken.close()
