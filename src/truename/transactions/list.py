"""List transactions, newest first, by what they are at this moment."""

from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString
from uuid import UUID

from truename.accounts.authentication import Caller
from truename.audit.model import Action, Entry
from truename.audit.reads import record_reading
from truename.plumbing.http.pagination import Position
from truename.plumbing.resources import Plumbing
from truename.transactions import store
from truename.transactions.answers import TransactionList
from truename.transactions.lifecycle import OPEN, Status
from truename.transactions.read import summary


@dataclass(frozen=True)
class Filters:
    """What a list of transactions is narrowed to, how long a page is, and after which row it begins."""

    customer_id: UUID | None = None
    status: Status | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    limit: int = 20
    after: Position | None = None


async def list_transactions(plumbing: Plumbing, caller: Caller, filters: Filters) -> TransactionList:
    """One page, newest first, which leaves a row in the audit log."""
    where, parameters = _where(filters)
    query = store.LIST + where + " ORDER BY t.created_at DESC, t.transaction_id DESC LIMIT %(limit)s"
    parameters |= {"account_id": caller.account_id, "limit": filters.limit + 1}
    rows = await plumbing.database.typed_statement(store.TransactionRow, caller.account_id, query, parameters)
    shown, has_more = rows[: filters.limit], len(rows) > filters.limit
    last = shown[-1] if has_more else None
    entry = Entry(
        caller.account_id,
        caller.actor,
        Action.TRANSACTIONS_LISTED,
        f"account:{caller.account_id}",
        {"count": len(shown), "customer_id": str(filters.customer_id) if filters.customer_id else None},
    )
    await record_reading(plumbing.database, entry)
    page = TransactionList(
        data=[caller.marked(summary(row)) for row in shown],
        has_more=has_more,
        next_cursor=Position(last.created_at, last.transaction_id).cursor() if last else None,
    )
    return caller.marked(page)


def _where(filters: Filters) -> tuple[LiteralString, dict[str, object]]:
    conditions: list[LiteralString] = []
    parameters: dict[str, object] = {}
    if filters.customer_id is not None:
        conditions.append("t.customer_id = %(customer_id)s")
        parameters["customer_id"] = filters.customer_id
    if filters.status is not None:
        conditions.append(_status_condition(filters.status))
        parameters["status"] = filters.status.value
    if filters.created_after is not None:
        conditions.append("t.created_at > %(created_after)s")
        parameters["created_after"] = filters.created_after
    if filters.created_before is not None:
        conditions.append("t.created_at < %(created_before)s")
        parameters["created_before"] = filters.created_before
    if filters.after is not None:
        conditions.append("(t.created_at, t.transaction_id) < (%(after_time)s, %(after_id)s)")
        parameters |= {"after_time": filters.after.created_at, "after_id": filters.after.identity}
    return "".join([" AND " + condition for condition in conditions]), parameters


def _status_condition(status: Status) -> LiteralString:
    if status in OPEN:
        return "t.status = %(status)s AND t.expires_at > clock_timestamp()"
    if status is Status.EXPIRED:
        return (
            "(t.status = %(status)s OR (t.status IN ('CREATED', 'IN_PROGRESS') AND t.expires_at <= clock_timestamp()))"
        )
    return "t.status = %(status)s"
