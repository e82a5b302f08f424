"""The integrator's side over HTTP: addresses, the shape of a refusal, a small picture, a transaction."""

import base64
import io
import secrets
from typing import Any

import aiohttp
from PIL import Image

from truename.plumbing.database.ids import new_id

KYC = "/api/account/integration/kyc"
CUSTOMER = f"{KYC}/customer"
TRANSACTION = f"{KYC}/transaction"
PROBLEM_KEYS = {"type", "title", "status", "detail", "instance", "code", "request_id"}


async def problem(answer: aiohttp.ClientResponse, status: int = 400) -> dict[str, Any]:
    """The problem of an answer; every refusal has this shape and bears the request's id."""
    body = await answer.json(content_type=None)
    assert answer.status == status, body
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert body.keys() >= PROBLEM_KEYS
    assert body["status"] == status
    assert body["request_id"] == answer.headers["X-Request-Id"]
    return dict(body)


def saved(kind: str, image: Image.Image | None = None, **options: Any) -> bytes:
    out = io.BytesIO()
    (image or Image.effect_noise((64, 48), 60).convert("RGB")).save(out, kind, **options)
    return out.getvalue()


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


PNG = saved("PNG")
JPEG = saved("JPEG")


async def a_transaction(
    client: aiohttp.ClientSession,
    kind: str = "DOCUMENT_AND_BIOMETRIC",
    config: dict[str, Any] | None = None,
    customer_id: str | None = None,
) -> dict[str, Any]:
    """Create a transaction, for a fresh customer unless one is named; the answer, with the customer's id."""
    if customer_id is None:
        async with client.post(f"{KYC}/customer", json={"external_customer_id": str(new_id())}) as answer:
            customer_id = (await answer.json())["customer_id"]
    body = {"customer_id": customer_id, "transaction_type": kind, "config": config or {}}
    async with client.post(f"{KYC}/transaction", json=body) as answer:
        assert answer.status == 201
        return {**(await answer.json()), "customer_id": customer_id}


def person_id() -> str:
    """An external id that nobody has."""
    return f"person-{secrets.token_hex(8)}"
