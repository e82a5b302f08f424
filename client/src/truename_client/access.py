"""What both clients know: where the service is, who calls it, and the access token of the moment."""

import base64
import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict
from urllib.parse import quote, urlencode

import httpx

from truename_client import arguments
from truename_client.answers import TokenAnswer
from truename_client.conversation import Call, Retry, Send
from truename_client.errors import ApiError, BadArgument, InvalidCredentials
from truename_client.version import __version__

USER_AGENT = f"truename-client/{__version__} python/{platform.python_version()}"


class Options(TypedDict, total=False):
    """How a client behaves; see Truename."""

    scopes: Sequence[str] | None
    timeout: float
    retry: Retry
    allow_plain_http: bool


@dataclass(frozen=True)
class Token:
    """An access token and when to fetch the next, on the monotonic clock."""

    value: str
    renew_at: float


class Access:
    """Base of both clients; it does no input or output."""

    def __init__(self, base_url: str, client_id: str, client_secret: str, options: Options) -> None:
        self.base_url = arguments.service_address(base_url, options.get("allow_plain_http", False))
        self._client_id = arguments.text("client_id", client_id)
        self._secret = arguments.text("client_secret", client_secret)
        self._scopes = options.get("scopes")
        if self._scopes is not None and (isinstance(self._scopes, str) or not self._scopes):
            raise BadArgument("scopes must be a list of at least one scope, or left out for all of the client's.")
        self._timeout = options.get("timeout", 30.0)
        if not self._timeout > 0:
            raise BadArgument("timeout must be a number of seconds above 0.")
        self._retry = options.get("retry") or Retry()
        self._token: Token | None = None

    def capture_url(self, sdk_token: str) -> str:
        """Where the person opens the capture page; the token stands behind the #, which no server is told."""
        return f"{self.base_url}/verify/#t={arguments.text('sdk_token', sdk_token)}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r}, {self._client_id!r})"

    def _fresh(self, stale: str | None) -> str | None:
        """The token of the moment, unless it is `stale` or about to expire."""
        kept = self._token
        return kept.value if kept and kept.value != stale and time.monotonic() < kept.renew_at else None

    def _renewal(self) -> Call[TokenAnswer]:
        """The call that fetches a token."""
        shown = f"{quote(self._client_id, safe='')}:{quote(self._secret, safe='')}".encode()
        form = {"grant_type": "client_credentials"}
        if self._scopes is not None:
            form["scope"] = " ".join(self._scopes)
        basic = f"Basic {base64.b64encode(shown).decode()}"
        return Call("POST", "/oauth/token", TokenAnswer, form=urlencode(form).encode(), authorization=basic)

    def _keep(self, answer: TokenAnswer) -> str:
        """Use this token from now on, and renew it a minute before it expires."""
        spare = min(60.0, answer.expires_in / 5)
        self._token = Token(answer.access_token, time.monotonic() + answer.expires_in - spare)
        return answer.access_token

    def _request(self, step: Send) -> dict[str, Any]:
        """The arguments of httpx for one request."""
        return {
            "method": step.method,
            "url": self.base_url + step.path,
            "params": dict(step.query) or None,
            "headers": {**step.headers, "user-agent": USER_AGENT},
            "content": step.content,
            "timeout": httpx.Timeout(self._timeout, read=self._timeout + step.patience),
            "follow_redirects": False,
        }


def credentials_refused(refusal: ApiError) -> ApiError:
    """The token endpoint speaks OAuth (RFC 6749): a refusal of the client itself has a class of its own."""
    return InvalidCredentials(refusal.refused) if refusal.code == "invalid_client" else refusal
