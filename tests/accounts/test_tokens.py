"""Is every token read without mercy?"""

import base64
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import orjson
import pytest
from joserfc import jwt
from joserfc.jwk import OctKey, OKPKey

from truename.accounts.authentication import authenticate
from truename.accounts.model import SCOPES
from truename.accounts.signing_keys import SigningKeys, forget_retired, public_keys, rotate, signing_keys
from truename.accounts.tokens import issue_access_token, issue_sdk_token, read_access_token, read_sdk_token
from truename.plumbing import clock
from truename.plumbing.database.ids import new_id
from truename.plumbing.errors import NotAuthenticated, ScopeMissing


@pytest.fixture
async def token(plumbing, an_account):
    return await issue_access_token(plumbing, an_account.account_id, an_account.client_id, SCOPES)


def parts(token):
    def decoded(text):
        return orjson.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))

    head, body, _ = token.split(".")
    return decoded(head), decoded(body)


async def forged(plumbing, token, *, header=None, claims=None, key=None):
    head, body = parts(token)
    signer = key or await signing_keys(plumbing).signing_key()
    return jwt.encode({**head, **(header or {})}, {**body, **(claims or {})}, signer, algorithms=["EdDSA", "HS256"])


async def test_an_access_token_follows_rfc_9068(plumbing, an_account, token):
    header, claims = parts(token)
    keys = signing_keys(plumbing)
    assert header == {"alg": "EdDSA", "typ": "at+jwt", "kid": (await keys.signing_key()).kid}
    assert set(claims) >= {"iss", "aud", "sub", "client_id", "scope", "exp", "iat", "jti"}
    assert claims["exp"] - claims["iat"] == 3600
    assert claims["scope"].split() == list(SCOPES)
    read = await read_access_token(plumbing, token)
    assert (read.account_id, read.client_id) == (an_account.account_id, an_account.client_id)


async def test_each_kind_of_token_is_refused_in_place_of_the_other(plumbing, an_account, token):
    transaction = new_id()
    sdk = await issue_sdk_token(plumbing, an_account.account_id, transaction, datetime.now(UTC) + timedelta(minutes=5))
    claims = await read_sdk_token(plumbing, sdk)
    assert (claims.account_id, claims.transaction_id) == (an_account.account_id, transaction)
    for _ in range(2):  # the second time both are remembered as good
        with pytest.raises(NotAuthenticated):
            await read_access_token(plumbing, sdk)
        await read_access_token(plumbing, token)
        with pytest.raises(NotAuthenticated):
            await read_sdk_token(plumbing, token)


LONG_AGO, FAR_AHEAD = 1_700_000_000, 99_999_999_999


@pytest.mark.parametrize(
    "change",
    [
        {"header": {"typ": "JWT"}},
        {"header": {"typ": "AT+JWT"}},
        {"header": {"kid": "unknown"}},
        {"claims": {"exp": LONG_AGO}},
        {"claims": {"exp": "99999999999"}},
        {"claims": {"exp": 99999999999.0}},
        {"claims": {"exp": True}},
        {"claims": {"exp": None}},
        {"claims": {"iat": FAR_AHEAD}},
        {"claims": {"aud": ["truename", "sdk"]}},
        {"claims": {"aud": "sdk"}},
        {"claims": {"iss": "http://elsewhere"}},
        {"claims": {"iss": "http://localhost:8000/"}},
        {"claims": {"iss": None}},
        {"claims": {"account_id": "nobody"}},
        {"claims": {"scope": ["admin"]}},
        {"key": "a stranger's"},
    ],
    ids=str,
)
async def test_a_token_that_differs_in_one_point_is_refused(plumbing, token, change):
    assert await read_access_token(plumbing, await forged(plumbing, token))
    if "key" in change:
        change = {"key": OKPKey.generate_key("Ed25519")}
    with pytest.raises(NotAuthenticated):
        await read_access_token(plumbing, await forged(plumbing, token, **change))


async def test_processes_of_one_database_trust_each_other_whatever_their_ports(plumbing, token):
    neighbour = await forged(plumbing, token, claims={"iss": "http://localhost:1"})
    assert await read_access_token(plumbing, neighbour) == await read_access_token(plumbing, token)


async def test_with_a_public_address_only_tokens_of_that_address_are_read(plumbing, token):
    settings = plumbing.settings.model_copy(update={"public_url": "https://verify.example.com"})
    public = replace(plumbing, settings=settings)
    assert await read_access_token(public, await forged(plumbing, token, claims={"iss": settings.public_url}))
    with pytest.raises(NotAuthenticated):
        await read_access_token(public, token)


