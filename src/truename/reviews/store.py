"""The SQL of reviews. A transaction's row is locked before its case, as whatever locks both does."""

from typing import LiteralString

UNDECIDED: LiteralString = """
NOT EXISTS (SELECT 1 FROM review_opinions o WHERE o.account_id = t.account_id AND o.transaction_id = t.transaction_id
            AND (o.state = 'PENDING' OR (o.state = 'GIVEN' AND o.reviewer = %(reviewer)s)))
"""
"""No decision is held, and this reviewer has given none."""

STILL_UNDECIDED: LiteralString = f"""
SELECT 1 FROM transactions t
WHERE t.account_id = %(account_id)s AND t.transaction_id = %(transaction_id)s AND {UNDECIDED}
"""  # noqa: S608 - put together from constants of this file

FREE_FOR_THEM: LiteralString = f"""
(c.held_until IS NULL OR c.held_until <= clock_timestamp())
  AND NOT (%(reviewer)s = ANY(coalesce(c.passed_by, '{{}}')))
  AND {UNDECIDED}
"""
"""Of a case or sample, with its row `review_cases c` if it has one: this reviewer may be given it."""

FREE_CASES: LiteralString = f"""
FROM transactions t
LEFT JOIN review_cases c ON c.account_id = t.account_id AND c.transaction_id = t.transaction_id
WHERE t.account_id = %(account_id)s AND t.status = 'IN_REVIEW'
  AND (c.assigned_to IS NULL OR c.assigned_to = %(reviewer)s OR c.assigned_until <= clock_timestamp())
  AND {FREE_FOR_THEM}
"""

FREE_SAMPLES: LiteralString = f"""
FROM review_samples s JOIN transactions t USING (account_id, transaction_id)
LEFT JOIN review_cases c ON c.account_id = t.account_id AND c.transaction_id = t.transaction_id
WHERE s.account_id = %(account_id)s AND s.state = 'WAITING' AND t.redacted_at IS NULL AND {FREE_FOR_THEM}
"""

NEXT: LiteralString = f"""
SELECT t.transaction_id {FREE_CASES}
ORDER BY (c.assigned_to IS NOT DISTINCT FROM %(reviewer)s) DESC, t.created_at, t.transaction_id
LIMIT 1 FOR UPDATE OF t SKIP LOCKED
"""  # noqa: S608 - put together from constants of this file

NEXT_SAMPLE: LiteralString = f"""
SELECT t.transaction_id {FREE_SAMPLES}
ORDER BY t.created_at, t.transaction_id LIMIT 1 FOR UPDATE OF t SKIP LOCKED
"""

SAMPLE_FIRST: LiteralString = f"""
SELECT coalesce((SELECT NOT of_cases.is_theirs AND of_samples.created_at < of_cases.created_at FROM
    (SELECT t.created_at, (c.assigned_to = %(reviewer)s AND c.assigned_until > clock_timestamp()) IS TRUE AS is_theirs
     {FREE_CASES} ORDER BY is_theirs DESC, t.created_at LIMIT 1) AS of_cases,
    (SELECT t.created_at {FREE_SAMPLES} ORDER BY t.created_at LIMIT 1) AS of_samples), true) AS sample_first
"""  # noqa: S608 - put together from constants of this file
"""Does a sample wait longer than the longest waiting case, of those that this reviewer may be given? That kind is tried
first, then the other; but what was assigned to the reviewer comes before everything."""

HOLD: LiteralString = """
INSERT INTO review_cases AS c (transaction_id, account_id, holder, held_until, version, taken_at)
VALUES (%(transaction_id)s, %(account_id)s, %(reviewer)s, clock_timestamp() + %(lease)s, 1, clock_timestamp())
ON CONFLICT (transaction_id) DO UPDATE
SET holder = excluded.holder, held_until = excluded.held_until, version = c.version + 1,
    taken_at = CASE WHEN c.holder = excluded.holder THEN c.taken_at ELSE excluded.taken_at END
WHERE c.holder IS NULL OR c.held_until IS NULL OR c.held_until <= clock_timestamp() OR c.holder = excluded.holder
   OR %(over)s
RETURNING transaction_id, holder, held_until, version
"""
"""No row comes back when somebody else holds it: also one whose taking this statement's snapshot does not show."""

HELD_BY: LiteralString = """
UPDATE review_cases c SET held_until = clock_timestamp() + %(lease)s
FROM transactions t
WHERE c.account_id = %(account_id)s AND c.holder = %(reviewer)s AND c.held_until > clock_timestamp()
  AND t.account_id = c.account_id AND t.transaction_id = c.transaction_id
  AND (t.status = 'IN_REVIEW' OR EXISTS (
       SELECT 1 FROM review_samples s WHERE s.account_id = c.account_id AND s.transaction_id = c.transaction_id
       AND s.state = 'WAITING' AND t.redacted_at IS NULL))
  AND NOT EXISTS (SELECT 1 FROM review_opinions o WHERE o.account_id = c.account_id
                  AND o.transaction_id = c.transaction_id AND o.state = 'PENDING')
RETURNING c.transaction_id, c.holder, c.held_until, c.version
"""

