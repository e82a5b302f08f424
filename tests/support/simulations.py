"""Simulations in a sandbox, by HTTP."""

from typing import Any

import aiohttp

from tests.support.api import KYC, a_transaction
from truename.plumbing.jobs.worker import run_pending
from truename.plumbing.resources import Plumbing

TEST = f"{KYC}/test"


async def simulated(client: aiohttp.ClientSession, config: dict[str, Any], kind: str, **says: Any) -> dict[str, Any]:
    """A fresh transaction of a fresh customer, simulated; as it is answered then."""
    made = await a_transaction(client, kind, config)
    async with client.post(f"{TEST}/transaction/{made['transaction_id']}/simulate", json=says) as answer:
        told: dict[str, Any] = await answer.json()
        assert answer.status == 200, told
        return told


async def settled(plumbing: Plumbing) -> None:
    """Do what is due, and what that made due."""
    await run_pending(plumbing)
    await run_pending(plumbing)
