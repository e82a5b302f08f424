"""Weeks of transactions as bare rows, so that pages of numbers have something to count."""

from psycopg.types.json import Jsonb

from tests.support.transactions import a_customer
from truename.accounts.model import NewAccount
from truename.plumbing.resources import Plumbing
from truename.rules.config import Config
from truename.statistics.count import count_again

CODES = (
    "LIVENESS_LOW_CONFIDENCE",
    "DOCUMENT_VS_LIVENESS_FACE_MISMATCH",
    "EXPIRED_DOCUMENT",
    "VPN_OR_PROXY_DETECTED",
    "NAME_MISMATCH",
    "DOCUMENT_TYPE_NOT_SUPPORTED",
)

HISTORY = """
INSERT INTO transactions (transaction_id, account_id, customer_id, transaction_type, status, sequence, config,
    created_at, started_at, submitted_at, completed_at, expires_at, outcome, decided_by, decided_at, issues, checks)
SELECT gen_random_uuid(), %(account)s, %(customer)s, 'DOCUMENT_AND_BIOMETRIC', made.status, 4, %(config)s, made.at,
       CASE WHEN made.place %% 29 <> 3 THEN made.at + interval '20 s' END,
       CASE WHEN made.outcome IS NOT NULL THEN made.ended - made.took END, made.ended, made.at + interval '1 day',
       made.outcome, CASE WHEN made.outcome IS NOT NULL THEN 'ENGINE' END,
       CASE WHEN made.outcome IS NOT NULL THEN made.ended END,
       CASE WHEN made.status = 'REJECTED' OR made.place %% 9 = 1 THEN jsonb_build_array(jsonb_build_object(
           'code', (%(codes)s::text[])[1 + (made.place::bigint * made.place) %% 6], 'severity',
           CASE WHEN made.status = 'REJECTED' THEN 'REJECTION' ELSE 'WARNING' END, 'group', 'BIOMETRIC', 'policy', NULL,
           'details', '{}'::jsonb)) ELSE '[]' END,
       '[]'
FROM (SELECT one.place, one.at, CASE WHEN one.place %% 7 = 3 THEN 'EXPIRED' WHEN one.place %% 11 = 4 THEN 'REJECTED'
             ELSE 'APPROVED' END AS status,
             CASE WHEN one.place %% 7 = 3 THEN NULL WHEN one.place %% 11 = 4 THEN 'REJECTED'
             ELSE 'APPROVED' END AS outcome,
             one.at + interval '3 min' AS ended,
             make_interval(secs => 1.5 + (one.place::bigint * 37 %% 100) / 40.0) AS took
      FROM (SELECT place, now() - place * make_interval(secs => %(days)s * 86400.0 / %(count)s)
                   - interval '5 min' AS at
            FROM generate_series(0, %(count)s - 1) AS place) AS one) AS made
"""


async def history(plumbing: Plumbing, account: NewAccount, count: int = 3000, days: int = 62) -> None:
    """So many finished transactions of one customer, spread evenly over the days up to now, and their sums."""
    customer = await a_customer(plumbing, account)
    async with plumbing.database.account(account.account_id) as connection:
        own = {"account": account.account_id, "customer": customer, "count": count, "days": days, "codes": list(CODES)}
        await connection.execute(HISTORY, {**own, "config": Jsonb(Config().model_dump(mode="json"))})
        await count_again(connection, account.account_id, everything=True)
