"""When does a session of the dashboard end, which others end with it, and what may be done in one?"""

import re

import pyotp
import pytest

from tests.support.dashboard import PASSWORD, SESSION, Desk, a_session, an_operator, form_token, signed_in
from truename.accounts.model import AccountSettings
from truename.accounts.store import account_settings, change_settings
from truename.dashboard.forms import csrf_token
from truename.operators.change import disable_operator, take_role
from truename.operators.model import Role
from truename.operators.sessions import list_sessions

SIGN_IN = "/dashboard/sign-in"


@pytest.fixture
async def ana(plumbing, an_account):
    return await an_operator(plumbing, {an_account.account_id: Role.ADMIN}, name="Ana")


async def test_another_second_factor_ends_every_other_session(plumbing, live_server, ana):
    async with signed_in(plumbing, live_server, ana) as desk, signed_in(plumbing, live_server, ana) as other:
        await desk.post_for_location("/dashboard/me/totp", password=PASSWORD)
        (secret,) = re.findall(
            r'<code class="wrap">([A-Z2-7]{32})</code>', (await desk.get("/dashboard/me/security"))[1]
        )
        assert (await other.get("/dashboard/me/security"))[0] == 200
        assert (await desk.post("/dashboard/me/totp/confirm", code=pyotp.TOTP(secret).now()))[0] == 200
        assert [(await one.get("/dashboard/me/security"))[0] for one in (other, desk)] == [303, 200]
        async with signed_in(plumbing, live_server, ana) as third:
            await desk.post_for_location("/dashboard/me/totp/remove", password=PASSWORD)
            assert [(await one.get("/dashboard/me/security"))[0] for one in (third, desk)] == [303, 200]


async def test_signing_out_ends_the_session_for_good(plumbing, live_server, ana):
    async with signed_in(plumbing, live_server, ana) as desk:
        token = desk.token
        sent = {"csrf": csrf_token(token)}
        async with desk.http.post("/dashboard/sign-out", data=sent, allow_redirects=False) as answer:
            assert (answer.status, answer.headers["Location"]) == (303, SIGN_IN)
            assert answer.headers["Clear-Site-Data"] == '"cache", "storage"'
        desk.http.cookie_jar.update_cookies({SESSION: token})
        assert (await desk.get("/dashboard/me/security"))[0] == 303


async def test_a_new_password_ends_every_other_session(plumbing, live_server, ana):
    async with signed_in(plumbing, live_server, ana) as desk, signed_in(plumbing, live_server, ana) as other:
        fields = {"password": PASSWORD, "new_password": "short"}
        assert (await desk.post("/dashboard/me/password", **fields))[0] == 400
        fields["new_password"] = "passwordpassword"
        assert "among the first" in (await desk.post("/dashboard/me/password", **fields))[1]
        fields["new_password"] = "quite another sentence, 2026"
        before = desk.token
        await desk.post_for_location("/dashboard/me/password", **fields)
        assert desk.token != before
        assert (await desk.get("/dashboard/me/security"))[0] == 200
        assert (await other.get("/dashboard/me/security"))[0] == 303


@pytest.mark.parametrize("column", ["seen_at", "created_at"])
async def test_a_session_ends_by_idling_and_by_age(plumbing, live_server, ana, column):
    async with signed_in(plumbing, live_server, ana) as desk:
        assert (await desk.get("/dashboard/me/security"))[0] == 200
        async with plumbing.database.system() as connection:
            query = f"UPDATE operator_sessions SET {column} = now() - interval '13 hours' WHERE operator_id = %s"
            await connection.execute(query, (ana.operator_id,))
        assert (await desk.get("/dashboard/me/security"))[0] == 303


async def test_a_session_of_a_clock_that_was_ahead_is_over_when_it_is_set_back(plumbing, live_server, ana):
    """It would live for as long as the clock was ahead, however long nobody sits there."""
    async with signed_in(plumbing, live_server, ana) as desk:
        async with plumbing.database.system() as connection:
            await connection.execute(
                "UPDATE operator_sessions SET seen_at = seen_at + interval '10 days', "
                "created_at = created_at + interval '10 days' WHERE operator_id = %s",
                (ana.operator_id,),
            )
        assert (await desk.get("/dashboard/me/security"))[0] == 303
        async with plumbing.database.system() as connection:
            assert await list_sessions(connection, plumbing.settings, ana.operator_id) == []


