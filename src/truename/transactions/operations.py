"""How the transaction's part of the interface is described."""

from typing import Final

from truename.plumbing.http.bodies import Nothing
from truename.plumbing.http.operations import LIMIT, LOCATION, UUID_SCHEMA, Answer, Operation, parameter
from truename.plumbing.http.pagination import CURSOR_PATTERN
from truename.plumbing.http.queries import INSTANT_PATTERN
from truename.rules.json_values import Json
from truename.transactions import endpoints
from truename.transactions.answers import (
    ChangedTransaction,
    IssueCatalogue,
    ShownTransaction,
    TokenIssued,
    TransactionList,
)
from truename.transactions.endpoints import LONGEST_WAIT, PATH
from truename.transactions.lifecycle import Status
from truename.transactions.model import NewReview, NewTransaction

TAG: Final = "Transactions"
ONE: Final = PATH + "/{transaction_id}"
EXAMPLE_ID: Final = "019a8a5f-11c2-7d05-8a6e-5e0d6c9b1f42"


CREATED_SCHEMA: Final = {"type": "string", "format": "date-time", "pattern": INSTANT_PATTERN}
TRANSACTION_ID: Final = parameter("transaction_id", "path", UUID_SCHEMA, "As creation answered it.")
ISSUED: Final[dict[str, Json]] = {
    "transaction_id": EXAMPLE_ID,
    "sdk_token": "eyJhbGciOiJFZERTQSIsImtpZCI6IjEifQ.eyJhdWQiOiJzZGsifQ.c2lnbmF0dXJl",
    "token_type": "Bearer",
    "expires_in": 86400,
}
WHOLE: Final = Answer("The transaction.", ShownTransaction)
CHANGED: Final = Answer(
    "The transaction: whole if the token has `transactions:read`, otherwise status, decision and times.",
    ChangedTransaction,
)

operations: Final = (
    Operation(
        "POST",
        PATH,
        endpoints.create_transaction,
        summary="Create a transaction",
        tag=TAG,
        scope="transactions:write",
        description="Opens one verification for one customer and answers the token for the SDK. `config` holds the "
        "rules to enforce; build it on your own server. A misspelt or impossible rule is refused, never ignored.",
        body=NewTransaction,
        body_examples={
            "with every default": {
                "value": {
                    "customer_id": "019a8a5e-7c1d-7b3e-9f54-2d5c1f6a7b80",
                    "transaction_type": "DOCUMENT_AND_BIOMETRIC",
                }
            },
            "with rules": {
                "value": {
                    "customer_id": "019a8a5e-7c1d-7b3e-9f54-2d5c1f6a7b80",
                    "transaction_type": "DOCUMENT_AND_BIOMETRIC",
                    "config": {
                        "transaction_ttl_minutes": 60,
                        "webhook": {"url": "https://hooks.example.com/truename"},
                        "document_policy": {
                            "data_matching": {"surnames": {"value": "Pérez", "similarity_min_score": 0.9}}
                        },
                        "biometric_policy": {"liveness_min_score": 0.9, "expected_min_age": 18},
                    },
                }
            },
        },
        answers={201: Answer("The transaction was created.", TokenIssued, example=ISSUED, headers=LOCATION)},
        refusals=(404,),
    ),
    Operation(
        "GET",
        PATH,
        endpoints.get_transactions,
        summary="List transactions",
        name="listTransactions",
        tag=TAG,
        scope="transactions:read",
        description="Newest first. Statuses are those of this very moment: what has run out of time is EXPIRED.",
        parameters=(
            parameter("customer_id", "query", UUID_SCHEMA, "Only transactions of this customer."),
            parameter(
                "status",
                "query",
                {"type": "string", "enum": [status.value for status in Status]},
                "Only transactions that have this status at this moment.",
            ),
            parameter("created_after", "query", CREATED_SCHEMA, "Only those created later than this (RFC 3339)."),
            parameter("created_before", "query", CREATED_SCHEMA, "Only those created earlier than this (RFC 3339)."),
            LIMIT,
            parameter(
                "cursor", "query", {"type": "string", "pattern": CURSOR_PATTERN}, "`next_cursor` of the page before."
            ),
        ),
        answers={200: Answer("One page.", TransactionList)},
    ),
    Operation(
        "GET",
        ONE,
        endpoints.get_transaction,
        summary="Read a transaction",
        tag=TAG,
        scope="transactions:read",
        description="With `wait`, the answer comes as soon as the status is final, or after so many seconds; sooner "
        "where the service is being restarted: look at `status`, and ask again.",
        parameters=(
            TRANSACTION_ID,
            parameter(
                "wait",
                "query",
                {"type": "integer", "minimum": 0, "maximum": LONGEST_WAIT, "default": 0},
                "Seconds to wait for a final status.",
            ),
        ),
        answers={200: WHOLE},
    ),
    Operation(
        "POST",
        ONE + "/cancel",
        endpoints.post_cancel,
        summary="Cancel a transaction",
        name="cancelTransaction",
        tag=TAG,
        scope="transactions:write",
        description="Before it is submitted; the SDK token stops working at once.",
        parameters=(TRANSACTION_ID,),
        body=Nothing,
        body_required=False,
        answers={200: CHANGED},
        refusals=(409,),
    ),
    Operation(
        "POST",
        ONE + "/sdk-token",
        endpoints.post_sdk_token,
        summary="Get a fresh SDK token",
        name="refreshSdkToken",
        tag=TAG,
        scope="transactions:write",
        description="For the time that is left.",
        parameters=(TRANSACTION_ID,),
        body=Nothing,
        body_required=False,
        answers={200: Answer("A fresh token.", TokenIssued, example=ISSUED)},
        refusals=(409,),
    ),
    Operation(
        "POST",
        ONE + "/review",
        endpoints.post_review,
        summary="Decide a transaction that waits for review",
        name="reviewTransaction",
        tag=TAG,
        scope="transactions:write",
        description="Only where the account has switched manual review on. A transaction of a customer who is "
        "`BLOCKED` can only be rejected: `customer_blocked`; so can one whose data retention has deleted meanwhile: "
        "`transaction_redacted`.",
        parameters=(TRANSACTION_ID,),
        body=NewReview,
        body_examples={"approve": {"value": {"outcome": "APPROVED", "reason": "Seen in person."}}},
        answers={200: CHANGED},
        refusals=(409,),
    ),
    Operation(
        "GET",
        ONE + "/media/{media_id}",
        endpoints.get_media,
        summary="Read a picture",
        tag=TAG,
        scope="media:read",
        description="Each reading is audited.",
        parameters=(TRANSACTION_ID, parameter("media_id", "path", UUID_SCHEMA, "From the transaction's `media`.")),
        answers={200: Answer("The picture.", media_type="image/jpeg")},
        refusals=(410,),
    ),
    Operation(
        "GET",
        "/api/account/integration/kyc/issue-codes",
        endpoints.get_issue_codes,
        summary="The catalogue of issue codes",
        name="listIssueCodes",
        tag=TAG,
        scope="transactions:read",
        answers={200: Answer("Every code that the analysis can emit.", IssueCatalogue)},
    ),
)
