"""The SQL of the list: each filter a fixed text with its own parameters, in keyset pages."""
# ruff: noqa: S608 - every part that is put together here is a constant of this house

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final, LiteralString
from uuid import UUID

from psycopg.types.json import Jsonb

from truename.dashboard.listing.filters import Filters, first_day
from truename.plumbing.database.pool import Connection
from truename.rules.strangers import step_bounds
from truename.statistics.read import bounds
from truename.statistics.store import FACE_SCORE, QUEUED, STOPPED_AT
from truename.transactions.lifecycle import OPEN, Status
from truename.transactions.store import SUMMARY

WHOLE_ROW: LiteralString = f"{SUMMARY}, t.checks, t.redacted_at, c.data_key, e.sealed_dossier"
BARE_ROW: LiteralString = SUMMARY


ALL: LiteralString = "transactions"
WITH_RARE_ISSUE: LiteralString = """
(SELECT one.* FROM unnest(%(hours)s::timestamptz[]) AS h (hour) CROSS JOIN LATERAL (
     SELECT x.* FROM transactions x WHERE x.account_id = %(account_id)s AND x.completed_at >= h.hour
     AND x.completed_at < h.hour + interval '1 hour' AND x.completed_at < %(counted)s AND x.issues @> %(issue)s
     OFFSET 0) AS one
 UNION ALL
 SELECT x.* FROM transactions x WHERE x.account_id = %(account_id)s AND x.completed_at >= %(counted)s
   AND x.issues @> %(issue)s
 UNION ALL
 SELECT x.* FROM transactions x WHERE x.account_id = %(account_id)s AND x.status = 'IN_REVIEW'
   AND x.issues @> %(issue)s
 OFFSET 0)
"""
"""All transactions with an issue that few have: the sums tell the hours in which it was found, the rest is what was not
counted yet or waits for a person. Row-level security lets no index on the issues themselves be used, and to read the
newest rows until a page is full would be to read all of them. `OFFSET 0` keeps the planner from doing just that."""

HOURS_OF_ISSUE: LiteralString = """
SELECT coalesce(sum(count) FILTER (WHERE hour > now() - interval '3 days'), 0) AS recent,
       coalesce(array_agg(hour), '{}') AS hours,
       (SELECT p.until FROM statistics_progress p WHERE p.account_id = %(account_id)s) AS counted
FROM statistics_hours WHERE account_id = %(account_id)s AND measure = 'ISSUE' AND label = %(code)s
"""
MOST_HOURS: Final = 400
"""An issue that was found in more hours than these is not rare."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where rows come from, with the parameters that it needs."""

    rows: LiteralString = ALL
    parameters: Mapping[str, object] = field(default_factory=dict)


async def source(connection: Connection, account_id: UUID, filters: Filters, page: int) -> Source:
    """Where the rows come from; the sums tell whether the newest rows will soon fill a page."""
    if filters.issue is None:
        return Source()
    cursor = await connection.execute(HOURS_OF_ISSUE, {"account_id": account_id, "code": filters.issue.name})
    row = await cursor.fetchone()
    if row is None or row["counted"] is None or row["recent"] > page or len(row["hours"]) > MOST_HOURS:
        return Source()
    return Source(WITH_RARE_ISSUE, {"hours": row["hours"], "counted": row["counted"]})


def rows_query(
    columns: LiteralString, conditions: LiteralString, filters: Filters, rows: LiteralString = ALL
) -> LiteralString:
    """One page of rows. The page is cut out before anything is joined to it: a million rows need no join."""
    begin, order = _beginning(filters), _order(filters)
    joined: LiteralString = (
        "LEFT JOIN examinations e ON e.transaction_id = t.transaction_id AND e.account_id = t.account_id"
        if "e.sealed_dossier" in columns
        else ""
    )
    return f"""
SELECT {columns} FROM (
    SELECT t.* FROM {rows} t WHERE t.account_id = %(account_id)s{conditions}{begin}{order} LIMIT %(limit)s) AS t
JOIN customers c ON c.customer_id = t.customer_id AND c.account_id = t.account_id
{joined}
{order}
"""


