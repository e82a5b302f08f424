"""The sandbox: every outcome on purpose, and time that passes when you say so. Live accounts have none of it (404)."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from truename_client import arguments
from truename_client.answers import ChangedTransaction, ScenarioList, ShownClock, ShownScenario
from truename_client.bodies import Simulation
from truename_client.conversation import Call, Retry, Steps
from truename_client.errors import BadArgument
from truename_client.facade import AsyncResource, Resource, awaited, blocking

PATH: Final = "/api/account/integration/kyc/test"
CHANGED: Final[Any] = ChangedTransaction


def simulate_transaction(
    transaction_id: str | UUID,
    scenario: str | None = None,
    simulation: Simulation | None = None,
    *,
    idempotency_key: str | None = None,
) -> Call[ChangedTransaction]:
    """Supply evidence instead of captures; judgement, statuses and webhooks are the real ones.

    scenario: one of `scenarios()` by name. simulation: what is to be seen otherwise than the scenario says; what is
    left out of both fits the transaction's config, so that nothing at all is approved.
    """
    body: dict[str, object] = {} if simulation is None else arguments.json_object("simulation", simulation)
    if scenario is not None:
        if "scenario" in body:
            raise BadArgument("scenario is named twice: as an argument and in simulation.")
        body["scenario"] = arguments.text("scenario", scenario)
    path = f"{PATH}/transaction/{arguments.identifier('transaction_id', transaction_id)}/simulate"
    return Call("POST", path, CHANGED, body=body, idempotency_key=idempotency_key)


@dataclass(frozen=True)
class Scenarios:
    """Ends with the rows of the list."""

    call: Call[ScenarioList]

    def steps(self, retry: Retry) -> Steps[list[ShownScenario]]:
        """One call."""
        found = yield from self.call.steps(retry)
        return found.data


def list_scenarios() -> Scenarios:
    """Ready simulations by name, each with the config that it needs and the issues that it gives."""
    return Scenarios(Call("GET", f"{PATH}/scenarios", ScenarioList))


def read_clock() -> Call[ShownClock]:
    """How far the account's time was moved."""
    return Call("GET", f"{PATH}/clock", ShownClock)


def advance_clock(by: timedelta | int, *, idempotency_key: str | None = None) -> Call[ShownClock]:
    """Let so many whole seconds pass; what is due then is done at once: expiry, webhooks, retention."""
    seconds = int(by.total_seconds()) if isinstance(by, timedelta) else by
    if isinstance(seconds, bool) or not isinstance(seconds, int) or seconds < 1:
        raise BadArgument("by must be at least one second, as a timedelta or a whole number.")
    body: dict[str, object] = {"advance_seconds": seconds}
    return Call("POST", f"{PATH}/clock", ShownClock, body=body, idempotency_key=idempotency_key)


class Sandbox(Resource):
    """`client.sandbox`."""

    simulate = blocking(simulate_transaction)
    scenarios = blocking(list_scenarios)
    clock = blocking(read_clock)
    advance = blocking(advance_clock)


class AsyncSandbox(AsyncResource):
    """`client.sandbox`, awaited."""

    simulate = awaited(simulate_transaction)
    scenarios = awaited(list_scenarios)
    clock = awaited(read_clock)
    advance = awaited(advance_clock)
