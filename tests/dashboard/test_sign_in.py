"""Sign in, be slowed down, come in with a code, leave; and what a session does not survive."""

import re
import time
from dataclasses import replace
from types import SimpleNamespace

import aiohttp
import httpx
import pyotp
import pytest
from starlette.requests import Request

from tests.support.dashboard import PASSWORD, SESSION, an_operator, form_token, signed_in
from truename.api.app import create_app
from truename.dashboard.forms import Form, csrf_token
from truename.dashboard.routes import routes
from truename.dashboard.sign_in import post_passkey
from truename.dashboard.visit import Stranger
from truename.operators.change import create_operator, set_password
from truename.operators.model import Origin, Role
from truename.operators.sign_in import slow_down
from truename.plumbing.database.ids import new_id
from truename.plumbing.errors import TooMany
from truename.plumbing.http.rate_limits import RateLimiter, charging

SIGN_IN = "/dashboard/sign-in"


@pytest.fixture
async def stranger(live_server):
    async with aiohttp.ClientSession(live_server, cookie_jar=aiohttp.CookieJar(unsafe=True)) as http:
        yield http


@pytest.fixture
async def ana(plumbing, an_account):
    return await an_operator(plumbing, {an_account.account_id: Role.ADMIN}, name="Ana")


async def tried(http, email, password, **more) -> tuple[int, str, dict]:
    async with http.get(SIGN_IN) as page:
        token = form_token(await page.text())
    fields = {"csrf": token, "email": email, "password": password, **more}
    async with http.post(SIGN_IN, data=fields, allow_redirects=False) as answer:
        return answer.status, await answer.text(), dict(answer.headers)


async def lines_of(plumbing, account_id) -> list[tuple[str, str]]:
    async with plumbing.database.account(account_id) as connection:
        cursor = await connection.execute("SELECT action, actor FROM audit_log ORDER BY sequence")
        return [(row["action"], row["actor"]) for row in await cursor.fetchall()]


async def test_a_password_opens_the_page_that_was_asked_for_and_leaves_a_line(plumbing, an_account, stranger, ana):
    async with stranger.get("/dashboard/me/security?x=1", allow_redirects=False) as page:
        assert page.status == 303
        assert page.headers["Location"] == f"{SIGN_IN}?next=/dashboard/me/security%3Fx%3D1"
    status, _, headers = await tried(stranger, ana.email.upper(), PASSWORD, next="/dashboard/me/security?x=1")
    assert (status, headers["Location"]) == (303, "/dashboard/me/security?x=1")
    async with stranger.get("/dashboard/me/security") as page:
        text = await page.text()
        assert page.status == 200
        assert page.headers["Cache-Control"] == "no-store"
        assert "'unsafe" not in page.headers["Content-Security-Policy"]
    assert "Ana" in text
    assert "LIVE" in text
    assert ("operator.signed_in", ana.actor) in await lines_of(plumbing, an_account.account_id)


async def test_the_session_cookie_is_out_of_reach_of_scripts_and_other_sites(stranger, ana):
    async with stranger.get(SIGN_IN) as page:
        token = form_token(await page.text())
    sent = {"csrf": token, "email": ana.email, "password": PASSWORD}
    async with stranger.post(SIGN_IN, data=sent, allow_redirects=False) as answer:
        cookie = next(one for one in answer.headers.getall("Set-Cookie") if one.startswith(SESSION))
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/" in cookie


async def test_behind_tls_cookies_are_of_this_host_alone_and_browsers_never_try_without(plumbing, ana):
    public = replace(
        plumbing, settings=plumbing.settings.model_copy(update={"public_url": "https://verify.example.com"})
    )
    transport = httpx.ASGITransport(create_app(public, routes))
    async with httpx.AsyncClient(transport=transport, base_url="https://verify.example.com") as http:
        page = await http.get(SIGN_IN)
        assert page.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
        fields = {"csrf": form_token(page.text), "email": ana.email, "password": PASSWORD}
        assert (await http.post(SIGN_IN, data=fields, headers={"Origin": "https://evil.example"})).status_code == 403
        answer = await http.post(SIGN_IN, data=fields, headers={"Origin": "https://verify.example.com"})
        assert answer.status_code == 303
        kept = [one for one in answer.headers.get_list("Set-Cookie") if "Max-Age=0" not in one]
        assert len(kept) >= 2
        for cookie in kept:
            assert cookie.startswith("__Host-truename-")
            assert {"Secure", "HttpOnly", "Path=/"} <= {part.strip() for part in cookie.split(";")}
            assert "Domain" not in cookie


@pytest.mark.parametrize(
    "back", ["https://evil.example/", "//evil.example", "/\\evil.example", "/dashboard/../x", "/other", "javascript:1"]
)
async def test_nobody_is_sent_elsewhere_after_the_sign_in(stranger, ana, back):
    _, _, headers = await tried(stranger, ana.email, PASSWORD, next=back)
    assert headers["Location"] == "/dashboard"


