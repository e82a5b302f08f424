"""Builders of transactions that wait for a person."""

from uuid import UUID

from psycopg.types.json import Jsonb

from tests.support.transactions import a_customer
from truename.accounts.model import AccountSettings, NewAccount
from truename.accounts.store import change_settings
from truename.plumbing.database.ids import new_id
from truename.plumbing.resources import Plumbing
from truename.rules.config import Config

MISMATCH = {
    "code": "DOCUMENT_VS_LIVENESS_FACE_MISMATCH",
    "severity": "REJECTION",
    "group": "BIOMETRIC",
    "policy": None,
    "details": {"score": 0.62, "threshold": 0.85},
}


async def waiting_for_review(
    plumbing: Plumbing, account: NewAccount, count: int = 1, *, customer_id: UUID | None = None, faces: bool = False
) -> list[UUID]:
    """Transactions of one customer, the oldest first, a second apart; `faces`: with the rows of two pictures."""
    customer = customer_id or await a_customer(plumbing, account)
    made = [new_id() for _ in range(count)]
    async with plumbing.database.account(account.account_id) as connection:
        await connection.execute(
            """
            INSERT INTO transactions (transaction_id, account_id, customer_id, transaction_type, status, sequence,
                                      config, created_at, started_at, submitted_at, expires_at, issues)
            SELECT one.id, %(account)s, %(customer)s, 'DOCUMENT_AND_BIOMETRIC', 'IN_REVIEW', 3, %(config)s,
                   one.at, one.at, one.at, now() + interval '1 day', %(issues)s
            FROM (SELECT id, now() - make_interval(secs => %(count)s - place) AS at
                  FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS listed (id, place)) AS one
            """,
            {
                "account": account.account_id,
                "customer": customer,
                "config": Jsonb(Config().model_dump(mode="json")),
                "ids": made,
                "count": count,
                "issues": Jsonb([MISMATCH]),
            },
        )
        for transaction_id in made if faces else ():
            for kind in ("DOCUMENT_PORTRAIT", "LIVENESS_FACE"):
                await connection.execute(
                    "INSERT INTO media (media_id, account_id, customer_id, transaction_id, kind, content_type, size, "
                    "storage_key) VALUES (%s, %s, %s, %s, %s, 'image/jpeg', 1, 'nowhere')",
                    (new_id(), account.account_id, customer, transaction_id, kind),
                )
    return made


async def choose(plumbing: Plumbing, account: NewAccount, **settings: object) -> None:
    """Set what the account decides for itself."""
    async with plumbing.database.account(account.account_id) as connection:
        await change_settings(connection, account.account_id, AccountSettings.model_validate(settings))
