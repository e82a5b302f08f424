"""What events and addresses keep of a person, and how it is forgotten when the person is erased.

The address that an integrator gives may carry something of the person behind its `?`. Events that are still to be told
need it whole, so it is cut when the last event of its transaction was told or given up: after four days at most, and
after ten where the receiver asks for more time with each answer (`Retry-After`).
"""

from uuid import UUID

from truename.plumbing.database.pool import Connection


async def forget_external_id(connection: Connection, account_id: UUID, transaction_ids: list[UUID]) -> None:
    """Take the integrator's identifier out of every event; those that are still to be told bear null there."""
    await connection.execute(
        """
        UPDATE webhook_events SET body = jsonb_set(body::jsonb, '{data,external_customer_id}', 'null')::text
        WHERE account_id = %s AND transaction_id = ANY(%s)
          AND body::jsonb #> '{data,external_customer_id}' <> 'null'
        """,
        (account_id, transaction_ids),
    )


async def forget_told_queries(connection: Connection, account_id: UUID, transaction_ids: list[UUID]) -> int:
    """Cut what follows `?` off the addresses of transactions that have nothing left to tell; says how many have."""
    own = {"account_id": account_id, "ids": transaction_ids}
    cursor = await connection.execute(
        """
        SELECT t.transaction_id FROM transactions t
        WHERE t.account_id = %(account_id)s AND t.transaction_id = ANY(%(ids)s)
          AND (t.status IN ('CREATED', 'IN_PROGRESS', 'PROCESSING', 'IN_REVIEW') OR EXISTS (
              SELECT 1 FROM webhook_events e WHERE e.account_id = t.account_id
              AND e.transaction_id = t.transaction_id AND e.state = 'PENDING'))
        """,
        own,
    )
    waiting = [row["transaction_id"] for row in await cursor.fetchall()]
    over = {"account_id": account_id, "ids": sorted(set(transaction_ids) - set(waiting))}
    await connection.execute(
        """
        UPDATE transactions SET config = jsonb_set(config, '{webhook,url}',
            to_jsonb(split_part(split_part(config #>> '{webhook,url}', '?', 1), '#', 1)))
        WHERE account_id = %(account_id)s AND transaction_id = ANY(%(ids)s) AND config #>> '{webhook,url}' ~ '[?#]'
        """,
        over,
    )
    await connection.execute(
        """
        UPDATE transactions SET config_sent = jsonb_set(config_sent, '{webhook,url}',
            to_jsonb(split_part(split_part(config_sent #>> '{webhook,url}', '?', 1), '#', 1)))
        WHERE account_id = %(account_id)s AND transaction_id = ANY(%(ids)s) AND config_sent #>> '{webhook,url}' ~ '[?#]'
        """,
        over,
    )
    await connection.execute(
        """
        UPDATE webhook_events SET url = split_part(split_part(url, '?', 1), '#', 1)
        WHERE account_id = %(account_id)s AND transaction_id = ANY(%(ids)s) AND url ~ '[?#]'
        """,
        over,
    )
    return len(waiting)
