"""The Python client says what the interface is, and stands alone."""

import inspect
import re
import tomllib
from pathlib import Path
from typing import Any
from uuid import UUID

from tools.client_models import modules

from truename.api.app import OPERATIONS
from truename_client import Retry, Truename
from truename_client.conversation import NeedToken, Send
from truename_client.facade import Pages, Resource

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "client" / "src" / "truename_client"
COVERED = {"Customers", "Transactions", "Clients", "Webhooks", "Access"}
"""Tags of operations that the client must know, each and all."""
SAMPLES: dict[str, Any] = {
    "external_customer_id": "person-1",
    "email": "ana@example.com",
    "customer_id": str(UUID(int=1)),
    "transaction_id": str(UUID(int=2)),
    "media_id": str(UUID(int=3)),
    "transaction_type": "DOCUMENT_ONLY",
    "status": "BLOCKED",
    "outcome": "APPROVED",
    "reason": "Seen in person.",
    "name": "shop",
    "client_id": "client_1",
    "event_id": "evt_1",
}
NOT_CALLED = {"/.well-known/jwks.json"}
"""For those who verify tokens themselves."""


def test_what_is_made_from_the_description_is_current() -> None:
    stale = [path.name for path, text in modules().items() if path.read_text("utf-8") != text]
    assert stale == [], "run `.venv/bin/python tools/client_models.py`"


def calls() -> list[Send]:
    """The first request of every method, with arguments that could be."""
    with Truename("http://localhost", "client", "secret") as client:
        resources = [one for one in vars(client).values() if isinstance(one, Resource)]
    plans = [
        method.__wrapped__(
            **{
                name: SAMPLES[name]
                for name, parameter in inspect.signature(method.__wrapped__).parameters.items()
                if parameter.default is parameter.empty or name == "email"
            }
        )
        for resource in resources
        for method in vars(type(resource)).values()
        if hasattr(method, "__wrapped__")
    ]
    return [first_request(plan) for plan in plans]


def first_request(plan: Any) -> Send:
    steps = (plan.first if isinstance(plan, Pages) else plan).steps(Retry())
    assert isinstance(next(steps), NeedToken)
    sent = steps.send("a token")
    assert isinstance(sent, Send)
    return sent


def test_every_operation_of_an_integrators_server_has_a_method() -> None:
    made = [f"{call.method} {call.path}" for call in calls()] + ["POST /oauth/token"]
    wanted = [one for one in OPERATIONS if one.tag in COVERED and one.path not in NOT_CALLED]
    assert len(wanted) > 20
    for operation in wanted:
        pattern = re.compile(f"{operation.method} {re.sub('{[a-z_]+}', '[^/]+', operation.path)}")
        assert any(pattern.fullmatch(one) for one in made), f"{operation.method} {operation.path} is not in the client"


def test_the_client_needs_httpx_and_nothing_of_the_service() -> None:
    project = tomllib.loads((ROOT / "client" / "pyproject.toml").read_text("utf-8"))["project"]
    assert [re.split(r"[<>=]", one)[0] for one in project["dependencies"]] == ["httpx"]
    guilty = [path.name for path in CLIENT.glob("*.py") if re.search(r"\b(import|from) truename\b", path.read_text())]
    assert guilty == []


def test_what_is_written_by_hand_can_be_read() -> None:
    made = {path.name for path in modules()}
    long = [path.name for path in CLIENT.glob("*.py") if path.name not in made and len(path.open().readlines()) > 300]
    assert long == []
