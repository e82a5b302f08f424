"""The secrets that sign an account's webhooks: sealed at rest, two in force while one is replaced."""

import base64
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import Vault
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import WrongState

OVERLAP: Final = timedelta(hours=24)
"""How long the old secret still signs after a rotation, unless told otherwise."""
MOST_IN_FORCE: Final = 5
"""Each signs every webhook. Two is the rule; the others are for whoever lost an answer and asked again, because the
secret that the receiver knows must go on signing. Without a bound a client in a loop made hundreds."""


async def add_secret(connection: Connection, vault: Vault, account_id: UUID) -> str:
    """A fresh secret, in the form of Standard Webhooks; shown once."""
    secret_id, secret = new_id(), "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
    sealed = vault.seal_for_account(account_id, seals.webhook_secret(secret_id), secret.encode())
    await connection.execute(
        """INSERT INTO webhook_secrets (secret_id, account_id, sealed, created_at)
           VALUES (%s, %s, %s, clock_timestamp())""",
        (secret_id, account_id, sealed),
    )
    return secret


async def rotate_secret(connection: Connection, vault: Vault, account_id: UUID, overlap: timedelta = OVERLAP) -> str:
    """A fresh secret that signs from now on, beside the earlier ones until the overlap has passed.

    One at a time: a rotation does not see the secret of another that is under way, which would sign for ever. Raises
    WrongState where as many sign already as may; never without an overlap, which ends them all.
    """
    await connection.execute("SELECT 1 FROM accounts WHERE account_id = %s FOR NO KEY UPDATE", (account_id,))
    await connection.execute(
        """UPDATE webhook_secrets SET expires_at = clock_timestamp() + %s
           WHERE account_id = %s AND (expires_at IS NULL OR expires_at > clock_timestamp() + %s)""",
        (overlap, account_id, overlap),
    )
    signing = await list_secrets(connection, account_id)
    if len(signing) >= MOST_IN_FORCE:
        first_to_end = min(one.expires_at for one in signing if one.expires_at is not None)
        words = (
            f"{len(signing)} secrets sign already, the first of them until {first_to_end:%Y-%m-%dT%H:%M:%SZ}: rotate"
            " again after that, or in the dashboard with an overlap of 0 hours, which ends them all."
        )
        raise WrongState(words, code="too_many_webhook_secrets")
    return await add_secret(connection, vault, account_id)


async def forget_expired(connection: Connection) -> int:
    """Delete the secrets of all accounts that sign no more; tells how many there were."""
    cursor = await connection.execute("DELETE FROM webhook_secrets WHERE expires_at <= clock_timestamp()")
    return cursor.rowcount


async def secrets_in_force(connection: Connection, vault: Vault, account_id: UUID) -> list[str]:
    """Every secret that signs now, the newest first."""
    cursor = await connection.execute(
        """SELECT secret_id, sealed FROM webhook_secrets
           WHERE account_id = %s AND (expires_at IS NULL OR expires_at > clock_timestamp())
           ORDER BY created_at DESC""",
        (account_id,),
    )
    return [
        vault.open_for_account(account_id, seals.webhook_secret(row["secret_id"]), bytes(row["sealed"])).decode()
        for row in await cursor.fetchall()
    ]


@dataclass(frozen=True)
class ListedSecret:
    """That there is a secret, never what it is."""

    created_at: datetime
    expires_at: datetime | None
    """When it stops signing; None for the newest."""


async def list_secrets(connection: Connection, account_id: UUID) -> list[ListedSecret]:
    """Every secret that signs now, the newest first."""
    cursor = await connection.execute(
        """SELECT created_at, expires_at FROM webhook_secrets
           WHERE account_id = %s AND (expires_at IS NULL OR expires_at > clock_timestamp()) ORDER BY created_at DESC""",
        (account_id,),
    )
    return [ListedSecret(row["created_at"], row["expires_at"]) for row in await cursor.fetchall()]


async def secrets_expire_at(connection: Connection, account_id: UUID) -> datetime | None:
    """When the last of the replaced secrets stops signing; None when none was replaced."""
    cursor = await connection.execute(
        "SELECT max(expires_at) AS last FROM webhook_secrets WHERE account_id = %s AND expires_at > clock_timestamp()",
        (account_id,),
    )
    row = await cursor.fetchone()
    return row["last"] if row else None