RENEW: LiteralString = """
UPDATE review_cases SET held_until = clock_timestamp() + %(lease)s
WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s AND holder = %(reviewer)s
  AND version = %(version)s
RETURNING transaction_id, holder, held_until, version
"""

RELEASE: LiteralString = """
UPDATE review_cases SET holder = NULL, held_until = NULL, version = version + 1,
       passed_by = CASE WHEN %(passed)s THEN passed_by || %(reviewer)s::text ELSE passed_by END
WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s AND holder = %(reviewer)s
  AND NOT EXISTS (SELECT 1 FROM review_opinions o WHERE o.account_id = review_cases.account_id
                  AND o.transaction_id = review_cases.transaction_id AND o.state = 'PENDING')
RETURNING transaction_id
"""
"""Not while a decision is held: it could not be taken back where nobody holds the case."""

LOCK: LiteralString = """
SELECT 1 FROM transactions WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s FOR UPDATE
"""

STANDING: LiteralString = """
SELECT CASE WHEN s.state = 'WAITING' THEN 'IN_REVIEW' ELSE t.status END AS status,
       coalesce(s.state = 'WAITING', false) AS sampled, c.taken_at, t.outcome, t.decided_at, t.customer_id, t.issues,
       t.checks, c.holder, c.held_until, c.version,
       coalesce(c.passed_by, '{}') AS passed_by,
       (SELECT a.actor FROM audit_log a WHERE a.account_id = t.account_id AND a.action = 'transaction.reviewed'
        AND a.subject = 'transaction:' || t.transaction_id ORDER BY a.at DESC LIMIT 1) AS decided_by,
       o.reviewer AS pending_by, o.outcome AS pending_outcome, o.decided_at AS pending_at
FROM transactions t
LEFT JOIN review_cases c ON c.account_id = t.account_id AND c.transaction_id = t.transaction_id
LEFT JOIN review_opinions o ON o.account_id = t.account_id AND o.transaction_id = t.transaction_id
     AND o.state = 'PENDING'
LEFT JOIN review_samples s ON s.account_id = t.account_id AND s.transaction_id = t.transaction_id
WHERE t.account_id = %(account_id)s AND t.transaction_id = %(transaction_id)s
"""
"""Only after LOCK. An approval that was drawn for the quality sample waits for a person as any other case does."""

QUEUE: LiteralString = """
(SELECT t.account_id, t.transaction_id, t.transaction_type, t.submitted_at, t.created_at FROM transactions t
 WHERE t.account_id = %(account_id)s AND t.status = 'IN_REVIEW' AND NOT EXISTS (
     SELECT 1 FROM review_opinions o WHERE o.account_id = t.account_id AND o.transaction_id = t.transaction_id
     AND o.state = 'PENDING')
 ORDER BY t.created_at, t.transaction_id LIMIT %(limit)s)
UNION ALL
(SELECT t.account_id, t.transaction_id, t.transaction_type, t.submitted_at, t.created_at
 FROM review_samples s JOIN transactions t USING (account_id, transaction_id)
 WHERE s.account_id = %(account_id)s AND %(samples)s AND s.state = 'WAITING' AND t.redacted_at IS NULL AND NOT EXISTS (
     SELECT 1 FROM review_opinions o WHERE o.account_id = t.account_id AND o.transaction_id = t.transaction_id
     AND o.state = 'PENDING')
 ORDER BY t.created_at, t.transaction_id LIMIT %(limit)s)
"""
"""What waits for a person: cases, and unmarked among them the quality sample."""

WAITING: LiteralString = f"""
SELECT count(*) AS count, min(found.submitted_at) AS oldest,
       count(*) FILTER (WHERE c.held_until > clock_timestamp()) AS held
FROM ({QUEUE}) AS found LEFT JOIN review_cases c USING (account_id, transaction_id)
"""  # noqa: S608 - put together from constants of this file

LONGEST_WAITING: LiteralString = f"""
SELECT found.transaction_id, found.transaction_type, found.created_at, c.holder, c.held_until, c.version
FROM ({QUEUE}) AS found LEFT JOIN review_cases c ON c.account_id = found.account_id
     AND c.transaction_id = found.transaction_id AND c.held_until > clock_timestamp() AND c.holder IS NOT NULL
ORDER BY found.created_at, found.transaction_id LIMIT %(limit)s
"""  # noqa: S608 - put together from constants of this file

LEASES: LiteralString = """
SELECT transaction_id, holder, held_until, version FROM review_cases
WHERE account_id = %(account_id)s AND transaction_id = ANY(%(ids)s) AND holder IS NOT NULL
  AND held_until > clock_timestamp()
"""

ANSWER: LiteralString = """
INSERT INTO review_answers (answer_id, account_id, transaction_id, reviewer, question, answer, confidence, blind)
VALUES (%(answer_id)s, %(account_id)s, %(transaction_id)s, %(reviewer)s, %(question)s, %(answer)s, %(confidence)s,
        %(blind)s)
ON CONFLICT DO NOTHING RETURNING answer_id
"""

