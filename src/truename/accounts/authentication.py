"""Who calls, and may they? For the integration interface; the SDK's own tokens are read by `tokens.read_sdk_token`."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, Protocol, TypeVar
from uuid import UUID

from truename.accounts.tokens import read_access_token
from truename.plumbing.errors import NotAuthenticated, ScopeMissing
from truename.plumbing.http.bodies import Marked
from truename.plumbing.resources import Plumbing

AnyMarked = TypeVar("AnyMarked", bound=Marked)


class HasHeaders(Protocol):
    """Any framework's request will do."""

    @property
    def headers(self) -> Mapping[str, str]: ...


class Caller(NamedTuple):
    """Who sent a request, for which account, and what the token allows."""

    account_id: UUID
    client_id: str
    """Of the client, or of the operator who acts in the dashboard."""
    scopes: frozenset[str]
    kind: Literal["client", "operator"] = "client"
    livemode: bool = True
    """False: the account is a sandbox, and every answer about its customers and transactions says so."""

    def marked(self, answer: AnyMarked) -> AnyMarked:
        """The answer, marked as a test where the account is a sandbox; that of a live account stays as it is."""
        return answer if self.livemode else answer.model_copy(update={"livemode": False})

    def marked_fields(self, answer: dict[str, object]) -> dict[str, object]:
        """The same of the fields of an answer that is written without its model, because it is made so often."""
        return answer if self.livemode else {"livemode": False, **answer}

    def may(self, scope: str) -> bool:
        """Does the token bear this scope?"""
        return scope in self.scopes

    def refuse_without(self, scope: str) -> None:
        """Refuse (403) a token that does not bear this scope."""
        if not self.may(scope):
            raise ScopeMissing(scope)

    def names(self, body: bytes, scope: str) -> bytes:
        """The body as an idempotency key names it where the answer depends on a scope.

        What was answered to a token that may read must not be replayed to one that may not.
        """
        return body if self.may(scope) else body + b"\x00without " + scope.encode()

    @property
    def actor(self) -> str:
        """As the audit log calls it."""
        return f"{self.kind}:{self.client_id}"


async def authenticate(request: HasHeaders, plumbing: Plumbing) -> Caller:
    """The caller of this request; raises NotAuthenticated (401)."""
    claims = await read_access_token(plumbing, bearer_token(request))
    return Caller(claims.account_id, claims.client_id, claims.scopes, livemode=claims.livemode)


def bearer_token(request: HasHeaders) -> str:
    """The token in the Authorization header (RFC 6750 §2.1); never one in the address or the body."""
    header = request.headers.get("authorization")
    if header is None:
        raise NotAuthenticated(error=None)
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer":
        raise NotAuthenticated(error=None)
    token = token.strip(" ")
    if not token:
        raise NotAuthenticated("The Authorization header bears no token.", error="invalid_request")
    return token
