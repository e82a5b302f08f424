"""One exception for each code of a problem. Made by tools/client_models.py (`make docs`); do not edit by hand."""

from typing import ClassVar

from truename_client.errors import (
    ApiError,
    BadRequest,
    Conflict,
    ContentTooLarge,
    Forbidden,
    Gone,
    NotFound,
    RateLimited,
    ServerFailed,
    Unauthorized,
    Unavailable,
    Unprocessable,
    UnsupportedContent,
)


class ValidationFailed(BadRequest):
    """400: One or more fields or parameters are wrong. `errors` names each of them by its JSON pointer: correct
    all of them and send the request again.
    """

    code_of_class: ClassVar[str | None] = "validation_failed"


class CustomerAlreadyExists(BadRequest):
    """400: The account has a customer of this `external_customer_id`. Use the `customer_id` that the answer
    carries; do not retry.
    """

    code_of_class: ClassVar[str | None] = "customer_already_exists"

    @property
    def customer_id(self) -> str:
        """The customer that there is: use it."""
        return str(self.refused.members.get("customer_id", ""))


class WebhookAddressNotAllowed(BadRequest):
    """400: `config.webhook.url` leads to an address where webhooks may not go (this machine, a private or a
    metadata network). Give a public address, or ask the operator to allow this one
    (`TRUENAME_WEBHOOK_ALLOW`).
    """

    code_of_class: ClassVar[str | None] = "webhook_address_not_allowed"


class HttpMalformed(BadRequest):
    """400: The bytes are not a valid HTTP/1.1 request. Use an HTTP library instead of writing the request by
    hand.
    """

    code_of_class: ClassVar[str | None] = "http_malformed"


class InvalidImage(BadRequest):
    """400: The picture cannot be decoded, or is not of a kind and size that is accepted. Take or export it again
    as JPEG or PNG; `errors` says what is wrong.
    """

    code_of_class: ClassVar[str | None] = "invalid_image"


class NotAuthenticated(Unauthorized):
    """401: The token is missing, malformed, or not one of ours. Send `Authorization: Bearer TOKEN` with a token
    from `POST /oauth/token` (or the `sdk_token` on the SDK's side).
    """

    code_of_class: ClassVar[str | None] = "not_authenticated"


class TokenExpired(Unauthorized):
    """401: The access token was good and has expired. Fetch a new one by `POST /oauth/token` and repeat the
    request.
    """

    code_of_class: ClassVar[str | None] = "token_expired"


class TransactionExpired(Unauthorized):
    """401: The time for this verification is over, and its SDK token with it. Create a new transaction for the
    same customer.
    """

    code_of_class: ClassVar[str | None] = "transaction_expired"


class ScopeMissing(Forbidden):
    """403: The access token lacks the scope that this call needs; `detail` names it. Fetch a token with the
    scope, or ask the account's administrator for a client that has it.
    """

    code_of_class: ClassVar[str | None] = "scope_missing"


class RouteNotFound(NotFound):
    """404: The path is none of this service. Check the spelling; `detail` names the path that was probably
    meant, `/docs` lists them all.
    """

    code_of_class: ClassVar[str | None] = "route_not_found"


class CustomerNotFound(NotFound):
    """404: No customer of this account has this `customer_id`, or it was erased. Use the `customer_id` that
    creation answered. Another account's is not told apart from an unknown one.
    """

    code_of_class: ClassVar[str | None] = "customer_not_found"


class TransactionNotFound(NotFound):
    """404: No transaction of this account has this `transaction_id`. Use the `transaction_id` that creation
    answered. Another account's is not told apart from an unknown one.
    """

    code_of_class: ClassVar[str | None] = "transaction_not_found"


class MediaNotFound(NotFound):
    """404: No picture of this transaction has this `media_id`. Take the `media_id` from the transaction's
    `media`.
    """

    code_of_class: ClassVar[str | None] = "media_not_found"


class ReceiptNotFound(NotFound):
    """404: The transaction has no decision, so it has no receipt. Read it again once the status is `APPROVED` or
    `REJECTED`; what expired, failed or was cancelled never has one.
    """

    code_of_class: ClassVar[str | None] = "receipt_not_found"


