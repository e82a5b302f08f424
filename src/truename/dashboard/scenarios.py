"""Sandbox scenarios to click: each makes a customer and a transaction and takes it where it says."""

import secrets
from typing import Final

from starlette.responses import Response

from truename.customers import create as customers
from truename.customers.model import NewCustomer
from truename.dashboard.developers import PATH as DEVELOPERS
from truename.dashboard.guard import Screen
from truename.dashboard.visit import Visit
from truename.operators.model import Role
from truename.plumbing.errors import NotFound
from truename.rules.config import TransactionType
from truename.sandbox.model import Simulation
from truename.sandbox.scenarios import BY_NAME, SCENARIOS
from truename.sandbox.simulate import simulate
from truename.transactions import create as transactions
from truename.transactions.model import NewTransaction

PATH: Final = f"{DEVELOPERS}/sandbox"


async def show_scenarios(visit: Visit) -> Response:
    """Every scenario with a button; to a live account, where to find its sandbox."""
    return visit.page("scenarios.html", scenarios=SCENARIOS if not visit.membership.live else ())


async def post_scenario(visit: Visit) -> Response:
    """Run one scenario with a fresh customer, and show its transaction. There is none in a live account."""
    scenario = BY_NAME.get(visit.form.text("scenario", 100))
    if visit.membership.live or scenario is None:
        raise NotFound("There is no such scenario here: scenarios are for sandbox accounts.")
    kind = next(one for one in TransactionType if one in scenario.applies_to)
    caller, plumbing = visit.caller, visit.plumbing
    new = NewCustomer(external_customer_id=f"sandbox-{secrets.token_hex(6)}")
    customer = await customers.prepare(plumbing, caller, new)
    async with visit.connection() as connection:
        made = await customers.insert(connection, plumbing.vault, customer)
    sent = {"customer_id": str(made.customer_id), "transaction_type": kind, "config": dict(scenario.config)}
    transaction = await transactions.prepare(plumbing, caller, NewTransaction.model_validate(sent))
    async with visit.connection() as connection:
        await transactions.insert(connection, transaction)
        wanted = Simulation.model_validate({"scenario": scenario.name})
        await simulate(connection, plumbing, caller, transaction.transaction_id, wanted)
    return visit.redirect(f"/dashboard/transactions/{transaction.transaction_id}")


screens: Final = (
    Screen("GET", PATH, show_scenarios, Role.ADMIN),
    Screen("POST", PATH, post_scenario, Role.ADMIN),
)
