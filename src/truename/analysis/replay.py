"""Judge a stored transaction again, from what was seen then, under the config and the date of then."""

import json
from dataclasses import dataclass
from uuid import UUID

from truename.plumbing.errors import TransactionNotFound
from truename.plumbing.resources import Plumbing
from truename.rules.verdict import Verdict, evaluate
from truename.transactions.read import opened_dossier

STORED = """
SELECT t.transaction_id, t.account_id, t.customer_id, t.status, t.issues, t.checks, t.redacted_at, c.data_key,
       e.sealed_dossier
FROM transactions t
JOIN customers c ON c.customer_id = t.customer_id
LEFT JOIN examinations e ON e.transaction_id = t.transaction_id
WHERE t.transaction_id = %s
"""


class NothingToReplay(Exception):
    """The transaction has no stored evidence: never analysed, redacted or erased."""


@dataclass(frozen=True)
class Replay:
    """What was judged then, and what the same evidence gives now."""

    transaction_id: UUID
    status: str
    verdict: Verdict
    differences: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Is the judgement the one of then?"""
        return not self.differences


async def replay(plumbing: Plumbing, transaction_id: UUID) -> Replay:
    """Judge the stored evidence again; raises TransactionNotFound, or NothingToReplay when none is stored."""
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(STORED, (transaction_id,))
        row = await cursor.fetchone()
    if row is None:
        raise TransactionNotFound
    if row["data_key"] is None or row["sealed_dossier"] is None:
        raise NothingToReplay(f"Transaction {transaction_id} ({row['status']}) has no stored evidence.")
    key = await plumbing.keys.open(row["data_key"], row["account_id"], row["customer_id"])
    dossier = opened_dossier(key, row["sealed_dossier"], transaction_id)
    if dossier is None:
        raise NothingToReplay(f"Transaction {transaction_id} ({row['status']}) has no stored evidence.")
    verdict = evaluate(dossier)
    now = json.loads(json.dumps(verdict.as_dict()))
    # A check that was not there yet then answers nothing about the same evidence being judged the same.
    asked = {check["check"] for check in row["checks"] or ()}
    now["checks"] = [check for check in now["checks"] if check["check"] in asked]
    differences = [f"{part} differ" for part in ("issues", "checks") if now[part] != row[part]]
    return Replay(transaction_id, row["status"], verdict, tuple(differences))
