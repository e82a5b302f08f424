"""The lab: sliders answered from a sample, and a run over everything with its progress."""

import asyncio
from datetime import timedelta
from typing import Final

from starlette.responses import Response

from truename.audit.model import Action as Act
from truename.audit.model import Entry
from truename.audit.record import write
from truename.backtest.jobs import ask, read_backtest, refuse_too_many
from truename.backtest.model import OtherConfig, ShownBacktestResult, shown_result
from truename.backtest.policy import Mode, OtherPolicy
from truename.backtest.sample import Sample, samples
from truename.backtest.stored import Range
from truename.dashboard.guard import Screen
from truename.dashboard.lab.form import ACTIONS, CHOICE_WORDS, RANGES, SLIDERS, BadConfig, Moved, moved, pasted
from truename.dashboard.lab.hours import ReviewerHours, reviewer_hours
from truename.dashboard.listing.screens import today, zone_of
from truename.dashboard.visit import Visit
from truename.operators.model import Role
from truename.plumbing.http.queries import path_id
from truename.rules.config import Config
from truename.rules.strangers import in_strangers
from truename.statistics.read import bounds

PATH: Final = "/dashboard/lab"
SHOWN_FLIPS: Final = 50
UNCHANGED: Final = OtherPolicy(Config(), Mode.CHANGE)
"""No field is set in it: every transaction keeps its own config."""


async def show_lab(visit: Visit) -> Response:
    """The sliders, and what they would have done with the sample."""
    state = moved(dict(visit.request.query_params))
    return await _page(visit, state, state.policy() if state.changes else None)


async def show_sample(visit: Visit) -> Response:
    """Only the answer, while somebody drags."""
    state = moved(dict(visit.request.query_params))
    sample = await _sample(visit, state)
    values = await _judged(visit, sample, state, state.policy() if state.changes else None)
    return visit.part("lab_result.html", 200, **values)


async def try_pasted(visit: Visit) -> Response:
    """The same with a config that was pasted."""
    state = moved({"days": visit.form.text("days", 4)})
    text, mode = visit.form.text("config", 100_000), visit.form.text("mode", 10)
    try:
        policy = pasted(text, mode)
    except BadConfig as bad:
        return await _page(visit, state, None, pasted_text=text, faults=bad.faults, status=400)
    return await _page(visit, state, policy, pasted_text=text)


async def start_run(visit: Visit) -> Response:
    """Judge the whole range: at once where it is small, otherwise by a job."""
    state = moved({name: values[0] for name, values in visit.form.fields.items() if values})
    text = visit.form.text("config", 100_000)
    try:
        policy = pasted(text, visit.form.text("mode", 10)) if text else state.policy()
    except BadConfig as bad:
        return await _page(visit, state, None, pasted_text=text, faults=bad.faults, status=400)
    await refuse_too_many(visit.plumbing, visit.account_id)
    said: dict[str, object] = policy.config.model_dump(mode="json", exclude_unset=True)
    async with visit.connection() as connection:
        asked = await ask(connection, visit.plumbing, _range(visit, state), policy, said)
        subject, details = f"backtest:{asked.shown.backtest_id}", {"count": asked.shown.total}
        write(connection, Entry(visit.account_id, visit.actor, Act.POLICY_BACKTESTED, subject, details))
    return visit.redirect(f"{PATH}/run/{asked.shown.backtest_id}")


async def show_run(visit: Visit) -> Response:
    """One run: how far it is, and its result once it is done."""
    backtest_id = path_id(visit.request, "backtest_id")
    found = await read_backtest(visit.plumbing, visit.account_id, backtest_id)
    hours = await _hours(visit, found.result)
    values: dict[str, object] = {"run": found, "most": SHOWN_FLIPS, "lines": _lines(found.config), "hours": hours}
    part = visit.request.headers.get("hx-request") == "true"
    return visit.part("lab_progress.html", 200, **values) if part else visit.page("lab_run.html", 200, **values)


async def _page(
    visit: Visit,
    state: Moved,
    policy: OtherPolicy | None,
    *,
    pasted_text: str = "",
    faults: list[str] | None = None,
    status: int = 200,
) -> Response:
    sample = await _sample(visit, state)
    unchanged = await asyncio.to_thread(sample.judge, UNCHANGED)
    flips = unchanged.decisions.to_approved + unchanged.decisions.to_rejected
    return visit.page(
        "lab.html",
        status,
        ranges=RANGES,
        actions=ACTIONS,
        strangers=in_strangers,
        self_check=flips,
        sampled=unchanged.decisions.judged + unchanged.reviewed.judged,
        pasted_text=pasted_text,
        faults=faults or [],
        **await _judged(visit, sample, state, policy),
    )


async def _judged(visit: Visit, sample: Sample, state: Moved, policy: OtherPolicy | None) -> dict[str, object]:
    """The answer of the sample, and the button that runs this very policy on all."""
    result = None if policy is None else shown_result(await asyncio.to_thread(sample.judge, policy))
    return {
        "result": result,
        "hours": await _hours(visit, result),
        "most": SHOWN_FLIPS,
        "of_sample": True,
        "state": state,
        "sliders": SLIDERS,
        "choices": CHOICE_WORDS,
        "total": sample.total,
    }


async def _hours(visit: Visit, result: ShownBacktestResult | None) -> ReviewerHours | None:
    """None where no rejection waits for a person."""
    if not visit.settings.manual_review:
        return None
    async with visit.connection() as connection:
        return await reviewer_hours(connection, visit.account_id, result)


async def _sample(visit: Visit, state: Moved) -> Sample:
    return await samples(visit.plumbing).get(_range(visit, state))


def _range(visit: Visit, state: Moved) -> Range:
    last = today(visit)
    since, until = bounds(last - timedelta(days=int(state.days) - 1), last, zone_of(visit))
    return Range(visit.account_id, since, until, None)


def _lines(config: dict[str, object]) -> list[tuple[str, object]]:
    """What a run changed, one line for each field."""
    lines: list[tuple[str, object]] = []
    for name, part in OtherConfig.model_validate(config).model_dump(mode="json", exclude_unset=True).items():
        if isinstance(part, dict):
            lines += [(f"/{name}/{inner}", value) for inner, value in part.items()]
        else:
            lines.append((f"/{name}", part))
    return lines


screens: Final = (
    Screen("GET", PATH, show_lab, Role.ADMIN),
    Screen("GET", PATH + "/sample", show_sample, Role.ADMIN),
    Screen("POST", PATH + "/try", try_pasted, Role.ADMIN),
    Screen("POST", PATH + "/run", start_run, Role.ADMIN),
    Screen("GET", PATH + "/run/{backtest_id}", show_run, Role.ADMIN),
)
