"""An integrator's session that signs in with a client's own secret."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp

from truename.accounts.model import NewAccount


@asynccontextmanager
async def signed_in(server: str, account: NewAccount) -> AsyncIterator[aiohttp.ClientSession]:
    """Calls the server with a token that it gave to this account's first client."""
    login = {"Authorization": aiohttp.encode_basic_auth(account.client_id, account.client_secret)}
    async with (
        aiohttp.ClientSession(server) as plain,
        plain.post("/oauth/token", data={"grant_type": "client_credentials"}, headers=login) as answer,
    ):
        token = (await answer.json())["access_token"]
    async with aiohttp.ClientSession(server, headers={"Authorization": f"Bearer {token}"}) as calling:
        yield calling
