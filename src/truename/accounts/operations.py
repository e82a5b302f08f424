"""How tokens and the keys that sign them are described."""

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from truename.accounts import client_endpoints, endpoints
from truename.accounts.model import SCOPES
from truename.accounts.token_endpoint import FORM
from truename.plumbing.http.bodies import Marked, Shown
from truename.plumbing.http.operations import Answer, Operation


class TokenRequest(BaseModel):
    """A form, not JSON. The credentials may stand in the HTTP Basic header instead."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    grant_type: Literal["client_credentials"]
    """The only grant there is."""
    client_id: str = ""
    """From `truename account create`; left out with HTTP Basic."""
    client_secret: str = ""
    """From `truename account create`; left out with HTTP Basic."""
    scope: str = ""
    """Fewer scopes than the client has, separated by spaces; left out: all of them."""


class TokenAnswer(Marked):
    """An access token and what it may do."""

    access_token: str
    """A JWT (RFC 9068) for the Authorization header."""
    token_type: Literal["Bearer"]
    """Kind of the token."""
    expires_in: int
    """Seconds."""
    scope: str
    """What the token may do, separated by spaces."""


class TokenError(Shown):
    """RFC 6749 §5.2."""

    error: Literal["invalid_request", "invalid_client", "unsupported_grant_type", "invalid_scope"]
    """Decide by this one."""
    error_description: str
    """The same for people."""


class PublishedKeys(Shown):
    """The keys that sign tokens, as a JSON Web Key Set."""

    keys: list[dict[str, str]]
    """The public keys (RFC 7517) that sign tokens."""


operations: Final = (
    *client_endpoints.operations,
    Operation(
        "POST",
        "/oauth/token",
        endpoints.post_token,
        name="issueToken",
        summary="Get an access token",
        tag="Access",
        description="OAuth 2.0 client credentials (RFC 6749 §4.4). Errors are those of RFC 6749 §5.2.",
        body=TokenRequest,
        body_type=FORM,
        idempotent=False,
        body_examples={"all scopes": {"value": {"grant_type": "client_credentials"}}},
        answers={
            200: Answer(
                "The token.",
                TokenAnswer,
                example={
                    "access_token": "eyJhbGciOiJFZERTQSIsImtpZCI6Ii4uLiIsInR5cCI6ImF0K2p3dCJ9...",
                    "token_type": "Bearer",
                    "expires_in": 3600,
                    "scope": " ".join(SCOPES),
                },
            ),
            400: Answer(
                "The request is not valid.",
                TokenError,
                example={"error": "invalid_request", "error_description": "grant_type is missing."},
            ),
            401: Answer(
                "The client is not known, was revoked, or its secret is wrong.",
                TokenError,
                headers={"WWW-Authenticate": {"schema": {"type": "string"}, "description": "RFC 6749 §5.2."}},
            ),
        },
    ),
    Operation(
        "GET",
        "/.well-known/jwks.json",
        endpoints.get_keys,
        name="getSigningKeys",
        summary="The keys that sign tokens",
        tag="Access",
        limited=False,
        answers={200: Answer("The public keys.", PublishedKeys)},
    ),
)