async def test_who_is_disabled_or_has_lost_the_role_is_out_at_the_next_click(plumbing, live_server, an_account, ana):
    async with signed_in(plumbing, live_server, ana) as desk:
        async with plumbing.database.system() as connection:
            await take_role(connection, ana.operator_id, an_account.account_id, by="test")
        assert (await desk.get("/dashboard/me/security"))[0] == 403
        async with plumbing.database.system() as connection:
            await disable_operator(connection, ana, by="test")
        assert (await desk.get("/dashboard/me/security"))[0] == 303


async def test_a_change_needs_the_page_of_this_session_and_account(plumbing, live_server, an_account, another_account):
    both = {an_account.account_id: Role.ADMIN, another_account.account_id: Role.VIEWER}
    bea = await an_operator(plumbing, both)
    async with signed_in(plumbing, live_server, bea) as desk:
        other = Desk(desk.http, await a_session(plumbing, bea))
        path = "/dashboard/me/preferences"
        fields = {"time_zone": "Europe/Berlin"}
        assert (await desk.post(path, csrf="", **fields))[0] == 403
        assert (await other.post(path, **fields))[0] == 403
        for header in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
            sent = {"csrf": csrf_token(desk.token), **fields}
            async with desk.http.post(path, data=sent, headers=header, allow_redirects=False) as answer:
                assert answer.status == 403, header
        before = desk.token
        await desk.post_for_location("/dashboard/account", account_id=str(another_account.account_id))
        assert desk.token != before  # a page of the account before can change nothing any more
        assert (await Desk(desk.http, before).post(path, **fields))[0] == 403
        assert (await desk.post(path, **fields))[0] == 303
        assert "You are viewer here" in (await desk.get("/dashboard/me/security"))[1]
        assert "Europe/Berlin (UTC+" in (await desk.get("/dashboard/me/security"))[1]
        stranger = "00000000-0000-0000-0000-000000000001"
        assert (await desk.post("/dashboard/account", account_id=stranger))[0] == 404


async def test_a_form_of_an_account_that_was_lost_does_nothing_in_another(
    plumbing, live_server, an_account, another_account
):
    both = {an_account.account_id: Role.ADMIN, another_account.account_id: Role.ADMIN}
    bea = await an_operator(plumbing, both)
    async with signed_in(plumbing, live_server, bea) as desk:
        await desk.post_for_location("/dashboard/account", account_id=str(another_account.account_id))
        path, fields = "/dashboard/settings/retention", {"retention_days": "1"}
        page = f'data-account="{another_account.account_id}"'
        assert page in (await desk.get("/dashboard/settings"))[1]
        async with plumbing.database.system() as connection:
            await take_role(connection, bea.operator_id, another_account.account_id, by="test")
        assert (await desk.post(path, **fields))[0] == 403
        async with plumbing.database.account(an_account.account_id) as connection:
            assert (await account_settings(connection, an_account.account_id)).retention_days is None
        before = desk.token
        async with desk.http.get("/dashboard/settings", allow_redirects=False) as answer:
            desk.token = answer.cookies[SESSION].value
            assert answer.headers["Location"] == "/dashboard/settings"
        text = (await desk.get("/dashboard/settings"))[1]
        assert f'data-account="{an_account.account_id}"' in text
        assert (desk.token != before, form_token(text)) == (True, csrf_token(desk.token))
        assert (await Desk(desk.http, before).post(path, **fields))[0] == 403
        assert (await desk.post(path, **fields))[0] == 303


async def test_an_account_may_demand_a_second_factor(plumbing, live_server, an_account, ana):
    async with plumbing.database.account(an_account.account_id) as connection:
        await change_settings(connection, an_account.account_id, AccountSettings(require_second_factor=True))
    async with signed_in(plumbing, live_server, ana) as desk:
        async with desk.http.get("/dashboard", allow_redirects=False) as answer:
            assert answer.headers["Location"] == "/dashboard/me/security"
        assert "asks for a second factor" in (await desk.get("/dashboard/me/security"))[1]
        media = "/dashboard/media/00000000-0000-0000-0000-000000000001"
        async with desk.http.get(media, allow_redirects=False) as answer:
            assert answer.headers["Location"] == "/dashboard/me/security"
    async with signed_in(plumbing, live_server, ana, second_factor=True) as desk:
        assert (await desk.get(media))[0] == 404
