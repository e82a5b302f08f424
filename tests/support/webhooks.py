"""Transactions whose changes are told to a receiver."""

from datetime import date

from truename.accounts.authentication import Caller
from truename.customers import create as customers
from truename.customers.model import NewCustomer
from truename.plumbing.database.ids import new_id
from truename.transactions import create as transactions
from truename.transactions.lifecycle import begin
from truename.transactions.model import NewTransaction, context
from truename.webhooks import store


async def a_transaction(house, account, url):
    caller = Caller(account.account_id, account.client_id, frozenset())
    customer = await customers.prepare(house, caller, NewCustomer(external_customer_id=str(new_id())))
    async with house.database.account(account.account_id) as connection:
        row = await customers.insert(connection, house.vault, customer)
    wanted = NewTransaction.model_validate(
        {
            "customer_id": str(row.customer_id),
            "transaction_type": "BIOMETRIC_ONLY",
            "config": {"webhook": {"url": url}},
        },
        context=context(date(2026, 11, 15)),
    )
    prepared = await transactions.prepare(house, caller, wanted)
    async with house.database.account(account.account_id) as connection:
        await transactions.insert(connection, prepared)
    return prepared.transaction_id


async def start(house, account, transaction_id):
    async with house.database.account(account.account_id) as connection:
        await begin(connection, account.account_id, transaction_id)


async def make_due(house, account):
    async with house.database.account(account.account_id) as connection:
        await connection.execute("UPDATE webhook_events SET next_attempt_at = now(), queued_at = NULL")


async def events_of(house, account, transaction_id):
    """The events of a transaction, each with its attempts."""
    async with house.database.account(account.account_id) as connection:
        events = await store.list_events(connection, transaction_id, None, None, 10)
        return [(event, await store.attempts_of(connection, event.event_id)) for event in events]


async def jobs_of(house, account_id):
    """How many deliveries of an account wait."""
    async with house.database.system() as connection:
        cursor = await connection.execute(
            "SELECT count(*) AS found FROM procrastinate_jobs WHERE args ->> 'account_id' = %s "
            "AND task_name = 'webhooks.deliver' AND status = 'todo'",
            (str(account_id),),
        )
        return (await cursor.fetchone())["found"]
