"""Let a caller of the integration interface in: known, allowed, and not too often."""

from functools import lru_cache
from typing import Final

from starlette.requests import Request
from starlette.types import Scope

from truename.accounts.authentication import Caller, authenticate
from truename.accounts.clients import BUCKET
from truename.accounts.signing_keys import signing_keys
from truename.accounts.tokens import AccessClaims, SdkClaims
from truename.plumbing import clock
from truename.plumbing.errors import NotAuthenticated, RouteNotFound
from truename.plumbing.http.client_address import client_address
from truename.plumbing.http.rate_limits import Limit, count_call
from truename.plumbing.http.request_context import ACCOUNT_KEY, CLIENT_KEY, Whose, header_of
from truename.plumbing.http.turns import CallerKey
from truename.plumbing.resources import Plumbing

CLOSED: Final = "SELECT 1 FROM closed_buckets WHERE bucket = %s"


async def admit(request: Request, scope: str) -> Caller:
    """The caller of this request.

    Refuses one whose token is not valid or whose client was revoked (401), who lacks patience (429) or the scope (403).
    """
    caller = await _counted(request)
    caller.refuse_without(scope)
    return caller


async def _counted(request: Request) -> Caller:
    """The caller, named in every log and charged for this call, whatever is answered to it."""
    plumbing: Plumbing = request.app.state.plumbing
    caller = await authenticate(request, plumbing)
    request.scope[CLIENT_KEY] = caller.client_id
    request.scope[ACCOUNT_KEY] = caller.account_id
    limit = _limit(plumbing.settings.client_requests_per_minute, plumbing.settings.client_burst)
    await count_call(request, request.app.state.rate_limiter, caller.client_id, limit)
    return caller


@lru_cache(maxsize=8)
def _limit(per_minute: int, burst: int) -> Limit:
    """Made once: what it works out of its two numbers, every request asks for."""
    return Limit(BUCKET, per_minute, burst)


def whose_request(plumbing: Plumbing) -> Whose:
    """Tells whose request it is without waiting: by a token that was found good before, else by the address.

    It decides on whom a request waits for, never on what it may do.
    """
    verified, proxies = signing_keys(plumbing).verified, plumbing.settings.trusted_proxies

    def whose(scope: Scope) -> CallerKey:
        claims = verified.get(header_of(scope, b"authorization")[len("Bearer ") :].strip())
        if isinstance(claims, AccessClaims) and claims.exp > clock.seconds():
            return CallerKey(claims.account_id)
        if isinstance(claims, SdkClaims) and claims.exp > clock.seconds():
            return CallerKey(claims.account_id, claims.transaction_id)
        return CallerKey(client_address(Request(scope), proxies))

    return whose


async def admit_to_sandbox(request: Request, scope: str) -> Caller:
    """The caller, if it acts for a sandbox account: to a live one there is nothing here (404), whatever its scopes."""
    caller = await _counted(request)
    if caller.livemode:
        raise RouteNotFound("There is nothing at this address.")
    caller.refuse_without(scope)
    return caller


async def refuse_revoked(plumbing: Plumbing, caller: Caller) -> None:
    """Ask again after a long wait: the client may have been revoked meanwhile (401)."""
    if await plumbing.database.statement(caller.account_id, CLOSED, (f"{BUCKET}:{caller.client_id}",)):
        raise NotAuthenticated("The token is not valid any more.")
