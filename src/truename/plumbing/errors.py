"""Every refusal that the service utters, on one page: its status, its code and its words.

Refusal
├── Invalid 400
│   └── CustomerAlreadyExists 400
├── NotAuthenticated 401
│   ├── TokenExpired 401
│   └── TransactionExpired 401
├── ScopeMissing 403
├── RoleMissing 403
├── WrongSite 403
├── NotFound 404
│   ├── CustomerNotFound 404
│   ├── TransactionNotFound 404
│   ├── MediaNotFound 404
│   ├── ReceiptNotFound 404
│   ├── EvidenceNotFound 404
│   ├── BacktestNotFound 404
│   ├── BlocklistEntryNotFound 404
│   ├── EventNotFound 404
│   ├── ClientNotFound 404
│   └── RouteNotFound 404
├── MethodNotAllowed 405
├── TooSlow 408
├── WrongState 409
│   ├── ClientRevoked 409
│   └── IdempotencyKeyInFlight 409
├── Gone 410
├── TooLarge 413
├── NotJson 415
├── UnsupportedMedia 415
├── IdempotencyKeyReused 422
├── TooMany 429
│   └── TooManyAtOnce 429
├── TooManyTakes 429
├── HeadTooLarge 431
├── Defect 500
└── NotReady 503

Some places refuse more exactly than their class, with a code of their own; `error_codes.py` lists every code.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from truename.rules.faults import Fault
from truename.rules.json_values import JsonObject

__all__ = ["Fault", "Refusal"]


class Refusal(Exception):
    """An answer other than the one hoped for. It never carries a secret, an image or personal data."""

    status: ClassVar[int]
    code: ClassVar[str]
    title: ClassVar[str]
    words: ClassVar[str] = ""
    """What is said when the place that refuses has nothing more to add."""

    def __init__(
        self,
        detail: str = "",
        *,
        errors: Sequence[Fault] = (),
        headers: Mapping[str, str] | None = None,
        code: str | None = None,
        extra: JsonObject | None = None,
    ) -> None:
        self.detail = detail or self.words or self.title
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        self.extra = dict(extra or {})
        if code is not None:
            self.code = code  # type: ignore[misc]  # one refusal may be more exact than its class
        super().__init__(self.detail)


class Invalid(Refusal):
    status, code, title = 400, "validation_failed", "The request is not valid"
    words = "One or more fields are wrong; each is named in `errors`."

    def __init__(self, faults: Sequence[Fault] = (), detail: str = "", *, code: str | None = None) -> None:
        super().__init__(detail, errors=faults, code=code)

    @property
    def faults(self) -> tuple[Fault, ...]:
        return self.errors


class CustomerAlreadyExists(Invalid):
    code, title = "customer_already_exists", "The customer already exists"
    words = "A customer with this external_customer_id exists already in the account; use its customer_id."

    def __init__(self, customer_id: object) -> None:
        super().__init__()
        self.extra = {"customer_id": str(customer_id)}


class NotAuthenticated(Refusal):
    status, code, title = 401, "not_authenticated", "The access token is missing or not valid"
    words = "Send a valid access token: Authorization: Bearer TOKEN."

    def __init__(self, detail: str = "", *, error: str | None = "invalid_token") -> None:
        """RFC 6750 §3.1: a request without any token is told no error code, only the scheme."""
        challenge = 'Bearer realm="truename"' + (f', error="{error}"' if error else "")
        super().__init__(detail, headers={"WWW-Authenticate": challenge})


class TokenExpired(NotAuthenticated):
    code, title = "token_expired", "The access token has expired"
    words = "The access token has expired; fetch a new one by POST /oauth/token and repeat the request."


class TransactionExpired(NotAuthenticated):
    code, title = "transaction_expired", "The time for this verification is over"
    words = "The transaction has expired, and its SDK token with it."


class ScopeMissing(Refusal):
    status, code, title = 403, "scope_missing", "The access token lacks a scope"

    def __init__(self, scope: str, why: str = "") -> None:
        challenge = f'Bearer realm="truename", error="insufficient_scope", scope="{scope}"'
        words = f"This call needs the scope {scope}" + (f": {why}" if why else "")
        super().__init__(f"{words}.", headers={"WWW-Authenticate": challenge})


class RoleMissing(Refusal):
    status, code, title = 403, "role_missing", "Your role does not allow this"

    def __init__(self, role: str) -> None:
        super().__init__(f"This needs the role {role} in this account. An admin of the account can grant it.")


class WrongSite(Refusal):
    status, code, title = 403, "wrong_site", "The request did not come from our own page"
    words = "Another site seems to have sent this in your name. Nothing was done."


class NotFound(Refusal):
    status, code, title = 404, "not_found", "There is no such thing"
    words = "It does not exist, or not in this account."


class CustomerNotFound(NotFound):
    code, title = "customer_not_found", "There is no such customer"
    words = "No customer of this account has this customer_id, or it was erased."


class TransactionNotFound(NotFound):
    code, title = "transaction_not_found", "There is no such transaction"
    words = "No transaction of this account has this transaction_id."


class MediaNotFound(NotFound):
    code, title = "media_not_found", "There is no such picture"
    words = "No picture of this transaction has this media_id."


class ReceiptNotFound(NotFound):
    code, title = "receipt_not_found", "There is no receipt"
    words = "The transaction has no decision, so it has no receipt."


class EvidenceNotFound(NotFound):
    code, title = "evidence_not_found", "There is no evidence"
    words = "The transaction was not analysed yet, or its evidence was deleted."


class BacktestNotFound(NotFound):
    code, title = "backtest_not_found", "There is no such back-test"
    words = "No back-test of this account has this backtest_id."


class BlocklistEntryNotFound(NotFound):
    code, title = "blocklist_entry_not_found", "There is no such entry"
    words = "The account's blocklist has no entry of this entry_id."


class EventNotFound(NotFound):
    code, title = "event_not_found", "There is no such event"
    words = "No webhook event of this account has this event_id."


class ClientNotFound(NotFound):
    code, title = "client_not_found", "There is no such client"
    words = "No client of this account has this client_id."


class RouteNotFound(NotFound):
    code, title = "route_not_found", "There is no such address"
    words = "The path is none of this service; /docs lists them all."


class MethodNotAllowed(Refusal):
    status, code, title = 405, "method_not_allowed", "The address does not know this method"


class TooSlow(Refusal):
    status, code, title = 408, "too_slow", "The request came too slowly"


class WrongState(Refusal):
    status, code, title = 409, "wrong_state", "The state does not allow this"


class ClientRevoked(WrongState):
    code, title = "client_revoked", "The client was revoked"
    words = "The client was revoked, which is for good; add another one."


class IdempotencyKeyInFlight(WrongState):
    code, title = "idempotency_key_in_flight", "The first request with this key is still being answered"
    words = "Wait for the first answer, or repeat the request a little later."


class Gone(Refusal):
    status, code, title = 410, "gone", "It was erased"


class TooLarge(Refusal):
    status, code, title = 413, "too_large", "The body is too large"


class NotJson(Refusal):
    status, code, title = 415, "not_json", "The body must be JSON"
    words = "Send the body as application/json."


class UnsupportedMedia(Refusal):
    status, code, title = 415, "unsupported_media_type", "The body must be a picture"
    words = "Send the picture itself, as image/jpeg or image/png."


class IdempotencyKeyReused(Refusal):
    status, code, title = 422, "idempotency_key_reused", "The idempotency key belongs to another request"
    words = "This Idempotency-Key was used with another body in the last 24 hours; use a fresh key."


class TooMany(Refusal):
    status, code, title = 429, "too_many_requests", "Too many requests"

    def __init__(self, retry_after_seconds: int, detail: str = "", *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(
            detail or f"Try again in {retry_after_seconds} s.",
            headers={"Retry-After": str(retry_after_seconds), **(headers or {})},
        )


class TooManyAtOnce(TooMany):
    """Not how often, but how many at the same moment: it lifts as soon as some of them are answered."""

    code, title = "too_many_at_once", "Too many requests at once"

    def __init__(self, detail: str) -> None:
        super().__init__(1, f"{detail} Send fewer in parallel, or try again in a second.")


class TooManyTakes(Refusal):
    """A cap on attempts, which no waiting of seconds lifts: it has no Retry-After."""

    status, code, title = 429, "too_many_takes", "Too many attempts"


class HeadTooLarge(Refusal):
    status, code, title = 431, "head_too_large", "The head of the request is too large"
    words = "The address and the headers are too long, or there are too many headers."


class Defect(Refusal):
    """A fault of ours. It is told apart from every refusal, and nothing of its insides leaves the house."""

    status, code, title = 500, "internal_error", "The service failed"
    words = "The fault is ours and was logged with this request_id; nothing is known to have been done."


class NotReady(Refusal):
    """The call is right, and cannot be answered at the moment. It always says when to try again."""

    status, code, title = 503, "not_ready", "The service is not ready"
    words = "Try again in a moment."

    def __init__(self, detail: str = "", *, retry_after_seconds: int = 5) -> None:
        super().__init__(detail, headers={"Retry-After": str(retry_after_seconds)})
