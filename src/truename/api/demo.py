"""Try it at once: a fresh transaction of the trial account, and afterwards what its integrator would receive.

Exists only while there is an account with the setting `trial`. The demo key reads one
transaction; it is not the SDK token, which never reads results.
"""

import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from psycopg.rows import scalar_row
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from truename.accounts.authentication import Caller
from truename.accounts.model import Account
from truename.accounts.store import account_settings, is_live, list_accounts
from truename.accounts.tokens import issue_sdk_token
from truename.accounts.webhook_secrets import secrets_in_force
from truename.customers import create as customers
from truename.customers.model import NewCustomer
from truename.plumbing import clock
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.rows import only_row
from truename.plumbing.errors import NotAuthenticated, NotFound
from truename.plumbing.http.answers import encode, json_answer
from truename.plumbing.http.bodies import Sent, Shown, read_body
from truename.plumbing.http.client_address import client_address
from truename.plumbing.http.operations import Answer, Operation
from truename.plumbing.http.rate_limits import Limit, count_call
from truename.plumbing.resources import Plumbing
from truename.rules.config import TransactionType
from truename.rules.issues import IssueCode
from truename.transactions import create as transactions
from truename.transactions.answers import ShownTransaction
from truename.transactions.lifecycle import Status
from truename.transactions.model import NewTransaction
from truename.transactions.read import read_transaction
from truename.webhooks.model import WebhookEvent
from truename.webhooks.outbox import ChangedStatus, event_of
from truename.webhooks.sign import signed_headers

PURPOSE: Final = "demo key"
TAG_BYTES: Final = 32


class NewDemo(Sent):
    """Asks for a demo transaction."""

    transaction_type: Annotated[TransactionType, Field(strict=False)] = TransactionType.DOCUMENT_AND_BIOMETRIC


class DemoEvent(Shown):
    """A webhook as the integrator would get it; the demo itself sends none."""

    type: str
    timestamp: datetime
    webhook_id: str
    body: WebhookEvent
    headers: dict[str, str]
    delivered: bool | None


class DemoResult(Shown):
    """What the integrator of a demo would read and receive."""

    transaction: ShownTransaction
    issue_codes: dict[str, str]
    """What each code among the issues means."""
    events: list[DemoEvent]


async def trial_account(plumbing: Plumbing) -> Account | None:
    """The account of the demo; None where there is none."""
    async with plumbing.database.system() as connection:
        accounts = await list_accounts(connection)
    return next((account for account in accounts if account.settings.trial), None)


async def new_demo(plumbing: Plumbing, kind: TransactionType) -> str:
    """Register a customer, open a transaction, and answer the path of its capture page."""
    account = await trial_account(plumbing)
    if account is None:
        raise NotFound("There is no trial account here.", code="demo_not_available")
    caller = Caller(account.account_id, "demo", frozenset(), livemode=account.livemode)
    newcomer = NewCustomer(external_customer_id=f"demo-{secrets.token_hex(6)}")
    customer = await customers.prepare(plumbing, caller, newcomer)
    async with plumbing.database.account(account.account_id) as connection:
        row = await customers.insert(connection, plumbing.vault, customer)
    wanted = NewTransaction(customer_id=str(row.customer_id), transaction_type=kind)
    prepared = await transactions.prepare(plumbing, caller, wanted)
    async with plumbing.database.account(account.account_id) as connection:
        expires_at = await transactions.insert(connection, prepared)
    token = await issue_sdk_token(plumbing, account.account_id, prepared.transaction_id, expires_at)
    return f"/verify/#t={token}&d={demo_key(plumbing, account.account_id, prepared.transaction_id)}"


def demo_key(plumbing: Plumbing, account_id: UUID, transaction_id: UUID) -> str:
    """A key that reads the result of this one transaction: its names, and a keyed hash over them."""
    named = account_id.bytes + transaction_id.bytes
    return urlsafe_b64encode(named + plumbing.vault.keyed_hash(PURPOSE, named)).decode()


def _read_key(plumbing: Plumbing, key: str) -> tuple[UUID, UUID]:
    try:
        raw = urlsafe_b64decode(key.encode("ascii"))
    except ValueError:
        raw = b""
    named, tag = raw[:-TAG_BYTES], raw[-TAG_BYTES:]
    if len(named) != 32 or not secrets.compare_digest(tag, plumbing.vault.keyed_hash(PURPOSE, named)):
        raise NotAuthenticated("The demo key is not valid.")
    return UUID(bytes=named[:16]), UUID(bytes=named[16:])


async def post_demo(request: Request) -> Response:
    """Open a demo transaction and answer the address of its capture page; 404 without a trial account."""
    plumbing: Plumbing = request.app.state.plumbing
    address = client_address(request, plumbing.settings.trusted_proxies)
    bucket = plumbing.vault.keyed_hash("address of a demo", address or "unknown").hex()
    await count_call(request, request.app.state.rate_limiter, bucket, Limit("demo", 60, 20))
    new, _ = await read_body(request, NewDemo, 4096)
    return json_answer({"url": await new_demo(plumbing, new.transaction_type)}, 201)


async def get_demo_result(request: Request) -> Response:
    """Answer what the integrator of a demo would read and receive; 401 for a key that is not ours."""
    plumbing: Plumbing = request.app.state.plumbing
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        raise NotAuthenticated("Send the demo key: Authorization: Bearer KEY.", error=None)
    account_id, transaction_id = _read_key(plumbing, key.strip())
    async with plumbing.database.account(account_id) as connection:
        if not (await account_settings(connection, account_id)).trial:
            raise NotFound("The account is no trial account any more.", code="demo_not_available")
        livemode = await is_live(connection, account_id)
    whole = await read_transaction(plumbing, Caller(account_id, "demo", frozenset(), livemode=livemode), transaction_id)
    codes = {issue.code: IssueCode[issue.code].meaning for issue in whole.issues}
    return json_answer(
        DemoResult(transaction=whole, issue_codes=codes, events=await _events(plumbing, account_id, whole))
    )


async def _events(plumbing: Plumbing, account_id: UUID, whole: ShownTransaction) -> list[DemoEvent]:
    """The event of the last change, as it would be sent: the demo's transactions have no receiver."""
    if whole.completed_at is None:
        return []
    async with plumbing.database.account(account_id) as connection:
        cursor = await connection.cursor(row_factory=scalar_row).execute(
            "SELECT sequence FROM transactions WHERE account_id = %s AND transaction_id = %s",
            (account_id, whole.transaction_id),
        )
        sequence: int = await only_row(cursor)
        keys = await secrets_in_force(connection, plumbing.vault, account_id)
    changed = ChangedStatus(
        account_id=account_id,
        transaction_id=whole.transaction_id,
        customer_id=whole.customer_id,
        external_customer_id=whole.external_customer_id,
        transaction_type=whole.transaction_type,
        status=whole.status,
        sequence=sequence,
        changed_at=whole.completed_at,
        webhook_url=None,
        livemode=whole.livemode is not False,
    )
    event_id, event = f"evt_{new_id()}", event_of(changed, Status.PROCESSING)
    headers = signed_headers(event_id, clock.now(), encode(event).decode(), keys)
    return [
        DemoEvent(
            type=event.type,
            timestamp=event.timestamp,
            webhook_id=event_id,
            body=event,
            headers=headers,
            delivered=None,
        )
    ]


operations: Final = (
    Operation("POST", "/demo/transactions", post_demo, "Open a demo transaction", "Demo", {201: Answer("Its link.")}),
    Operation("GET", "/demo/result", get_demo_result, "Read a demo's result", "Demo", {200: Answer("The result.")}),
)
