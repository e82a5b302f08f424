"""Default policies: saved as a draft in the lab or the settings, agreed to by a second person, in force from then."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pydantic import JsonValue, ValidationError
from starlette.responses import Response

from truename.backtest.policy import Mode, OtherPolicy
from truename.dashboard.guard import Screen
from truename.dashboard.lab.form import BadConfig, moved, pasted
from truename.dashboard.people import called
from truename.dashboard.visit import Notice, Visit
from truename.dashboard.words import zone
from truename.operators.model import Role
from truename.plumbing.clock import now
from truename.plumbing.errors import Invalid, WrongState
from truename.plumbing.http.queries import path_id
from truename.rules.default_policy import PARTS, DefaultPolicy
from truename.rules.faults import faults_of
from truename.transactions.config_given import leaves
from truename.transactions.default_policy import (
    LONGEST_NOTE,
    PolicyState,
    StoredPolicy,
    agree,
    draft_policy,
    list_policies,
    policy_in_force,
    withdraw,
)

PATH: Final = "/dashboard/lab/policies"


@dataclass(frozen=True, slots=True)
class Line:
    """One field of a policy beside what holds now."""

    pointer: str
    value: JsonValue
    now: JsonValue

    @property
    def changes(self) -> bool:
        return self.value != self.now


@dataclass(frozen=True, slots=True)
class ShownPolicy:
    """A policy with what it would change."""

    stored: StoredPolicy
    lines: Sequence[Line]
    own: bool
    """Drafted by whoever looks."""

    @property
    def last_four(self) -> str:
        return str(self.stored.policy_id)[-4:]


async def show_policies(visit: Visit) -> Response:
    """Every draft, what is in force, and what was."""
    return await _page(visit)


async def post_draft(visit: Visit) -> Response:
    """Keep what was tried in the lab as a draft."""
    text = visit.form.text("config", 100_000)
    state = moved({name: values[0] for name, values in visit.form.fields.items() if values})
    try:
        policy = pasted(text, visit.form.text("mode", 10)) if text else state.policy()
    except BadConfig as bad:
        raise Invalid(detail="This config cannot be used: " + "; ".join(bad.faults)) from None
    async with visit.connection() as connection:
        wanted = as_default(policy, (await policy_in_force(connection, visit.account_id)).policy)
        note = visit.form.text("note", LONGEST_NOTE)
        await draft_policy(connection, visit.account_id, wanted, note, actor=visit.actor)
    return visit.redirect(PATH, Notice.POLICY_DRAFTED)


async def post_agreement(visit: Visit) -> Response:
    """Put a draft in force from the chosen moment on, once the last characters of its id were typed."""
    policy_id = path_id(visit.request, "policy_id")
    if visit.form.text("confirm", 4).lower() != str(policy_id)[-4:]:
        words = "These are not the last four characters of the policy's id. Nothing was put in force."
        return await _page(visit, 400, words, str(policy_id))
    begins = _moment(visit)
    if begins is None:
        return await _page(visit, 400, "Say from which day and time on it shall hold.", str(policy_id))
    try:
        async with visit.connection() as connection:
            own = connection, visit.account_id, policy_id, begins
            await agree(*own, actor=visit.actor, needs_another=needs_another(visit))
    except WrongState as refused:
        return await _page(visit, 409, refused.detail, str(policy_id))
    return visit.redirect(PATH, Notice.POLICY_AGREED)


async def post_withdrawal(visit: Visit) -> Response:
    """Give a draft up."""
    async with visit.connection() as connection:
        await withdraw(connection, visit.account_id, path_id(visit.request, "policy_id"), actor=visit.actor)
    return visit.redirect(PATH, Notice.POLICY_WITHDRAWN)


def as_default(policy: OtherPolicy, in_force: DefaultPolicy) -> DefaultPolicy:
    """A policy of the lab as the account's default: a change is put upon what is in force.

    Refuses (400) what no default policy may say, because it expects something of one person.
    """
    said = policy.config.model_dump(mode="json", exclude_unset=True)
    if policy.mode is Mode.CHANGE:
        said = merged(in_force.said(), said)
    said = {name: part for name, part in said.items() if part != {}}
    try:
        return DefaultPolicy.model_validate(said)
    except ValidationError as bad:
        faults = "; ".join(f"{fault.pointer}: {fault.detail}" for fault in faults_of(bad, DefaultPolicy))
        raise Invalid(detail=f"This cannot be a default policy. {faults}") from None


def merged(below: dict[str, object], above: dict[str, object]) -> dict[str, object]:
    """Two policies as JSON, the second one's fields over the first one's."""
    found = dict(below)
    for name, value in above.items():
        part = found.get(name)
        found[name] = (
            {**part, **value} if name in PARTS and isinstance(part, dict) and isinstance(value, dict) else value
        )
    return found


def needs_another(visit: Visit) -> bool:
    """Must somebody else agree to a draft? In a sandbox nobody need, nor where the account said so."""
    return visit.membership.live and visit.settings.policy_second_person


async def _page(visit: Visit, status: int = 200, fault: str = "", at: str = "") -> Response:
    async with visit.connection() as connection:
        found = await list_policies(connection, visit.account_id)
        in_force = await policy_in_force(connection, visit.account_id)
    actors = [who for one in found for who in (one.drafted_by, one.decided_by)]
    return visit.page(
        "policies.html",
        status,
        policies=[_shown(one, in_force.policy, visit.actor) for one in found],
        in_force=in_force,
        people=await called(visit.plumbing, actors),
        needs_another=needs_another(visit),
        local_now=now().astimezone(zone(visit.operator.time_zone)).strftime("%Y-%m-%dT%H:%M"),
        states=PolicyState,
        fault=fault,
        at=at,
    )


def _shown(one: StoredPolicy, in_force: DefaultPolicy, actor: str) -> ShownPolicy:
    holds = dict(leaves(in_force.effective().model_dump(mode="json")))
    wanted = leaves(one.policy.effective().model_dump(mode="json"))
    lines = [Line(pointer, value, holds.get(pointer)) for pointer, value in wanted]
    chosen = set(one.policy.pointers())
    shown = [line for line in lines if line.pointer in chosen or line.changes]
    return ShownPolicy(one, shown, one.drafted_by == actor)


def _moment(visit: Visit) -> datetime | None:
    """The moment of the form's field, in the zone of whoever agrees."""
    try:
        local = datetime.strptime(visit.form.text("effective_from", 20), "%Y-%m-%dT%H:%M")  # noqa: DTZ007 - a zone follows
    except ValueError:
        return None
    return local.replace(tzinfo=zone(visit.operator.time_zone)) if 2000 <= local.year < 2200 else None


screens: Final = (
    Screen("GET", PATH, show_policies, Role.ADMIN),
    Screen("POST", "/dashboard/lab/draft", post_draft, Role.ADMIN),
    Screen("POST", PATH + "/{policy_id}/agree", post_agreement, Role.ADMIN),
    Screen("POST", PATH + "/{policy_id}/withdraw", post_withdrawal, Role.ADMIN),
)
