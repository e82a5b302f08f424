"""Who calls, and may the capture still go on?

An SDK token acts on its own transaction only, until it expires, is cancelled or is submitted (its status excepted).
A token that a phone got by hand-off acts only once the person has confirmed the number.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final
from uuid import UUID

from starlette.requests import Request

from truename.accounts.model import AccountSettings
from truename.accounts.tokens import SdkClaims, read_sdk_token
from truename.plumbing.crypto.vault import DataKey
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import NotAuthenticated, TransactionExpired, WrongState
from truename.plumbing.http.rate_limits import Limit, count_call
from truename.plumbing.http.request_context import ACCOUNT_KEY, CLIENT_KEY
from truename.plumbing.resources import Plumbing
from truename.rules.config import Config, TransactionType
from truename.transactions.lifecycle import OPEN, STATUS, Status, begin

FIND: Final = f"""
SELECT t.account_id, t.transaction_id, t.customer_id, t.transaction_type, {STATUS} AS status, t.config, t.expires_at,
       clock_timestamp() AS now, c.data_key, a.name AS account_name, a.settings AS account_settings, a.livemode,
       (SELECT h.state FROM handoffs h WHERE h.transaction_id = t.transaction_id AND h.account_id = t.account_id
        AND h.phone_jti = %(jti)s) AS handoff_state
FROM transactions t
JOIN customers c ON c.customer_id = t.customer_id AND c.account_id = t.account_id
JOIN accounts a ON a.account_id = t.account_id
WHERE t.account_id = %(account_id)s AND t.transaction_id = %(transaction_id)s AND c.erased_at IS NULL
  AND (t.redacted_at IS NULL OR t.status NOT IN ('CREATED', 'IN_PROGRESS'))
"""  # noqa: S608 (STATUS is a constant)
LOCKED: Final = FIND + "FOR UPDATE OF t"
"""An open transaction that is redacted belongs to a customer who was erased while this call waited for the lock: only
the locked row is read anew then, so the customer's row would still look alive."""


@dataclass(frozen=True)
class Capture:
    """The transaction that a call acts on; a call that changes anything holds its lock until it commits."""

    account_id: UUID
    transaction_id: UUID
    customer_id: UUID
    transaction_type: TransactionType
    status: Status
    stored_config: Mapping[str, object]
    expires_at: datetime
    now: datetime
    account_name: str
    settings: AccountSettings
    data_key: bytes
    jti: str
    livemode: bool = True

    @cached_property
    def config(self) -> Config:
        """Made of what is stored where it is asked for: few calls do, and one that lists thousands of documents takes
        as long as hundreds of calls."""
        return Config.from_stored(self.stored_config)

    @property
    def own(self) -> dict[str, UUID]:
        """What binds a statement to the rows of this transaction: parameters by name."""
        return {"account_id": self.account_id, "transaction_id": self.transaction_id, "customer_id": self.customer_id}

    async def key(self, plumbing: Plumbing) -> DataKey:
        """The customer's data key; refuses (401) when it was destroyed, because the customer was erased meanwhile."""
        key = await plumbing.keys.open(self.data_key, self.account_id, self.customer_id)
        if key is None:
            raise NotAuthenticated("The token does not belong to an open transaction.")
        return key


async def sdk_claims(request: Request) -> SdkClaims:
    """Read the token and count the call."""
    plumbing: Plumbing = request.app.state.plumbing
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise NotAuthenticated("Send the SDK token: Authorization: Bearer TOKEN.", error=None)
    claims = await read_sdk_token(plumbing, token.strip())
    request.scope[CLIENT_KEY], request.scope[ACCOUNT_KEY] = "sdk", claims.account_id
    limit = Limit("sdk", plumbing.settings.sdk_requests_per_minute, plumbing.settings.sdk_burst)
    await count_call(request, request.app.state.rate_limiter, str(claims.transaction_id), limit)
    return claims


async def find_capture(connection: Connection, claims: SdkClaims, *, lock: bool) -> tuple[Capture, str | None]:
    """The transaction in whatever state it is, and the state of the hand-off by which this token came, if any.

    Whoever only looks takes no lock: polls of a page must not stand in the way of its uploads.
    """
    cursor = await connection.execute(
        LOCKED if lock else FIND,
        {"account_id": claims.account_id, "transaction_id": claims.transaction_id, "jti": claims.jti},
    )
    row = await cursor.fetchone()
    if row is None:
        raise NotAuthenticated("The token does not belong to an open transaction.")
    capture = Capture(
        row["account_id"],
        row["transaction_id"],
        row["customer_id"],
        TransactionType(row["transaction_type"]),
        Status(row["status"]),
        row["config"],
        row["expires_at"],
        row["now"],
        row["account_name"],
        AccountSettings.model_validate(row["account_settings"]),
        bytes(row["data_key"]),
        claims.jti,
        row["livemode"],
    )
    return capture, row["handoff_state"]


async def open_capture(
    connection: Connection, claims: SdkClaims, *, confirming: bool = False, lock: bool = True
) -> Capture:
    """The transaction, if the capture may go on; the first call begins it."""
    capture, handoff_state = await find_capture(connection, claims, lock=lock)
    refuse_closed(capture.status)
    if handoff_state is not None and handoff_state != "CONNECTED" and not confirming:
        raise WrongState("Confirm the number that the computer shows first.", code="handoff_not_confirmed")
    if capture.status is Status.CREATED:
        await begin(connection, capture.account_id, capture.transaction_id)
    return capture


def refuse_closed(status: Status) -> None:
    """Say why a capture that is over cannot go on."""
    if status in OPEN:
        return
    if status is Status.EXPIRED:
        raise TransactionExpired
    if status is Status.CANCELLED:
        raise WrongState("The verification was cancelled.", code="transaction_cancelled")
    raise WrongState("The capture was submitted already.", code="already_submitted")
