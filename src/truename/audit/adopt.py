"""Begin the chains, with what was written down before there were any: once, at the first start after the upgrade.

Whether it was done is told by the secret of the chain: who removes a chain gets no fresh one at the next start.
"""

from typing import Final
from uuid import UUID

from psycopg.rows import DictRow

from truename.audit.model import DETAILS, INSTALLATION, Action, Detail, Entry
from truename.audit.record import append
from truename.plumbing.database.pool import Connection
from truename.plumbing.resources import Plumbing
from truename.plumbing.system_secrets import AUDIT_KEY

LOCK: Final = 0x6175_6469
ACTOR: Final = "truename"


async def begin_chains(plumbing: Plumbing) -> None:
    """Give the installation and every account a chain. Free-text reasons of old lay in plain and are left behind."""
    async with plumbing.database.system() as connection:
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        cursor = await connection.execute("SELECT 1 FROM system_secrets WHERE name = %s", (AUDIT_KEY,))
        if await cursor.fetchone() is None:
            await append(connection, await _first_entries(connection))


async def _first_entries(connection: Connection) -> list[Entry]:
    cursor = await connection.execute("DELETE FROM audit_log_before_chain RETURNING *")
    earlier = sorted(await cursor.fetchall(), key=lambda row: (row["at"], row["audit_id"]))
    cursor = await connection.execute("SELECT account_id FROM accounts ORDER BY created_at")
    chains = [INSTALLATION, *(row["account_id"] for row in await cursor.fetchall())]
    return [_begun(one) for one in chains] + [_adopted(row) for row in earlier]


def _begun(account_id: UUID) -> Entry:
    return Entry(account_id, ACTOR, Action.CHAIN_BEGUN, f"account:{account_id}")


def _adopted(row: DictRow) -> Entry:
    details: dict[str, Detail] = {}
    for name, value in row["details"].items():
        if name in DETAILS and name != "reason":
            details[name] = ",".join(map(str, value)) if isinstance(value, list) else value
    action = Action(row["action"])
    return Entry(
        row["account_id"],
        row["actor"],
        action,
        row["subject"],
        details,
        audit_id=row["audit_id"],
        at=row["at"],
    )
