"""POST /oauth/token, GET /.well-known/jwks.json and the management of clients."""

from typing import Any, Final, Literal

from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from truename.accounts import client_endpoints
from truename.accounts.model import SCOPES
from truename.accounts.signing_keys import public_keys, signing_keys
from truename.accounts.token_endpoint import FORM, TokenRefused, credentials, granted_scopes, known_client, read_form
from truename.accounts.tokens import issue_access_token, scope_text
from truename.plumbing.http.answers import json_answer
from truename.plumbing.http.operations import Answer, Operation
from truename.plumbing.http.rate_limits import Limit, count_call
from truename.plumbing.resources import Plumbing

NOT_STORED: Final = {"Cache-Control": "no-store", "Pragma": "no-cache"}


class TokenRequest(BaseModel):
    """A form, not JSON. The credentials may stand in the HTTP Basic header instead."""

    grant_type: Literal["client_credentials"]
    client_id: str | None = Field(None, description="From `truename account create`.")
    client_secret: str | None = None
    scope: str | None = Field(None, description="Fewer scopes than the client has, separated by spaces.")


class TokenAnswer(BaseModel):
    access_token: str = Field(description="A JWT (RFC 9068) for the Authorization header.")
    token_type: Literal["Bearer"]
    expires_in: int = Field(description="Seconds.")
    scope: str


class TokenError(BaseModel):
    """RFC 6749 §5.2."""

    error: Literal["invalid_request", "invalid_client", "unsupported_grant_type", "invalid_scope"]
    error_description: str


class PublishedKeys(BaseModel):
    keys: list[dict[str, Any]] = Field(description="The public keys (RFC 7517) that sign tokens.")


async def post_token(request: Request) -> Response:
    plumbing: Plumbing = request.app.state.plumbing
    try:
        form = await read_form(request)
        shown = credentials(request.headers.get("authorization"), form)
        client = await known_client(request, plumbing, shown)
        per_minute = plumbing.settings.token_requests_per_minute
        await count_call(
            request, request.app.state.rate_limiter, client.client_id, Limit("token", per_minute, per_minute)
        )
        scopes = granted_scopes(form, client)
    except TokenRefused as refused:
        headers = dict(NOT_STORED)
        if refused.status == 401:
            headers["WWW-Authenticate"] = 'Basic realm="truename", charset="UTF-8"'
        content = {"error": refused.error, "error_description": refused.description}
        return json_answer(content, refused.status, headers)
    granted = {
        "access_token": await issue_access_token(plumbing, client.account_id, client.client_id, scopes),
        "token_type": "Bearer",
        "expires_in": plumbing.settings.access_token_seconds,
        "scope": scope_text(scopes),
    }
    return json_answer(granted, 200, NOT_STORED)


async def get_keys(request: Request) -> Response:
    keys = signing_keys(request.app.state.plumbing)
    await keys.signing_key()
    return json_answer(public_keys(keys), 200, {"Cache-Control": "public, max-age=300"})


operations: Final = (
    *client_endpoints.operations,
    Operation(
        "POST",
        "/oauth/token",
        post_token,
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
            401: Answer("The client is not known, was revoked, or its secret is wrong.", TokenError),
        },
    ),
    Operation(
        "GET",
        "/.well-known/jwks.json",
        get_keys,
        summary="The keys that sign tokens",
        tag="Access",
        limited=False,
        answers={200: Answer("The public keys.", PublishedKeys)},
    ),
)