class EvidenceNotFound(NotFound):
    """404: The transaction was not analysed yet, or its evidence was deleted. Wait for the analysis; what was
    redacted or erased does not come back.
    """

    code_of_class: ClassVar[str | None] = "evidence_not_found"


class BacktestNotFound(NotFound):
    """404: No back-test of this account has this `backtest_id`. Use the `backtest_id` that creation answered."""

    code_of_class: ClassVar[str | None] = "backtest_not_found"


class EventNotFound(NotFound):
    """404: No webhook event of this account has this `event_id`. Take the `event_id` from the list of events."""

    code_of_class: ClassVar[str | None] = "event_not_found"


class BlocklistEntryNotFound(NotFound):
    """404: The account's blocklist has no entry of this `entry_id`, or it was removed. Take the `entry_id` from
    the list.
    """

    code_of_class: ClassVar[str | None] = "blocklist_entry_not_found"


class NoUsableFace(Conflict):
    """409: No face of the customer is kept that could be searched for: none was captured, or it was deleted. Put
    a picture of the face on the list instead.
    """

    code_of_class: ClassVar[str | None] = "no_usable_face"


class ClientNotFound(NotFound):
    """404: No client of this account has this `client_id`. Take the `client_id` from the list of clients."""

    code_of_class: ClassVar[str | None] = "client_not_found"


class MethodNotAllowed(ApiError):
    """405: The path exists, but not with this method. Use one of the methods in the `Allow` header."""

    code_of_class: ClassVar[str | None] = "method_not_allowed"


class TooSlow(ApiError):
    """408: The head or the body of the request came too slowly. Send the request again over a better connection."""

    code_of_class: ClassVar[str | None] = "too_slow"


class WrongState(Conflict):
    """409: The transaction's status does not allow this; `transaction_status` tells it. Read the transaction; a
    final one never changes: create a new one.
    """

    code_of_class: ClassVar[str | None] = "wrong_state"

    @property
    def transaction_status(self) -> str:
        """The status at that moment."""
        return str(self.refused.members.get("transaction_status", ""))


class ClientRevoked(Conflict):
    """409: The client was revoked, which is for good. Add another client."""

    code_of_class: ClassVar[str | None] = "client_revoked"


class ClientIsAdministrator(Conflict):
    """409: The client is another administrator of the account. Ask the operator: `truename client rotate` and
    `truename client revoke` may.
    """

    code_of_class: ClassVar[str | None] = "client_is_administrator"


class TooManyWebhookSecrets(Conflict):
    """409: Five secrets sign the account's webhooks already: the webhook secret was rotated again and again
    within the overlap. Use the newest; rotate again when the first has stopped signing (`detail` says when),
    or in the dashboard with an overlap of 0 hours, which ends all others at once.
    """

    code_of_class: ClassVar[str | None] = "too_many_webhook_secrets"


class CustomerBlocked(Conflict):
    """409: The customer is BLOCKED, and no review approves a blocked customer. Reject the transaction; or change
    the customer's status and create a new transaction.
    """

    code_of_class: ClassVar[str | None] = "customer_blocked"


class TransactionRedacted(Conflict):
    """409: Pictures and data were deleted while the transaction waited for a review, as the account's retention
    says. Reject the transaction, and create a new one if the person still wants to be verified.
    """

    code_of_class: ClassVar[str | None] = "transaction_redacted"


class IdempotencyKeyInFlight(Conflict):
    """409: The first request with this `Idempotency-Key` is still being answered. Wait a little and repeat the
    same request with the same key.
    """

    code_of_class: ClassVar[str | None] = "idempotency_key_in_flight"


class TransactionCancelled(Conflict):
    """409: The integrator cancelled this verification. End the capture."""

    code_of_class: ClassVar[str | None] = "transaction_cancelled"


class TooLarge(ContentTooLarge):
    """413: The body is larger than this call accepts; `detail` names the limit. Send less: a smaller picture,
    fewer frames.
    """

    code_of_class: ClassVar[str | None] = "too_large"


