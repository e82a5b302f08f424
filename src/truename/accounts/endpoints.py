"""POST /oauth/token and GET /.well-known/jwks.json; clients are managed in `client_endpoints.py`."""

from typing import Final

import structlog
from starlette.requests import Request
from starlette.responses import Response

from truename.accounts.signing_keys import public_keys, signing_keys
from truename.accounts.token_endpoint import TokenRefused, credentials, granted_scopes, known_client, read_form
from truename.accounts.tokens import issue_access_token, scope_text
from truename.plumbing.http.answers import json_answer
from truename.plumbing.http.rate_limits import Limit, count_call
from truename.plumbing.http.request_context import request_id
from truename.plumbing.resources import Plumbing

log = structlog.get_logger("truename.accounts")
NOT_STORED: Final = {"Cache-Control": "no-store", "Pragma": "no-cache"}


async def post_token(request: Request) -> Response:
    """Issue an access token for a client's credentials; refuses by RFC 6749 §5.2, and slows down guessing."""
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
    # Every sign-in leaves a line, not only those that fail: those are lines of the audit log, too.
    log.info("signed in", request_id=request_id(request), client=client.client_id, account_id=str(client.account_id))
    own, mode = (client.account_id, client.client_id), client.livemode
    granted: dict[str, object] = {
        "access_token": await issue_access_token(plumbing, *own, scopes, livemode=mode),
        "token_type": "Bearer",
        "expires_in": plumbing.settings.access_token_seconds,
        "scope": scope_text(scopes),
    }
    if not client.livemode:
        granted["livemode"] = False
    return json_answer(granted, 200, NOT_STORED)


async def get_keys(request: Request) -> Response:
    """Answer the public keys that sign tokens."""
    keys = signing_keys(request.app.state.plumbing)
    await keys.signing_key()
    return json_answer({"keys": public_keys(keys)}, 200, {"Cache-Control": "public, max-age=300"})