async def test_a_wrong_password_and_an_unknown_person_get_the_same_answer(plumbing, an_account, stranger, ana):
    wrong = await tried(stranger, ana.email, "not the password")
    unknown = await tried(stranger, "nobody@example.com", "not the password")
    blank = re.compile(r'value="[^"]*"')
    assert wrong[0] == unknown[0] == 401
    assert blank.sub("", wrong[1]) == blank.sub("", unknown[1])
    assert ("sign_in.failed", "stranger") in await lines_of(plumbing, an_account.account_id)


async def test_no_address_of_a_guesser_is_kept_in_plain(plumbing, an_account, stranger, ana):
    assert (await tried(stranger, ana.email, "not the password"))[0] == 401
    wrong = {"grant_type": "client_credentials", "client_id": an_account.client_id, "client_secret": "wrong"}
    async with stranger.post("/oauth/token", data=wrong) as answer:
        assert answer.status == 401
    async with plumbing.database.system() as connection:
        cursor = await connection.execute("SELECT bucket FROM rate_limits")
        buckets = [row["bucket"] for row in await cursor.fetchall()]
    for kind in ("operator-address:", "operator-email:", "wrong-secret:address:"):
        assert any(bucket.startswith(kind) for bucket in buckets), kind
    assert not [bucket for bucket in buckets if "127.0.0.1" in bucket or "@" in bucket]


async def test_guesses_are_slowed_down_but_the_owner_still_comes_in(plumbing, live_server, stranger, ana):
    assert (await tried(stranger, ana.email, PASSWORD))[0] == 303  # this browser is known from now on
    async with aiohttp.ClientSession(live_server, cookie_jar=aiohttp.CookieJar(unsafe=True)) as guesser:
        statuses = [(await tried(guesser, ana.email, f"guess number {n}"))[0] for n in range(11)]
        assert statuses == [401] * 9 + [429] * 2  # the first sign-in counted, too
        assert (await tried(guesser, ana.email, PASSWORD))[0] == 429
    assert (await tried(stranger, ana.email, PASSWORD))[0] == 303


async def test_a_cookie_that_is_none_of_ours_is_a_wrong_one_and_no_fault(live_server, stranger, ana):
    async with stranger.get(SIGN_IN) as page:
        token, visitor = form_token(await page.text()), page.cookies["truename-visitor"].value
    for path, name, sent in (
        (SIGN_IN, "truename-device", {"email": ana.email, "password": "not the password"}),
        (f"{SIGN_IN}/code", "truename-step", {"code": "000000"}),
        (f"{SIGN_IN}/passkey", "truename-step", {"credential": "[" * 50_000}),
        (f"{SIGN_IN}/passkey", "truename-step", {"credential": '{"id":1,"rawId":2,"type":3,"response":{}}'}),
    ):
        headers = {"Cookie": f"truename-visitor={visitor}; {name}=\u00e9\u00e8"}
        async with (
            aiohttp.ClientSession(live_server, cookie_jar=aiohttp.DummyCookieJar()) as bare,
            bare.post(path, data={"csrf": token, **sent}, headers=headers) as answer,
        ):
            assert answer.status == 401, path


async def test_a_notice_with_more_digits_than_a_number_has_is_no_fault(stranger):
    for number in ("9" * 5000, "٣", "-1", ""):
        async with stranger.get(SIGN_IN, headers={"Cookie": f"truename-notice=assigned.{number}"}) as page:
            assert page.status == 200


async def test_passkeys_that_prove_nothing_are_slowed_down(plumbing):
    few = replace(plumbing, settings=plumbing.settings.model_copy(update={"dashboard_attempts_per_minute": 3}))
    state = SimpleNamespace(rate_limiter=RateLimiter(charging(plumbing.database)))
    scope = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": []}
    request = Request({**scope, "client": ("2001:db8:88::1", 1), "app": SimpleNamespace(state=state)})
    sent = Stranger(request, few, Form({"credential": ("{}",)}), "somebody")
    assert [(await post_passkey(sent)).status_code for _ in range(4)] == [401, 401, 401, 429]


async def test_a_password_that_somebody_else_made_opens_nothing_until_another_is_chosen(
    plumbing, an_account, live_server, stranger
):
    given, chosen = "the admin knows this one well", "only its owner knows this one"
    async with plumbing.database.system() as connection:
        roles = [(an_account.account_id, Role.VIEWER)]
        eve = await create_operator(connection, f"{new_id()}@example.com", given, roles, given=True)
    assert (await tried(stranger, eve.email, given))[0] == 303
    async with stranger.get("/dashboard/transactions", allow_redirects=False) as answer:
        assert answer.headers["Location"] == "/dashboard/me/security"
    async with stranger.get("/dashboard/me/security") as page:
        text = await page.text()
    assert "Somebody else made your password" in text
    change = {"csrf": form_token(text), "password": given, "new_password": given}
    async with stranger.post("/dashboard/me/password", data=change, allow_redirects=False) as answer:
        assert answer.status == 400
    change["new_password"] = chosen
    async with stranger.post("/dashboard/me/password", data=change, allow_redirects=False) as answer:
        assert answer.status == 303
    async with stranger.get("/dashboard/transactions") as answer:
        assert answer.status == 200
    async with plumbing.database.system() as connection:
        await set_password(connection, eve, given, by="test", given=True)
        query = "UPDATE operators SET password_given_at = now() - interval '8 days' WHERE operator_id = %s"
        await connection.execute(query, (eve.operator_id,))
    assert (await tried(stranger, eve.email, given))[0] == 401  # nobody has used it for a week


