"""The keys that sign tokens: kept sealed, cached in each process, replaced without a pause.

A rotation adds a key and retires the one before. Processes that have not noticed yet go on signing with the retired
key for a while, so it stays published until the last token that it can have signed has expired.

Beside each key lies a secret that nobody but us ever sees. It vouches for SDK tokens, which are read by nobody else: a
fiftieth of the work of a signature, and every transaction needs one. Keys of versions before have none and sign these
too, until the next rotation: so processes of a version before read all that is issued while both run.
"""

import asyncio
import base64
import hmac
import secrets
import time
import weakref
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import orjson
from joserfc.jwk import OctKey, OKPKey
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from truename.audit.model import INSTALLATION, Action
from truename.audit.record import record
from truename.plumbing.crypto import seals
from truename.plumbing.database.pool import Connection
from truename.plumbing.resources import Plumbing

ALGORITHM: Final = "EdDSA"
SHARED_ALGORITHM: Final = "HS256"
"""Of SDK tokens alone."""
BESIDE: Final = "truename_sdk_tokens"
"""Where the secret stands beside the members of the private key (RFC 7517 §4 lets others pass it over)."""
SECRET_BYTES: Final = 32
REFRESH_SECONDS: Final = 60.0
UNKNOWN_KEY_REST_SECONDS: Final = 1.0
"""Strangers can name unknown keys as often as they like; the database is asked at most this often."""
LONGEST_SDK_TOKEN: Final = timedelta(hours=24)
SLACK: Final = timedelta(minutes=5)
LOCK: Final = 0x6B65_7973


@dataclass(frozen=True)
class SdkSigner:
    """What vouches for new SDK tokens: the name of a key, and the MAC of the secret beside it, keyed once."""

    kid: str
    mac: hmac.HMAC

    def sign(self, text: bytes) -> bytes:
        """The MAC of a text, by SHA-256."""
        mac = self.mac.copy()
        mac.update(text)
        return mac.digest()


@dataclass
class SigningKeys:
    """What one process knows of the keys."""

    plumbing: Plumbing
    signer: OKPKey | None = None
    verifiers: dict[str, OKPKey] = field(default_factory=dict)
    sdk_secrets: dict[str, OctKey] = field(default_factory=dict)
    """By the name of the key beside which each lies."""
    sdk_signer: "SdkSigner | None" = None
    """Of the key that signs now; None where no secret lies beside it."""
    loaded_at: float = 0.0
    verified: dict[str, object] = field(default_factory=dict)
    """Tokens whose signature was found good: a client shows the same one for an hour."""
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def signing_key(self) -> OKPKey:
        """The key that signs now, asked for anew every minute; LookupError when there is none."""
        if self.signer is None or time.monotonic() - self.loaded_at > REFRESH_SECONDS:
            await self._load(after=self.loaded_at)
        if self.signer is None:
            raise LookupError("There is no signing key.")
        return self.signer

    async def verifying_key(self, kid: str) -> OKPKey | None:
        """The key of that name; the database is asked again if it is not known yet."""
        if kid not in self.verifiers:
            known_at = self.loaded_at
            await asyncio.sleep(max(0.0, known_at + UNKNOWN_KEY_REST_SECONDS - time.monotonic()) if known_at else 0.0)
            await self._load(after=known_at)
        return self.verifiers.get(kid)

    async def sdk_secret(self, kid: str) -> OctKey | None:
        """The secret beside the key of that name; None when there is no such key, or it is of a version before."""
        return self.sdk_secrets.get(kid) if await self.verifying_key(kid) else None

    async def _load(self, after: float) -> None:
        async with self._lock:
            if self.loaded_at > after:
                return  # another request did it while we waited
            async with self.plumbing.database.system() as connection:
                rows = await _published(connection, self.plumbing)
                if not any(row.retired_at is None for row in rows):
                    await add_key(connection, self.plumbing)
                    rows = await _published(connection, self.plumbing)
            verifiers = {row.kid: OKPKey.import_key(row.public_jwk) for row in rows}
            if not verifiers.keys() >= self.verifiers.keys():
                self.verified.clear()
            newest = next(row for row in rows if row.retired_at is None)
            for row in rows:
                if row.kid not in self.verifiers:
                    self._open(row, signs=row is newest)
            self.verifiers = verifiers
            self.sdk_secrets = {kid: secret for kid, secret in self.sdk_secrets.items() if kid in verifiers}
            self.loaded_at = time.monotonic()

    def _open(self, row: "_PublishedKey", *, signs: bool) -> None:
        """Unseal a key that is new to us, and the secret beside it."""
        opened = self.plumbing.vault.open_system(seals.signing_key(row.kid), row.sealed)
        members: dict[str, str | list[str]] = orjson.loads(opened)
        secret = members.pop(BESIDE, None)
        raw = base64.urlsafe_b64decode(secret) if isinstance(secret, str) else None
        if raw is not None:
            self.sdk_secrets[row.kid] = OctKey.import_key(raw)
        if signs:
            self.signer = OKPKey.import_key(members)
            self.sdk_signer = None if raw is None else SdkSigner(row.kid, hmac.new(raw, digestmod="sha256"))


