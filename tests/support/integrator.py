"""An integrator outside the service: calls it by HTTP, with the credentials of its first start, and watches it."""

import json
import os
import urllib.request
from pathlib import Path

from tests.support.api import KYC
from tests.support.served import Served
from truename.plumbing.database.embedded_supervisor import processes_in


class Integrator:
    """Calls a service with the credentials of its first start."""

    def __init__(self, service: Served) -> None:
        form = f"grant_type=client_credentials&client_id={service.credential('client_id')}"
        form += f"&client_secret={service.credential('client_secret')}"
        self.url = service.url
        self.token = self._sent("/oauth/token", form.encode(), "application/x-www-form-urlencoded")["access_token"]

    def post(self, path: str, body: dict) -> dict:
        return self._sent(KYC + path, json.dumps(body).encode(), "application/json")

    def get(self, path: str) -> dict:
        request = urllib.request.Request(self.url + KYC + path, headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def _sent(self, path: str, body: bytes, kind: str) -> dict:
        headers = {"Content-Type": kind}
        if kind == "application/json":
            headers["Authorization"] = f"Bearer {self.token}"
        with urllib.request.urlopen(urllib.request.Request(self.url + path, body, headers), timeout=30) as answer:
            return json.load(answer)

    def new_transaction(self) -> str:
        customer = self.post("/customer", {"external_customer_id": os.urandom(8).hex()})["customer_id"]
        made = self.post("/transaction", {"customer_id": customer, "transaction_type": "DOCUMENT_ONLY"})
        return made["transaction_id"]


def ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=10) as answer:
            return answer.status == 200
    except OSError:
        return False


def postgres_of(data: Path) -> list[int]:
    return processes_in(data / "postgres")
