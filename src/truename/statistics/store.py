"""The SQL of the hourly sums."""

from typing import LiteralString

from truename.statistics.model import BUCKETS_PER_DOUBLING

STALE: LiteralString = """
SELECT a.account_id, s.until FROM accounts a LEFT JOIN statistics_progress s USING (account_id)
WHERE s.until IS NULL
   OR EXISTS (SELECT 1 FROM transactions t WHERE t.account_id = a.account_id AND t.created_at >= s.until)
   OR EXISTS (SELECT 1 FROM transactions t WHERE t.account_id = a.account_id AND t.completed_at >= s.until)
ORDER BY a.account_id
"""
"""Accounts in which something happened since their sums were made (system scope)."""

SINCE: LiteralString = """
SELECT date_trunc('hour', s.until) - interval '1 hour' AS since FROM statistics_progress s
WHERE s.account_id = %(account_id)s FOR UPDATE
"""

FORGET: LiteralString = """
DELETE FROM statistics_hours WHERE account_id = %(account_id)s AND (hour >= %(since)s
    OR (measure = 'QUEUED' AND hour >= %(since)s::timestamptz - interval '2 days'))
"""
"""What goes to a person is counted by the hour of its submission, which may lie two days before its analysis."""

STOPPED_AT: LiteralString = """
(CASE WHEN t.started_at IS NULL THEN 'LINK'
      WHEN NOT EXISTS (SELECT 1 FROM consents o WHERE o.account_id = t.account_id
                       AND o.transaction_id = t.transaction_id AND o.given) THEN 'CONSENT'
      WHEN t.transaction_type <> 'BIOMETRIC_ONLY' AND NOT EXISTS (
          SELECT 1 FROM captures p WHERE p.account_id = t.account_id AND p.transaction_id = t.transaction_id
          AND p.slot = 'DOCUMENT_FRONT' AND p.usable) THEN 'DOCUMENT'
      WHEN t.transaction_type <> 'DOCUMENT_ONLY' AND NOT EXISTS (
          SELECT 1 FROM captures p WHERE p.account_id = t.account_id AND p.transaction_id = t.transaction_id
          AND p.slot = 'LIVENESS') THEN 'FACE'
      ELSE 'SUBMIT' END)
"""
"""Where somebody stopped, of the table `transactions t`: the sums and the list say the same."""

QUEUED: LiteralString = "(t.status = 'IN_REVIEW' OR t.decided_by = 'REVIEWER')"
"""Went to a person, of the table `transactions t`."""

FACE_SCORE: LiteralString = """
(SELECT (k ->> 'score')::float8 FROM jsonb_array_elements(t.checks) AS k
 WHERE k ->> 'check' = 'DOCUMENT_VS_LIVENESS_FACE' AND k -> 'score' <> 'null' LIMIT 1)
"""
"""How alike the faces of document and camera are, of the table `transactions t`; null where none were compared."""

EDGES: LiteralString = "0.35, 0.60, 0.75, 0.85, 0.91, 0.95"
"""Where the steps of the scale of strangers begin: a test holds it to rules/strangers.py."""

COUNT: LiteralString = f"""
WITH ended AS MATERIALIZED (
    SELECT date_trunc('hour', t.completed_at) AS hour, t.transaction_id, t.status, t.issues, t.decided_by,
           extract(epoch FROM t.decided_at - t.submitted_at)::float8 AS seconds,
           CASE WHEN t.status IN ('APPROVED', 'REJECTED') THEN {FACE_SCORE} END AS score
    FROM transactions t WHERE t.account_id = %(account_id)s AND t.completed_at >= %(since)s),
stopped AS (
    SELECT date_trunc('hour', t.completed_at) AS hour, t.transaction_id, {STOPPED_AT} AS label FROM transactions t
    WHERE t.account_id = %(account_id)s AND t.completed_at >= %(since)s AND t.status IN ('EXPIRED', 'CANCELLED')),
became (hour, transaction_id, label) AS (
    SELECT hour, transaction_id, status FROM ended WHERE status IN ('APPROVED', 'REJECTED')
    UNION ALL SELECT hour, transaction_id, label FROM stopped),
counted (hour, measure, label) AS (
    SELECT date_trunc('hour', t.created_at), 'STARTED', '' FROM transactions t
    WHERE t.account_id = %(account_id)s AND t.created_at >= %(since)s
    UNION ALL SELECT hour, 'ENDED', status FROM ended
    UNION ALL SELECT hour, 'ISSUE', issue ->> 'code' FROM ended, jsonb_array_elements(issues) AS issue
    UNION ALL SELECT hour, 'STOPPED', label FROM stopped
    UNION ALL SELECT b.hour, 'GROUP', encode(k.key, 'hex') || ':' || b.label FROM became b
              JOIN search_keys k ON k.account_id = %(account_id)s AND k.transaction_id = b.transaction_id
              WHERE k.kind = 'TRAIT'
    UNION ALL SELECT hour, 'SCORE', width_bucket(score, ARRAY[{EDGES}]::float8[])::text FROM ended
              WHERE score IS NOT NULL
    UNION ALL SELECT date_trunc('hour', t.submitted_at), 'QUEUED', '' FROM transactions t
              WHERE t.account_id = %(account_id)s AND {QUEUED}
                AND t.submitted_at >= %(since)s::timestamptz - interval '2 days'
    UNION ALL SELECT hour, decided_by || '_SECONDS',
                     floor({BUCKETS_PER_DOUBLING} * ln(greatest(seconds, 0.125)) / ln(2.0::float8))::text
              FROM ended WHERE decided_by IN ('ENGINE', 'REVIEWER') AND seconds IS NOT NULL)
INSERT INTO statistics_hours (account_id, hour, measure, label, count)
SELECT %(account_id)s, hour, measure, label, count(*) FROM counted GROUP BY hour, measure, label
"""  # noqa: S608 - put together from constants of this house

PROGRESS: LiteralString = """
INSERT INTO statistics_progress (account_id, until) VALUES (%(account_id)s, %(until)s)
ON CONFLICT (account_id) DO UPDATE SET until = excluded.until
"""

SETTLED: LiteralString = """
SELECT s.until - interval '3 days' AS settled FROM statistics_progress s WHERE s.account_id = %(account_id)s
"""
"""Sums of hours before this are never made again."""

BY_DAY: LiteralString = """
SELECT (hour AT TIME ZONE %(zone)s)::date AS day, measure, label, sum(count)::bigint AS count
FROM statistics_hours
WHERE account_id = %(account_id)s AND hour >= %(since)s AND hour < %(until)s AND measure <> ALL(%(apart)s)
GROUP BY 1, measure, label
"""

TOTALS: LiteralString = """
SELECT label, sum(count)::bigint AS count FROM statistics_hours
WHERE account_id = %(account_id)s AND measure = %(measure)s AND hour >= %(since)s AND hour < %(until)s GROUP BY label
"""
"""All sums of one measure in a range."""
