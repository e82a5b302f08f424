"""Back-tests as rows: asked for, run at once or by a job, read while they go on."""

from dataclasses import dataclass
from typing import Final, LiteralString
from uuid import UUID

import structlog
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from truename.backtest.model import BacktestStatus, ShownBacktest, ShownBacktestResult, shown_result
from truename.backtest.policy import Mode, OtherPolicy
from truename.backtest.run import backtest, backtest_at_once
from truename.backtest.stored import Range, count_stored
from truename.backtest.tally import BacktestResult
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import BacktestNotFound, TooMany
from truename.plumbing.jobs.queue import enqueue
from truename.plumbing.jobs.registry import Retry, job, periodic
from truename.plumbing.resources import Plumbing
from truename.rules.config import Config, TransactionType

log = structlog.get_logger("truename.backtest")

KEPT_DAYS: Final = 30
MOST_KEPT: Final = 500
"""Of one account; the oldest go first. A result names up to a thousand transactions."""
MOST_WAITING: Final = 20
"""Of one account; they run one after the other."""
AT_ONCE: Final = 1000
"""Up to so many transactions are judged while the caller waits: a fraction of a second."""
COLUMNS: Final[LiteralString] = """
backtest_id, account_id, status, mode, config, since, until, transaction_type, total, done, created_at, finished_at,
result
"""
INSERT: Final[LiteralString] = f"""
INSERT INTO backtests (backtest_id, account_id, status, mode, config, since, until, transaction_type, total)
VALUES (%(backtest_id)s, %(account_id)s, 'QUEUED', %(mode)s, %(config)s, %(since)s, %(until)s, %(transaction_type)s,
        %(total)s)
RETURNING {COLUMNS}
"""  # noqa: S608 - every part that is put together here is a constant of this house
READ: Final[LiteralString] = f"SELECT {COLUMNS} FROM backtests WHERE account_id = %s AND backtest_id = %s"  # noqa: S608
FINISH: Final[LiteralString] = f"""
UPDATE backtests SET status = 'DONE', done = total, result = %s, finished_at = clock_timestamp()
WHERE account_id = %s AND backtest_id = %s RETURNING {COLUMNS}
"""  # noqa: S608

WAITING: Final = "SELECT count(*) AS n FROM backtests WHERE account_id = %s AND status IN ('QUEUED', 'RUNNING')"
FORGET: Final = """
DELETE FROM backtests b USING (
    SELECT backtest_id, row_number() OVER (PARTITION BY account_id ORDER BY created_at DESC) AS place FROM backtests
) AS ranked
WHERE ranked.backtest_id = b.backtest_id
  AND (ranked.place > %(most)s OR b.created_at < now() - make_interval(days => %(days)s))
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """A back-test that was asked for, and whether it was answered at once."""

    shown: ShownBacktest
    finished: bool


async def ask(
    connection: Connection, plumbing: Plumbing, range_: Range, policy: OtherPolicy, said: dict[str, object]
) -> Asked:
    """Keep the back-test; run it now when the range is small, otherwise queue it with the same commit."""
    total = await count_stored(connection, range_)
    given = {
        "backtest_id": new_id(),
        "account_id": range_.account_id,
        "mode": policy.mode.value,
        "config": Jsonb(said),
        "since": range_.since,
        "until": range_.until,
        "transaction_type": range_.transaction_type.value if range_.transaction_type else None,
        "total": total,
    }
    cursor = await connection.execute(INSERT, given)
    row = await cursor.fetchone()
    if total <= AT_ONCE:
        result = await backtest_at_once(connection, plumbing, range_, policy)
        row = await _finish(connection, range_.account_id, given["backtest_id"], result)
        return Asked(_shown(row), finished=True)
    if row is None:
        raise BacktestNotFound
    account, identity = str(range_.account_id), str(given["backtest_id"])
    await enqueue(
        connection, "backtest.run", {"account_id": account, "backtest_id": identity}, lock=f"backtest:{account}"
    )
    return Asked(_shown(row), finished=False)


async def refuse_too_many(plumbing: Plumbing, account_id: UUID) -> None:
    """Raise TooMany when as many of the account wait already as may."""
    (row,) = await plumbing.database.statement(account_id, WAITING, (account_id,))
    if row["n"] >= MOST_WAITING:
        raise TooMany(60, f"{MOST_WAITING} back-tests of this account wait already: try again when some are done.")


async def read_backtest(plumbing: Plumbing, account_id: UUID, backtest_id: UUID) -> ShownBacktest:
    """A back-test as it is at this moment; raises BacktestNotFound."""
    rows = await plumbing.database.statement(account_id, READ, (account_id, backtest_id))
    if not rows:
        raise BacktestNotFound
    return _shown(rows[0])


async def give_up(plumbing: Plumbing, *, account_id: str, backtest_id: str, error: Exception | None = None) -> None:
    """The last attempt has failed."""
    log.error("backtest_failed", backtest_id=backtest_id, error=type(error).__name__)
    async with plumbing.database.account(UUID(account_id)) as connection:
        await connection.execute(
            "UPDATE backtests SET status = 'FAILED', finished_at = clock_timestamp() "
            "WHERE account_id = %s AND backtest_id = %s AND result IS NULL",
            (UUID(account_id), UUID(backtest_id)),
        )


@job("backtest.run", retry=Retry(attempts=3), on_exhausted=give_up)
async def run_queued(plumbing: Plumbing, *, account_id: str, backtest_id: str) -> None:
    """Run one that was asked for. After a crash it begins anew: nothing is counted twice."""
    account, identity = UUID(account_id), UUID(backtest_id)
    rows = await plumbing.database.statement(account, READ, (account, identity))
    if not rows or rows[0]["result"] is not None:
        return
    row = rows[0]
    kind = row["transaction_type"]
    range_ = Range(account, row["since"], row["until"], TransactionType(kind) if kind else None)
    policy = OtherPolicy(Config.model_validate(row["config"]), Mode(row["mode"]))

    async def progress(done: int) -> None:
        async with plumbing.database.account(account) as connection:
            await connection.execute(
                "UPDATE backtests SET status = 'RUNNING', done = %s, total = greatest(total, %s) "
                "WHERE account_id = %s AND backtest_id = %s",
                (done, done, account, identity),
            )

    await progress(0)
    result = await backtest(plumbing, range_, policy, progress)
    async with plumbing.database.account(account) as connection:
        await _finish(connection, account, identity, result)


@periodic(seconds=3600)
async def forget_old_backtests(plumbing: Plumbing) -> None:
    """Delete what is older than a month, and of an account that asks a lot all but the newest."""
    async with plumbing.database.system() as connection:
        await connection.execute(FORGET, {"days": KEPT_DAYS, "most": MOST_KEPT})


async def _finish(connection: Connection, account_id: UUID, backtest_id: object, result: BacktestResult) -> DictRow:
    stored = Jsonb(shown_result(result).model_dump(mode="json"))
    cursor = await connection.execute(FINISH, (stored, account_id, backtest_id))
    row = await cursor.fetchone()
    if row is None:
        raise BacktestNotFound
    return row


def _shown(row: DictRow) -> ShownBacktest:
    result = row["result"]
    return ShownBacktest(
        backtest_id=row["backtest_id"],
        status=BacktestStatus(row["status"]),
        mode=Mode(row["mode"]),
        config=row["config"],
        since=row["since"],
        until=row["until"],
        transaction_type=row["transaction_type"],
        total=row["total"],
        done=row["done"],
        created_at=row["created_at"],
        finished_at=row["finished_at"],
        result=None if result is None else ShownBacktestResult.model_validate(result),
    )
