"""Does the upgrade clean up what erasures before it left behind, also where the owner of the tables is no superuser?"""

from uuid import UUID

import psycopg

from tests.support.earlier_steps import database_at_step
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.migrate import _migrate


def test_the_step_reaches_the_rows_of_every_account(postgres):
    url = database_at_step(postgres, "0005")
    account, erased, living, gone, kept = (new_id() for _ in range(5))
    with psycopg.connect(url) as connection:
        connection.execute("SET ROLE truename_system")
        connection.execute("INSERT INTO accounts (account_id, name) VALUES (%s, 'shop')", (account,))
        connection.execute(
            "INSERT INTO customers (customer_id, account_id, erased_at) VALUES (%s, %s, now())", (erased, account)
        )
        connection.execute(
            "INSERT INTO customers (customer_id, account_id, external_customer_id, data_key, sealed_record) "
            "VALUES (%s, %s, 'ana', 'x', 'y')",
            (living, account),
        )
        for transaction, customer in ((gone, erased), (kept, living)):
            connection.execute(
                "INSERT INTO transactions (transaction_id, account_id, customer_id, transaction_type, status, outcome, "
                "decided_at, config, expires_at) VALUES (%s, %s, %s, 'DOCUMENT_ONLY', 'APPROVED', 'APPROVED', now(), "
                "'{}', now())",
                (transaction, account, customer),
            )
            connection.execute(
                "INSERT INTO webhook_events (event_id, account_id, transaction_id, sequence, type, url, body) "
                """VALUES (%s, %s, %s, 1, 't', 'https://x.example', '{"data": {"external_customer_id": "ana"}}')""",
                (f"evt_{transaction}", account, transaction),
            )
            connection.execute(
                "INSERT INTO device_signals (transaction_id, account_id, reported, sealed) VALUES (%s, %s, true, 'z')",
                (transaction, account),
            )
    assert _migrate(url)
    with psycopg.connect(url) as connection:
        connection.execute("SET ROLE truename_system")
        told = connection.execute("SELECT transaction_id, body FROM webhook_events").fetchall()
        bodies: dict[UUID, str] = dict(told)
        assert '"ana"' not in bodies[gone]
        assert '"ana"' in bodies[kept]
        assert connection.execute("SELECT transaction_id FROM device_signals").fetchall() == [(kept,)]
        source = connection.execute("SELECT record_transaction_id FROM customers WHERE customer_id = %s", (living,))
        assert source.fetchone() == (kept,)
