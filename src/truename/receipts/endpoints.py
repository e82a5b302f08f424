"""GET /.well-known/receipt-keys.json: the keys that signed receipts, all of them."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from truename.plumbing.http.answers import json_answer
from truename.plumbing.http.bodies import Shown
from truename.plumbing.http.operations import Answer, Operation
from truename.plumbing.http.queries import Query
from truename.receipts.keys import published_keys

KEYS_PATH: Final = "/.well-known/receipt-keys.json"


class PublishedReceiptKeys(Shown):
    """A JWK set (RFC 7517)."""

    keys: list[dict[str, object]]
    """The public keys that ever signed a receipt; the first one signs now."""


async def get_receipt_keys(request: Request) -> Response:
    """The published set."""
    Query(request).refuse_faults()
    keys = await published_keys(request.app.state.plumbing)
    return json_answer(keys, 200, {"Cache-Control": "public, max-age=300"})


operations: Final = (
    Operation(
        "GET",
        KEYS_PATH,
        get_receipt_keys,
        name="getReceiptKeys",
        summary="The keys that sign receipts",
        tag="Access",
        description="Every key that ever signed a receipt of a decision: a receipt stays verifiable when the key was "
        "rotated. Keep a copy, and receipts can be verified without this service.",
        limited=False,
        answers={200: Answer("The public keys.", PublishedReceiptKeys)},
    ),
)
