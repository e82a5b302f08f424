"""Writes src/truename/api/examples.json: answers of a real service to a drawn person with drawn documents.

    python -m tools.api_examples

Starts `truename serve` in an empty folder, lets a person be verified once for each type and decision, and keeps what
was answered. Nothing is made up, and nobody is real: documents and faces are those of tests/support.
"""

import asyncio
import json
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
from tests.support import faces
from tests.support.sdk import Phone, a_passport_photo
from tests.support.served import served

from truename.api.openapi import EXAMPLES
from truename.vision.captures import Frame

KYC = "/api/account/integration/kyc"
LIVING = faces.turning_head_frames
PHOTOGRAPH = partial(faces.flat_picture_frames, "tilt 40")
PASSPORT = {"country": "DE", "type": "PASSPORT", "allow_expired": False}
ELIGIBLE = {"document_eligibility": {"filter_mode": "ALLOW", "target_documents": [PASSPORT]}}
OTHER_PERSON = {
    "data_matching": {
        "surnames": {"value": "Sommer", "similarity_min_score": 0.9},
        "date_of_birth": "1990-01-01",
    }
}


@dataclass(frozen=True)
class Verification:
    """One verification that is to be run, and how it has to end."""

    kind: str
    outcome: str
    customer: str
    film: Callable[..., list[Frame]] | None
    seed: int
    """Of the film: nobody moves twice alike, and frames that were sent before are refused."""
    policy: Mapping[str, object]

    @property
    def name(self) -> str:
        return f"{self.kind.lower()} {self.outcome.lower()}"


VERIFICATIONS = (
    Verification("DOCUMENT_AND_BIOMETRIC", "APPROVED", "person-4711", LIVING, 1, ELIGIBLE),
    Verification("DOCUMENT_ONLY", "APPROVED", "person-4711", None, 0, ELIGIBLE),
    Verification("BIOMETRIC_ONLY", "APPROVED", "person-4711", LIVING, 2, {}),
    Verification("DOCUMENT_AND_BIOMETRIC", "REJECTED", "person-4712", PHOTOGRAPH, 3, {**ELIGIBLE, **OTHER_PERSON}),
    Verification("DOCUMENT_ONLY", "REJECTED", "person-4712", None, 0, {**ELIGIBLE, **OTHER_PERSON}),
    Verification("BIOMETRIC_ONLY", "REJECTED", "person-4712", PHOTOGRAPH, 4, {}),
)


class Integrator:
    """Calls the service and keeps its answers by the model that describes them."""

    def __init__(self, http: aiohttp.ClientSession, token: str) -> None:
        self.http, self.headers = http, {"Authorization": f"Bearer {token}"}
        self.kept: dict[str, dict[str, Any]] = {}

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        async with self.http.request(method, path, json=body, headers=self.headers) as answer:
            content = await answer.json(content_type=None)
            if answer.status >= 300:
                raise RuntimeError(f"{method} {path}: {answer.status} {content}")
            return content

    def keep(self, model: str, name: str, answer: Any) -> Any:
        self.kept.setdefault(model, {})[name] = answer
        return answer


async def verified(one: Integrator, customer_id: str, asked: Verification) -> dict[str, Any]:
    """One whole verification; answers the finished transaction."""
    kind, film = asked.kind, asked.film
    config = {"document_policy": asked.policy} if asked.policy else {}
    body = {"customer_id": customer_id, "transaction_type": kind, "config": config}
    made = await one.call("POST", f"{KYC}/transaction", body)
    phone = Phone(one.http, made["sdk_token"])
    one.keep("ConsentRecorded", "agreed", await right(phone.consent()))
    await right(phone.device())
    if kind != "BIOMETRIC_ONLY":
        taken = await right(phone.document("front", a_passport_photo(), params={"country": "DE", "type": "PASSPORT"}))
        one.keep("DocumentTaken", "usable", taken)
    one.keep("Session", kind.lower(), await right(phone.session()))
    if film is not None:
        challenge = one.keep("Challenge", "four steps", await right(phone.challenge()))
        began = time.monotonic()
        frames = await asyncio.to_thread(film, steps=tuple(challenge["steps"]), seed=asked.seed)
        await asyncio.sleep(max(0.0, began + frames[-1].at_ms / 1000 - time.monotonic()))
        one.keep("FramesTaken", "usable", await right(phone.liveness(challenge["nonce"], frames)))
    one.keep("Submitted", "submitted", await right(phone.submit()))
    one.keep("CaptureStatus", "submitted", await right(phone.status()))
    path = f"{KYC}/transaction/{made['transaction_id']}"
    while True:
        found: dict[str, Any] = await one.call("GET", f"{path}?wait=30")
        if found["decision"] is not None or found["status"] == "FAILED":
            return found


async def right(answer: Any) -> Any:
    status, content = await answer
    if status >= 300:
        raise RuntimeError(f"{status} {content}")
    return content


async def a_customer(one: Integrator, name: str) -> str:
    created = await one.call("POST", f"{KYC}/customer", {"external_customer_id": name, "email": "erika@example.com"})
    return str(one.keep("CustomerCreated", "created", created)["customer_id"])


async def write(base: str, client_id: str, client_secret: str) -> dict[str, dict[str, Any]]:
    async with aiohttp.ClientSession(base) as http:
        form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret}
        async with http.post("/oauth/token", data=form) as answer:
            one = Integrator(http, (await answer.json())["access_token"])
        erika, stranger = await a_customer(one, "person-4711"), await a_customer(one, "person-4712")
        customers = {"person-4711": erika, "person-4712": stranger}
        for asked in VERIFICATIONS:
            found = await verified(one, customers[asked.customer], asked)
            if found["status"] != asked.outcome:
                raise RuntimeError(f"{asked.kind} ended {found['status']}, not {asked.outcome}: {found['issues']}")
            one.keep("ShownTransaction", asked.name, found)
            print(f"{asked.kind}: {found['status']}", flush=True)
        one.keep("TransactionList", "a page", await one.call("GET", f"{KYC}/transaction?limit=2"))
        one.keep("ShownCustomer", "with an enrolled face", await one.call("GET", f"{KYC}/customer/{erika}"))
        one.keep("CustomerList", "one", await one.call("GET", f"{KYC}/customer?external_customer_id=person-4711"))
        one.keep("IssueCatalogue", "all of it", await one.call("GET", f"{KYC}/issue-codes"))
        body = {"customer_id": stranger, "transaction_type": "DOCUMENT_ONLY"}
        opened = await one.call("POST", f"{KYC}/transaction", body)
        cancelled = await one.call("POST", f"{KYC}/transaction/{opened['transaction_id']}/cancel", {})
        one.keep("ChangedTransaction", "cancelled", cancelled)
        blocked = await one.call(
            "POST", f"{KYC}/customer/{stranger}/status", {"status": "BLOCKED", "reason": "Another person's passport"}
        )
        one.keep("ChangedCustomer", "blocked", blocked)
        one.keep("ErasureReceipt", "erased", await one.call("DELETE", f"{KYC}/customer/{stranger}"))
        return one.kept


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, served(Path(folder) / "data") as service:
        kept = asyncio.run(write(service.url, service.credential("client_id"), service.credential("client_secret")))
    EXAMPLES.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"written: {EXAMPLES.name}, {sum(len(one) for one in kept.values())} answers")


if __name__ == "__main__":
    main()
