"""Integrators and the phones of their customers: they ask again, under the same key, until somebody answers."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import aiohttp
from tests.support.api import KYC
from tests.support.sdk import Answer, Phone, a_passport_photo, plain_frames

from truename.vision.captures import Step
from truename.vision.images import encode_jpeg

AGAIN: Final = frozenset({"idempotency_key_in_flight"})
SCENARIOS: Final[tuple[tuple[dict[str, Any], str], ...]] = (
    ({}, "APPROVED"),
    ({}, "APPROVED"),
    ({"liveness": {"score": 0.2}}, "REJECTED"),
    ({"device": {"emulator": True}}, "REJECTED"),
)
"""What the sandbox is told to have seen, and what must come of it."""


@dataclass(frozen=True)
class Acknowledged:
    """What answers of 2xx have promised of one transaction."""

    transaction_id: str
    customer_id: str
    status: str
    """As the last answer told it."""
    outcome: str | None
    """The decision of that answer."""
    shown: str
    """What its evidence must lead to."""


A_PRIME: Final = 100_003
"""More than the transactions of a run: no two of any run show the same frames."""


class Unexpected(Exception):
    """An answer that no kill excuses."""


@dataclass
class Ledger:
    """Everything that callers were told; they are never killed, so it is the truth to hold the service to."""

    acknowledged: list[Acknowledged] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    asked_again: Counter[str] = field(default_factory=Counter)
    done: int = 0
    """Transactions that are over, whichever way."""


class Callers:
    """So many at once, each at one of the two addresses, by chance."""

    def __init__(self, http: aiohttp.ClientSession, apis: list[str], webhook: str, seed: int) -> None:
        self.http, self.apis, self.webhook = http, apis, webhook
        self.seed, self.chance, self.ledger = seed, random.Random(seed), Ledger()
        self.form: dict[str, str] = {}
        self.token = ""

    async def sign_in(self, client_id: str, client_secret: str) -> None:
        """Fetch a token, for as long as it takes."""
        self.form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret}

        async def asked() -> Answer:
            async with self.http.post(f"{self._one()}/oauth/token", data=self.form) as answer:
                return answer.status, await answer.json()

        self.token = (await self.insist("sign in", asked))["access_token"]

    def _one(self) -> str:
        return self.chance.choice(self.apis)

    async def insist(self, what: str, call: Callable[[], Awaitable[Answer]]) -> dict[str, Any]:
        """The answer, asked for until there is one; Unexpected when it is neither good nor excused by a kill."""
        wait = 0.05
        while True:
            try:
                status, answer = await call()
            except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
                status, answer = 0, {"code": type(error).__name__}
            answer = answer or {}
            if 200 <= status < 300:
                return answer
            code = str(answer.get("code") or answer.get("error"))
            if status == 401 and code == "token_expired":
                await self.sign_in(self.form["client_id"], self.form["client_secret"])
            elif status not in (0, 429, 503) and code not in AGAIN:
                raise Unexpected(f"{what}: {status} {code}")
            self.ledger.asked_again[f"{status} {code}"] += 1
            await asyncio.sleep(wait * (0.5 + self.chance.random()))
            wait = min(wait * 2, 1.0)

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """To the integrator's interface, under a key of its own."""
        key = f"{self.chance.getrandbits(64):016x}"

        async def call() -> Answer:
            headers = {"Authorization": f"Bearer {self.token}", "Idempotency-Key": key}
            async with self.http.post(f"{self._one()}{KYC}{path}", json=body, headers=headers) as answer:
                return answer.status, await answer.json()

        # What is answered names no transaction, so that a sentence about it is the same for each.
        return await self.insist(f"POST {path.split('/')[1]}", call)

    async def one(self, number: int, *, pictures: bool) -> None:
        """A whole transaction; what was promised goes into the ledger at once."""
        try:
            customer = await self.post("/customer", {"external_customer_id": f"{self.seed}.{number}"})
            config = {"webhook": {"url": self.webhook}}
            by_document = pictures and number % 2 == 0
            kind = "DOCUMENT_ONLY" if by_document else "BIOMETRIC_ONLY" if pictures else "DOCUMENT_AND_BIOMETRIC"
            says, shown = self.chance.choice(SCENARIOS)
            if pictures:
                shown = "APPROVED" if by_document else "REJECTED"
            body = {"customer_id": customer["customer_id"], "transaction_type": kind, "config": config}
            made = await self.post("/transaction", body)
            own = made["transaction_id"], customer["customer_id"]
            place = len(self.ledger.acknowledged)
            self.ledger.acknowledged.append(Acknowledged(*own, "CREATED", None, shown))
            if pictures:
                await self._captured(made["sdk_token"], number, by_document=by_document)
                self.ledger.acknowledged[place] = Acknowledged(*own, "PROCESSING", None, shown)
            else:
                told = await self.post(f"/test/transaction/{made['transaction_id']}/simulate", says)
                self.ledger.acknowledged[place] = Acknowledged(*own, told["status"], told["decision"]["outcome"], shown)
        except Unexpected as answer:
            self.ledger.unexpected.append(str(answer))
        finally:
            self.ledger.done += 1

    async def _captured(self, sdk_token: str, number: int, *, by_document: bool) -> None:
        """A drawn passport, which will be approved; or a person who does not move, who will be rejected."""

        def phone() -> Phone:
            return Phone(self.http, sdk_token, self._one())

        await self.insist("consent", lambda: phone().consent())
        await self.insist("device", lambda: phone().device())
        if by_document:
            photo, key = await asyncio.to_thread(_passport), {"Idempotency-Key": "pictures"}
            await self.insist("document", lambda: phone().document("front", photo, headers=key))
        else:
            while not await self._showed_a_face(phone, number):
                pass
        key = {"Idempotency-Key": "submit"}
        await self.insist("submit", lambda: phone().call("POST", "/submit", json={}, headers=key))

    async def _showed_a_face(self, phone: Callable[[], Phone], number: int) -> bool:
        """Answer a challenge; False when its time was over before anybody took the answer, as phones are told."""
        challenge = await self.insist("challenge", lambda: phone().challenge())
        steps = [Step(step) for step in challenge["steps"]]
        frames = await asyncio.to_thread(plain_frames, steps, self.seed * A_PRIME + number)
        key = {"Idempotency-Key": challenge["nonce"]}
        try:
            await self.insist("frames", lambda: phone().liveness(challenge["nonce"], frames, headers=key))
        except Unexpected as refused:
            if not str(refused).endswith(" challenge_expired"):
                raise
            self.ledger.asked_again["409 challenge_expired"] += 1
            return False
        return True


@cache
def _passport() -> bytes:
    """A photograph of a passport that the sandbox draws; the same for everyone, for drawing is not on trial."""
    return encode_jpeg(a_passport_photo())
