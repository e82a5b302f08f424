"""A POST that is sent again does its work once: the first answer is kept for 24 hours and replayed.

The key is claimed by a lock of the database transaction that does the work, and the answer is stored in that same
transaction. So a crash leaves neither a claim nor half of the work, and a second request that comes meanwhile is told
so at once. What was refused before any work began (malformed, not allowed) is not kept.

Answers are kept sealed: one that concerns a customer under that customer's key, so that it dies with the customer (a
repetition is then told 410); any other under a key of its account and day, so that no key seals without end. The
caller's key and the body are kept as keyed hashes only: either may name a person.
"""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable
from datetime import date
from typing import Final, TypeVar
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from truename.plumbing.clock import now
from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import DataKey
from truename.plumbing.customer_keys import OwnedKey
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import Gone, IdempotencyKeyInFlight, IdempotencyKeyReused, Invalid, NotFound, Refusal
from truename.plumbing.http.problems import problem
from truename.plumbing.http.request_context import headers_of
from truename.plumbing.resources import Plumbing
from truename.rules.faults import Fault

HEADER: Final = "Idempotency-Key"
_HEADER: Final = HEADER.lower().encode()
_KEY = re.compile(r"[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?")

Work = Callable[[Connection], Awaitable[Response]]
Prepared = TypeVar("Prepared")

FIND = """
SELECT fingerprint, status, sealed, sealed_on, customer_id FROM idempotent_answers
WHERE account_id = %s AND client_id = %s AND key_hash = %s AND created_at > now() - interval '24 hours'
"""
KEEP = """
INSERT INTO idempotent_answers
    (account_id, client_id, key_hash, fingerprint, status, sealed, sealed_on, customer_id, transaction_id)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (account_id, client_id, key_hash) DO UPDATE
SET fingerprint = excluded.fingerprint, status = excluded.status, sealed = excluded.sealed,
    sealed_on = excluded.sealed_on, customer_id = excluded.customer_id, transaction_id = excluded.transaction_id,
    created_at = now()
"""
DESTROY: Final = """
UPDATE idempotent_answers SET sealed = NULL, fingerprint = NULL WHERE account_id = %(account_id)s
"""
"""The row stays until its day is over, so that a repetition is refused and does not do the work anew."""


async def destroy_answers_about_customer(connection: Connection, account_id: UUID, customer_id: UUID) -> None:
    """What was answered about an erased customer is never answered again."""
    own = {"account_id": account_id, "customer_id": customer_id}
    await connection.execute(DESTROY + "AND customer_id = %(customer_id)s AND sealed IS NOT NULL", own)


async def destroy_answers_about_transaction(connection: Connection, account_id: UUID, transaction_id: UUID) -> None:
    """What was answered about a redacted transaction is never answered again."""
    own = {"account_id": account_id, "transaction_id": transaction_id}
    await connection.execute(DESTROY + "AND transaction_id = %(transaction_id)s AND sealed IS NOT NULL", own)


