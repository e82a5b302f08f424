"""The assistant's way to the service: HTTP with one narrow scope, and answers of which only known fields are kept.

The token is asked for with `explanations:read` alone, whatever else the client may do, so that nothing personal can be
fetched with it. Every answer is read into a closed model: what is not in it does not reach the assistant.
"""

import time
from dataclasses import dataclass, field
from typing import Final, TypeVar
from uuid import UUID

import aiohttp
import orjson
from pydantic import BaseModel, ValidationError

from truename.backtest.endpoints import PATH as BACKTEST
from truename.backtest.model import ShownBacktest
from truename.transactions.endpoints import PATH as TRANSACTION
from truename.transactions.explanation_answers import ShownExplanation

SCOPE: Final = "explanations:read"
LONGEST_CALL: Final = 60.0
EARLY: Final = 30.0
"""A token is renewed so many seconds before it ends."""
Answered = TypeVar("Answered", bound=BaseModel)


class ServiceRefused(Exception):
    """The service said no, or cannot be reached; the words are for the assistant."""


class Granted(BaseModel):
    """What is looked at of a token's answer (RFC 6749 §5.1)."""

    access_token: str
    expires_in: float


class TokenRefused(BaseModel):
    """What is looked at of a refusal (RFC 6749 §5.2)."""

    error: str
    error_description: str = ""


@dataclass
class Service:
    """One service, called as one client."""

    url: str
    client_id: str
    client_secret: str = field(repr=False)
    _token: str = field(default="", repr=False)
    _ends_at: float = 0.0

    async def explanation(self, transaction_id: UUID) -> ShownExplanation:
        """Why a transaction was decided so."""
        return await self._call("GET", f"{TRANSACTION}/{transaction_id}/explanation", ShownExplanation)

    async def start_backtest(self, body: dict[str, object]) -> ShownBacktest:
        """Ask for a back-test; a small one is done at once."""
        return await self._call("POST", BACKTEST, ShownBacktest, body)

    async def backtest(self, backtest_id: UUID) -> ShownBacktest:
        """How far a back-test is."""
        return await self._call("GET", f"{BACKTEST}/{backtest_id}", ShownBacktest)

    async def _call(
        self, method: str, path: str, model: type[Answered], body: dict[str, object] | None = None
    ) -> Answered:
        try:
            async with self._session() as session:
                kept = self._token
                status, text = await self._answer(session, method, path, body)
                if status == 401 and kept == self._token:  # kept from before: keys or rights may have changed since
                    self._ends_at = 0.0
                    status, text = await self._answer(session, method, path, body)
                if status >= 400:
                    raise ServiceRefused(_problem(status, text))
        except (aiohttp.ClientError, TimeoutError) as error:
            raise ServiceRefused(f"The service at {self.url} does not answer: {type(error).__name__}.") from None
        try:
            return model.model_validate_json(text)
        except ValidationError:
            raise ServiceRefused("The service is of another version than this command.") from None

    async def _answer(
        self, session: aiohttp.ClientSession, method: str, path: str, body: dict[str, object] | None
    ) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {await self._access_token(session)}"}
        async with session.request(method, path, json=body, headers=headers) as answer:
            return answer.status, await answer.read()

    def _session(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(self.url, timeout=aiohttp.ClientTimeout(total=LONGEST_CALL))

    async def _access_token(self, session: aiohttp.ClientSession) -> str:
        if time.monotonic() < self._ends_at - EARLY:
            return self._token
        form = {"grant_type": "client_credentials", "scope": SCOPE}
        login = {"Authorization": aiohttp.encode_basic_auth(self.client_id, self.client_secret)}
        async with session.post("/oauth/token", data=form, headers=login) as answer:
            text = await answer.read()
        if answer.status != 200:
            raise ServiceRefused(_no_token(answer.status, text))
        try:
            granted = Granted.model_validate_json(text)
        except ValidationError:
            raise ServiceRefused(f"What answers at {self.url} is no Truename.") from None
        self._token, self._ends_at = granted.access_token, time.monotonic() + granted.expires_in
        return self._token


def _no_token(status: int, text: bytes) -> str:
    """Why the client gets no token, and what to do about it."""
    try:
        told = TokenRefused.model_validate_json(text)
    except ValidationError:
        return f"No token with the scope {SCOPE}: the service answered {status}."
    remedy = {
        "invalid_scope": "Give the client that scope.",
        "invalid_client": "Is it revoked, or its secret rotated? `truename client list` shows it.",
    }.get(told.error, "")
    return f"No token with the scope {SCOPE}: {told.error_description} {remedy}".strip()


def _problem(status: int, text: bytes) -> str:
    """A refusal in words: our problems repeat no value."""
    try:
        told = orjson.loads(text)
        faults = [f"{fault['pointer']}: {fault['detail']}" for fault in told.get("errors", ())]
        return " ".join([str(told["detail"]), *faults])
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        return f"The service answered {status}."
