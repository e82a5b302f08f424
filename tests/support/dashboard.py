"""Operators of tests, and browsers without a screen in which they are signed in."""

import re
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

import aiohttp
from playwright.async_api import BrowserContext

from tests.support.once import once
from truename.dashboard.forms import csrf_token
from truename.operators.change import add_operator
from truename.operators.model import Operator, Origin, Role
from truename.operators.passwords import _hasher
from truename.operators.sessions import begin_session
from truename.plumbing.resources import Plumbing

PASSWORD = "correct horse battery staple of tests"
SESSION = "truename-session"


async def an_operator(
    plumbing: Plumbing, roles: Mapping[UUID, Role], *, email: str | None = None, name: str = ""
) -> Operator:
    """A fresh operator with these roles, whose password is PASSWORD: to hash it anew takes a tenth of a second."""
    hashed = once(f"the hash of {PASSWORD}", lambda: _hasher.hash(PASSWORD))
    async with plumbing.database.system() as connection:
        address = email or f"{secrets.token_hex(6)}@example.com"
        return await add_operator(connection, address, hashed, roles.items(), name=name)


async def a_session(plumbing: Plumbing, operator: Operator, *, second_factor: bool = False) -> str:
    """The token of a fresh session, without the work of a sign-in."""
    async with plumbing.database.system() as connection:
        origin = Origin("127.0.0.1", "an unknown place", "Firefox 141 on Linux")
        return await begin_session(connection, operator.operator_id, origin, second_factor=second_factor)


@dataclass
class Desk:
    """A browser without a screen: cookies, the token of forms, no redirect followed."""

    http: aiohttp.ClientSession
    token: str

    async def get(self, path: str, **more: object) -> tuple[int, str]:
        """Status and text of a page."""
        async with self.http.get(path, allow_redirects=False, **more) as answer:  # type: ignore[arg-type]
            return answer.status, await answer.text()

    async def post(self, path: str, *, csrf: str | None = None, **fields: str) -> tuple[int, str]:
        """Send a form as our own page would, or with another token."""
        sent = {"csrf": csrf_token(self.token) if csrf is None else csrf, **fields}
        async with self.http.post(path, data=sent, allow_redirects=False) as answer:
            self._follow(answer)
            return answer.status, await answer.text()

    async def post_for_location(self, path: str, **fields: str) -> str:
        """Where a form leads after it was sent."""
        sent = {"csrf": csrf_token(self.token), **fields}
        async with self.http.post(path, data=sent, allow_redirects=False) as answer:
            self._follow(answer)
            assert answer.status == 303, (answer.status, await answer.text())
            return answer.headers["Location"]

    def _follow(self, answer: aiohttp.ClientResponse) -> None:
        if SESSION in answer.cookies and answer.cookies[SESSION].value:
            self.token = answer.cookies[SESSION].value


@asynccontextmanager
async def signed_in(plumbing: Plumbing, address: str, operator: Operator, **session: bool) -> AsyncIterator[Desk]:
    """A desk at which this operator is signed in."""
    token = await a_session(plumbing, operator, **session)
    jar = aiohttp.CookieJar(unsafe=True)  # also for an address without a name
    async with aiohttp.ClientSession(address, cookie_jar=jar, cookies={SESSION: token}) as http:
        yield Desk(http, token)


async def sign_in_browser(context: BrowserContext, address: str, plumbing: Plumbing, operator: Operator) -> None:
    """Give a real browser's context the cookie of a fresh session."""
    token = await a_session(plumbing, operator)
    await context.add_cookies([{"name": SESSION, "value": token, "url": address}])


def form_token(page: str) -> str:
    """The token that the first form of a page carries."""
    found = re.search(r'name="csrf" value="([0-9a-f]{64})"', page)
    assert found, page[:500]
    return found[1]