class NotJson(UnsupportedContent):
    """415: The body is not sent as JSON, or is compressed. Send `Content-Type: application/json`, in UTF-8 and
    uncompressed.
    """

    code_of_class: ClassVar[str | None] = "not_json"


class UnsupportedMediaType(UnsupportedContent):
    """415: The body is not sent as a picture. Send the file itself with `Content-Type: image/jpeg` or
    `image/png`.
    """

    code_of_class: ClassVar[str | None] = "unsupported_media_type"


class IdempotencyKeyReused(Unprocessable):
    """422: This `Idempotency-Key` was used with another request in the last 24 hours. Use a fresh key for every
    new request, the same only to repeat one.
    """

    code_of_class: ClassVar[str | None] = "idempotency_key_reused"


class TooManyRequests(RateLimited):
    """429: The rate limit is used up. Wait as many seconds as `Retry-After` says; `RateLimit` tells how much is
    left.
    """

    code_of_class: ClassVar[str | None] = "too_many_requests"


class TooManyAtOnce(RateLimited):
    """429: The account has too many requests or uploads under way at the same moment. Wait as `Retry-After` says
    and send fewer in parallel; the requests under way are not touched.
    """

    code_of_class: ClassVar[str | None] = "too_many_at_once"


class HeadTooLarge(ApiError):
    """431: The address and the headers are too long, or there are too many headers. Send fewer and shorter
    headers.
    """

    code_of_class: ClassVar[str | None] = "head_too_large"


class InternalError(ServerFailed):
    """500: The service failed; nothing is known to have been done. Repeat the request with the same
    `Idempotency-Key`; if it stays, tell the operator the `request_id`.
    """

    code_of_class: ClassVar[str | None] = "internal_error"


class NotReady(Unavailable):
    """503: The service, or its database, does not answer at the moment. Wait as `Retry-After` says and repeat
    the request with the same `Idempotency-Key`.
    """

    code_of_class: ClassVar[str | None] = "not_ready"


BY_CODE: dict[str, type[ApiError]] = {
    "validation_failed": ValidationFailed,
    "customer_already_exists": CustomerAlreadyExists,
    "webhook_address_not_allowed": WebhookAddressNotAllowed,
    "http_malformed": HttpMalformed,
    "invalid_image": InvalidImage,
    "not_authenticated": NotAuthenticated,
    "token_expired": TokenExpired,
    "transaction_expired": TransactionExpired,
    "scope_missing": ScopeMissing,
    "not_found": NotFound,
    "route_not_found": RouteNotFound,
    "customer_not_found": CustomerNotFound,
    "transaction_not_found": TransactionNotFound,
    "media_not_found": MediaNotFound,
    "receipt_not_found": ReceiptNotFound,
    "evidence_not_found": EvidenceNotFound,
    "backtest_not_found": BacktestNotFound,
    "event_not_found": EventNotFound,
    "blocklist_entry_not_found": BlocklistEntryNotFound,
    "no_usable_face": NoUsableFace,
    "client_not_found": ClientNotFound,
    "method_not_allowed": MethodNotAllowed,
    "too_slow": TooSlow,
    "wrong_state": WrongState,
    "client_revoked": ClientRevoked,
    "client_is_administrator": ClientIsAdministrator,
    "too_many_webhook_secrets": TooManyWebhookSecrets,
    "customer_blocked": CustomerBlocked,
    "transaction_redacted": TransactionRedacted,
    "idempotency_key_in_flight": IdempotencyKeyInFlight,
    "transaction_cancelled": TransactionCancelled,
    "gone": Gone,
    "too_large": TooLarge,
    "not_json": NotJson,
    "unsupported_media_type": UnsupportedMediaType,
    "idempotency_key_reused": IdempotencyKeyReused,
    "too_many_requests": TooManyRequests,
    "too_many_at_once": TooManyAtOnce,
    "head_too_large": HeadTooLarge,
    "internal_error": InternalError,
    "not_ready": NotReady,
}
