"""The default policy of an account: drafted by one person, agreed to by another, in force from a day on.

A policy in force fills what a new transaction's config leaves out; transactions that exist keep the config they have.
Every process asks at most every five seconds which one is in force.
"""

import time
import weakref
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, LiteralString
from uuid import UUID

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from truename.audit.model import Action
from truename.audit.record import record
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection, Database
from truename.plumbing.errors import NotFound, WrongState
from truename.plumbing.http.answers import instant
from truename.plumbing.resources import Plumbing
from truename.rules.default_policy import DefaultPolicy

KEPT_SECONDS: Final = 5.0
LONGEST_NOTE: Final = 300
SHOWN: Final = 50

READ: LiteralString = """
SELECT policy_id, policy, note, state, drafted_by, drafted_at, decided_by, decided_at, effective_from
FROM default_policies
"""
IN_FORCE: LiteralString = f"""
{READ} WHERE account_id = %(account_id)s AND state = 'AGREED' AND effective_from <= clock_timestamp()
ORDER BY effective_from DESC, decided_at DESC LIMIT 1
"""
LIST: LiteralString = f"{READ} WHERE account_id = %(account_id)s ORDER BY drafted_at DESC, policy_id LIMIT %(limit)s"
DRAFT: LiteralString = """
INSERT INTO default_policies (policy_id, account_id, policy, note, state, drafted_by)
VALUES (%(policy_id)s, %(account_id)s, %(policy)s, %(note)s, 'DRAFT', %(actor)s)
"""
SETTLE: LiteralString = """
UPDATE default_policies SET state = %(state)s, decided_by = %(actor)s, decided_at = clock_timestamp(),
       effective_from = greatest(%(effective_from)s, clock_timestamp())
WHERE account_id = %(account_id)s AND policy_id = %(policy_id)s
"""


class PolicyState(StrEnum):
    """What became of a draft."""

    DRAFT = "DRAFT"
    AGREED = "AGREED"
    WITHDRAWN = "WITHDRAWN"


@dataclass(frozen=True, slots=True)
class StoredPolicy:
    """A default policy, and who did what with it when."""

    policy_id: UUID | None
    """None: the account has chosen nothing, and the interface's defaults hold."""
    policy: DefaultPolicy
    note: str = ""
    state: PolicyState = PolicyState.AGREED
    drafted_by: str | None = None
    drafted_at: datetime | None = None
    decided_by: str | None = None
    decided_at: datetime | None = None
    effective_from: datetime | None = None


NONE: Final = StoredPolicy(None, DefaultPolicy())
_KEPT: "weakref.WeakKeyDictionary[Database, dict[UUID, tuple[float, DefaultPolicy]]]" = weakref.WeakKeyDictionary()


async def policy_for(plumbing: Plumbing, account_id: UUID) -> DefaultPolicy:
    """What fills the configs of new transactions; remembered for a moment, because every creation asks."""
    kept = _KEPT.get(plumbing.database)
    if kept is None:
        kept = _KEPT[plumbing.database] = {}
    at, found = kept.get(account_id, (float("-inf"), NONE.policy))
    if time.monotonic() - at > KEPT_SECONDS:
        if account_id in kept:
            kept[account_id] = (time.monotonic(), found)  # one asks, and nobody else waits for it meanwhile
        rows = await plumbing.database.statement(account_id, IN_FORCE, {"account_id": account_id})
        found = _stored(rows[0]).policy if rows else NONE.policy
        kept[account_id] = (time.monotonic(), found)
    return found


async def policy_in_force(connection: Connection, account_id: UUID) -> StoredPolicy:
    """The policy that holds at this moment."""
    row = await (await connection.execute(IN_FORCE, {"account_id": account_id})).fetchone()
    return NONE if row is None else _stored(row)


async def list_policies(connection: Connection, account_id: UUID) -> list[StoredPolicy]:
    """The newest policies of the account, whatever became of them."""
    cursor = await connection.execute(LIST, {"account_id": account_id, "limit": SHOWN})
    return [_stored(row) for row in await cursor.fetchall()]


async def draft_policy(
    connection: Connection, account_id: UUID, policy: DefaultPolicy, note: str, *, actor: str
) -> UUID:
    """Keep a policy that is not in force yet. It is whole: what it leaves out has the interface's default."""
    policy_id = new_id()
    said = Jsonb(policy.said())
    own = {"policy_id": policy_id, "account_id": account_id, "policy": said, "note": note, "actor": actor}
    await connection.execute(DRAFT, own)
    fields = ",".join(policy.pointers())[:LONGEST_NOTE]
    subject, action = f"default_policy:{policy_id}", Action.POLICY_DRAFTED
    await record(connection, account_id, actor=actor, action=action, subject=subject, details={"fields": fields})
    return policy_id


async def agree(
    connection: Connection,
    account_id: UUID,
    policy_id: UUID,
    effective_from: datetime,
    *,
    actor: str,
    needs_another: bool,
) -> None:
    """Put a draft in force from a moment on, a past one counting as now; `needs_another`: not by its own author.

    Raises NotFound, or WrongState when it is no draft any more or its author alone agrees.
    """
    found = await _locked(connection, account_id, policy_id)
    if needs_another and found.drafted_by == actor:
        raise WrongState("Another admin must agree to this policy: whoever drafted it cannot.")
    own = {"account_id": account_id, "policy_id": policy_id, "actor": actor, "effective_from": effective_from}
    await connection.execute(SETTLE, {**own, "state": PolicyState.AGREED})
    details = {"fields": ",".join(found.policy.pointers())[:LONGEST_NOTE], "to": instant(effective_from)}
    subject = f"default_policy:{policy_id}"
    await record(connection, account_id, actor=actor, action=Action.POLICY_AGREED, subject=subject, details=details)
    if connection.database is not None:
        _KEPT.setdefault(connection.database, {}).pop(account_id, None)


async def withdraw(connection: Connection, account_id: UUID, policy_id: UUID, *, actor: str) -> None:
    """Give a draft up; raises NotFound, or WrongState when it is none any more."""
    await _locked(connection, account_id, policy_id)
    own = {"account_id": account_id, "policy_id": policy_id, "actor": actor, "effective_from": None}
    await connection.execute(SETTLE, {**own, "state": PolicyState.WITHDRAWN})
    subject = f"default_policy:{policy_id}"
    await record(connection, account_id, actor=actor, action=Action.POLICY_WITHDRAWN, subject=subject)


async def _locked(connection: Connection, account_id: UUID, policy_id: UUID) -> StoredPolicy:
    query: LiteralString = READ + "WHERE account_id = %s AND policy_id = %s FOR UPDATE"
    row = await (await connection.execute(query, (account_id, policy_id))).fetchone()
    if row is None:
        raise NotFound("There is no such policy in this account.")
    found = _stored(row)
    if found.state is not PolicyState.DRAFT:
        raise WrongState(f"This policy is {found.state.lower()} already; draft another.")
    return found


def _stored(row: DictRow) -> StoredPolicy:
    return StoredPolicy(
        row["policy_id"],
        DefaultPolicy.model_validate(row["policy"]),
        row["note"],
        PolicyState(row["state"]),
        row["drafted_by"],
        row["drafted_at"],
        row["decided_by"],
        row["decided_at"],
        row["effective_from"],
    )
