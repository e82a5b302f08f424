"""Is everything in the audit log that must be, and nothing personal?"""

import json
import secrets
from pathlib import Path
from typing import Any

from tests.support.transactions import a_customer, a_transaction, submitted
from truename.accounts.signing_keys import rotate
from truename.audit.model import INSTALLATION, Action
from truename.audit.read import Filters, read_lines
from truename.audit.verify import verify
from truename.customers.reasons import opened_reason
from truename.transactions.conclude import conclude
from truename.transactions.lifecycle import Status

CUSTOMER = "/api/account/integration/kyc/customer"
TRANSACTION = "/api/account/integration/kyc/transaction"
WEBHOOKS = "/api/account/integration/webhooks"


async def lines_of(plumbing, account, **filters: Any):
    async with plumbing.database.system() as connection:
        return await read_lines(connection, Filters(account_id=account.account_id, **filters))


async def actions_of(plumbing, account) -> list[str]:
    return [line.action for line in await lines_of(plumbing, account)]


async def test_the_creation_of_an_account_is_in_its_chain_and_in_the_installations(plumbing, an_account):
    assert await actions_of(plumbing, an_account) == ["account.created", "client.added"]
    async with plumbing.database.system() as connection:
        found = await read_lines(
            connection, Filters(account_id=INSTALLATION, subject=f"account:{an_account.account_id}")
        )
    assert [(line.action, line.actor) for line in found] == [("account.created", "operator")]


async def test_each_reading_of_a_customer_is_written_down(client, plumbing, an_account):
    customer = await a_customer(plumbing, an_account, email="ana@example.com")
    shown = await (await client.get(f"{CUSTOMER}/{customer}")).json()
    await client.get(f"{CUSTOMER}?external_customer_id={shown['external_customer_id']}")
    await client.get(f"{CUSTOMER}?external_customer_id=nobody")
    found = await lines_of(plumbing, an_account, action="customer.read")
    assert [line.subject for line in found] == [f"customer:{customer}"] * 2
    assert {line.actor for line in found} == {f"client:{an_account.client_id}"}


async def test_each_reading_and_listing_of_transactions_is_written_down(client, plumbing, an_account):
    customer = await a_customer(plumbing, an_account)
    one = await a_transaction(plumbing, an_account, customer)
    assert (await client.get(f"{TRANSACTION}/{one}")).status == 200
    assert (await client.get(f"{TRANSACTION}?customer_id={customer}")).status == 200
    reading, listing = (await lines_of(plumbing, an_account))[-2:]
    assert (reading.action, reading.subject) == ("transaction.read", f"transaction:{one}")
    assert (listing.action, listing.details) == ("transaction.listed", {"count": 1, "customer_id": str(customer)})


async def test_every_move_of_a_transaction_says_who_made_it(client, plumbing, an_account):
    customer = await a_customer(plumbing, an_account)
    one, other = [await a_transaction(plumbing, an_account, customer) for _ in range(2)]
    await submitted(plumbing, an_account, one)
    assert (await client.post(f"{TRANSACTION}/{other}/cancel")).status == 200
    moves = await lines_of(plumbing, an_account, action="transaction.status_changed")
    assert [(line.actor, line.details["from"], line.details["to"]) for line in moves] == [
        ("sdk", "CREATED", "IN_PROGRESS"),
        ("sdk", "IN_PROGRESS", "PROCESSING"),
        (f"client:{an_account.client_id}", "CREATED", "CANCELLED"),
    ]


async def test_reasons_can_be_read_until_the_customer_is_erased(client, plumbing, an_account):
    customer = await a_customer(plumbing, an_account)
    one = await a_transaction(plumbing, an_account, customer)
    await submitted(plumbing, an_account, one)
    own = an_account.account_id, one
    async with plumbing.database.account(an_account.account_id) as connection:
        await conclude(connection, plumbing, *own, Status.IN_REVIEW, decided_by="ENGINE", after=Status.PROCESSING)
    canaries = [f"Canary {secrets.token_hex(6)}" for _ in range(2)]
    blocked = {"status": "SUSPICIOUS", "reason": canaries[0]}
    assert (await client.post(f"{CUSTOMER}/{customer}/status", json=blocked)).status == 200
    approved = {"outcome": "APPROVED", "reason": canaries[1]}
    assert (await client.post(f"{TRANSACTION}/{one}/review", json=approved)).status == 200
    lines = await lines_of(plumbing, an_account)
    assert not any(canary in json.dumps(dict(line.details)) for canary in canaries for line in lines)
    async with plumbing.database.system() as connection:
        reasons = [await opened_reason(connection, plumbing.keys, line) for line in lines]
    assert [reason for reason in reasons if reason] == canaries
    assert (await client.delete(f"{CUSTOMER}/{customer}")).status == 200
    async with plumbing.database.system() as connection:
        assert [await opened_reason(connection, plumbing.keys, line) for line in lines] == [None] * len(lines)
    assert {"customer.status_changed", "transaction.reviewed", "customer.erased"} <= set(
        await actions_of(plumbing, an_account)
    )
    assert (await verify(plumbing, an_account.account_id)).whole


async def test_a_rotated_webhook_secret_and_a_rotated_signing_key_are_written_down(client, plumbing, an_account):
    assert (await client.post(f"{WEBHOOKS}/secret/rotate")).status == 200
    assert "webhook_secret.rotated" in await actions_of(plumbing, an_account)
    kid = await rotate(plumbing)
    async with plumbing.database.system() as connection:
        found = await read_lines(connection, Filters(account_id=INSTALLATION, action="signing_key.rotated"))
    assert found[-1].subject == f"signing_key:{kid}"


def test_every_action_is_explained():
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "audit.md").read_text("utf-8")
    assert {action for action in Action if f"`{action}`" not in page} == set()
