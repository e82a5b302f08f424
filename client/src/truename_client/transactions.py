"""Transactions: one verification for one customer, its rules, its decision and why."""

import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, get_args
from uuid import UUID

from truename_client import arguments
from truename_client.answers import (
    CatalogueRow,
    ChangedTransaction,
    IssueCatalogue,
    ShownExplanation,
    ShownTransaction,
    TokenIssued,
    TransactionList,
    TransactionSummary,
)
from truename_client.bodies import Config
from truename_client.conversation import Call, Retry, Steps
from truename_client.errors import BadArgument, WaitTimedOut
from truename_client.facade import (
    AsyncResource,
    Pages,
    Resource,
    awaited,
    awaited_pages,
    blocking,
    blocking_pages,
)
from truename_client.words import Status, TransactionType

KYC: Final = "/api/account/integration/kyc"
PATH: Final = f"{KYC}/transaction"
CHANGED: Final[Any] = ChangedTransaction
FINAL: Final = frozenset({"APPROVED", "REJECTED", "FAILED", "EXPIRED", "CANCELLED"})
"""Statuses that never change."""
LONGEST_POLL: Final = 30
"""Seconds that the service waits at most for a final status, in one call."""


def create_transaction(
    customer_id: str | UUID,
    transaction_type: TransactionType,
    config: Config | None = None,
    *,
    idempotency_key: str | None = None,
) -> Call[TokenIssued]:
    """Open one verification; hand the answered `sdk_token` to the capture.

    config: the rules to enforce, built from your own records, never from what an app sends. Every field has a default;
    a misspelt or impossible one raises ValidationFailed with its pointer.
    """
    body: dict[str, object] = {
        "customer_id": arguments.identifier("customer_id", customer_id),
        "transaction_type": arguments.word("transaction_type", transaction_type, get_args(TransactionType)),
    }
    if config is not None:
        body["config"] = arguments.json_object("config", config)
    return Call("POST", PATH, TokenIssued, body=body, idempotency_key=idempotency_key)


def get_transaction(transaction_id: str | UUID) -> Call[ShownTransaction]:
    """Read a transaction as it is at this moment. Raises TransactionNotFound."""
    return Call("GET", _one(transaction_id), ShownTransaction)


def list_transactions(
    *,
    customer_id: str | UUID | None = None,
    status: Status | None = None,
    created_after: datetime | None = None,
    created_before: datetime | None = None,
    page_size: int = 100,
) -> Pages[TransactionSummary]:
    """Iterate over transactions, newest first; pages are fetched as they are needed."""
    query: dict[str, str | int | None] = {
        "customer_id": None if customer_id is None else arguments.identifier("customer_id", customer_id),
        "status": None if status is None else arguments.word("status", status, get_args(Status)),
        "created_after": arguments.instant("created_after", created_after),
        "created_before": arguments.instant("created_before", created_before),
        "limit": arguments.whole("page_size", page_size, 1, 100),
    }
    return Pages(Call("GET", PATH, TransactionList, query=query))


@dataclass(frozen=True)
class Wait:
    """Ends with the transaction when its status is final."""

    transaction_id: str
    seconds: float

    def steps(self, retry: Retry) -> Steps[ShownTransaction]:
        """Long polls, one after the other; the last may be short."""
        until = time.monotonic() + self.seconds
        while True:
            left = until - time.monotonic()
            poll = max(0, min(LONGEST_POLL, int(left + 0.999)))
            call = Call(
                "GET", _one(self.transaction_id), ShownTransaction, query={"wait": poll or None}, patience=float(poll)
            )
            found = yield from call.steps(retry)
            if found.status in FINAL:
                return found
            if time.monotonic() >= until:
                raise WaitTimedOut(self.transaction_id, found.status, self.seconds)


def wait_for_transaction(transaction_id: str | UUID, timeout: float = 600.0) -> Wait:
    """The transaction once its status is final (APPROVED, REJECTED, FAILED, EXPIRED, CANCELLED).

    timeout: seconds to wait at most; then WaitTimedOut, and the transaction goes on as before. A webhook spares you
    the waiting.
    """
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 <= timeout < 10**7:
        raise BadArgument("timeout must be a number of seconds, not negative.")
    return Wait(arguments.identifier("transaction_id", transaction_id), float(timeout))


