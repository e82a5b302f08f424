"""Builders of transactions that wait for a person, and people who decide them."""

from contextlib import AbstractAsyncContextManager
from uuid import UUID

from psycopg.types.json import Jsonb

from tests.support.transactions import a_customer
from truename.accounts.model import AccountSettings, NewAccount
from truename.accounts.store import change_settings
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.resources import Plumbing
from truename.reviews import queue
from truename.reviews.answer import answer
from truename.reviews.decide import decide, undo
from truename.reviews.model import Answer, Confidence, Decided, Lease, Opinion, Question
from truename.rules.config import Config

ANA, BEN, CEM = "operator:ana", "operator:ben", "operator:cem"
MISMATCH = {
    "code": "DOCUMENT_VS_LIVENESS_FACE_MISMATCH",
    "severity": "REJECTION",
    "group": "BIOMETRIC",
    "policy": None,
    "details": {"score": 0.62, "threshold": 0.85},
}


class Desk:
    """One reviewer at work in one account; each verb is a request of its own."""

    def __init__(self, plumbing: Plumbing, account: NewAccount, name: str) -> None:
        self.plumbing, self.account_id, self.name = plumbing, account.account_id, name

    def connection(self) -> AbstractAsyncContextManager[Connection]:
        return self.plumbing.database.account(self.account_id)

    async def next(self) -> Lease | None:
        async with self.connection() as connection:
            return await queue.take_next(connection, self.account_id, self.name)

    async def decide(
        self,
        lease: Lease | None,
        outcome: Decided = Decided.APPROVED,
        reason: str | None = None,
        note: str = "",
        version: int | None = None,
    ) -> Opinion:
        assert lease is not None, "nothing was handed out"
        reason = reason or ("SAME_PERSON" if outcome is Decided.APPROVED else "DIFFERENT_PERSON")
        version = lease.version if version is None else version
        async with self.connection() as connection:
            own = self.account_id, self.name, lease.transaction_id
            return await decide(connection, self.plumbing, *own, version, outcome, reason, note)

    async def undo(self, transaction_id: UUID) -> Lease:
        async with self.connection() as connection:
            return await undo(connection, self.account_id, self.name, transaction_id)

    async def answer(self, lease: Lease, given: Answer = Answer.SAME, *, blind: bool = True) -> None:
        async with self.connection() as connection:
            own = self.account_id, self.name, lease.transaction_id, lease.version
            question = Question.DOCUMENT_AND_LIVE_FACE
            await answer(connection, *own, question, given, Confidence.HIGH, blind=blind)


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