async def test_a_token_signed_with_our_public_key_as_a_shared_secret_is_refused(plumbing, token):
    public = str((await signing_keys(plumbing).signing_key()).as_dict(private=False)["x"]).encode()
    forgery = await forged(plumbing, token, header={"alg": "HS256"}, key=OctKey.import_key(public))
    with pytest.raises(NotAuthenticated):
        await read_access_token(plumbing, forgery)


@pytest.fixture
async def sdk_token(plumbing, an_account):
    ends = datetime.now(UTC) + timedelta(minutes=5)
    return await issue_sdk_token(plumbing, an_account.account_id, new_id(), ends)


async def test_an_sdk_token_is_vouched_for_by_a_secret_that_is_never_published(plumbing, sdk_token):
    keys = signing_keys(plumbing)
    kid = str((await keys.signing_key()).kid)
    assert parts(sdk_token)[0] == {"alg": "HS256", "typ": "sdk+jwt", "kid": kid}
    assert len(keys.sdk_secrets[kid].raw_value) == 32, "as many bytes as the signature has (RFC 7518, 3.2)"
    secret = base64.urlsafe_b64encode(keys.sdk_secrets[kid].raw_value).rstrip(b"=").decode()
    assert secret not in str(public_keys(keys))
    assert secret not in str((await keys.signing_key()).as_dict(private=True))
    elsewhere = replace(plumbing)  # as another process, which has to ask for the secret
    assert await read_sdk_token(elsewhere, sdk_token) == await read_sdk_token(plumbing, sdk_token)


async def test_the_secret_of_sdk_tokens_vouches_for_nothing_else(plumbing, token, sdk_token):
    keys = signing_keys(plumbing)
    signer = await keys.signing_key()
    secret = keys.sdk_secrets[str(signer.kid)]
    with pytest.raises(NotAuthenticated):
        await read_access_token(plumbing, await forged(plumbing, token, header={"alg": "HS256"}, key=secret))
    public = OctKey.import_key(str(signer.as_dict(private=False)["x"]).encode())
    stranger = OctKey.generate_key(256)
    for key in (public, stranger):
        with pytest.raises(NotAuthenticated):
            await read_sdk_token(plumbing, await forged(plumbing, sdk_token, key=key))
    for change in ({"typ": "at+jwt"}, {"kid": "unknown"}, {"alg": "HS384"}):
        head, body = parts(sdk_token)
        changed = jwt.encode({**head, **change}, body, secret, algorithms=["HS256", "HS384"])
        with pytest.raises(NotAuthenticated):
            await read_sdk_token(plumbing, changed)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    sibling = sdk_token[:-1] + alphabet[alphabet.index(sdk_token[-1]) ^ 1]
    for other in (f"{sdk_token}=", sdk_token[:-1], sdk_token + "A" * 43, sibling):
        with pytest.raises(NotAuthenticated):
            await read_sdk_token(plumbing, other)


async def test_a_key_of_a_version_before_signs_sdk_tokens_itself_which_that_version_can_read(plumbing, an_account):
    keys = signing_keys(plumbing)
    kid = str((await keys.signing_key()).kid)
    secret, keys.sdk_signer = keys.sdk_secrets.pop(kid), None
    transaction = new_id()
    ends = datetime.now(UTC) + timedelta(minutes=5)
    signed = await issue_sdk_token(plumbing, an_account.account_id, transaction, ends)
    assert parts(signed)[0]["alg"] == "EdDSA"
    assert (await read_sdk_token(plumbing, signed)).transaction_id == transaction
    await rotate(plumbing)
    keys.sdk_secrets[kid] = secret  # others have tokens of it
    assert parts(await issue_sdk_token(plumbing, an_account.account_id, transaction, ends))[0]["alg"] == "HS256"
    assert (await read_sdk_token(plumbing, signed)).transaction_id == transaction


async def test_other_spellings_of_a_good_token_are_refused(plumbing, token):
    head, body, signature = token.split(".")
    last = signature[-1]
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    sibling = alphabet[alphabet.index(last) ^ 1]
    none = base64.urlsafe_b64encode(b'{"alg":"none","typ":"at+jwt"}').decode().rstrip("=")
    for other in (
        f"{token}=",
        f"{token}==",
        f"{token}\n",
        f" {token}",
        f"{head}.{body}",
        f"{head}.{body}.",
        f"{none}.{body}.",
        f"{head}.{body}.{signature[:-1]}{sibling}",
        f"{head}.{body}.{signature[:-2]}",
        f"{head}..{signature}",
        token.replace(".", "..", 1),
        "A" * 100_000,
        "",
        "é.é.é",
    ):
        with pytest.raises(NotAuthenticated):
            await read_access_token(plumbing, other)


