"""Kill everything at random while transactions run: none is lost, none decided twice, every webhook arrives (S13)."""

import asyncio
import json
import os
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import aiohttp
import pytest
from standardwebhooks import Webhook

from tests.support.api import KYC
from tests.support.killable import Killable, killable
from tests.support.receiver import Receiver, a_receiver
from tests.support.sdk import Answer, Phone, plain_frames
from truename.vision.captures import Step

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

KILLS = ["worker"] * 18 + ["service"] * 11 + ["postgres"] * 11
TRANSACTIONS = 14
AT_ONCE = 3
COME_AGAIN = frozenset({"idempotency_key_in_flight"})


async def insisting(call: Callable[[], Awaitable[Answer]]) -> dict[str, Any]:
    """The answer, by a caller who asks again for as long as nobody answers."""
    while True:
        try:
            status, answer = await call()
        except (aiohttp.ClientError, TimeoutError, OSError):
            status, answer = 503, None
        if status < 300:
            return answer or {}
        asked_again = status in (429, 503) or (answer or {}).get("code") in COME_AGAIN
        assert asked_again, (status, answer)
        await asyncio.sleep(0.1)


class Caller:
    """An integrator and the phones of its customers, who repeat what was not answered, under the same key."""

    def __init__(self, http: aiohttp.ClientSession, webhook: str) -> None:
        self.http, self.webhook, self.token = http, webhook, ""

    async def sign_in(self, client_id: str, client_secret: str) -> None:
        form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret}
        async with self.http.post("/oauth/token", data=form) as answer:
            self.token = (await answer.json())["access_token"]

    async def call(self, method: str, path: str, **more: Any) -> Answer:
        headers = {"Authorization": f"Bearer {self.token}", **more.pop("headers", {})}
        async with self.http.request(method, KYC + path, headers=headers, **more) as answer:
            return answer.status, await answer.json()

    async def posted(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        key = {"Idempotency-Key": os.urandom(8).hex()}
        return await insisting(lambda: self.call("POST", path, json=body, headers=key))

    async def a_submitted_transaction(self, seed: int) -> str:
        """From the customer to the submission, by a person whose frames show no movement: it will be rejected."""
        customer = await self.posted("/customer", {"external_customer_id": f"customer {seed}"})
        made = await self.posted(
            "/transaction",
            {
                "customer_id": customer["customer_id"],
                "transaction_type": "BIOMETRIC_ONLY",
                "config": {"webhook": {"url": self.webhook}},
            },
        )
        phone = Phone(self.http, made["sdk_token"])
        await insisting(phone.consent)
        await insisting(phone.device)
        challenge = await insisting(phone.challenge)
        frames = plain_frames([Step(step) for step in challenge["steps"]], seed)
        key = {"Idempotency-Key": "frames"}
        await insisting(lambda: phone.liveness(challenge["nonce"], frames, headers=key))
        key = {"Idempotency-Key": "submit"}
        await insisting(lambda: phone.call("POST", "/submit", json={}, headers=key))
        transaction_id: str = made["transaction_id"]
        return transaction_id


async def kill_at_random(house: Killable, chance: random.Random) -> None:
    """Forty kills, each of a process that runs, some of them while it is still starting."""
    targets = chance.sample(KILLS, len(KILLS))
    for target in targets:
        await asyncio.sleep(chance.uniform(0.1, 1.3))
        house.tend()
        house.kill(target)
        house.tend()


async def test_nothing_is_lost_or_decided_twice_under_forty_kills(tmp_path):
    chance = random.Random(11)
    waiting = aiohttp.ClientTimeout(total=10)
    async with a_receiver(tmp_path) as receiver:
        with killable(tmp_path, TRUENAME_WEBHOOK_CA_FILE=str(receiver.ca_file)) as house:
            first = await asyncio.to_thread(house.first_start)
            async with aiohttp.ClientSession(house.url, timeout=waiting) as http:
                caller = Caller(http, receiver.url)
                await caller.sign_in(first.credential("client_id"), first.credential("client_secret"))
                await asyncio.to_thread(first.stop)
                house.tend()
                at_once = asyncio.Semaphore(AT_ONCE)

                async def one_more(seed: int) -> str:
                    async with at_once:
                        return await caller.a_submitted_transaction(seed)

                made, _ = await asyncio.gather(
                    asyncio.gather(*(one_more(seed) for seed in range(TRANSACTIONS))),
                    kill_at_random(house, chance),
                )
                found = await _at_the_end(caller, house, made)
                wanted = {(one, number) for one in made for number in (1, 2, 3)}
                async with asyncio.timeout(120):
                    while not wanted <= set(_events(receiver)):
                        house.tend()
                        await asyncio.sleep(0.2)

    assert len(set(made)) == TRANSACTIONS
    assert [(one["status"], one["decision"]["outcome"]) for one in found] == [("REJECTED", "REJECTED")] * TRANSACTIONS
    assert set(_events(receiver)) == wanted, "an event that nobody expected"
    ids = {(key, got.headers["webhook-id"]) for key, got in zip(_events(receiver), receiver.received, strict=True)}
    assert max(Counter(key for key, _ in ids).values()) == 1, "one change was told under two ids"
    for got in receiver.received:
        Webhook(first.credential("webhook_secret")).verify(got.body, got.headers)


async def _at_the_end(caller: Caller, house: Killable, made: list[str]) -> list[dict[str, Any]]:
    """The transactions, once none of them is being processed any longer."""
    async with asyncio.timeout(240):
        while True:
            house.tend()
            found = [await insisting(partial(caller.call, "GET", f"/transaction/{one}")) for one in made]
            if all(one["status"] in ("REJECTED", "FAILED", "APPROVED") for one in found):
                return found
            await asyncio.sleep(0.2)


def _events(receiver: Receiver) -> list[tuple[str, int]]:
    told = [json.loads(got.body)["data"] for got in receiver.received]
    return [(data["transaction_id"], data["sequence"]) for data in told]
