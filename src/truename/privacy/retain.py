"""Retention: what a capture left is deleted so many days after its transaction ended, as the consent page says.

Everything that came from the capture goes: pictures, extracted data, and what was enrolled from them (the live face as
identity reference, the record of the document). The reference image that the integrator sent itself is no capture and
stays. Each transaction is redacted in a short database transaction of its own, so that a stop loses nothing and the
next round goes on where this one ended.
"""

from dataclasses import dataclass
from functools import partial
from typing import Final, LiteralString
from uuid import UUID

import structlog

from truename.audit.model import Action
from truename.audit.record import record
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import TransactionNotFound, WrongState
from truename.plumbing.jobs.apart import each_apart
from truename.plumbing.jobs.registry import periodic
from truename.plumbing.resources import Plumbing
from truename.privacy.redact import redact
from truename.transactions.lifecycle import FINAL, Status

log = structlog.get_logger(__name__)

BATCH: Final = 100
ACTOR: Final = "rule:retention"

DUE: Final = """
(SELECT t.transaction_id FROM transactions t
 WHERE t.account_id = %(account_id)s AND t.redacted_at IS NULL
   AND t.completed_at < now() - make_interval(days => %(days)s)
 ORDER BY t.completed_at LIMIT %(limit)s)
UNION ALL
(SELECT t.transaction_id FROM transactions t
 WHERE t.account_id = %(account_id)s AND t.redacted_at IS NULL AND t.completed_at IS NULL
   AND t.status = 'IN_REVIEW' AND t.submitted_at < now() - make_interval(days => %(days)s) LIMIT %(limit)s)
LIMIT %(limit)s
"""
"""One that waits for a person has not ended, but the days that the consent page names go on: they count from its
submission then. Each half has an index of its own; asked together, every transaction ever redacted was read."""
REDACTABLE: Final = FINAL | {Status.IN_REVIEW}
FORGET_RECORDS: Final = """
UPDATE customers SET sealed_record = NULL, record_transaction_id = NULL
WHERE account_id = %(account_id)s AND customer_id = ANY (ARRAY (
    SELECT c.customer_id FROM customers c JOIN transactions t
    ON t.account_id = c.account_id AND t.transaction_id = c.record_transaction_id
    WHERE c.account_id = %(account_id)s AND t.completed_at < now() - make_interval(days => %(days)s)
      AND c.record_transaction_id < least_id(
          now() - make_interval(days => %(days)s) + interval '1 hour' + make_interval(secs => (
              SELECT a.clock_advanced_seconds FROM accounts a WHERE a.account_id = %(account_id)s)))
    ORDER BY c.record_transaction_id LIMIT %(limit)s))
RETURNING customer_id
"""
"""Only records of transactions that were begun early enough are looked at, which their ids tell. An hour is left for
clocks that differ; in a sandbox whose time was moved everything but the ids grew older."""
FORGET_FACES: Final = """
WITH due AS (
    SELECT f.face_id, f.customer_id FROM faces f JOIN transactions t USING (account_id, transaction_id)
    WHERE f.account_id = %(account_id)s AND t.completed_at < now() - make_interval(days => %(days)s)
      AND f.created_at < now() - make_interval(days => %(days)s) AND f.transaction_id IS NOT NULL
    LIMIT %(limit)s
), loose AS (
    UPDATE customers c SET reference_face_id = NULL FROM due
    WHERE c.account_id = %(account_id)s AND c.customer_id = due.customer_id AND c.reference_face_id = due.face_id
)
DELETE FROM faces f USING due WHERE f.account_id = %(account_id)s AND f.face_id = due.face_id
RETURNING f.customer_id
"""
"""A face is never younger than the end of its transaction."""


@dataclass(frozen=True, slots=True)
class Retention:
    """An account that keeps captures for so many days."""

    account_id: UUID
    days: int


@periodic(seconds=600)
async def retain(plumbing: Plumbing) -> None:
    """Delete what is due, of every account that has set `retention_days`."""
    await each_apart(await _retentions(plumbing), partial(_retain, plumbing))


async def retain_of(plumbing: Plumbing, account_id: UUID) -> None:
    """Delete what is due of one account, without waiting for the regular round."""
    for retention in await _retentions(plumbing):
        if retention.account_id == account_id:
            await _retain(plumbing, retention)


async def _retain(plumbing: Plumbing, retention: Retention) -> None:
    redacted = 0
    while found := await _redact_batch(plumbing, retention):
        redacted += found
    forgotten = 0
    while found := await _forget_enrolled(plumbing, retention):
        forgotten += found
    if redacted or forgotten:
        words = {"account_id": str(retention.account_id), "transactions": redacted, "customers": forgotten}
        log.info("retention", **words)


async def _retentions(plumbing: Plumbing) -> list[Retention]:
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(
            "SELECT account_id, (settings ->> 'retention_days')::integer AS days FROM accounts "
            "WHERE settings ->> 'retention_days' IS NOT NULL ORDER BY account_id"
        )
        return [Retention(row["account_id"], row["days"]) for row in await cursor.fetchall()]


async def _redact_batch(plumbing: Plumbing, retention: Retention) -> int:
    """Redact some of the transactions that are due; says how many."""
    own = {"account_id": retention.account_id, "days": retention.days, "limit": BATCH}
    rows = await plumbing.database.statement(retention.account_id, DUE, own)
    done = 0

    async def redact_one(transaction_id: UUID) -> None:
        nonlocal done
        try:
            async with plumbing.database.account(retention.account_id) as connection:
                await redact(connection, retention.account_id, transaction_id, actor=ACTOR, from_states=REDACTABLE)
            done += 1
        except (TransactionNotFound, WrongState):
            log.warning("retention passed over", transaction_id=str(transaction_id))

    await each_apart([row["transaction_id"] for row in rows], redact_one)
    return done


async def _forget_enrolled(plumbing: Plumbing, retention: Retention) -> int:
    """Some of what approvals enrolled from captures that are due: records and faces; says of how many customers."""
    own = {"account_id": retention.account_id, "days": retention.days, "limit": BATCH}
    async with plumbing.database.account(retention.account_id) as connection:
        customers = set(await _customers(connection, FORGET_RECORDS, own))
        customers |= set(await _customers(connection, FORGET_FACES, own))
        for customer_id in sorted(customers):
            await record(
                connection,
                retention.account_id,
                actor=ACTOR,
                action=Action.CUSTOMER_CHANGED,
                subject=f"customer:{customer_id}",
                details={"reason": "RETENTION"},
            )
    return len(customers)


async def _customers(connection: Connection, query: LiteralString, own: dict[str, object]) -> list[UUID]:
    cursor = await connection.execute(query, own)
    return [row["customer_id"] for row in await cursor.fetchall()]
