"""Operators are created, given roles and new passwords, and disabled; every change is in the audit log.

Each function works on a system connection, in the transaction that its caller commits.
"""

from collections.abc import Iterable, Mapping
from uuid import UUID

import psycopg
from email_validator import EmailNotValidError, validate_email

from truename.audit.model import INSTALLATION, Action, Detail
from truename.audit.record import record
from truename.operators.challenges import forget_steps
from truename.operators.model import Operator, Role
from truename.operators.passwords import hash_new_password
from truename.operators.sessions import end_other_sessions
from truename.operators.store import memberships, read_operator
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection


class OperatorExists(ValueError):
    """Somebody else has this e-mail address."""


async def create_operator(
    connection: Connection,
    email: str,
    password: str,
    roles: Iterable[tuple[UUID, Role]],
    *,
    name: str = "",
    by: str = "operator",
    given: bool = False,
) -> Operator:
    """A person who may sign in. `given`: somebody else knows the password, so it serves only to choose another.

    Raises ValueError for what is no e-mail address, for an unreadable name or a weak password, OperatorExists when the
    address is taken.
    """
    address = readable_email(email)
    if name and not (name.isprintable() and len(name) <= 200):
        raise ValueError("The name of an operator must have at most 200 printable characters.")
    hashed = await hash_new_password(password, [address, address.partition("@")[0], name])
    return await add_operator(connection, address, hashed, roles, name=name, by=by, given=given)


async def add_operator(
    connection: Connection,
    address: str,
    password_hash: str,
    roles: Iterable[tuple[UUID, Role]],
    *,
    name: str = "",
    by: str = "operator",
    given: bool = False,
) -> Operator:
    """The same with an address and a name that were looked at, and a hash of `passwords`. Raises OperatorExists."""
    operator_id = new_id()
    try:
        async with connection.transaction():
            await connection.execute(
                """INSERT INTO operators (operator_id, email, name, password_hash, password_given_at)
                   VALUES (%s, %s, %s, %s, CASE WHEN %s THEN clock_timestamp() END)""",
                (operator_id, address, name.strip(), password_hash, given),
            )
    except psycopg.errors.UniqueViolation:
        raise OperatorExists(f"There is already an operator {address}.") from None
    await note(connection, operator_id, Action.OPERATOR_CREATED, by, accounts=[INSTALLATION])
    for account_id, role in roles:
        await grant_role(connection, operator_id, account_id, role, by=by)
    return await _existing(connection, operator_id)


async def grant_role(connection: Connection, operator_id: UUID, account_id: UUID, role: Role, *, by: str) -> None:
    """Give an operator a role in an account, in the place of the one held before."""
    await connection.execute(
        """INSERT INTO operator_roles (operator_id, account_id, role) VALUES (%s, %s, %s)
           ON CONFLICT (operator_id, account_id) DO UPDATE SET role = excluded.role, granted_at = clock_timestamp()""",
        (operator_id, account_id, role),
    )
    await note(connection, operator_id, Action.OPERATOR_ROLE_CHANGED, by, {"role": role}, accounts=[account_id])


async def take_role(connection: Connection, operator_id: UUID, account_id: UUID, *, by: str) -> bool:
    """Take an operator's role in an account away; says whether there was one."""
    cursor = await connection.execute(
        "DELETE FROM operator_roles WHERE operator_id = %s AND account_id = %s", (operator_id, account_id)
    )
    if cursor.rowcount:
        await note(connection, operator_id, Action.OPERATOR_ROLE_CHANGED, by, {"role": None}, accounts=[account_id])
    return cursor.rowcount == 1


async def set_password(
    connection: Connection,
    operator: Operator,
    password: str,
    *,
    by: str,
    kept: UUID | None = None,
    given: bool = False,
) -> None:
    """A new password; every session but `kept` ends, and every sign-in that waits for its code.

    `given` as at creation. Raises PasswordRefused for a weak one.
    """
    hashed = await hash_new_password(password, [operator.email, operator.email.partition("@")[0], operator.name])
    await connection.execute(
        """UPDATE operators SET password_hash = %s, password_changed_at = clock_timestamp(),
                  password_given_at = CASE WHEN %s THEN clock_timestamp() END WHERE operator_id = %s""",
        (hashed, given, operator.operator_id),
    )
    await end_other_sessions(connection, operator.operator_id, kept)
    await forget_steps(connection, operator.operator_id)
    await note(connection, operator.operator_id, Action.OPERATOR_PASSWORD_CHANGED, by)


async def reset_operator(
    connection: Connection, operator: Operator, password: str, *, by: str, given: bool = False
) -> None:
    """For who has lost everything: a new password, no second factor, no session; and able to sign in again."""
    await set_password(connection, operator, password, by=by, given=given)
    await connection.execute(
        """UPDATE operators SET totp_sealed = NULL, totp_confirmed_at = NULL, recovery_hashes = '{}', disabled_at = NULL
           WHERE operator_id = %s""",
        (operator.operator_id,),
    )
    await connection.execute("DELETE FROM operator_passkeys WHERE operator_id = %s", (operator.operator_id,))
    details = {"method": "reset"}
    await note(connection, operator.operator_id, Action.OPERATOR_SECOND_FACTOR_CHANGED, by, details)


async def disable_operator(connection: Connection, operator: Operator, *, by: str) -> None:
    """From the commit on this person cannot sign in, and no session of theirs is answered."""
    await connection.execute(
        "UPDATE operators SET disabled_at = coalesce(disabled_at, clock_timestamp()) WHERE operator_id = %s",
        (operator.operator_id,),
    )
    await end_other_sessions(connection, operator.operator_id)
    await note(connection, operator.operator_id, Action.OPERATOR_DISABLED, by)


async def note(
    connection: Connection,
    operator_id: UUID,
    action: Action,
    by: str,
    details: Mapping[str, Detail] | None = None,
    *,
    accounts: Iterable[UUID] | None = None,
) -> None:
    """Write down what concerns an operator, in the chain of each account in which that person has a role.

    Where there is none, in the chain of the installation.
    """
    chains = accounts
    if chains is None:
        chains = [one.account_id for one in await memberships(connection, operator_id)] or [INSTALLATION]
    for chain in chains:
        await record(
            connection, chain, actor=by, action=action, subject=f"operator:{operator_id}", details=details or {}
        )


def readable_email(email: str) -> str:
    """The address as it is kept; raises ValueError for what is none. Nobody is asked whether it exists."""
    try:
        return validate_email(email, check_deliverability=False).normalized
    except EmailNotValidError as fault:
        raise ValueError(f"This is no e-mail address: {fault}") from None


async def _existing(connection: Connection, operator_id: UUID) -> Operator:
    found = await read_operator(connection, operator_id)
    if found is None:
        raise LookupError(f"There is no operator {operator_id}.")
    return found
