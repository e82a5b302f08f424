"""Phones that hold the tokens of transactions."""

import aiohttp
import pytest

from tests.support.api import a_transaction
from tests.support.sdk import Phone


@pytest.fixture
async def outside(live_server):
    """A session without any credentials."""
    async with aiohttp.ClientSession(live_server) as session:
        yield session


@pytest.fixture
def opened(client, outside):
    """Opens a transaction and hands its token to a phone."""

    async def open_one(kind="DOCUMENT_AND_BIOMETRIC", config=None, customer_id=None):
        made = await a_transaction(client, kind, config, customer_id)
        return Phone(outside, made["sdk_token"]), made

    return open_one
