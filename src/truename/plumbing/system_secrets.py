"""Random secrets of the whole installation: made when first needed, sealed under the master key, never replaced.

What was hashed with one of them stays comparable when the master key is rotated, which only wraps them anew.
"""

import secrets
from typing import Final

from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import CannotOpen
from truename.plumbing.database.pool import Connection, OpensSecrets

HASH_ROOT: Final = "hash root"
"""From which keyed hashes are derived."""
AUDIT_KEY: Final = "audit key"
"""Under which the audit log is chained."""
SECRET_BYTES: Final = 32


async def system_secret(connection: Connection, vault: OpensSecrets, name: str) -> bytes:
    """The secret of that name, made on the caller's connection if there is none; of two that make it, one wins."""
    for _ in range(3):
        cursor = await connection.execute("SELECT sealed FROM system_secrets WHERE name = %s", (name,))
        row = await cursor.fetchone()
        if row is not None:
            return vault.open_system(seals.system_secret(name), bytes(row["sealed"]))
        sealed = vault.seal_system(seals.system_secret(name), secrets.token_bytes(SECRET_BYTES))
        await connection.execute(
            "INSERT INTO system_secrets (name, sealed) VALUES (%s, %s) ON CONFLICT (name) DO NOTHING", (name, sealed)
        )
    raise CannotOpen(f"The secret {name!r} cannot be made.")