def cancel_transaction(transaction_id: str | UUID, *, idempotency_key: str | None = None) -> Call[ChangedTransaction]:
    """Cancel before it is submitted; the SDK token stops working at once. Raises WrongState afterwards."""
    return Call("POST", _one(transaction_id) + "/cancel", CHANGED, body={}, idempotency_key=idempotency_key)


def refresh_sdk_token(transaction_id: str | UUID, *, idempotency_key: str | None = None) -> Call[TokenIssued]:
    """A fresh token for the time that is left."""
    return Call("POST", _one(transaction_id) + "/sdk-token", TokenIssued, body={}, idempotency_key=idempotency_key)


def review_transaction(
    transaction_id: str | UUID,
    outcome: Literal["APPROVED", "REJECTED"],
    reason: str,
    *,
    idempotency_key: str | None = None,
) -> Call[ChangedTransaction]:
    """Decide a transaction that waits in IN_REVIEW; the reason is kept in the audit log."""
    body: dict[str, object] = {
        "outcome": arguments.word("outcome", outcome, ("APPROVED", "REJECTED")),
        "reason": arguments.text("reason", reason),
    }
    return Call("POST", _one(transaction_id) + "/review", CHANGED, body=body, idempotency_key=idempotency_key)


def redact_transaction(transaction_id: str | UUID, *, idempotency_key: str | None = None) -> Call[ChangedTransaction]:
    """Delete what was captured and read; status, decision, issues and times stay."""
    return Call("POST", _one(transaction_id) + "/redact", CHANGED, body={}, idempotency_key=idempotency_key)


def read_media(transaction_id: str | UUID, media_id: str | UUID) -> Call[bytes]:
    """The bytes of a picture, by its `media_id` from the transaction's `media`; each reading is audited."""
    return Call("GET", f"{_one(transaction_id)}/media/{arguments.identifier('media_id', media_id)}", bytes)


def explain_transaction(transaction_id: str | UUID) -> Call[ShownExplanation]:
    """Why it was decided so, in sentences and without a value of the person; needs the scope explanations:read."""
    return Call("GET", _one(transaction_id) + "/explanation", ShownExplanation)


def read_receipt(transaction_id: str | UUID) -> Call[bytes]:
    """The signed receipt of the decision, a compact JWS. Raises ReceiptNotFound before there is a decision."""
    return Call("GET", _one(transaction_id) + "/receipt", bytes)


def read_evidence(transaction_id: str | UUID) -> Call[bytes]:
    """The evidence file for `truename receipt verify --evidence`: personal data. Each reading is audited."""
    return Call("GET", _one(transaction_id) + "/evidence", bytes)


@dataclass(frozen=True)
class Catalogue:
    """Ends with the rows of the catalogue."""

    call: Call[IssueCatalogue]

    def steps(self, retry: Retry) -> Steps[list[CatalogueRow]]:
        """One call."""
        found = yield from self.call.steps(retry)
        return found.data


def list_issue_codes() -> Catalogue:
    """Every code that the analysis can emit, what it means and which policy sets its severity."""
    return Catalogue(Call("GET", f"{KYC}/issue-codes", IssueCatalogue))


def _one(transaction_id: str | UUID) -> str:
    return f"{PATH}/{arguments.identifier('transaction_id', transaction_id)}"


class Transactions(Resource):
    """`client.transactions`."""

    create = blocking(create_transaction)
    get = blocking(get_transaction)
    list = blocking_pages(list_transactions)
    wait = blocking(wait_for_transaction)
    cancel = blocking(cancel_transaction)
    refresh_sdk_token = blocking(refresh_sdk_token)
    review = blocking(review_transaction)
    redact = blocking(redact_transaction)
    media = blocking(read_media)
    explain = blocking(explain_transaction)
    receipt = blocking(read_receipt)
    evidence = blocking(read_evidence)
    issue_codes = blocking(list_issue_codes)


class AsyncTransactions(AsyncResource):
    """`client.transactions`, awaited."""

    create = awaited(create_transaction)
    get = awaited(get_transaction)
    list = awaited_pages(list_transactions)
    wait = awaited(wait_for_transaction)
    cancel = awaited(cancel_transaction)
    refresh_sdk_token = awaited(refresh_sdk_token)
    review = awaited(review_transaction)
    redact = awaited(redact_transaction)
    media = awaited(read_media)
    explain = awaited(explain_transaction)
    receipt = awaited(read_receipt)
    evidence = awaited(read_evidence)
    issue_codes = awaited(list_issue_codes)
