"""Does POST /oauth/token keep to RFC 6749?"""

import base64

import aiohttp
import pytest
import structlog

from truename.accounts.clients import add_client, revoke_client
from truename.accounts.create import NameTaken, create_account
from truename.accounts.model import SCOPES
from truename.accounts.tokens import read_access_token
from truename.accounts.webhook_secrets import rotate_secret, secrets_in_force

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def encoded(text):
    return {"Authorization": "Basic " + base64.b64encode(text.encode()).decode()}


def basic(account):
    return encoded(f"{account.client_id}:{account.client_secret}")


def in_form(account):
    return {"client_id": account.client_id, "client_secret": account.client_secret}


@pytest.fixture
async def http(live_server):
    async with aiohttp.ClientSession(live_server) as session:
        yield session


async def post(http, data, headers=None):
    async with http.post("/oauth/token", data=data, headers=headers) as answer:
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.content_type == "application/json"
        return answer.status, await answer.json(), answer.headers


GRANT = {"grant_type": "client_credentials"}


async def test_basic_and_form_both_give_a_token(http, plumbing, an_account):
    for data, headers in ((GRANT, basic(an_account)), ({**GRANT, **in_form(an_account)}, None)):
        status, body, _ = await post(http, data, headers)
        assert status == 200
        assert body == {
            "access_token": body["access_token"],
            "token_type": "Bearer",
            "expires_in": 3600,
            "scope": " ".join(SCOPES),
        }
        assert (await read_access_token(plumbing, body["access_token"])).account_id == an_account.account_id


async def test_a_sign_in_leaves_a_line_without_the_secret(http, an_account):
    with structlog.testing.capture_logs() as lines:
        assert (await post(http, GRANT, basic(an_account)))[0] == 200
    (line,) = [one for one in lines if one["event"] == "signed in" and one["client"] == an_account.client_id]
    assert line["account_id"] == str(an_account.account_id)
    assert an_account.client_secret not in str(lines)


async def test_a_client_may_ask_for_fewer_scopes(http, plumbing, an_account):
    _, body, _ = await post(http, {**GRANT, "scope": "transactions:read customers:read"}, basic(an_account))
    assert body["scope"] == "customers:read transactions:read"
    assert (await read_access_token(plumbing, body["access_token"])).scopes == {"customers:read", "transactions:read"}


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({}, "invalid_request"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": "CLIENT_CREDENTIALS"}, "unsupported_grant_type"),
        ({"grant_type": ""}, "invalid_request"),
        ({**GRANT, "scope": "customers:destroy"}, "invalid_scope"),
        ({**GRANT, "scope": "customers:read\tadmin"}, "invalid_scope"),
        ({**GRANT, "scope": " "}, "invalid_scope"),
        ({**GRANT, "client_secret": "x"}, "invalid_request"),
        ({**GRANT, "client_id": "another"}, "invalid_request"),
        ([*GRANT.items(), *GRANT.items()], "invalid_request"),
    ],
)
async def test_what_is_wrong_is_named_by_the_standard(http, an_account, form, error):
    status, body, _ = await post(http, aiohttp.FormData(form)() if form else b"", {**basic(an_account), **FORM})
    assert (status, body["error"]) == (400, error)


async def test_a_scope_that_the_client_lacks_is_refused(http, plumbing, an_account):
    async with plumbing.database.system() as connection:
        made = await add_client(connection, an_account.account_id, ["customers:read"], actor="operator")
    form = {**GRANT, "client_id": made.client.client_id, "client_secret": made.client_secret}
    assert (await post(http, form))[1]["scope"] == "customers:read"
    assert (await post(http, {**form, "scope": "customers:write"}))[1]["error"] == "invalid_scope"


async def test_wrong_credentials_are_challenged(http, plumbing, an_account):
    async with plumbing.database.system() as connection:
        made = await add_client(connection, an_account.account_id, actor="operator")
        revoked, secret = made.client.client_id, made.client_secret
        await revoke_client(connection, an_account.account_id, revoked, actor="operator")
    for headers, form in (
        (encoded(f"{an_account.client_id}:wrong"), {}),
        (encoded(f"nobody:{an_account.client_secret}"), {}),
        (encoded(f"{revoked}:{secret}"), {}),
        (encoded("no colon"), {}),
        (encoded("a\x00b:c"), {}),
        ({"Authorization": "Basic ???"}, {}),
        ({"Authorization": basic(an_account)["Authorization"].replace("Basic", "Bearer")}, {}),
        ({}, {}),
        ({}, {"client_id": an_account.client_id}),
        ({}, {"client_id": an_account.client_id, "client_secret": "wrong"}),
    ):
        status, body, answer = await post(http, {**GRANT, **form}, headers)
        assert (status, body["error"]) == (401, "invalid_client")
        assert answer["WWW-Authenticate"].startswith("Basic ")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'{"grant_type": "client_credentials"}', "application/json"),
        (b"grant_type=client_credentials", "text/plain"),
        (b"\xff\xfe=1", "application/x-www-form-urlencoded"),
        (b"grant_type=%ff", "application/x-www-form-urlencoded"),
        (b"grant_type", "application/x-www-form-urlencoded"),
        (b"a=" + b"x" * 100_000, "application/x-www-form-urlencoded"),
        (
            b"grant_type=client_credentials" + b"".join(b"&%d=" % one for one in range(200)),
            "application/x-www-form-urlencoded",
        ),
    ],
)
async def test_a_body_that_is_no_form_is_an_invalid_request(http, an_account, body, kind):
    status, answer, _ = await post(http, body, {**basic(an_account), "Content-Type": kind})
    assert (status, answer["error"]) == (400, "invalid_request")


async def test_the_published_keys_verify_a_token(http, an_account):
    from joserfc import jwt
    from joserfc.jwk import KeySet

    _, body, _ = await post(http, GRANT, basic(an_account))
    async with http.get("/.well-known/jwks.json") as answer:
        keys = KeySet.import_key_set(await answer.json())
    assert jwt.decode(body["access_token"], keys, algorithms=["EdDSA"]).claims["client_id"] == an_account.client_id


async def test_secrets_are_kept_only_as_hash_or_sealed(plumbing, an_account):
    async with plumbing.database.system() as connection:
        for table in ("clients", "webhook_secrets", "accounts"):
            cursor = await connection.execute(f"SELECT {table}::text AS row FROM {table}")
            everything = " ".join(row["row"] for row in await cursor.fetchall())
            assert an_account.client_secret not in everything
            assert an_account.webhook_secret not in everything
            assert an_account.webhook_secret.encode().hex() not in everything


async def test_two_secrets_sign_while_one_is_replaced(plumbing, an_account):
    async with plumbing.database.account(an_account.account_id) as connection:
        fresh = await rotate_secret(connection, plumbing.vault, an_account.account_id)
        in_force = await secrets_in_force(connection, plumbing.vault, an_account.account_id)
        assert in_force == [fresh, an_account.webhook_secret]
        await connection.execute("UPDATE webhook_secrets SET expires_at = now() WHERE expires_at IS NOT NULL")
        assert await secrets_in_force(connection, plumbing.vault, an_account.account_id) == [fresh]


async def test_a_name_is_taken_once(plumbing, an_account):
    async with plumbing.database.account(an_account.account_id) as connection:
        name = (await (await connection.execute("SELECT name FROM accounts")).fetchone())["name"]
    with pytest.raises(NameTaken):
        await create_account(plumbing, name)
    for bad in ("", "  ", "a\nb", "x" * 201):
        with pytest.raises(ValueError, match="printable"):
            await create_account(plumbing, bad)