ANSWERS: LiteralString = """
SELECT question, answer, confidence, blind, reviewer, answered_at FROM review_answers
WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s ORDER BY answered_at, answer_id
"""

PICTURES: LiteralString = """
SELECT t.transaction_type,
       EXISTS (SELECT 1 FROM media m WHERE m.transaction_id = t.transaction_id AND m.account_id = t.account_id
               AND m.kind = 'DOCUMENT_PORTRAIT' AND m.redacted_at IS NULL) AS portrait,
       EXISTS (SELECT 1 FROM media m WHERE m.transaction_id = t.transaction_id AND m.account_id = t.account_id
               AND m.kind = 'LIVENESS_FACE' AND m.redacted_at IS NULL) AS live,
       EXISTS (SELECT 1 FROM media m WHERE m.transaction_id = t.transaction_id AND m.account_id = t.account_id
               AND m.kind = 'DOCUMENT_FRONT' AND m.redacted_at IS NULL) AS document,
       EXISTS (SELECT 1 FROM customers c JOIN faces f ON f.face_id = c.reference_face_id
               AND f.account_id = c.account_id
               JOIN media m ON m.media_id = f.media_id AND m.account_id = f.account_id
               WHERE c.account_id = t.account_id AND c.customer_id = t.customer_id AND m.redacted_at IS NULL
                 AND m.transaction_id IS DISTINCT FROM t.transaction_id) AS reference
FROM transactions t WHERE t.account_id = %(account_id)s AND t.transaction_id = %(transaction_id)s
"""

DECIDE: LiteralString = """
INSERT INTO review_opinions
    (opinion_id, account_id, transaction_id, reviewer, state, outcome, reason, sealed_note, seen, taken_at, finalise_at)
VALUES (%(opinion_id)s, %(account_id)s, %(transaction_id)s, %(reviewer)s, 'PENDING', %(outcome)s, %(reason)s,
        %(sealed_note)s, %(seen)s, %(taken_at)s, clock_timestamp() + make_interval(secs => %(hold)s))
RETURNING decided_at, finalise_at
"""

KEEP_UNTIL: LiteralString = """
UPDATE review_cases SET held_until = %(until)s, version = version + 1
WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s
"""

FREE: LiteralString = """
UPDATE review_cases SET holder = NULL, held_until = NULL, version = version + 1
WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s
"""

END_FAR_LEASES: LiteralString = """
UPDATE review_cases SET held_until = clock_timestamp()
WHERE holder IS NOT NULL AND held_until > clock_timestamp() + %(far)s
"""

HASTEN_FAR: LiteralString = """
UPDATE review_opinions SET finalise_at = clock_timestamp()
WHERE state = 'PENDING' AND finalise_at > clock_timestamp() + %(far)s
RETURNING account_id, opinion_id
"""

UNDO: LiteralString = """
UPDATE review_opinions SET state = 'WITHDRAWN', finalised_at = clock_timestamp()
WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s AND reviewer = %(reviewer)s
  AND state = 'PENDING' AND finalise_at > clock_timestamp()
RETURNING opinion_id
"""

PENDING: LiteralString = """
SELECT o.opinion_id, o.transaction_id, o.reviewer, o.outcome, o.reason, o.sealed_note, o.finalise_at,
       o.finalise_at <= clock_timestamp() AS due, t.customer_id, t.status,
       EXISTS (SELECT 1 FROM review_samples s WHERE s.account_id = o.account_id
               AND s.transaction_id = o.transaction_id AND s.state = 'WAITING') AS sampled
FROM review_opinions o JOIN transactions t USING (account_id, transaction_id)
WHERE o.account_id = %(account_id)s AND o.opinion_id = %(opinion_id)s AND o.state = 'PENDING' FOR UPDATE OF o
"""

OPINIONS: LiteralString = """
SELECT o.opinion_id, o.transaction_id, o.reviewer, o.state, o.outcome, o.reason, o.sealed_note, o.decided_at,
       o.finalise_at
FROM review_opinions o
WHERE o.account_id = %(account_id)s AND o.transaction_id = %(transaction_id)s ORDER BY o.decided_at, o.opinion_id
"""

SETTLE: LiteralString = """
UPDATE review_opinions SET state = %(state)s, finalised_at = clock_timestamp()
WHERE account_id = %(account_id)s AND opinion_id = %(opinion_id)s
"""

HELD_OPINIONS: LiteralString = """
SELECT o.opinion_id, o.transaction_id, o.reviewer, o.state, o.outcome, o.reason, NULL::bytea AS sealed_note,
       o.decided_at, o.finalise_at
FROM review_cases c JOIN review_opinions o USING (account_id, transaction_id)
WHERE c.account_id = %(account_id)s AND c.holder = %(reviewer)s AND o.reviewer = c.holder AND o.state = 'PENDING'
ORDER BY o.decided_at DESC
"""