def count_query(conditions: LiteralString, rows: LiteralString = ALL) -> LiteralString:
    """How many rows, counted to a limit."""
    return f"""
SELECT count(*) AS count FROM (
    SELECT 1 FROM {rows} t WHERE t.account_id = %(account_id)s{conditions} LIMIT %(limit)s) AS counted
"""


HELD_DECISION: LiteralString = (
    "EXISTS (SELECT 1 FROM review_opinions o WHERE o.account_id = t.account_id "
    "AND o.transaction_id = t.transaction_id AND o.state = 'PENDING')"
)
WAITING: Final = {
    "any": (None, None),
    "1h": (None, timedelta(hours=1)),
    "4h": (timedelta(hours=1), timedelta(hours=4)),
    "24h": (timedelta(hours=4), timedelta(hours=24)),
    "more": (timedelta(hours=24), None),
}
"""How long something waits: at least, and less than."""
NEAR: Final = 0.05
"""One step of the score: so close to its threshold counts as near."""
STUCK: Final = timedelta(minutes=15)


def where(filters: Filters, actor: str, today: date, zone: str) -> tuple[LiteralString, dict[str, object]]:
    """The conditions and their parameters; days begin in the zone of that name."""
    conditions: list[LiteralString] = []
    given: dict[str, object] = {}

    def add(condition: LiteralString, **parameters: object) -> None:
        conditions.append(condition)
        given.update(parameters)

    if filters.status:
        add(_statuses(filters.status), statuses=[status.value for status in filters.status])
    if filters.type:
        add("t.transaction_type = %(type)s", type=filters.type.value)
    if filters.issue:
        add("t.issues @> %(issue)s", issue=Jsonb([{"code": filters.issue.name}]))
    if filters.customer:
        add("t.customer_id = %(customer)s", customer=filters.customer)
    if filters.decided_by:
        add("t.decided_by = %(decided_by)s", decided_by=filters.decided_by)
    since = filters.created_from or (first_day(filters.within, today) if filters.within else None)
    if since:
        add("t.created_at >= %(since)s", since=bounds(since, since, zone)[0])
    if filters.created_to:
        add("t.created_at < %(until)s", until=bounds(filters.created_to, filters.created_to, zone)[1])
    if filters.ended_from:
        add("t.completed_at >= %(ended_since)s", ended_since=bounds(filters.ended_from, filters.ended_from, zone)[0])
    if filters.ended_to:
        add("t.completed_at < %(ended_until)s", ended_until=bounds(filters.ended_to, filters.ended_to, zone)[1])
    if filters.stopped:
        condition: LiteralString = "t.status IN ('EXPIRED', 'CANCELLED') AND " + STOPPED_AT + " = %(stopped)s"
        add(condition, stopped=filters.stopped.value)
    if filters.ids:
        add("t.transaction_id = ANY(%(ids)s)", ids=list(filters.ids))
    if filters.waits:
        low, high = WAITING[filters.waits]
        add("t.status = 'IN_REVIEW' AND NOT " + HELD_DECISION)
        if low is not None:
            add("t.submitted_at <= clock_timestamp() - %(waits_from)s", waits_from=low)
        if high is not None:
            add("t.submitted_at > clock_timestamp() - %(waits_to)s", waits_to=high)
    if filters.queued_from or filters.queued_to:
        add(QUEUED)
    if filters.queued_from:
        add(
            "t.submitted_at >= %(queued_since)s", queued_since=bounds(filters.queued_from, filters.queued_from, zone)[0]
        )
    if filters.queued_to:
        add("t.submitted_at < %(queued_until)s", queued_until=bounds(filters.queued_to, filters.queued_to, zone)[1])
    if filters.score is not None:
        lowest, next_step = step_bounds(filters.score)
        add(FACE_SCORE + " >= %(score)s AND " + FACE_SCORE + " < %(next_score)s", score=lowest, next_score=next_step)
    if filters.group:
        add(
            "EXISTS (SELECT 1 FROM search_keys g WHERE g.account_id = t.account_id AND g.transaction_id = "
            "t.transaction_id AND g.key = %(group)s)",
            group=filters.group,
        )
    if filters.mine:
        add(
            "EXISTS (SELECT 1 FROM review_cases r WHERE r.account_id = t.account_id AND r.transaction_id = "
            "t.transaction_id AND r.holder = %(actor)s AND r.held_until > clock_timestamp())",
            actor=actor,
        )
    if filters.near:
        add(
            "EXISTS (SELECT 1 FROM jsonb_array_elements(t.checks) AS k WHERE abs((k ->> 'score')::float8 - "
            "(k ->> 'threshold')::float8) < %(near)s)",
            near=NEAR,
        )
    if filters.stuck:
        add("t.status = 'PROCESSING' AND t.submitted_at < clock_timestamp() - %(stuck)s", stuck=STUCK)
    if filters.webhook_failing:
        add(
            "t.transaction_id IN (SELECT w.transaction_id FROM webhook_events w WHERE w.account_id = %(account_id)s "
            "AND (w.state = 'EXHAUSTED' OR (w.state = 'PENDING' AND w.attempts > 0)))"
        )
    if filters.keys:
        add(
            "t.transaction_id IN (SELECT k.transaction_id FROM search_keys k WHERE k.account_id = %(account_id)s AND "
            "k.key = ANY(%(keys)s) GROUP BY k.transaction_id HAVING count(*) = %(wanted)s)",
            keys=list(filters.keys),
            wanted=len(set(filters.keys)),
        )
    return "".join([" AND " + condition for condition in conditions]), given


