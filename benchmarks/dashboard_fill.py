"""Fills an installation with transactions, sums and logs, so that the dashboard has much to look through."""

import sys
import time
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb
from tests.support.dashboard_numbers import CODES, HISTORY
from tests.support.transactions import a_customer

from truename.accounts.model import NewAccount
from truename.audit.chain import BEGINNING, head_mac
from truename.audit.record import audit_key
from truename.plumbing.database.ids import new_id
from truename.plumbing.resources import Plumbing
from truename.rules.config import Config
from truename.statistics.count import count_again

CUSTOMERS = 2000
AUDITED = """
INSERT INTO audit_log (audit_id, account_id, sequence, at, actor, action, subject, details, hash)
SELECT gen_random_uuid(), account_id, 1000000 + row_number() OVER (ORDER BY created_at), created_at, %(actor)s,
       CASE WHEN random() < 0.2 THEN 'media.read' ELSE 'transaction.created' END, 'transaction:' || transaction_id,
       '{}', sha256('')
FROM transactions WHERE account_id = %(account)s
"""
EVENTS = """
INSERT INTO webhook_events (event_id, account_id, transaction_id, sequence, type, url, body, state, attempts,
                            next_attempt_at, queued_at, created_at)
SELECT 'evt_' || gen_random_uuid(), account_id, transaction_id, sequence, 'transaction.' || lower(status),
       'https://hooks.example.com/truename', '{}', 'DELIVERED', 1, completed_at, NULL, completed_at
FROM transactions WHERE account_id = %(account)s AND completed_at > now() - interval '30 days'
"""
REQUESTS = """
INSERT INTO request_log (account_id, request_id, at, method, path, status, took_ms, client)
SELECT account_id, gen_random_uuid(), created_at, 'GET', '/api/account/integration/kyc/transaction', 200, 12, 'shop'
FROM transactions WHERE account_id = %(account)s AND created_at > now() - interval '7 days'
"""


async def fill(plumbing: Plumbing, account: NewAccount, rows: int) -> UUID:
    """Transactions of 2,000 customers over the last 90 days, and their sums; answers one of the customers."""
    whole = await a_customer(plumbing, account)  # with a key of its own, so that its page can be opened
    customers = [new_id() for _ in range(CUSTOMERS)]
    own = {"account": account.account_id, "codes": list(CODES), "days": 90, "count": rows // 20}
    async with plumbing.database.account(account.account_id) as connection:
        await connection.execute(
            "INSERT INTO customers (customer_id, account_id, external_customer_id, data_key) "
            "SELECT id, %s, id::text, '\\x00' FROM unnest(%s::uuid[]) AS id",
            (account.account_id, customers),
        )
    customers[0] = whole
    config = Jsonb(Config().model_dump(mode="json"))
    began = time.perf_counter()
    for part in range(20):
        async with plumbing.database.account(account.account_id) as connection:
            await connection.execute("SET LOCAL synchronous_commit = off")
            customer = customers[part * (CUSTOMERS // 20)]
            await connection.execute(HISTORY, {**own, "customer": customer, "config": config})
            await connection.execute(
                "UPDATE transactions SET customer_id = (%s::uuid[])[1 + abs(hashtext(transaction_id::text)) %% 100] "
                "WHERE customer_id = %s",
                (customers[part * 100 : part * 100 + 100], customer),
            )
    _say(f"{rows:,} transactions", began)
    async with plumbing.database.account(account.account_id) as connection:
        began = time.perf_counter()
        await count_again(connection, account.account_id, everything=True)
        _say("their sums", began)
    return customers[0]


async def fill_logs(plumbing: Plumbing, connection: psycopg.Connection, account: NewAccount, operator_id: UUID) -> None:
    """A line of the audit log for each transaction, an event for each of a month, a request for each of a week.

    The lines have no true hash, but the head is ours, so that further lines are written as always: nobody walks a chain
    of this length unasked.
    """
    began = time.perf_counter()
    async with plumbing.database.system() as system:
        key = await audit_key(system)
    own = {"account": account.account_id, "actor": f"operator:{operator_id}"}
    with connection.transaction():
        connection.execute("SET LOCAL synchronous_commit = off")
        for query in (AUDITED, EVENTS, REQUESTS):
            connection.execute(query, own)
        found = connection.execute(
            "SELECT max(sequence), (SELECT hash FROM audit_heads WHERE account_id = %(account)s) FROM audit_log "
            "WHERE account_id = %(account)s",
            own,
        ).fetchone()
        count, last = found or (0, BEGINNING)
        mac = head_mac(key, account.account_id, count, bytes(last))
        connection.execute(
            "UPDATE audit_heads SET count = %s, mac = %s WHERE account_id = %s", (count, mac, account.account_id)
        )
    _say("audit log, webhook events and requests", began)


def _say(what: str, began: float) -> None:
    print(f"{what}: made in {time.perf_counter() - began:.1f} s", file=sys.stderr, flush=True)