class IdempotentRequest:
    """One request whose work is done at most once for its key (or just done, when it has none)."""

    def __init__(self, request: Request, plumbing: Plumbing, account_id: UUID, client_id: str, body: bytes) -> None:
        self._request = request
        self._plumbing = plumbing
        self._account_id = account_id
        self._client_id = client_id
        self._key = key_of(request)
        if self._key is not None:
            about = f"{request.method}\n{request.url.path}\n{request.url.query}\n".encode()
            whole = f"{account_id}\n{client_id}\n{self._key}"
            self._fingerprint = plumbing.vault.keyed_hash("idempotency fingerprint", about + body)
            self._key_hash = plumbing.vault.keyed_hash("idempotency key", whole)
        self._customer_id: UUID | None = None
        self._transaction_id: UUID | None = None

    def concerns(self, *, customer_id: UUID | None = None, transaction_id: UUID | None = None) -> None:
        """Say whom the answer is about, before the work is run: it is kept only as long as that person's data."""
        self._customer_id, self._transaction_id = customer_id, transaction_id

    @property
    def has_key(self) -> bool:
        """The request bears an Idempotency-Key."""
        return self._key is not None

    async def earlier_answer(self) -> Response | None:
        """The answer of an earlier request, asked before costly preparations."""
        if self._key is None:
            return None
        async with self._plumbing.database.account(self._account_id) as connection:
            return await self._replay(connection, self._key)

    async def prepared(self, preparing: Awaitable[Prepared]) -> Prepared:
        """What was prepared before the work; Gone (410) when whom an earlier answer was about was erased meanwhile.

        Else the repetition of a call would be told 404 or 410 by how much had to be prepared for it.
        """
        try:
            return await preparing
        except NotFound:
            await self.earlier_answer()
            raise

    async def run(self, work: Work) -> Response:
        """Do the work in one database transaction, or replay its answer."""
        async with self._plumbing.database.account(self._account_id) as connection:
            if self._key is None:
                return await work(connection)
            await self._claim(connection)
            earlier = await self._replay(connection, self._key)
            if earlier is not None:
                return earlier
            try:
                async with connection.transaction():
                    answer = await work(connection)
            except Refusal as refusal:
                answer = problem(self._request, refusal)
            await self._keep(connection, self._key, answer)
            return answer

    async def _claim(self, connection: Connection) -> None:
        number = int.from_bytes(self._key_hash[:8], "big", signed=True)
        cursor = await connection.execute("SELECT pg_try_advisory_xact_lock(%s) AS claimed", (number,))
        row = await cursor.fetchone()
        if row is None or not row["claimed"]:
            raise IdempotencyKeyInFlight

    async def _replay(self, connection: Connection, key: str) -> Response | None:
        cursor = await connection.execute(FIND, (self._account_id, self._client_id, self._key_hash))
        row = await cursor.fetchone()
        if row is None:
            return None
        if row["sealed"] is None:
            raise Gone("What was answered to this Idempotency-Key was erased.")
        if bytes(row["fingerprint"]) != self._fingerprint:
            raise IdempotencyKeyReused
        if row["customer_id"] is None:
            sealing = self._key_of_day(row["sealed_on"])
        else:
            owned = await self._plumbing.keys.of_customer(connection, self._account_id, row["customer_id"])
            if owned is None:
                raise Gone("What was answered to this Idempotency-Key was erased.")
            sealing = owned.key
        kept = json.loads(sealing.open(bytes(row["sealed"]), seals.idempotent_answer(self._client_id, key)))
        headers = {"Idempotent-Replayed": "true", **kept["headers"]}
        return Response(b64decode(kept["body"]), row["status"], headers, kept["media_type"])

    async def _keep(self, connection: Connection, key: str, answer: Response) -> None:
        kept = {
            "body": b64encode(bytes(answer.body)).decode(),
            "media_type": answer.media_type,
            "headers": {name: answer.headers[name] for name in ("location", "cache-control") if name in answer.headers},
        }
        today = now().date()
        owned = await self._owner(connection)
        sealed: bytes | None = None
        if owned or not self._is_about_someone or answer.status_code >= 400:
            sealing = owned.key if owned else self._key_of_day(today)
            sealed = sealing.seal(json.dumps(kept).encode(), seals.idempotent_answer(self._client_id, key))
        # Otherwise the person was erased while the work was under way: nothing of the answer is kept.
        await connection.execute(
            KEEP,
            (
                self._account_id,
                self._client_id,
                self._key_hash,
                self._fingerprint if sealed else None,
                answer.status_code,
                sealed,
                today,
                owned.customer_id if owned else None,
                self._transaction_id if owned else None,
            ),
        )

    @property
    def _is_about_someone(self) -> bool:
        return self._customer_id is not None or self._transaction_id is not None

    async def _owner(self, connection: Connection) -> OwnedKey | None:
        keys = self._plumbing.keys
        if self._customer_id is not None:
            return await keys.of_customer(connection, self._account_id, self._customer_id)
        if self._transaction_id is not None:
            return await keys.of_transaction(connection, self._account_id, self._transaction_id)
        return None

    def _key_of_day(self, day: date) -> DataKey:
        """For answers that are about nobody: a key of this account and day, so that none seals too much."""
        key = self._plumbing.vault.keyed_hash(f"idempotent answers of {day.isoformat()}", str(self._account_id))
        return DataKey(key, f"account/{self._account_id}/answers/{day.isoformat()}")


def key_of(request: Request) -> str | None:
    """The key that the caller chose, if any; refuses a malformed one."""
    given = _given(request)
    if given and (faults := _faults_of(given)):
        raise Invalid(faults)
    return given[0] if given else None


def key_faults(request: Request) -> list[Fault]:
    """What is wrong with the key: nothing, or that it is malformed or given twice."""
    given = _given(request)
    return _faults_of(given) if given else []


def _given(request: Request) -> list[str]:
    if _HEADER not in headers_of(request.scope):
        return []
    return [value.decode("latin-1") for name, value in request.scope["headers"] if name == _HEADER]


def _faults_of(given: list[str]) -> list[Fault]:
    if len(given) == 1 and _KEY.fullmatch(given[0]):
        return []
    words = "The key must be 1 to 255 printable ASCII characters."
    return [Fault("/Idempotency-Key", "idempotency_key_malformed", words)]
