"""A receiver of webhooks on this machine: verifies each event, shows it, and may hand it on to a program beside it."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import aiohttp
from aiohttp import web
from standardwebhooks import Webhook, WebhookVerificationError

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
HANDED_ON: Final = ("webhook-id", "webhook-timestamp", "webhook-signature", "content-type", "user-agent")
LARGEST: Final = 1024 * 1024
ANSWER_WITHIN: Final = 14.0
"""Seconds for the program behind; the service itself waits a little longer for us."""


@dataclass(frozen=True)
class Heard:
    """One event that arrived."""

    event_id: str
    body: bytes
    verified: bool
    """The signature is one of the account's secrets, and not too old."""
    forwarded_to: str | None = None
    answered: int | None = None
    """The status of the program behind; None when there is none, or it did not answer."""
    trouble: str | None = None
    """Why it did not answer."""


Hear = Callable[[Heard], Awaitable[None]]
Secrets = Callable[[], Awaitable[Sequence[str]]]
"""Tells the secrets in force: asked for each event, for one may be rotated meanwhile."""


def is_loopback(url: str) -> bool:
    """Does it name this machine, by http or https?"""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and parts.hostname in LOOPBACK and parts.port != 0
    except ValueError:  # no address at all, or a port that cannot be
        return False


class Listener:
    """Receives on loopback alone. What does not verify is refused (401) and never handed on."""

    def __init__(self, secrets: Secrets, hear: Hear, forward_to: str | None = None) -> None:
        if forward_to is not None and not is_loopback(forward_to):
            raise ValueError("Events are handed on to this machine only: http://localhost:PORT/PATH.")
        self._secrets, self._hear, self._forward_to = secrets, hear, forward_to
        self._stack = AsyncExitStack()
        self.url = ""

    async def start(self, port: int = 0) -> str:
        """Listen, on a free port unless one is given; answers the address. Raises OSError when the port is taken."""
        self._http = await self._stack.enter_async_context(
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=ANSWER_WITHIN), trust_env=False)
        )
        application = web.Application(client_max_size=LARGEST)
        application.router.add_post("/{path:.*}", self._receive)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        self._stack.push_async_callback(runner.cleanup)
        try:
            await web.TCPSite(runner, "127.0.0.1", port).start()
        except OSError:
            await self.close()
            raise
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
        return self.url

    async def close(self) -> None:
        """Stop listening."""
        await self._stack.aclose()

    async def _receive(self, request: web.Request) -> web.Response:
        body, headers = await request.read(), {name: request.headers.get(name, "") for name in HANDED_ON}
        event_id = headers["webhook-id"]
        if not any(_verifies(secret, body, headers) for secret in await self._secrets()):
            await self._hear(Heard(event_id, body, verified=False))
            return web.Response(status=401, text="The signature does not verify.")
        if self._forward_to is None:
            await self._hear(Heard(event_id, body, verified=True))
            return web.Response(status=204)
        answered, trouble = await self._hand_on(self._forward_to, body, headers)
        await self._hear(Heard(event_id, body, True, self._forward_to, answered, trouble))
        return web.Response(status=502 if answered is None else answered)

    async def _hand_on(self, url: str, body: bytes, headers: dict[str, str]) -> tuple[int | None, str | None]:
        """The very bytes and headers that came; answers the status, or why there is none."""
        try:
            async with self._http.post(url, data=body, headers=headers, allow_redirects=False) as answer:
                return answer.status, None
        except TimeoutError:
            return None, f"No answer within {ANSWER_WITHIN:.0f} s."
        except aiohttp.ClientError as error:
            return None, f"It does not answer ({type(error).__name__})."


def _verifies(secret: str, body: bytes, headers: dict[str, str]) -> bool:
    try:
        Webhook(secret).verify(body, headers)
    except (WebhookVerificationError, ValueError):
        return False
    return True