def page_parameters(filters: Filters, limit: int) -> dict[str, object]:
    """Where the page begins, and how long it is."""
    if filters.after is None:
        return {"limit": limit}
    return {"limit": limit, "after_time": filters.after.created_at, "after_id": filters.after.identity}


def _column(filters: Filters) -> LiteralString:
    return "t.completed_at" if filters.by_end else "t.created_at"


def _order(filters: Filters) -> LiteralString:
    direction: LiteralString = "ASC" if filters.oldest_first else "DESC"
    return f" ORDER BY {_column(filters)} {direction}, t.transaction_id {direction}"


def _beginning(filters: Filters) -> LiteralString:
    if filters.after is None:
        return ""
    sign: LiteralString = ">" if filters.oldest_first else "<"
    return f" AND ({_column(filters)}, t.transaction_id) {sign} (%(after_time)s, %(after_id)s)"


def _statuses(statuses: tuple[Status, ...]) -> LiteralString:
    """The status at this very moment, so that the index on the stored one still serves."""
    is_open, settled = OPEN & set(statuses), set(statuses) - OPEN
    conditions: list[LiteralString] = []
    if is_open:
        conditions.append(
            "(t.status = ANY(%(statuses)s) AND t.status IN ('CREATED', 'IN_PROGRESS') "
            "AND t.expires_at > clock_timestamp())"
        )
    if len(settled) == 1 and not is_open and Status.EXPIRED not in settled:
        return "t.status = (%(statuses)s::text[])[1]"
    if settled:
        conditions.append("(t.status = ANY(%(statuses)s) AND t.status NOT IN ('CREATED', 'IN_PROGRESS'))")
    if Status.EXPIRED in settled:
        conditions.append("(t.status IN ('CREATED', 'IN_PROGRESS') AND t.expires_at <= clock_timestamp())")
    return "(" + " OR ".join(conditions) + ")"


SAVED: LiteralString = """
SELECT view_id, operator_id, name, query, shared FROM saved_views
WHERE account_id = %(account_id)s AND (shared OR operator_id = %(operator_id)s) ORDER BY shared, name
"""
SAVE: LiteralString = """
INSERT INTO saved_views (view_id, account_id, operator_id, name, query, shared)
VALUES (%(view_id)s, %(account_id)s, %(operator_id)s, %(name)s, %(query)s, %(shared)s)
ON CONFLICT (account_id, operator_id, name) DO UPDATE SET query = excluded.query, shared = excluded.shared
"""
FORGET: LiteralString = """
DELETE FROM saved_views WHERE account_id = %(account_id)s AND view_id = %(view_id)s
  AND (operator_id = %(operator_id)s OR %(admin)s)
"""


def own(account_id: UUID, **more: object) -> dict[str, object]:
    """Parameters that every query here has."""
    return {"account_id": account_id, **more}
