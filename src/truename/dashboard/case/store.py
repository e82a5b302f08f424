"""The SQL of a case: what of a transaction stands in other rooms' tables."""

from typing import LiteralString

BESIDE: LiteralString = """
SELECT t.config_sent, c.status AS customer_status, c.erased_at, c.created_at AS customer_since,
       (SELECT jsonb_build_object('media_id', m.media_id, 'width', m.width, 'height', m.height, 'origin', f.origin,
               'created_at', f.created_at)
        FROM faces f JOIN media m ON m.media_id = f.media_id AND m.account_id = f.account_id
        WHERE f.face_id = c.reference_face_id AND f.account_id = c.account_id AND m.redacted_at IS NULL
          AND m.transaction_id IS DISTINCT FROM t.transaction_id) AS reference,
       (SELECT jsonb_build_object('media', p.media, 'challenge', to_jsonb(p.challenge)) FROM captures p
        WHERE p.account_id = t.account_id AND p.transaction_id = t.transaction_id AND p.slot = 'LIVENESS') AS frames,
       (SELECT jsonb_object_agg(p.slot, p.takes) FROM captures p
        WHERE p.account_id = t.account_id AND p.transaction_id = t.transaction_id) AS takes,
       k.given AS consent_given, k.text_version AS consent_text, k.language AS consent_language, k.at AS consent_at,
       (SELECT e.judged_at FROM examinations e WHERE e.account_id = t.account_id
        AND e.transaction_id = t.transaction_id) AS judged_at,
       (SELECT jsonb_build_object('state', s.state, 'outcome', s.outcome, 'reviewer', s.reviewer,
               'settled_at', s.settled_at) FROM review_samples s
        WHERE s.account_id = t.account_id AND s.transaction_id = t.transaction_id) AS sample,
       (SELECT count(*) FROM (SELECT 1 FROM transactions o WHERE o.account_id = t.account_id
        AND o.customer_id = t.customer_id AND o.transaction_id <> t.transaction_id LIMIT 100) AS counted) AS others
FROM transactions t JOIN customers c USING (account_id, customer_id)
LEFT JOIN consents k ON k.account_id = t.account_id AND k.transaction_id = t.transaction_id
WHERE t.account_id = %(account_id)s AND t.transaction_id = %(transaction_id)s
"""

EVENTS: LiteralString = """
SELECT e.event_id, e.type, e.url, e.state, e.attempts, e.next_attempt_at, e.created_at,
       coalesce((SELECT jsonb_agg(jsonb_build_object('number', a.number, 'at', a.at, 'took_ms', a.took_ms,
                        'status_code', a.status_code, 'outcome', a.outcome, 'error', a.error) ORDER BY a.at, a.number)
                 FROM webhook_attempts a WHERE a.account_id = e.account_id AND a.event_id = e.event_id), '[]') AS log
FROM webhook_events e
WHERE e.account_id = %(account_id)s AND e.transaction_id = %(transaction_id)s ORDER BY e.sequence
"""

ACTS: LiteralString = """
SELECT a.at, a.actor, a.action, a.details FROM audit_log a
WHERE a.account_id = %(account_id)s AND a.subject = 'transaction:' || %(transaction_id)s
  AND a.action IN ('transaction.status_changed', 'transaction.redacted', 'review.taken', 'review.taken_over',
                   'review.released', 'review.answered', 'review.decided', 'review.undone', 'transaction.reviewed')
ORDER BY a.at, a.sequence LIMIT 200
"""
