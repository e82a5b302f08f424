"""Transactions that were judged: a dossier goes in, and is stored, sealed and concluded as the worker does it."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from tests.support.transactions import a_customer, a_transaction, submitted
from truename.accounts.model import NewAccount
from truename.analysis.apply import apply
from truename.analysis.gather import gather
from truename.plumbing.resources import Plumbing
from truename.rules.dossier import Dossier
from truename.rules.verdict import evaluate
from truename.vision.captures import Examination


async def a_judged(
    plumbing: Plumbing, account: NewAccount, dossier: Dossier, *, customer_id: UUID | None = None
) -> UUID:
    """A transaction with this evidence and config, decided (or waiting for review) by the real conclusion."""
    customer = customer_id or await a_customer(plumbing, account)
    config: Mapping[str, Any] = dossier.config.model_dump(mode="json", exclude_none=True)
    transaction_id = await a_transaction(plumbing, account, customer, dossier.transaction_type.value, dict(config))
    await submitted(plumbing, account, transaction_id)
    gathered = await gather(plumbing, account.account_id, transaction_id)
    assert gathered is not None
    if dossier.customer_status != gathered.case.customer_status:
        async with plumbing.database.account(account.account_id) as connection:
            await connection.execute(
                "UPDATE customers SET status = %s WHERE customer_id = %s", (dossier.customer_status.value, customer)
            )
    await apply(plumbing, gathered.case, Examination(dossier.evidence), dossier, evaluate(dossier))
    return transaction_id