async def test_a_remembered_token_still_expires(plumbing, token, monkeypatch):
    await read_access_token(plumbing, token)
    monkeypatch.setattr("truename.plumbing.clock._began", clock._began + 3601 * 10**9)
    with pytest.raises(NotAuthenticated, match="expired"):
        await read_access_token(plumbing, token)


async def test_a_missing_scope_is_named(plumbing, an_account):
    token = await issue_access_token(plumbing, an_account.account_id, an_account.client_id, ["customers:read"])

    class Request:
        def __init__(self):
            self.headers = {"authorization": f"bearer {token}"}

    caller = await authenticate(Request(), plumbing)
    assert caller.client_id == an_account.client_id
    caller.refuse_without("customers:read")
    with pytest.raises(ScopeMissing) as refused:
        caller.refuse_without("customers:write")
    assert 'error="insufficient_scope"' in refused.value.headers["WWW-Authenticate"]


async def test_a_token_is_worth_nothing_any_more_in_the_second_of_its_end(plumbing, token, monkeypatch):
    ends = parts(token)[1]["exp"]
    monkeypatch.setattr("truename.plumbing.clock._began", clock._began + ends * 10**9 - clock.nanoseconds())
    with pytest.raises(NotAuthenticated, match="expired"):
        await read_access_token(plumbing, token)


@pytest.mark.parametrize(
    ("header", "error"),
    [
        (None, ""),
        ("", ""),
        ("Basic abc", ""),
        ("Bearer", 'error="invalid_request"'),
        ("Bearer ", 'error="invalid_request"'),
        ("Bearer a b", 'error="invalid_token"'),
    ],
)
async def test_a_request_without_a_bearer_token_is_challenged_and_told_what_was_wrong_with_it(plumbing, header, error):
    class Request:
        def __init__(self):
            self.headers = {} if header is None else {"authorization": header}

    with pytest.raises(NotAuthenticated) as refused:
        await authenticate(Request(), plumbing)
    challenge = refused.value.headers["WWW-Authenticate"]
    assert challenge.startswith("Bearer ")
    assert error in challenge
    assert ("error=" in challenge) == bool(error)


async def test_keys_rotate_without_a_pause(plumbing, an_account, token):
    elsewhere = SigningKeys(plumbing)  # as another process has them, which does not know of the rotation
    old = (await elsewhere.signing_key()).kid
    new = await rotate(plumbing)
    fresh = await issue_access_token(plumbing, an_account.account_id, an_account.client_id, SCOPES)
    assert parts(fresh)[0]["kid"] == new != old
    assert await read_access_token(plumbing, token)
    assert await read_access_token(plumbing, fresh)
    assert (await elsewhere.verifying_key(new)) is not None
    assert {key["kid"] for key in public_keys(elsewhere)} >= {old, new}
    assert all("d" not in key for key in public_keys(elsewhere))


async def test_a_retired_key_stays_until_its_last_token_has_expired(plumbing, token):
    old = parts(token)[0]["kid"]
    await rotate(plumbing)
    async with plumbing.database.system() as connection:
        earlier = "UPDATE signing_keys SET retired_at = retired_at - interval '%s hours' WHERE kid = '%s'"
        await connection.execute(earlier % (23, old))
        assert await forget_retired(connection, plumbing) == 0
        await connection.execute(earlier % (2, old))
        assert await forget_retired(connection, plumbing) == 1
    await rotate(plumbing)
    with pytest.raises(NotAuthenticated):
        await read_access_token(plumbing, token)


async def test_private_keys_are_sealed_at_rest(plumbing, token):
    async with plumbing.database.system() as connection:
        cursor = await connection.execute("SELECT public_jwk, sealed FROM signing_keys")
        rows = await cursor.fetchall()
    assert parts(token)[0]["kid"] in {row["public_jwk"]["kid"] for row in rows}
    private = str((await signing_keys(plumbing).signing_key()).as_dict(private=True)["d"])
    for row in rows:
        assert "d" not in row["public_jwk"]
        assert b'"d"' not in bytes(row["sealed"])
        assert private.encode() not in bytes(row["sealed"])


async def test_a_check_costs_less_than_200_microseconds(plumbing, token):
    await read_access_token(plumbing, token)
    began = time.process_time()
    for _ in range(2000):
        await read_access_token(plumbing, token)
    assert (time.process_time() - began) / 2000 < 200e-6
