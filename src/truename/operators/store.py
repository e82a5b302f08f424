"""The rows of operators and of their roles. On a system connection: an operator belongs to no one account."""

# ruff: noqa: S608 - every part that is put together here is a constant of this house

from datetime import timedelta
from typing import Final, LiteralString
from uuid import UUID

from psycopg.rows import DictRow

from truename.operators.model import Membership, Operator, Role
from truename.plumbing.database.pool import Connection

COLUMNS: Final[LiteralString] = """
o.operator_id, o.email, o.name, o.created_at AS operator_created_at, o.disabled_at,
o.totp_confirmed_at IS NOT NULL AS has_totp, cardinality(o.recovery_hashes) AS recovery_codes,
(SELECT count(*) FROM operator_passkeys p WHERE p.operator_id = o.operator_id) AS passkeys,
o.time_zone, o.single_keys, o.compact, o.password_given_at IS NOT NULL AS owes_password
"""
GIVEN_FOR: Final = timedelta(days=7)
"""How long a password that somebody else made lets its owner in; afterwards `truename operator reset` makes another."""
ROLES: Final = """
SELECT r.account_id, a.name, r.role, a.livemode AS live
FROM operator_roles r JOIN accounts a USING (account_id)
WHERE r.operator_id = %s ORDER BY a.name
"""


async def find_operator(connection: Connection, email: str) -> Operator | None:
    """The operator of this e-mail address, disabled or not, however its letters are written."""
    cursor = await connection.execute(
        "SELECT " + COLUMNS + " FROM operators o WHERE lower(o.email) = lower(%s)", (email,)
    )
    row = await cursor.fetchone()
    return operator_of(row) if row else None


async def read_operator(connection: Connection, operator_id: UUID) -> Operator | None:
    """One operator."""
    cursor = await connection.execute(
        "SELECT " + COLUMNS + " FROM operators o WHERE o.operator_id = %s", (operator_id,)
    )
    row = await cursor.fetchone()
    return operator_of(row) if row else None


async def lock_operator(connection: Connection, operator_id: UUID) -> None:
    """Let nobody change this operator until the commit. To be read by a later statement: this one may have waited."""
    await connection.execute("SELECT 1 FROM operators WHERE operator_id = %s FOR UPDATE", (operator_id,))


async def list_operators(connection: Connection, account_id: UUID | None = None) -> list[Operator]:
    """Every operator, or those with a role in one account; the oldest first."""
    cursor = await connection.execute(
        "SELECT "
        + COLUMNS
        + """ FROM operators o WHERE %(account_id)s::uuid IS NULL OR EXISTS (
                 SELECT 1 FROM operator_roles r WHERE r.operator_id = o.operator_id AND r.account_id = %(account_id)s)
              ORDER BY o.created_at""",
        {"account_id": account_id},
    )
    return [operator_of(row) for row in await cursor.fetchall()]


async def memberships(connection: Connection, operator_id: UUID) -> tuple[Membership, ...]:
    """The roles of an operator, by the names of the accounts."""
    cursor = await connection.execute(ROLES, (operator_id,))
    return tuple(
        Membership(row["account_id"], row["name"], Role(row["role"]), row["live"]) for row in await cursor.fetchall()
    )


async def password_hash(connection: Connection, operator_id: UUID) -> str | None:
    """The stored hash of an operator who may sign in; None for anybody else, and for one that was given long ago."""
    cursor = await connection.execute(
        """SELECT password_hash FROM operators WHERE operator_id = %s AND disabled_at IS NULL
           AND (password_given_at IS NULL OR password_given_at > clock_timestamp() - %s)""",
        (operator_id, GIVEN_FOR),
    )
    row = await cursor.fetchone()
    return row["password_hash"] if row else None


async def set_preferences(
    connection: Connection, operator_id: UUID, *, time_zone: str, single_keys: bool, compact: bool
) -> None:
    """How the pages look and listen for one operator."""
    await connection.execute(
        "UPDATE operators SET time_zone = %s, single_keys = %s, compact = %s WHERE operator_id = %s",
        (time_zone, single_keys, compact, operator_id),
    )


async def list_members(connection: Connection, account_id: UUID) -> list[tuple[Operator, Role]]:
    """Who has a role in this account, by e-mail address."""
    cursor = await connection.execute(
        "SELECT r.role,"
        + COLUMNS
        + "FROM operators o JOIN operator_roles r USING (operator_id) WHERE r.account_id = %s ORDER BY lower(o.email)",
        (account_id,),
    )
    return [(operator_of(row), Role(row["role"])) for row in await cursor.fetchall()]


async def names_of(connection: Connection, operator_ids: list[UUID]) -> dict[UUID, str]:
    """How to call these operators."""
    cursor = await connection.execute(
        "SELECT operator_id, coalesce(nullif(name, ''), email) AS called FROM operators WHERE operator_id = ANY(%s)",
        (operator_ids,),
    )
    return {row["operator_id"]: row["called"] for row in await cursor.fetchall()}


def operator_of(row: DictRow) -> Operator:
    """The operator of a row that has COLUMNS."""
    return Operator(
        row["operator_id"],
        row["email"],
        row["name"],
        row["operator_created_at"],
        row["disabled_at"],
        row["has_totp"],
        row["passkeys"],
        row["recovery_codes"],
        row["time_zone"],
        row["single_keys"],
        row["compact"],
        row["owes_password"],
    )
