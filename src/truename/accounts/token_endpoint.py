"""OAuth 2.0 client credentials (RFC 6749 §4.4): a client shows its secret and gets an access token."""

import base64
import binascii
import hmac
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, unquote_plus

from starlette.requests import Request

from truename.accounts.clients import find_client
from truename.accounts.model import Client
from truename.accounts.sign_in_failures import Failure, note_failure
from truename.accounts.store import secret_hash
from truename.plumbing.errors import Invalid, TooLarge
from truename.plumbing.http.json_body import read_bounded
from truename.plumbing.resources import Plumbing

MAX_BODY: Final = 16 * 1024
MOST_FIELDS: Final = 100
NO_HASH: Final = b"\x00" * 32
"""The hash of no secret."""
FORM: Final = "application/x-www-form-urlencoded"


@dataclass
class TokenRefused(Exception):
    """An error of RFC 6749 §5.2."""

    error: str
    description: str

    @property
    def status(self) -> int:
        """401 for a client that is not known, otherwise 400 (RFC 6749 §5.2)."""
        return 401 if self.error == "invalid_client" else 400


@dataclass(frozen=True)
class Credentials:
    """What a client names itself by."""

    client_id: str
    client_secret: str


async def read_form(request: Request) -> dict[str, str]:
    """The fields of the body. Repeated ones are refused, empty ones count as left out (§3.2)."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        raise TokenRefused("invalid_request", f"Send the body as {FORM}.")
    try:
        body = await read_bounded(request, MAX_BODY)
    except TooLarge:
        raise TokenRefused("invalid_request", "The body is too large.") from None
    except Invalid as refusal:
        raise TokenRefused("invalid_request", refusal.errors[0].detail) from None
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(body),
            errors="strict",
            max_num_fields=MOST_FIELDS,
        )
    except ValueError:
        raise TokenRefused("invalid_request", "The body is not a form.") from None
    if len({name for name, _ in pairs}) != len(pairs):
        raise TokenRefused("invalid_request", "A field is repeated.")
    return {name: value for name, value in pairs if value}


def credentials(authorization: str | None, form: dict[str, str]) -> Credentials:
    """From HTTP Basic or from the form, never from both (§2.3)."""
    if authorization is None:
        if "client_id" not in form or "client_secret" not in form:
            raise TokenRefused("invalid_client", "Send client_id and client_secret, by HTTP Basic or in the form.")
        return Credentials(form["client_id"], form["client_secret"])
    shown = _basic(authorization)
    if "client_secret" in form or form.get("client_id", shown.client_id) != shown.client_id:
        raise TokenRefused("invalid_request", "Send the client's credentials in one way only.")
    return shown


def _basic(authorization: str) -> Credentials:
    scheme, _, encoded = authorization.partition(" ")
    if scheme.lower() != "basic":
        raise TokenRefused("invalid_client", "Only HTTP Basic is understood here.")
    try:
        client_id, colon, secret = base64.b64decode(encoded.strip(" "), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        client_id = colon = secret = ""
    if not colon:
        raise TokenRefused("invalid_client", "The Authorization header is malformed.")
    return Credentials(unquote_plus(client_id), unquote_plus(secret))


async def known_client(request: Request, plumbing: Plumbing, shown: Credentials) -> Client:
    """The client that these credentials prove; a failure is noted, and refused with 429 when there were too many."""
    found = None
    if "\x00" not in shown.client_id:
        async with plumbing.database.system() as connection:
            found = await find_client(connection, shown.client_id)
    proof = secret_hash(shown.client_secret)
    # The comparisons are made even without a client, so that time tells nobody which clients exist.
    right = hmac.compare_digest(proof, found.secret_hash if found else NO_HASH)
    right |= hmac.compare_digest(proof, (found.previous_secret_hash if found else None) or NO_HASH)
    if found is None:
        failure = Failure.UNKNOWN_CLIENT
    elif not right:
        failure = Failure.WRONG_SECRET
    elif found.revoked:
        failure = Failure.REVOKED
    else:
        return found
    await note_failure(request, plumbing, found, failure)
    raise TokenRefused("invalid_client", "The client is not known, or its secret is wrong.")


def granted_scopes(form: dict[str, str], client: Client) -> frozenset[str]:
    """All scopes of the client, or fewer if it asks for fewer (§3.3)."""
    if form.get("grant_type") is None:
        raise TokenRefused("invalid_request", "grant_type is missing.")
    if form["grant_type"] != "client_credentials":
        raise TokenRefused("unsupported_grant_type", "Only client_credentials is supported.")
    if "scope" not in form:
        return client.scopes
    wanted = frozenset(form["scope"].split(" ")) - {""}
    if not wanted or not wanted <= client.scopes:
        raise TokenRefused("invalid_scope", "A scope is not known, or not granted to this client.")
    return wanted