async def test_one_address_may_not_try_many_people(plumbing):
    few = replace(plumbing, settings=plumbing.settings.model_copy(update={"dashboard_attempts_per_minute": 3}))
    limiter = RateLimiter(charging(plumbing.database))
    origin = Origin("2001:db8:77::1", "", "")
    for number in range(3):
        await slow_down(few, limiter, origin, f"{number}@example.com", None)
    with pytest.raises(TooMany):
        await slow_down(few, limiter, replace(origin, address="2001:db8:77::2"), "4@example.com", None)


async def test_codes_are_asked_for_once_they_are_on_and_work_once(plumbing, live_server, stranger, ana):
    async with signed_in(plumbing, live_server, ana) as desk:
        assert (await desk.post("/dashboard/me/totp", password="wrong"))[0] == 400
        await desk.post_for_location("/dashboard/me/totp", password=PASSWORD)
        page = (await desk.get("/dashboard/me/security"))[1]
        (secret,) = re.findall(r'<code class="wrap">([A-Z2-7]{32})</code>', page)
        assert (await desk.get("/dashboard/me/totp.svg"))[0] == 200
        used = pyotp.TOTP(secret).now()  # of the next half minute it would be another, which nobody has used
        status, page = await desk.post("/dashboard/me/totp/confirm", code=used)
        assert status == 200
        recovery = re.findall(r"<li><code>([a-z2-9]{5}(?:-[a-z2-9]{5}){5})</code>", page)
        assert len(recovery) == 10
        assert secret not in (await desk.get("/dashboard/me/security"))[1]
        assert (await desk.get("/dashboard/me/totp.svg"))[0] == 404

    status, page, _ = await tried(stranger, ana.email, PASSWORD)
    assert status == 200
    assert "One more step" in page
    later = pyotp.TOTP(secret).at(_step_ahead())
    answers = []
    for code in (used, "000000", later, later):
        sent = {"csrf": form_token(page), "code": code}
        async with stranger.post(f"{SIGN_IN}/code", data=sent, allow_redirects=False) as answer:
            answers.append(answer.status)
        if answers[-1] == 303:
            _, page, _ = await tried(stranger, ana.email, PASSWORD)
    assert answers == [401, 401, 303, 401]  # used at the set-up, wrong, right, used
    for expected in (303, 401):
        _, page, _ = await tried(stranger, ana.email, PASSWORD)
        sent = {"csrf": form_token(page), "code": recovery[3]}
        async with stranger.post(f"{SIGN_IN}/code", data=sent, allow_redirects=False) as answer:
            assert answer.status == expected


async def test_neither_a_stolen_session_nor_a_stolen_password_is_a_place_to_guess_at(
    plumbing, live_server, stranger, ana
):
    async with signed_in(plumbing, live_server, ana) as desk:
        before = desk.token
        await desk.post_for_location("/dashboard/me/totp", password=PASSWORD)
        (secret,) = re.findall(
            r'<code class="wrap">([A-Z2-7]{32})</code>', (await desk.get("/dashboard/me/security"))[1]
        )
        status, page = await desk.post("/dashboard/me/totp/confirm", code=pyotp.TOTP(secret).now())
        assert status == 200
        assert desk.token != before  # what the session may do has changed
        assert form_token(page) == csrf_token(desk.token)
        guessed = [(await desk.post("/dashboard/me/totp/remove", password=f"guess {n}"))[0] for n in range(10)]
        assert guessed == [400] * 9 + [429]  # the right one counted, too
        assert (await desk.post("/dashboard/me/totp/remove", password=PASSWORD))[0] == 429
    answers = []
    for _ in range(3):  # each sign-in begins anew, and the codes of all are counted together
        _, page, _ = await tried(stranger, ana.email, PASSWORD)
        for code in ("000000", "000001", "000002", "000003"):
            async with stranger.post(f"{SIGN_IN}/code", data={"csrf": form_token(page), "code": code}) as answer:
                answers.append(answer.status)
    assert answers == [401] * 10 + [429] * 2


def _step_ahead() -> int:
    return int(time.time()) + 30


async def test_signing_in_again_ends_the_session_before_and_nothing_is_cut_off_a_password(plumbing, live_server, ana):
    jar = aiohttp.CookieJar(unsafe=True)
    async with signed_in(plumbing, live_server, ana) as desk:
        jar.update_cookies({SESSION: desk.token})
        async with aiohttp.ClientSession(live_server, cookie_jar=jar) as browser:
            assert (await tried(browser, ana.email, PASSWORD + "x" * 200))[0] == 401
            assert (await desk.get("/dashboard/me/security"))[0] == 200
            assert (await tried(browser, ana.email, PASSWORD))[0] == 303
        assert (await desk.get("/dashboard/me/security"))[0] == 303
