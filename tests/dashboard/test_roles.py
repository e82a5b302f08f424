"""Every route of the dashboard × every role × another account: exactly what the role may do, driven from the list."""

import contextlib
import re
from uuid import uuid4

import aiohttp
import pytest

from tests.support.dashboard import a_session, an_operator, form_token, signed_in
from tests.support.transactions import a_customer, a_transaction, submitted
from truename.dashboard.forms import csrf_token
from truename.dashboard.guard import OpenScreen, PersonScreen, Screen
from truename.dashboard.routes import SCREENS
from truename.operators.model import Role

PERSONAL = [screen for screen in SCREENS if isinstance(screen, PersonScreen)]
GUARDED = [screen for screen in SCREENS if isinstance(screen, Screen)]


def path_of(screen, known=None) -> str:
    """The address with each place filled: with a thing that is there, or one that is not."""
    return re.sub(r"\{(\w+)\}", lambda found: str((known or {}).get(found[1], uuid4())), screen.path)


async def called(http, token, screen, path) -> int:
    fields = {"csrf": csrf_token(token)}
    sent = {"data": fields} if screen.method == "POST" else {}
    async with http.request(screen.method, path, allow_redirects=False, **sent) as answer:
        return answer.status  # a stream is closed here, too


def test_the_list_is_whole():
    assert len(GUARDED) > 40
    assert {screen.role for screen in GUARDED} == set(Role)
    assert all(screen.path.startswith("/dashboard") for screen in SCREENS)
    assert all(screen.path.startswith("/dashboard/sign-in") for screen in SCREENS if isinstance(screen, OpenScreen))
    changing = [screen for screen in GUARDED if screen.method == "POST" and screen.role is Role.VIEWER]
    own = ("/dashboard/me/", "/dashboard/account", "/dashboard/transactions/views")
    asking = (
        "/dashboard/transactions/search",
        "/dashboard/transactions/{transaction_id}/replay",
        "/dashboard/media/{media_id}/address",
    )
    assert [one.path for one in PERSONAL] == ["/dashboard/sign-out"]
    assert [one.path for one in changing if not one.path.startswith(own) and one.path not in asking] == []


@pytest.mark.parametrize("role", [None, *Role])
async def test_a_role_opens_what_it_may_and_nothing_else(plumbing, live_server, an_account, role):
    operator = await an_operator(plumbing, {an_account.account_id: role} if role else {})
    async with signed_in(plumbing, live_server, operator) as desk:
        for screen in GUARDED:
            token = await a_session(plumbing, operator)  # some routes end a session or replace its token
            desk.http.cookie_jar.update_cookies({"truename-session": token})
            status = await called(desk.http, token, screen, path_of(screen))
            allowed = role is not None and role.includes(screen.role)
            assert (status != 403) == allowed, (screen.method, screen.path, role, status)
            assert status < 500, (screen.method, screen.path, status)


async def test_an_operator_without_any_role_is_told_so_and_can_sign_out(plumbing, live_server):
    nobody = await an_operator(plumbing, {})
    async with signed_in(plumbing, live_server, nobody) as desk:
        status, page = await desk.get("/dashboard")
        assert status == 403
        assert "no role in any account" in page
        assert form_token(page) == csrf_token(desk.token)
        assert await desk.post_for_location("/dashboard/sign-out") == "/dashboard/sign-in"
        assert (await desk.get("/dashboard"))[0] == 303


async def test_a_stranger_is_led_to_the_sign_in_everywhere(live_server):
    async with aiohttp.ClientSession(live_server) as http:
        for screen in (one for one in SCREENS if not isinstance(one, OpenScreen)):
            async with http.request(screen.method, path_of(screen), allow_redirects=False) as answer:
                assert answer.status == 303, screen.path
                assert answer.headers["Location"].startswith("/dashboard/sign-in")


async def test_no_form_is_taken_without_the_token_of_the_session(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    async with signed_in(plumbing, live_server, ana) as desk:
        for screen in SCREENS:
            if screen.method == "POST":
                assert (await desk.post(path_of(screen), csrf="0" * 64))[0] == 403, screen.path


async def test_what_belongs_to_another_account_is_not_there(plumbing, live_server, an_account, another_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    bob = await an_operator(plumbing, {another_account.account_id: Role.ADMIN})
    known = await things_of(plumbing, an_account)
    screens = [one for one in GUARDED if re.findall(r"\{(\w+)\}", one.path) and set(places(one)) <= known.keys()]
    assert len(screens) > 10
    seen = set()
    async with contextlib.AsyncExitStack() as stack:
        own = await stack.enter_async_context(signed_in(plumbing, live_server, ana))
        other = await stack.enter_async_context(signed_in(plumbing, live_server, bob))
        for screen in screens:
            path = path_of(screen, known)
            status = await called(other.http, other.token, screen, path)
            assert status == await called(other.http, other.token, screen, path_of(screen)), path
            # 400: the form is empty, whatever it is about; 303: there was nothing to let go of.
            assert status in ((404,) if screen.method == "GET" else (303, 400, 404)), (screen.method, path)
        for screen in screens:
            if screen.method == "GET" and "media" not in screen.path:
                status = await called(own.http, own.token, screen, path_of(screen, known))
                seen |= {screen.path} if status in (200, 303) else set()
    assert len(seen) > 4  # what the other did not find is really there


def places(screen) -> list[str]:
    return re.findall(r"\{(\w+)\}", screen.path)


async def things_of(plumbing, account) -> dict[str, str]:
    """A thing of each kind that an address may name."""
    customer_id = await a_customer(plumbing, account)
    config = {"webhook": {"url": "https://127.0.0.1:9/hook"}}
    transaction_id = await a_transaction(plumbing, account, customer_id, config=config)
    await submitted(plumbing, account, transaction_id)
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute("SELECT event_id FROM webhook_events LIMIT 1")
        event = await cursor.fetchone()
        assert event is not None
    return {
        "customer_id": str(customer_id),
        "transaction_id": str(transaction_id),
        "event_id": event["event_id"],
        "media_id": str(uuid4()),
    }
