"""Change what an account decides for itself; who did it and which settings is written down, and can be asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from truename.accounts import store
from truename.accounts.model import AccountSettings, ChosenOrigins
from truename.audit.model import Action
from truename.audit.record import record
from truename.plumbing.database.pool import Connection
from truename.plumbing.jobs.queue import enqueue


class FaceSearchUnavailable(ValueError):
    """The database has no pgvector, so that no face can be searched for."""

    def __init__(self) -> None:
        super().__init__(
            "face_search: this database has no pgvector 0.7 or newer. Install it on the server, then run "
            "`truename database face-search`."
        )


@dataclass(frozen=True)
class LastChange:
    """Who changed a setting last, and when."""

    actor: str
    at: datetime


async def change_account(
    connection: Connection, account_id: UUID, changes: Mapping[str, object], *, actor: str
) -> AccountSettings:
    """Set these settings and leave the others.

    Raises pydantic's ValidationError, or FaceSearchUnavailable, and then changes nothing.
    """
    await connection.execute("SELECT 1 FROM accounts WHERE account_id = %s FOR UPDATE", (account_id,))
    before = await store.account_settings(connection, account_id)
    plain = ChosenOrigins.model_validate(changes).model_dump(exclude_unset=True)
    changed = AccountSettings.model_validate({**before.model_dump(mode="json"), **changes, **plain})
    different = [name for name in changes if getattr(changed, name) != getattr(before, name)]
    if "face_search" in different:
        await _change_search(connection, account_id, changed)
    if different:
        await store.change_settings(connection, account_id, changed)
        await record(
            connection,
            account_id,
            actor=actor,
            action=Action.SETTINGS_CHANGED,
            subject=f"account:{account_id}",
            details={"settings": ",".join(different)},
        )
    return changed


async def _change_search(connection: Connection, account_id: UUID, changed: AccountSettings) -> None:
    """Have the account's faces made searchable, or forgotten; raises FaceSearchUnavailable without pgvector."""
    cursor = await connection.execute("SELECT to_regclass('public.face_vectors') IS NOT NULL AS there")
    row = await cursor.fetchone()
    if changed.face_search != "off" and not (row and row["there"]):
        raise FaceSearchUnavailable
    await enqueue(connection, "face_search.keep_up", {"account_id": str(account_id)})


async def last_changes(connection: Connection, account_id: UUID) -> dict[str, LastChange]:
    """Of each setting that was ever changed, who did it last."""
    cursor = await connection.execute(
        """SELECT actor, at, details ->> 'settings' AS settings FROM audit_log
           WHERE account_id = %s AND subject = %s AND action = %s ORDER BY sequence""",
        (account_id, f"account:{account_id}", Action.SETTINGS_CHANGED),
    )
    found: dict[str, LastChange] = {}
    for row in await cursor.fetchall():
        for name in (row["settings"] or "").split(","):
            found[name] = LastChange(row["actor"], row["at"])
    return found
