"""A POST that is sent again does its work once: the first answer is kept for 24 hours and replayed.

The key is claimed by a lock of the database transaction that does the work, and the answer is stored in that same
transaction. So a crash leaves neither a claim nor half of the work, and a second request that comes meanwhile is told
so at once. Answers are kept sealed. What was refused before any work began (malformed, not allowed) is not kept.
"""

import hashlib
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable
from typing import Final
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from truename.plumbing.crypto import seals
from truename.plumbing.crypto.seals import Seal
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import IdempotencyKeyInFlight, IdempotencyKeyReused, Invalid, Refusal
from truename.plumbing.http.problems import problem
from truename.plumbing.resources import Plumbing
from truename.rules.faults import Fault

HEADER: Final = "Idempotency-Key"
_KEY = re.compile(r"[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?")

Work = Callable[[Connection], Awaitable[Response]]

FIND = """
SELECT fingerprint, status, sealed FROM idempotent_answers
WHERE account_id = %s AND client_id = %s AND key = %s AND created_at > now() - interval '24 hours'
"""
KEEP = """
INSERT INTO idempotent_answers (account_id, client_id, key, fingerprint, status, sealed)
VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT (account_id, client_id, key) DO UPDATE
SET fingerprint = excluded.fingerprint, status = excluded.status, sealed = excluded.sealed, created_at = now()
"""


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
            self._fingerprint = hashlib.sha256(about + body).digest()

    @property
    def has_key(self) -> bool:
        return self._key is not None

    async def earlier_answer(self) -> Response | None:
        """The answer of an earlier request, asked before costly preparations."""
        if self._key is None:
            return None
        async with self._plumbing.database.account(self._account_id) as connection:
            return await self._replay(connection, self._key)

    async def run(self, work: Work) -> Response:
        """Do the work in one database transaction, or replay its answer."""
        async with self._plumbing.database.account(self._account_id) as connection:
            if self._key is None:
                return await work(connection)
            await self._claim(connection, self._key)
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

    async def _claim(self, connection: Connection, key: str) -> None:
        whole = f"{self._account_id}\n{self._client_id}\n{key}".encode()
        number = int.from_bytes(hashlib.sha256(whole).digest()[:8], "big", signed=True)
        cursor = await connection.execute("SELECT pg_try_advisory_xact_lock(%s) AS claimed", (number,))
        row = await cursor.fetchone()
        if row is None or not row["claimed"]:
            raise IdempotencyKeyInFlight

    async def _replay(self, connection: Connection, key: str) -> Response | None:
        cursor = await connection.execute(FIND, (self._account_id, self._client_id, key))
        row = await cursor.fetchone()
        if row is None:
            return None
        if bytes(row["fingerprint"]) != self._fingerprint:
            raise IdempotencyKeyReused
        opened = self._plumbing.vault.open_for_account(self._account_id, self._record(key), bytes(row["sealed"]))
        kept = json.loads(opened)
        headers = {"Idempotent-Replayed": "true", **kept["headers"]}
        return Response(b64decode(kept["body"]), row["status"], headers, kept["media_type"])

    async def _keep(self, connection: Connection, key: str, answer: Response) -> None:
        kept = {
            "body": b64encode(bytes(answer.body)).decode(),
            "media_type": answer.media_type,
            "headers": {name: answer.headers[name] for name in ("location", "cache-control") if name in answer.headers},
        }
        sealed = self._plumbing.vault.seal_for_account(self._account_id, self._record(key), json.dumps(kept).encode())
        await connection.execute(
            KEEP, (self._account_id, self._client_id, key, self._fingerprint, answer.status_code, sealed)
        )

    def _record(self, key: str) -> Seal:
        return seals.idempotent_answer(self._client_id, key)


def key_of(request: Request) -> str | None:
    """The key that the caller chose, if any; refuses a malformed one."""
    if faults := key_faults(request):
        raise Invalid(faults)
    return request.headers.get(HEADER)


def key_faults(request: Request) -> list[Fault]:
    """What is wrong with the key: nothing, or that it is malformed or given twice."""
    given = request.headers.getlist(HEADER)
    if not given or (len(given) == 1 and _KEY.fullmatch(given[0])):
        return []
    words = "The key must be 1 to 255 printable ASCII characters."
    return [Fault("/Idempotency-Key", "idempotency_key_malformed", words)]
