"""Has every operation that an integrator's server may call a method in the client?"""

import inspect
import re
from typing import Any
from uuid import UUID

from tests.support.api import JPEG
from truename.api.app import OPERATIONS
from truename_client import Retry, Truename
from truename_client.conversation import NeedToken, Send
from truename_client.facade import Pages, Resource

COVERED = {"Customers", "Transactions", "Clients", "Webhooks", "Access", "Sandbox", "Policy", "Blocklist"}
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
    "by": 60,
    "config": {},
    "backtest_id": str(UUID(int=4)),
    "entry_id": str(UUID(int=5)),
    "face_image": JPEG,
}
NOT_CALLED = {"/.well-known/jwks.json", "/.well-known/receipt-keys.json"}
"""For those who verify tokens themselves."""


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
