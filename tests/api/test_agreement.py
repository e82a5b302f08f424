"""Do the service and its description agree, request by request, on what is valid?

A request is valid by the description when it fits its JSON Schema and what `x-format` and the x-rules say beside it
(tests/support/description.py). The service agrees when it answers an invalid one with 400 and a valid one
with anything else, or with one of the few codes of which the description says that no schema decides them.
"""

import json
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlencode

import aiohttp
import pytest

from tests.support.description import validator
from tests.support.schema_requests import Maker
from truename.api.components import BEYOND_SCHEMA

KYC = "/api/account/integration/kyc"
SHARES = {
    ("post", f"{KYC}/transaction"): 9,
    ("post", f"{KYC}/customer"): 5,
    ("post", f"{KYC}/policy/backtest"): 3,
    ("post", f"{KYC}/customer/{{customer_id}}/status"): 2,
    ("patch", f"{KYC}/customer/{{customer_id}}"): 2,
    ("post", f"{KYC}/transaction/{{transaction_id}}/review"): 1,
    ("post", "/api/sdk/consent"): 1,
    ("post", "/api/sdk/device"): 3,
    ("post", "/api/sdk/handoff"): 1,
    ("post", "/api/sdk/handoff/confirm"): 1,
    ("get", f"{KYC}/transaction"): 3,
    ("get", f"{KYC}/customer"): 1,
    ("get", "/api/account/integration/webhooks/event"): 1,
    ("post", "/api/account/clients"): 1,
    ("post", "/api/account/clients/{client_id}/rotate"): 1,
    ("get", f"{KYC}/blocklist"): 1,
    ("post", f"{KYC}/blocklist"): 1,
    ("post", f"{KYC}/customer/{{customer_id}}/blocklist"): 1,
    ("post", f"{KYC}/test/transaction/{{transaction_id}}/simulate"): 3,
    ("post", f"{KYC}/test/clock"): 1,
    ("post", f"{KYC}/transaction/{{transaction_id}}/sdk-token"): 1,
}
"""Operations that take a body or parameters, and how often each is asked."""
NOT_ASKED = {
    ("get", f"{KYC}/transaction/{{transaction_id}}"): "would wait for half a minute",
    ("post", "/api/sdk/document/{side}"): "its body is a picture",
    ("post", "/api/sdk/liveness"): "asks for consent and a challenge before it reads the body",
    ("post", "/api/sdk/handoff/claim"): "an address may claim only so often",
    **dict.fromkeys(
        [
            *(("post", f"{KYC}/transaction/{{transaction_id}}/{verb}") for verb in ("cancel", "redact")),
            *(("post", f"/api/sdk/{verb}") for verb in ("submit", "liveness/challenge", "handoff/refuse")),
            ("post", "/api/account/integration/webhooks/event/{event_id}/redeliver"),
            ("post", "/api/account/integration/webhooks/secret/rotate"),
        ],
        "take nothing but an empty object, as `sdk-token` does",
    ),
}
OTHERS = {"client_id": f"client_{'0' * 24}"}
ENDING = ("/simulate", "/clock")
"""Operations after which the capture may have ended."""


class Asked(NamedTuple):
    method: str
    path: str
    sent: Any
    valid: bool


def parameters(operation: dict[str, Any]) -> list[dict[str, Any]]:
    """Those that stand in the query."""
    return [one for one in operation.get("parameters", []) if one.get("in") == "query"]


class Author:
    """Writes requests and asks the description whether they are valid."""

    def __init__(self, description: dict[str, Any], seed: int) -> None:
        self.random = Random(seed)
        self.maker = Maker(description, self.random)
        self.schemas: dict[tuple[str, str], dict[str, Any]] = {}
        for method, path in SHARES:
            operation = description["paths"][path][method]
            if method != "get":
                self.schemas[method, path] = operation["requestBody"]["content"]["application/json"]["schema"]
            else:
                asked = parameters(operation)
                self.schemas[method, path] = {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {one["name"]: one["schema"] for one in asked},
                    "required": [one["name"] for one in asked if one.get("required")],
                }
        self.validators = {key: validator(description, schema) for key, schema in self.schemas.items()}

    def write(self, valid: bool) -> Asked:
        """One request of this kind."""
        while True:
            key = self.random.choices(list(SHARES), list(SHARES.values()))[0]
            sent = self.maker.value(self.schemas[key], 0.0 if valid else 0.25)
            if key[0] == "get":
                if not isinstance(sent, dict):
                    continue
                kinds = self.schemas[key]["properties"]
                sent = {
                    name: _in_an_address(value, kinds.get(name, {}).get("type"))
                    for name, value in sent.items()
                    if type(value) in (str, int)
                }
            fits = self.validators[key].is_valid(sent)
            if fits is valid:
                return Asked(*key, sent, fits)


def _in_an_address(value: str | int, kind: str | None) -> str | int:
    """In an address everything is text, and the digits of a number are a number."""
    text = str(value)
    return int(text) if kind == "integer" and text.isdecimal() and str(int(text)) == text else text


@pytest.fixture
async def description(client: aiohttp.ClientSession) -> dict[str, Any]:
    found: dict[str, Any] = await (await client.get("/openapi.json")).json()
    return found


async def disagreements(client: aiohttp.ClientSession, author: Author, number: int) -> list[str]:
    created = await (await client.post(f"{KYC}/customer", json={"external_customer_id": "the-one"})).json()
    body = {"customer_id": created["customer_id"], "transaction_type": "DOCUMENT_ONLY"}
    found = []
    ended = False
    for place in range(number):
        if place % 200 == 0 or ended:  # one capture may call only so often
            opened = await (await client.post(f"{KYC}/transaction", json=body)).json()
            own = {"customer_id": created["customer_id"], "transaction_id": opened["transaction_id"], **OTHERS}
            phone = {"Authorization": f"Bearer {opened['sdk_token']}"}
        asked = author.write(valid=place % 2 == 0)
        path, headers = asked.path.format(**own), phone if asked.path.startswith("/api/sdk") else {}
        if asked.method == "get":
            answer = await client.get(f"{path}?{urlencode(asked.sent)}", headers=headers)
        else:
            text = json.dumps(asked.sent, ensure_ascii=False).encode()
            answer = await client.request(
                asked.method, path, data=text, headers={**headers, "Content-Type": "application/json"}
            )
        told = await answer.read()
        ended = asked.path.endswith(ENDING)
        invalid = answer.status == 400 and not any(f'"code":"{code}"'.encode() in told for code in BEYOND_SCHEMA)
        if answer.status >= 500 or answer.status in (401, 403, 413, 415, 429) or invalid is asked.valid:
            found.append(f"valid={asked.valid} {asked.method} {path} {asked.sent!r} -> {answer.status} {told[:400]!r}")
    return found


def test_every_operation_that_takes_something_is_asked_or_says_why_not(description) -> None:
    taking = {
        (method, path)
        for path, operations in description["paths"].items()
        for method, operation in operations.items()
        if "application/json" in operation.get("requestBody", {}).get("content", {}) or parameters(operation)
    }
    assert taking == SHARES.keys() | NOT_ASKED.keys()
    assert SHARES.keys() & NOT_ASKED.keys() == set()


async def test_a_sample_of_requests_is_judged_alike(sandbox_client, description) -> None:
    assert await disagreements(sandbox_client, Author(description, seed=1), 200) == []


@pytest.mark.slow
async def test_two_thousand_requests_are_judged_alike(sandbox_client, description) -> None:
    assert await disagreements(sandbox_client, Author(description, seed=2), 2000) == []
