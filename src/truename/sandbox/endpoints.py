"""The sandbox's part of the interface. To a live account there is nothing here."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from truename.accounts.admission import admit_to_sandbox
from truename.accounts.authentication import Caller
from truename.plumbing.clock import date_at_utc_plus_14, now
from truename.plumbing.database.pool import Connection
from truename.plumbing.http.answers import json_answer
from truename.plumbing.http.bodies import read_body
from truename.plumbing.http.idempotency import IdempotentRequest
from truename.plumbing.http.queries import Query, path_id
from truename.plumbing.resources import Plumbing
from truename.rules.config import TransactionType
from truename.sandbox.answers import NewTime, ScenarioIssue, ScenarioList, ShownClock, ShownScenario
from truename.sandbox.clock import Clock, advance, read_clock
from truename.sandbox.model import Simulation
from truename.sandbox.scenarios import SCENARIOS, Scenario
from truename.sandbox.simulate import simulate
from truename.transactions.lifecycle import Status
from truename.transactions.model import context
from truename.transactions.read import read_changed

PATH: Final = "/api/account/integration/kyc/test"
MAX_BODY: Final = 64 * 1024


async def post_simulate(request: Request) -> Response:
    """Evidence instead of captures; answers the transaction as it is then."""
    caller = await admit_to_sandbox(request, "transactions:write")
    plumbing: Plumbing = request.app.state.plumbing
    sent, body = await read_body(request, Simulation, MAX_BODY, context=context(date_at_utc_plus_14(now())))
    transaction_id = path_id(request, "transaction_id")
    named = caller.names(body, "transactions:read")
    idempotent = IdempotentRequest(request, plumbing, caller.account_id, caller.client_id, named)
    idempotent.concerns(transaction_id=transaction_id)

    async def work(connection: Connection) -> Response:
        await simulate(connection, plumbing, caller, transaction_id, sent)
        return json_answer(await read_changed(connection, plumbing, caller, transaction_id))

    return await idempotent.run(work)


async def get_scenarios(request: Request) -> Response:
    """Every scenario, with the issues that it gives."""
    caller = await admit_to_sandbox(request, "transactions:read")
    Query(request).refuse_faults()
    return json_answer(caller.marked(ScenarioList(data=[_shown(scenario) for scenario in SCENARIOS])))


async def get_clock(request: Request) -> Response:
    """How far the account's time was moved."""
    caller = await admit_to_sandbox(request, "transactions:read")
    Query(request).refuse_faults()
    plumbing: Plumbing = request.app.state.plumbing
    async with plumbing.database.account(caller.account_id) as connection:
        return _clock_answer(caller, await read_clock(connection, caller.account_id))


async def post_clock(request: Request) -> Response:
    """Let time pass."""
    caller = await admit_to_sandbox(request, "transactions:write")
    plumbing: Plumbing = request.app.state.plumbing
    sent, body = await read_body(request, NewTime, MAX_BODY)

    async def work(connection: Connection) -> Response:
        return _clock_answer(caller, await advance(connection, caller, sent.advance_seconds))

    return await IdempotentRequest(request, plumbing, caller.account_id, caller.client_id, body).run(work)


def _clock_answer(caller: Caller, clock: Clock) -> Response:
    return json_answer(caller.marked(ShownClock(now=clock.now, advanced_seconds=clock.advanced_seconds)))


def _shown(scenario: Scenario) -> ShownScenario:
    return ShownScenario(
        name=scenario.name,
        description=scenario.sentence,
        transaction_types=[kind for kind in TransactionType if kind in scenario.applies_to],
        config=dict(scenario.config),
        status=Status(scenario.status),
        issues=[ScenarioIssue(code=code.name, severity=severity) for code, severity in scenario.issues],
        simulation=dict(scenario.says),
    )