_KEYS: "weakref.WeakKeyDictionary[Plumbing, SigningKeys]" = weakref.WeakKeyDictionary()


def signing_keys(plumbing: Plumbing) -> SigningKeys:
    """The keys of this process."""
    found = _KEYS.get(plumbing)
    if found is None:
        found = _KEYS[plumbing] = SigningKeys(weakref.proxy(plumbing))
    return found


async def rotate(plumbing: Plumbing) -> str:
    """Sign with a new key from now on; returns its name."""
    async with plumbing.database.system() as connection:
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        await connection.execute("UPDATE signing_keys SET retired_at = clock_timestamp() WHERE retired_at IS NULL")
        kid = await _insert(connection, plumbing)
        await record(
            connection,
            INSTALLATION,
            actor="operator",
            action=Action.SIGNING_KEY_ROTATED,
            subject=f"signing_key:{kid}",
        )
    keys = signing_keys(plumbing)
    await keys._load(after=keys.loaded_at)
    return kid


async def add_key(connection: Connection, plumbing: Plumbing) -> None:
    """The very first key; of several processes that start at once, one makes it."""
    await connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
    cursor = await connection.execute("SELECT 1 FROM signing_keys WHERE retired_at IS NULL")
    if await cursor.fetchone() is None:
        await _insert(connection, plumbing)


async def forget_retired(connection: Connection, plumbing: Plumbing) -> int:
    """Delete the keys whose last token has expired."""
    cursor = await connection.execute(
        "DELETE FROM signing_keys WHERE retired_at < clock_timestamp() - %s", (_published_for(plumbing),)
    )
    return cursor.rowcount


def public_keys(keys: SigningKeys) -> list[dict[str, str]]:
    """The published set (RFC 7517)."""
    return [{name: str(value) for name, value in key.as_dict(private=False).items()} for key in keys.verifiers.values()]


async def _insert(connection: Connection, plumbing: Plumbing) -> str:
    key = OKPKey.generate_key("Ed25519", {"use": "sig", "alg": ALGORITHM}, auto_kid=True)
    kid = key.kid
    if kid is None:
        raise LookupError("The new key has no name.")
    secret = base64.urlsafe_b64encode(secrets.token_bytes(SECRET_BYTES)).decode()
    private = orjson.dumps({**key.as_dict(private=True), BESIDE: secret})
    await connection.execute(
        "INSERT INTO signing_keys (kid, public_jwk, sealed, created_at) VALUES (%s, %s, %s, clock_timestamp())",
        (kid, Jsonb(key.as_dict(private=False)), plumbing.vault.seal_system(seals.signing_key(kid), private)),
    )
    return kid


@dataclass(frozen=True)
class _PublishedKey:
    kid: str
    public_jwk: dict[str, str | list[str]]
    sealed: bytes
    retired_at: datetime | None


async def _published(connection: Connection, plumbing: Plumbing) -> list[_PublishedKey]:
    cursor = await connection.cursor(row_factory=class_row(_PublishedKey)).execute(
        """SELECT kid, public_jwk, sealed, retired_at FROM signing_keys
           WHERE retired_at IS NULL OR retired_at > clock_timestamp() - %s
           ORDER BY created_at DESC""",
        (_published_for(plumbing),),
    )
    return await cursor.fetchall()


def _published_for(plumbing: Plumbing) -> timedelta:
    longest = max(LONGEST_SDK_TOKEN, timedelta(seconds=plumbing.settings.access_token_seconds))
    return longest + timedelta(seconds=REFRESH_SECONDS) + SLACK
