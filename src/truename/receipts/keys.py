"""The keys that sign receipts: one signs, all stay published for ever, and a retired one can never sign again.

They are apart from the keys of tokens, which are forgotten soon after they were retired.
"""

from dataclasses import dataclass
from typing import Final

import orjson
from joserfc.jwk import KeyParameters, OKPKey
from psycopg.types.json import Jsonb

from truename.audit.model import INSTALLATION, Action
from truename.audit.record import record
from truename.plumbing.crypto import seals
from truename.plumbing.database.pool import Connection
from truename.plumbing.resources import Plumbing

ALGORITHM: Final = "EdDSA"
"""Ed25519, by the name that libraries know: as for tokens."""
SIGNING: Final = "SELECT kid, sealed FROM receipt_keys WHERE retired_at IS NULL"


@dataclass(frozen=True, slots=True)
class NewReceiptKey:
    """A fresh key, ready to be stored."""

    kid: str
    public: dict[str, object]
    sealed: bytes


async def signing_key(connection: Connection, plumbing: Plumbing) -> OKPKey:
    """The key that signs, made on this connection if there is none; of two that make it at once, one wins."""
    cursor = await connection.execute(SIGNING)
    row = await cursor.fetchone()
    if row is None:
        await _insert(connection, _new_key(plumbing))
        cursor = await connection.execute(SIGNING)
        row = await cursor.fetchone()
    if row is None:
        raise LookupError("There is no key that signs receipts.")
    opened = plumbing.vault.open_system(seals.receipt_key(row["kid"]), bytes(row["sealed"]))
    return OKPKey.import_key(orjson.loads(opened))


async def published_keys(plumbing: Plumbing) -> dict[str, list[dict[str, object]]]:
    """Every public key there ever was, as a JWK set (RFC 7517), the one that signs first."""
    async with plumbing.database.system() as connection:
        await signing_key(connection, plumbing)
        cursor = await connection.execute(
            "SELECT public_jwk FROM receipt_keys ORDER BY retired_at DESC NULLS FIRST, kid"
        )
        return {"keys": [row["public_jwk"] for row in await cursor.fetchall()]}


async def rotate_receipt_key(plumbing: Plumbing) -> str:
    """Sign with a new key from now on; returns its name. The private half of the one before is destroyed."""
    new = _new_key(plumbing)
    async with plumbing.database.system() as connection:
        await connection.execute(
            "UPDATE receipt_keys SET retired_at = clock_timestamp(), sealed = NULL WHERE retired_at IS NULL"
        )
        await _insert(connection, new)
        await record(
            connection,
            INSTALLATION,
            actor="operator",
            action=Action.RECEIPT_KEY_ROTATED,
            subject=f"receipt_key:{new.kid}",
        )
    return new.kid


def _new_key(plumbing: Plumbing) -> NewReceiptKey:
    parameters: KeyParameters = {"use": "sig", "alg": ALGORITHM}
    key = OKPKey.generate_key("Ed25519", parameters, auto_kid=True)
    if key.kid is None:
        raise LookupError("The new key has no name.")
    private = orjson.dumps(key.as_dict(private=True))
    sealed = plumbing.vault.seal_system(seals.receipt_key(key.kid), private)
    return NewReceiptKey(key.kid, dict(key.as_dict(private=False)), sealed)


async def _insert(connection: Connection, new: NewReceiptKey) -> None:
    await connection.execute(
        "INSERT INTO receipt_keys (kid, public_jwk, sealed) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
        (new.kid, Jsonb(new.public), new.sealed),
    )
