"""Make a held decision final: with one pair of eyes at once, with four when two people have decided alike."""

from typing import Final
from uuid import UUID

import structlog
from psycopg.rows import DictRow

from truename.accounts.store import account_settings
from truename.plumbing.clock import NEVER_SO_FAR_AHEAD
from truename.plumbing.crypto import seals
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import WrongState
from truename.plumbing.jobs.queue import enqueue
from truename.plumbing.jobs.registry import Retry, job, periodic
from truename.plumbing.resources import Plumbing
from truename.reviews import store
from truename.reviews.model import Decided, OpinionState
from truename.reviews.reasons import words_of
from truename.reviews.samples import settle_sample
from truename.transactions.lifecycle import Status
from truename.transactions.review import review

log = structlog.get_logger(__name__)

ALWAYS: Final = Retry(attempts=1_000_000, first_wait_seconds=2, growth=1)
"""A decision that a person gave is never given up."""


@job("reviews.finalise", retry=ALWAYS)
async def finalise(plumbing: Plumbing, *, account_id: str, opinion_id: str) -> None:
    """Carry out a decision whose time to take it back is over. Safe to repeat: only a pending one is carried out."""
    account, opinion = UUID(account_id), UUID(opinion_id)
    async with plumbing.database.account(account) as connection:
        cursor = await connection.execute(
            "SELECT t.transaction_id FROM transactions t JOIN review_opinions o USING (account_id, transaction_id) "
            "WHERE o.account_id = %s AND o.opinion_id = %s FOR UPDATE OF t",
            (account, opinion),
        )
        if await cursor.fetchone() is None:
            return
        cursor = await connection.execute(store.PENDING, {"account_id": account, "opinion_id": opinion})
        row = await cursor.fetchone()
        if row is None:
            return
        if not row["due"]:
            arguments = {"account_id": account_id, "opinion_id": opinion_id}
            await enqueue(connection, "reviews.finalise", arguments, run_at=row["finalise_at"])
            return
        state = await _carry_out(connection, plumbing, account, row)
        await connection.execute(store.SETTLE, {"account_id": account, "opinion_id": opinion, "state": state})
        await connection.execute(store.FREE, {"account_id": account, "transaction_id": row["transaction_id"]})
    log.info("review", opinion_id=opinion_id, transaction_id=str(row["transaction_id"]), state=str(state))


@periodic(seconds=60)
async def bring_back_from_the_future(plumbing: Plumbing) -> None:
    """The database's clock was ahead and is set right: carry out now what was held meanwhile, and end such leases."""
    async with plumbing.database.system() as connection:
        await connection.execute(store.END_FAR_LEASES, {"far": NEVER_SO_FAR_AHEAD})
        cursor = await connection.execute(store.HASTEN_FAR, {"far": NEVER_SO_FAR_AHEAD})
        for row in await cursor.fetchall():
            arguments = {"account_id": str(row["account_id"]), "opinion_id": str(row["opinion_id"])}
            await enqueue(connection, "reviews.finalise", arguments)
            log.warning("the clock was set back: a decision that was held far too long is carried out", **arguments)


async def _carry_out(connection: Connection, plumbing: Plumbing, account_id: UUID, row: DictRow) -> OpinionState:
    """What becomes of the opinion; the transaction is concluded if it decides.

    Of the quality sample the verdict is kept beside the transaction, and nothing else happens.
    """
    if row["sampled"]:
        await settle_sample(connection, account_id, row["transaction_id"], row["outcome"], row["reviewer"])
        return OpinionState.FINAL
    if row["status"] != Status.IN_REVIEW:
        return OpinionState.SUPERSEDED
    settings = await account_settings(connection, account_id)
    if settings.review_four_eyes and not await _decides(connection, account_id, row):
        return OpinionState.GIVEN
    words = await _words(connection, plumbing, account_id, row)
    own = account_id, row["transaction_id"]
    try:
        async with connection.transaction():
            await review(connection, plumbing, *own, Status(row["outcome"]), words, actor=row["reviewer"])
    except WrongState as refused:
        log.warning("review refused", transaction_id=str(row["transaction_id"]), code=refused.code)
        return OpinionState.REFUSED
    return OpinionState.FINAL


async def _decides(connection: Connection, account_id: UUID, row: DictRow) -> bool:
    """Has another person said the same? Of three, two always have."""
    cursor = await connection.execute(
        "SELECT 1 FROM review_opinions WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s "
        "AND state = 'GIVEN' AND outcome = %(outcome)s AND reviewer <> %(reviewer)s",
        {"account_id": account_id, **row},
    )
    return await cursor.fetchone() is not None


async def _words(connection: Connection, plumbing: Plumbing, account_id: UUID, row: DictRow) -> str:
    """Reason and note as one text, for the audit log, where it is sealed."""
    words = f"{row['reason']}: {words_of(row['reason'], Decided(row['outcome']))}"
    owned = await plumbing.keys.of_transaction(connection, account_id, row["transaction_id"])
    if owned is None or row["sealed_note"] is None:
        return words
    return f"{words}. {owned.key.open(bytes(row['sealed_note']), seals.review_note(row['opinion_id'])).decode()}"
