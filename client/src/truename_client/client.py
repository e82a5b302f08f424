"""The two clients: one blocks, one is awaited. What they say is one and the same: conversation.py."""

import asyncio
import threading
import time
from types import TracebackType
from typing import Self, TypeVar, Unpack

import httpx

from truename_client.access import Access, Options, credentials_refused
from truename_client.account import AsyncClients, AsyncWebhookEvents, Clients, WebhookEvents
from truename_client.blocklist import AsyncBlocklist, Blocklist
from truename_client.conversation import NeedToken, NoReply, Pause, Plan, Reply, Send
from truename_client.customers import AsyncCustomers, Customers
from truename_client.errors import ApiError
from truename_client.policy import AsyncPolicy, Policy
from truename_client.sandbox import AsyncSandbox, Sandbox
from truename_client.transactions import AsyncTransactions, Transactions

T = TypeVar("T")


class Truename(Access):
    """The service, for a program that blocks. Threads may share one client.

    base_url: where the service is. client_id, client_secret: of one of the account's clients. http: an httpx.Client of
    your own, for a proxy or a certificate authority; you close it. Options: scopes, fewer than the client has; timeout,
    seconds for each request (30); retry, how often and how long a request is repeated; allow_plain_http, whether the
    secret may travel unencrypted to another machine.
    """

    def __init__(
        self,
        base_url: str,
        client_id: str,
        client_secret: str,
        *,
        http: httpx.Client | None = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(base_url, client_id, client_secret, options)
        self._own_http = http is None
        self._http = http or httpx.Client()
        self._renewing = threading.Lock()
        self.customers = Customers(self)
        self.transactions = Transactions(self)
        self.clients = Clients(self)
        self.webhook_events = WebhookEvents(self)
        self.blocklist = Blocklist(self)
        self.policy = Policy(self)
        self.sandbox = Sandbox(self)

    def run(self, plan: Plan[T]) -> T:
        """Do what a plan asks for until it has its answer."""
        steps = plan.steps(self._retry)
        given: str | Reply | NoReply | None = None
        while True:
            try:
                step = steps.send(given)
            except StopIteration as end:
                answer: T = end.value
                return answer
            given = None
            if isinstance(step, Pause):
                time.sleep(step.seconds)
            elif isinstance(step, NeedToken):
                given = self._token_for(step)
            else:
                given = self._sent(step)

    def _token_for(self, step: NeedToken) -> str:
        with self._renewing:
            fresh = self._fresh(step.stale)
            if fresh is not None:
                return fresh
            try:
                return self._keep(self.run(self._renewal()))
            except ApiError as refusal:
                raise credentials_refused(refusal) from None

    def _sent(self, step: Send) -> Reply | NoReply:
        try:
            return _reply(self._http.request(**self._request(step)))
        except httpx.TransportError as broken:
            return NoReply(type(broken).__name__)

    def close(self) -> None:
        """Close the connections."""
        if self._own_http:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()


class AsyncTruename(Access):
    """The service, for asyncio; everything as with Truename, awaited (http: an httpx.AsyncClient)."""

    def __init__(
        self,
        base_url: str,
        client_id: str,
        client_secret: str,
        *,
        http: httpx.AsyncClient | None = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(base_url, client_id, client_secret, options)
        self._own_http = http is None
        self._http = http or httpx.AsyncClient()
        self._renewing = asyncio.Lock()
        self.customers = AsyncCustomers(self)
        self.transactions = AsyncTransactions(self)
        self.clients = AsyncClients(self)
        self.webhook_events = AsyncWebhookEvents(self)
        self.blocklist = AsyncBlocklist(self)
        self.policy = AsyncPolicy(self)
        self.sandbox = AsyncSandbox(self)

    async def run(self, plan: Plan[T]) -> T:
        """Do what a plan asks for until it has its answer."""
        steps = plan.steps(self._retry)
        given: str | Reply | NoReply | None = None
        while True:
            try:
                step = steps.send(given)
            except StopIteration as end:
                answer: T = end.value
                return answer
            given = None
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
            elif isinstance(step, NeedToken):
                given = await self._token_for(step)
            else:
                given = await self._sent(step)

    async def _token_for(self, step: NeedToken) -> str:
        async with self._renewing:
            fresh = self._fresh(step.stale)
            if fresh is not None:
                return fresh
            try:
                return self._keep(await self.run(self._renewal()))
            except ApiError as refusal:
                raise credentials_refused(refusal) from None

    async def _sent(self, step: Send) -> Reply | NoReply:
        try:
            return _reply(await self._http.request(**self._request(step)))
        except httpx.TransportError as broken:
            return NoReply(type(broken).__name__)

    async def close(self) -> None:
        """Close the connections."""
        if self._own_http:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, where: TracebackType | None
    ) -> None:
        await self.close()


def _reply(answer: httpx.Response) -> Reply:
    return Reply(answer.status_code, {name.lower(): value for name, value in answer.headers.items()}, answer.content)
