"""Access tokens for integrators (RFC 9068) and SDK tokens for one capture: issued, and read without mercy."""

import base64
import os
import re
import secrets
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final
from uuid import UUID

import orjson
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from joserfc import jwt
from joserfc.errors import JoseError, SecurityWarning
from joserfc.jwk import OctKey, OKPKey
from pydantic import JsonValue

from truename.accounts.model import SCOPES
from truename.accounts.signing_keys import ALGORITHM, SHARED_ALGORITHM, SigningKeys, signing_keys
from truename.plumbing import clock
from truename.plumbing.errors import NotAuthenticated, TokenExpired, TransactionExpired
from truename.plumbing.resources import Plumbing

# The name Ed25519 of RFC 9864 is too young for the libraries that integrators use to check our tokens.
warnings.filterwarnings("ignore", message="EdDSA is deprecated", category=SecurityWarning)

ACCESS_TYPE: Final = "at+jwt"
ACCESS_AUDIENCE: Final = "truename"
SDK_TYPE: Final = "sdk+jwt"
SDK_AUDIENCE: Final = "sdk"
LONGEST: Final = 4096
REMEMBERED: Final = 10_000
_FORM: Final = re.compile(r"\A[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.(?:[A-Za-z0-9_-]{86}|[A-Za-z0-9_-]{43})\Z")

_LOCAL_ISSUER: Final = re.compile(r"\Ahttp://localhost:[0-9]{1,5}\Z")


@dataclass(frozen=True)
class AccessClaims:
    """What an access token of ours says: for whom, for which client, with which scopes, until when."""

    account_id: UUID
    client_id: str
    scopes: frozenset[str]
    exp: int
    livemode: bool = True
    """False: the token acts for a sandbox account."""


@dataclass(frozen=True)
class SdkClaims:
    """What an SDK token of ours says: which transaction of which account, until when."""

    account_id: UUID
    transaction_id: UUID
    jti: str
    exp: int


async def issue_access_token(
    plumbing: Plumbing, account_id: UUID, client_id: str, scopes: Iterable[str], *, livemode: bool = True
) -> str:
    """A token of this client; one of a sandbox account says so itself, so that no call need ask the database."""
    moment = clock.seconds()
    claims: dict[str, JsonValue] = {
        "iss": plumbing.settings.base_url,
        "aud": ACCESS_AUDIENCE,
        "sub": client_id,
        "client_id": client_id,
        "account_id": str(account_id),
        "scope": scope_text(scopes),
        "iat": moment,
        "exp": moment + plumbing.settings.access_token_seconds,
        "jti": secrets.token_urlsafe(16),
    }
    if not livemode:
        claims["livemode"] = False
    return await _signed(plumbing, ACCESS_TYPE, claims)


async def issue_sdk_token(plumbing: Plumbing, account_id: UUID, transaction_id: UUID, expires_at: datetime) -> str:
    """A token that acts on this transaction only, and never outlives it.

    Whoever reads it is one of our own processes, so a secret that these share vouches for it (see `signing_keys`).
    """
    claims: dict[str, object] = {
        "iss": plumbing.settings.base_url,
        "aud": SDK_AUDIENCE,
        "sub": transaction_id,
        "account_id": account_id,
        "iat": clock.seconds(),
        "exp": int(expires_at.timestamp()),
        "jti": _base64url(os.urandom(16)).decode(),
    }
    keys = signing_keys(plumbing)
    await keys.signing_key()
    signer = keys.sdk_signer
    if signer is None:
        return await _signed(plumbing, SDK_TYPE, claims)
    signed = _header_of(signer.kid, SDK_TYPE, SHARED_ALGORITHM) + b"." + _base64url(orjson.dumps(claims))
    return (signed + b"." + _base64url(signer.sign(signed))).decode()


async def read_access_token(plumbing: Plumbing, token: str) -> AccessClaims:
    """Who calls; raises NotAuthenticated for anything but a valid access token of ours."""
    keys = signing_keys(plumbing)
    found = keys.verified.get(token)
    if not isinstance(found, AccessClaims):
        claims = await _verified(keys, token, ACCESS_TYPE, ACCESS_AUDIENCE, plumbing.settings.public_url)
        found = AccessClaims(
            _uuid(claims.get("account_id")),
            _text(claims.get("client_id")),
            frozenset(_text(claims.get("scope")).split()),
            _whole(claims.get("exp")),
            claims.get("livemode", True) is not False,
        )
        _remember(keys, token, found)
    _refuse_expired(found.exp)
    return found


