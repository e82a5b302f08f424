"""When does a session of the dashboard end, and which others end with it?"""

import re

import pyotp
import pytest

from tests.support.dashboard import PASSWORD, SESSION, an_operator, signed_in
from truename.dashboard.forms import csrf_token
from truename.operators.model import Role

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
