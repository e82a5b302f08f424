"""Evidence instead of captures, through the real state machine, judgement, webhooks and receipts."""

from dataclasses import replace
from uuid import UUID

from truename.accounts.authentication import Caller
from truename.analysis.analyse import REASONS, dossier_of
from truename.analysis.apply import decide
from truename.analysis.gather import Case, CustomerErased, open_case
from truename.audit.model import Action
from truename.audit.record import record
from truename.customers.change_status import change_status
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import Invalid, TransactionNotFound
from truename.plumbing.resources import Plumbing
from truename.rules.config import TransactionType
from truename.rules.dossier import CustomerStatus, Dossier, EarlierRecord
from truename.rules.faults import Fault
from truename.rules.verdict import evaluate
from truename.sandbox.evidence import Circumstances, evidence_of
from truename.sandbox.model import Simulation
from truename.sandbox.scenarios import BY_NAME, USUAL, Scenario
from truename.transactions.conclude import customer_standing
from truename.transactions.lifecycle import OPEN, Status, move, wrong_state

FIND = """
SELECT t.status, t.transaction_type, t.customer_id FROM transactions t
WHERE t.account_id = %s AND t.transaction_id = %s
"""


async def simulate(
    connection: Connection, plumbing: Plumbing, caller: Caller, transaction_id: UUID, sent: Simulation
) -> None:
    """Take a transaction of a sandbox account to its end, as if its capture had shown what the simulation says.

    Raises TransactionNotFound, WrongState when it has ended already, or Invalid for a scenario that is not for this
    type of transaction.
    """
    own = caller.account_id, transaction_id
    standing = await customer_standing(connection, *own)  # locks both rows
    cursor = await connection.execute(FIND, own)
    row = await cursor.fetchone()
    if row is None:
        raise TransactionNotFound
    scenario = _scenario(sent.scenario, TransactionType(row["transaction_type"]))
    simulation = over(Simulation.model_validate(scenario.says), sent)
    if simulation.customer_status not in (None, standing):
        await _move_customer(connection, plumbing, caller, row["customer_id"], simulation)
    status = Status(row["status"])
    await record(
        connection,
        caller.account_id,
        actor=caller.actor,
        action=Action.TRANSACTION_SIMULATED,
        subject=f"transaction:{transaction_id}",
        details={"scenario": scenario.name},
    )
    if simulation.status is not None:
        await _end(connection, caller, transaction_id, status, Status(simulation.status))
        return
    await _submit(connection, caller, transaction_id, status)
    try:
        opened = await open_case(connection, plumbing, *own)
    except CustomerErased:  # ended as the real analysis ends it
        await move(connection, *own, Status.FAILED, actor=caller.actor, reason=REASONS[CustomerErased])
        return
    if opened is None:
        raise TransactionNotFound
    case = _as_said(opened[0], simulation)
    dossier = _dossier(case, simulation, scenario.name)
    await decide(connection, plumbing, case, dossier, evaluate(dossier))


def over(scenario: Simulation, sent: Simulation) -> Simulation:
    """The scenario, with everything that the body says otherwise."""
    said, more = scenario.model_dump(exclude_unset=True), sent.model_dump(exclude_unset=True)
    return Simulation.model_validate(_merged(said, more))


def _merged(under: dict[str, object], upper: dict[str, object]) -> dict[str, object]:
    merged = dict(under)
    for name, value in upper.items():
        earlier = merged.get(name)
        both = isinstance(earlier, dict) and isinstance(value, dict)
        merged[name] = _merged(earlier, value) if both else value  # type: ignore[arg-type]
    return merged


def _scenario(name: str | None, kind: TransactionType) -> Scenario:
    found = BY_NAME[name] if name is not None else USUAL
    if kind not in found.applies_to:
        words = f"The scenario is not for a transaction that is {kind}."
        raise Invalid([Fault("/scenario", "scenario_not_for_this_type", words)])
    return found


async def _move_customer(
    connection: Connection, plumbing: Plumbing, caller: Caller, customer_id: UUID, simulation: Simulation
) -> None:
    await change_status(
        connection,
        plumbing.keys,
        caller.account_id,
        customer_id,
        CustomerStatus(simulation.customer_status or CustomerStatus.ACTIVE),
        actor=caller.actor,
        reason="Simulated in the sandbox",
    )


async def _end(connection: Connection, caller: Caller, transaction_id: UUID, was: Status, to: Status) -> None:
    """Go to a status that is no decision."""
    own = caller.account_id, transaction_id
    if to is Status.EXPIRED and was in OPEN:
        await connection.execute(
            "UPDATE transactions SET expires_at = clock_timestamp() WHERE account_id = %s AND transaction_id = %s", own
        )
    if to in (Status.PROCESSING, Status.FAILED):
        await _submit(connection, caller, transaction_id, was)
    if to is not Status.PROCESSING:
        await move(connection, *own, to, actor=caller.actor)
    elif was is Status.PROCESSING:
        raise wrong_state(was, to)


async def _submit(connection: Connection, caller: Caller, transaction_id: UUID, was: Status) -> None:
    """Go to PROCESSING, as a capture does; without the job that would look for pictures."""
    own = caller.account_id, transaction_id
    if was is Status.CREATED:
        await move(connection, *own, Status.IN_PROGRESS, actor=caller.actor)
    if was is not Status.PROCESSING:
        await move(connection, *own, Status.PROCESSING, actor=caller.actor)


def _as_said(case: Case, simulation: Simulation) -> Case:
    """The case as the simulation would have it: another record, manual review switched on or off."""
    record = case.earlier_record
    if simulation.earlier_record is not None:
        record = EarlierRecord(**simulation.earlier_record.model_dump())
    settings = case.settings
    if simulation.manual_review is not None:
        settings = settings.model_copy(update={"manual_review": simulation.manual_review})
    return replace(case, earlier_record=record, settings=settings)


def _dossier(case: Case, simulation: Simulation, scenario: str) -> Dossier:
    about = Circumstances(
        transaction_type=case.transaction_type,
        config=case.config,
        today=case.today,
        earlier_record=None if simulation.earlier_record is not None else case.earlier_record,
        has_reference_face=case.has_reference_face,
    )
    dossier = dossier_of(case, evidence_of(simulation, about, scenario))
    if simulation.face_search is not None:
        dossier = dossier.model_copy(update={"face_search": simulation.face_search.mode})
    return dossier
