"""Kill everything at random while transactions run: none is lost, none decided twice, every webhook arrives."""

import asyncio
import json
import os
import random
import signal
from collections import Counter
from functools import partial

import aiohttp
import pytest
from standardwebhooks import Webhook

from tests.support.integrator import Integrator, postgres_of, ready
from tests.support.receiver import a_receiver
from tests.support.sdk import Phone, plain_frames
from tests.support.served import Served
from tests.support.waiting import within

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

TRANSACTIONS = 6
KILLS = 5


async def a_submitted_transaction(integrator, session, url, seed):
    """From the customer to the submission, by a person whose frames show no movement: it will be rejected."""
    customer = integrator.post("/customer", {"external_customer_id": os.urandom(8).hex()})["customer_id"]
    config = {"webhook": {"url": url}}
    body = {"customer_id": customer, "transaction_type": "BIOMETRIC_ONLY", "config": config}
    made = integrator.post("/transaction", body)
    phone = Phone(session, made["sdk_token"])
    await phone.consent()
    await phone.device()
    status, answer = await phone.show_face(lambda steps: plain_frames(steps, seed))
    assert status == 200, answer
    assert (await phone.submit())[0] == 202
    return made["transaction_id"]


def kill_something(service, chance):
    """One of the worker, the database or the whole service, without warning."""
    target = chance.choice(["worker", "postgres", "service"])
    if target == "worker" and (worker := service.child("worker")):
        os.kill(worker, signal.SIGKILL)
    elif target == "postgres" and (postgres := postgres_of(service.data)):
        os.kill(min(postgres), signal.SIGKILL)
    else:
        os.killpg(service.process.pid, signal.SIGKILL)
        service.stop(signal.SIGKILL)
        return True
    return False


async def test_nothing_is_lost_or_decided_twice_whatever_is_killed(tmp_path):
    chance, data = random.Random(11), tmp_path / "data"
    async with a_receiver(tmp_path) as receiver:
        trusting = {"TRUENAME_WEBHOOK_CA_FILE": str(receiver.ca_file)}
        service = first = await asyncio.to_thread(lambda: Served(data, **trusting).wait_until_ready())
        integrator = await asyncio.to_thread(Integrator, service)
        async with aiohttp.ClientSession(service.url) as session:
            made = [
                await a_submitted_transaction(integrator, session, receiver.url, seed) for seed in range(TRANSACTIONS)
            ]
        try:
            for _ in range(KILLS):
                await asyncio.sleep(chance.uniform(1, 5))
                if await asyncio.to_thread(kill_something, service, chance):
                    service = await asyncio.to_thread(lambda: Served(data, **trusting).wait_until_ready())
                await asyncio.to_thread(within, 90, partial(ready, service.url))
            integrator.url = service.url

            def results():
                return [integrator.get(f"/transaction/{transaction_id}") for transaction_id in made]

            await asyncio.to_thread(
                within, 240, lambda: all(found["status"] in ("REJECTED", "FAILED") for found in results())
            )
            found = await asyncio.to_thread(results)
            wanted = {(one, number) for one in made for number in (1, 2, 3)}
            await asyncio.to_thread(within, 120, lambda: wanted <= set(_events(receiver)))
        finally:
            await asyncio.to_thread(service.stop)

    assert [one["status"] for one in found] == ["REJECTED"] * TRANSACTIONS
    assert all(one["decision"]["outcome"] == "REJECTED" for one in found)
    assert set(_events(receiver)) == wanted, "an event that nobody expected"
    ids = {(key, got.headers["webhook-id"]) for key, got in zip(_events(receiver), receiver.received, strict=True)}
    assert max(Counter(key for key, _ in ids).values()) == 1, "one change was told under two ids"
    for got in receiver.received:
        Webhook(first.credential("webhook_secret")).verify(got.body, got.headers)


def _events(receiver):
    told = [json.loads(got.body)["data"] for got in receiver.received]
    return [(data["transaction_id"], data["sequence"]) for data in told]
