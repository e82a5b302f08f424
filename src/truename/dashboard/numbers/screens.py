"""Home: one page, from the sums; and the part of it that compares groups and scores."""

from datetime import timedelta
from typing import Final

from starlette.responses import Response

from truename.dashboard.guard import Screen
from truename.dashboard.listing.screens import today, zone_of
from truename.dashboard.numbers import bars, groups, plots, queue_plots
from truename.dashboard.numbers.health import read_health
from truename.dashboard.numbers.range import PRESETS, Days, days_of
from truename.dashboard.visit import Visit
from truename.dashboard.words import per_cent
from truename.operators.model import Role
from truename.reviews.model import COUNTED_TO
from truename.reviews.queue import waiting
from truename.statistics.model import Day, Measure, Numbers, Step, usual
from truename.statistics.read import last_days, read_groups, read_numbers, read_scores, read_totals
from truename.transactions.default_policy import policy_in_force

USUAL_DAYS: Final = 29
"""The days before yesterday that say what is usual."""
DRIFT_DAYS: Final = 7
DRIFT_BEFORE: Final = 90


async def show_home(visit: Visit) -> Response:
    """What needs a person, what is broken, how yesterday was, and plots over the range that was chosen."""
    this_day, zone = today(visit), zone_of(visit)
    days = days_of(visit.request.query_params, this_day)
    async with visit.connection() as connection:
        own = connection, visit.account_id
        queue = await waiting(*own)
        ages = await queue_plots.read_ages(*own) if queue.count else {}
        health = await read_health(*own)
        month_begins = this_day - timedelta(days=USUAL_DAYS)
        # Where the range ends today one reading serves both; the habit is always that of the last month.
        widest = min(days.first, month_begins) if days.last == this_day else days.first
        numbers = await read_numbers(*own, widest, days.last, zone)
        past = await read_totals(*own, Measure.ISSUE, *days.before, zone)
        month = numbers
        if days.last != this_day:
            month = await read_numbers(*own, month_begins, this_day, zone)
        elif widest != days.first:
            numbers = await read_numbers(*own, days.first, days.last, zone)
    month = last_days(month, USUAL_DAYS + 1)
    stop_title, stops = bars.stops(numbers, days.first, days.last)
    issue_title, issues = bars.issues(numbers, past, days.first, days.last)
    age_title, age_rows = queue_plots.ages(ages)
    flow_days = queue_plots.queue_days(numbers)
    return visit.page(
        "home.html",
        queue=queue,
        counted_to=COUNTED_TO,
        health=health,
        numbers=numbers,
        presets=PRESETS,
        days=days,
        this_day=this_day,
        yesterday=month.days[-2],
        usual_started=_band([float(day.started) for day in month.days[:-2] if day.started]),
        usual_approved=_percents([day.approval_share for day in month.days[:-2] if day.approval_share is not None]),
        usual_p95=_usual_p95(month),
        today_p95=month.daily_times[this_day][0].p95 if this_day in month.daily_times else None,
        percent=plots.percent,
        decisions=plots.decisions(numbers, this_day),
        approval=plots.approval(numbers),
        times_plot=plots.times(numbers),
        stop_title=stop_title,
        stops=stops,
        issue_title=issue_title,
        issues=issues,
        age_title=age_title,
        ages=age_rows,
        flow=queue_plots.flow(flow_days, this_day),
        flow_days=flow_days,
        unfinished=plots.unfinished,
        link_of=plots.link_of,
        decided_on=plots.decided_on,
        empty=not numbers.started and not numbers.ended and not queue.count,
    )


async def show_groups(visit: Visit) -> Response:
    """For whom it is worse, where which devices stop, and whether scores drift."""
    this_day, zone = today(visit), zone_of(visit)
    days = days_of(visit.request.query_params, this_day)
    week_begins = this_day - timedelta(days=DRIFT_DAYS - 1)
    async with visit.connection() as connection:
        own = connection, visit.account_id
        found = await read_groups(*own, days.first, days.last, zone)
        week = await read_scores(*own, week_begins, this_day, zone)
        long_ago = week_begins - timedelta(days=DRIFT_BEFORE), week_begins - timedelta(days=1)
        before = await read_scores(*own, *long_ago, zone)
        in_force = await policy_in_force(*own)
    known = groups.known_groups(visit.plumbing.vault, visit.account_id)
    threshold = in_force.policy.effective().biometric_policy.face_comparison_min_score
    values: dict[str, object] = {
        "days": days,
        "fairness": groups.fairness(found, known, days),
        "fewest": groups.FEWEST,
        "stops": groups.stops_by_device(found, known, days),
        "steps": [step for step in Step if step is not Step.LINK],
        "drift": groups.drift(week, before, threshold, Days(week_begins, this_day, None)),
        "week": sum(week),
        "before": sum(before),
    }
    part = visit.request.headers.get("hx-request") == "true"
    return visit.part("groups_part.html", **values) if part else visit.page("groups.html", **values)


def _band(values: list[float]) -> str | None:
    band = usual(values)
    return None if band is None else f"{band[0]:,.0f}–{band[1]:,.0f}"


def _percents(shares: list[float]) -> str | None:
    band = usual(shares)
    return None if band is None else f"{per_cent(band[0])}–{per_cent(band[1])} %"


def _usual_p95(month: Numbers) -> str | None:
    days: tuple[Day, ...] = month.days[:-1]
    found = [month.daily_times[day.day][0].p95 for day in days if day.day in month.daily_times]
    band = usual([p95 for p95 in found if p95 is not None])
    return None if band is None else f"{band[0]:.1f}–{band[1]:.1f} s"


screens: Final = (
    Screen("GET", "/dashboard", show_home, Role.VIEWER),
    Screen("GET", "/dashboard/groups", show_groups, Role.VIEWER),
)