async def read_sdk_token(plumbing: Plumbing, token: str) -> SdkClaims:
    """Which capture calls; raises NotAuthenticated for anything but a valid SDK token of ours."""
    keys = signing_keys(plumbing)
    found = keys.verified.get(token)
    if not isinstance(found, SdkClaims):
        claims = await _verified(keys, token, SDK_TYPE, SDK_AUDIENCE, plumbing.settings.public_url)
        found = SdkClaims(
            _uuid(claims.get("account_id")),
            _uuid(claims.get("sub")),
            _text(claims.get("jti")),
            _whole(claims.get("exp")),
        )
        _remember(keys, token, found)
    if clock.seconds() >= found.exp:
        raise TransactionExpired
    return found


def scope_text(scopes: Iterable[str]) -> str:
    """Scopes as one text, in their usual order."""
    given = set(scopes)
    return " ".join(scope for scope in SCOPES if scope in given)


async def _signed(plumbing: Plumbing, kind: str, claims: Mapping[str, object]) -> str:
    # Written out here (RFC 7515 §7.1): the library takes three times as long.
    key = await signing_keys(plumbing).signing_key()
    private = key.raw_value
    if not isinstance(private, Ed25519PrivateKey):
        raise LookupError("The signing key is not an Ed25519 key.")
    signed = _header_of(key.kid, kind, ALGORITHM) + b"." + _base64url(orjson.dumps(claims))
    return (signed + b"." + _base64url(private.sign(signed))).decode()


@lru_cache(maxsize=16)
def _header_of(kid: str | None, kind: str, algorithm: str) -> bytes:
    """The first part of a token, the same for all that one key signs."""
    return _base64url(orjson.dumps({"alg": algorithm, "kid": kid, "typ": kind}))


def _base64url(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


async def _verified(
    keys: SigningKeys, token: str, kind: str, audience: str, issuer: str | None
) -> dict[str, JsonValue]:
    if len(token) > LONGEST or not _FORM.match(token):
        raise _refused()
    header = _header(token)
    algorithm, kid = header.get("alg"), header.get("kid")
    if header.get("typ") != kind or "crit" in header or not isinstance(kid, str):
        raise _refused()
    key: OKPKey | OctKey | None = None
    if algorithm == ALGORITHM:
        key = await keys.verifying_key(kid)
    elif algorithm == SHARED_ALGORITHM and kind == SDK_TYPE:
        key = await keys.sdk_secret(kid)
    if key is None:
        raise _refused()
    try:
        claims: dict[str, JsonValue] = jwt.decode(token, key, algorithms=[str(algorithm)]).claims
    except (JoseError, ValueError):
        raise _refused() from None
    last = token.rpartition(".")[2]
    if base64.urlsafe_b64encode(base64.urlsafe_b64decode(last + "=" * (-len(last) % 4))).decode().rstrip("=") != last:
        raise _refused()  # spare bits of the last character were altered: one token would have many spellings
    if not _is_issuer(claims.get("iss"), issuer) or claims.get("aud") != audience:
        raise _refused()
    _whole(claims.get("exp"))
    if _whole(claims.get("iat")) > clock.seconds() + 60:
        raise _refused()
    return claims


def _is_issuer(named: JsonValue, issuer: str | None) -> bool:
    """Without a public address each process calls itself by its own port, and all of them share the keys."""
    return named == issuer if issuer else isinstance(named, str) and bool(_LOCAL_ISSUER.match(named))


def _header(token: str) -> dict[str, JsonValue]:
    text = token.partition(".")[0]
    try:
        header = orjson.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except ValueError:
        raise _refused() from None
    if not isinstance(header, dict):
        raise _refused()
    return header


def _remember(keys: SigningKeys, token: str, claims: AccessClaims | SdkClaims) -> None:
    if len(keys.verified) >= REMEMBERED:
        for oldest in list(keys.verified)[: REMEMBERED // 10]:
            del keys.verified[oldest]
    keys.verified[token] = claims


def _refuse_expired(exp: int) -> None:
    if clock.seconds() >= exp:
        raise TokenExpired


def _uuid(value: JsonValue) -> UUID:
    try:
        return UUID(_text(value))
    except ValueError:
        raise _refused() from None


def _whole(value: JsonValue) -> int:
    if type(value) is not int:
        raise _refused()
    return value


def _text(value: JsonValue) -> str:
    if not isinstance(value, str):
        raise _refused()
    return value


def _refused() -> NotAuthenticated:
    """One answer for every reason, so that a forger learns nothing."""
    return NotAuthenticated("The token is not valid.")
