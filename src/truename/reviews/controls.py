"""Control cases: transactions of a sandbox of which somebody knows whether both faces are of one person.

Only with them can it be counted how often a reviewer errs. Faces of customers are never used for it: a live account has
no control cases.
"""

from enum import StrEnum
from uuid import UUID

from truename.audit.model import Action
from truename.audit.record import record
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import TransactionNotFound
from truename.reviews.samples import put_among_cases


class Truth(StrEnum):
    """What is true of the faces of a control case."""

    SAME = "same"
    DIFFERENT = "different"
    UNKNOWN = "unknown"
    """It is no control case any more."""


class NoSandbox(ValueError):
    """The transaction is of a live account."""


OF_ACCOUNT = """
SELECT a.livemode FROM transactions t JOIN accounts a USING (account_id)
WHERE t.account_id = %s AND t.transaction_id = %s
"""


async def say_truth(
    connection: Connection, account_id: UUID, transaction_id: UUID, truth: Truth, *, actor: str
) -> None:
    """Make it a control case, or none any more; an approval is put among the cases, unmarked as the quality sample is.

    Raises TransactionNotFound, and NoSandbox for a live account.
    """
    row = await (await connection.execute(OF_ACCOUNT, (account_id, transaction_id))).fetchone()
    if row is None:
        raise TransactionNotFound
    if row["livemode"]:
        raise NoSandbox(f"{transaction_id} is of a live account: only a sandbox has control cases.")
    if truth is Truth.UNKNOWN:
        query = "DELETE FROM review_controls WHERE account_id = %s AND transaction_id = %s"
        await connection.execute(query, (account_id, transaction_id))
    else:
        await connection.execute(
            "INSERT INTO review_controls (account_id, transaction_id, truth) VALUES (%s, %s, %s) "
            "ON CONFLICT (transaction_id) DO UPDATE SET truth = EXCLUDED.truth, said_at = clock_timestamp()",
            (account_id, transaction_id, truth.name),
        )
        await put_among_cases(connection, account_id, transaction_id)
    await record(
        connection,
        account_id,
        actor=actor,
        action=Action.REVIEW_CONTROL_SET,
        subject=f"transaction:{transaction_id}",
        details={"answer": truth.value},
    )
