"""One real service for all, reached through a network that can be broken; a client that waits little in between."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

import pytest

from tests.support.faulty_network import FaultyNetwork, a_faulty_network
from truename.accounts.model import NewAccount
from truename_client import AsyncTruename, Retry, Truename

T = TypeVar("T")
QUICK = Retry(first_pause=0.02, longest_pause=0.05, longest_retry_after=2)


@pytest.fixture
async def network(live_server: str) -> AsyncIterator[FaultyNetwork]:
    async with a_faulty_network(live_server) as network:
        yield network


@pytest.fixture
async def truename(network: FaultyNetwork, an_account: NewAccount) -> AsyncIterator[AsyncTruename]:
    async with AsyncTruename(network.address, an_account.client_id, an_account.client_secret, retry=QUICK) as client:
        yield client


@pytest.fixture
def in_a_thread(network: FaultyNetwork, an_account: NewAccount) -> Callable[..., Any]:
    """Runs a story with the client that blocks beside the loop, on which the service answers."""

    async def run(story: Callable[[Truename], T]) -> T:
        def told() -> T:
            with Truename(network.address, an_account.client_id, an_account.client_secret, retry=QUICK) as client:
                return story(client)

        return await asyncio.to_thread(told)

    return run
