"""Home: one page, from the sums."""

from datetime import timedelta
from typing import Final

from starlette.responses import Response

from truename.dashboard.guard import Screen
from truename.dashboard.listing.screens import today, zone_of
from truename.dashboard.numbers import plots
from truename.dashboard.numbers.health import read_health
from truename.dashboard.visit import Visit
from truename.operators.model import Role
from truename.reviews.model import COUNTED_TO
from truename.reviews.queue import waiting
from truename.statistics.model import Day, Numbers, usual
from truename.statistics.read import last_days, read_issues, read_numbers

RANGES: Final = {"7": "7 days", "30": "30 days", "90": "90 days"}
USUAL_DAYS: Final = 29
"""The days before yesterday that say what is usual."""


async def show_home(visit: Visit) -> Response:
    """What needs a person, what is broken, how yesterday was, and plots over the range that was chosen."""
    chosen = visit.request.query_params.get("days", "30")
    chosen = chosen if chosen in RANGES else "30"
    last, zone = today(visit), zone_of(visit)
    first = last - timedelta(days=int(chosen) - 1)
    before = first - timedelta(days=int(chosen)), first - timedelta(days=1)
    async with visit.connection() as connection:
        own = connection, visit.account_id
        queue = await waiting(*own)
        health = await read_health(*own)
        numbers = await read_numbers(*own, first, last, zone)
        past = await read_issues(*own, *before, zone)
        month = numbers
        if len(numbers.days) < USUAL_DAYS:
            month = await read_numbers(*own, last - timedelta(days=USUAL_DAYS), last, zone)
    month = last_days(month, USUAL_DAYS + 1)
    stop_title, stops = plots.stops(numbers, first, last)
    issue_title, issues = plots.issues(numbers, past, first, last)
    return visit.page(
        "home.html",
        queue=queue,
        counted_to=COUNTED_TO,
        health=health,
        numbers=numbers,
        ranges=RANGES,
        chosen=chosen,
        first=first,
        last=last,
        yesterday=month.days[-2],
        usual_started=_band([float(day.started) for day in month.days[:-2] if day.started]),
        usual_approved=_percents([day.approval_share for day in month.days[:-2] if day.approval_share is not None]),
        usual_p95=_usual_p95(month),
        today_p95=month.daily_times[last][0].p95 if last in month.daily_times else None,
        percent=plots.percent,
        decisions=plots.decisions(numbers, last),
        approval=plots.approval(numbers),
        times_plot=plots.times(numbers),
        stop_title=stop_title,
        stops=stops,
        issue_title=issue_title,
        issues=issues,
        unfinished=plots.unfinished,
        empty=not numbers.started and not numbers.ended and not queue.count,
    )


def _band(values: list[float]) -> str | None:
    band = usual(values)
    return None if band is None else f"{band[0]:,.0f}–{band[1]:,.0f}"


def _percents(shares: list[float]) -> str | None:
    band = usual(shares)
    return None if band is None else f"{100 * band[0]:.0f}–{100 * band[1]:.0f} %"


def _usual_p95(month: Numbers) -> str | None:
    days: tuple[Day, ...] = month.days[:-1]
    found = [month.daily_times[day.day][0].p95 for day in days if day.day in month.daily_times]
    band = usual([p95 for p95 in found if p95 is not None])
    return None if band is None else f"{band[0]:.1f}–{band[1]:.1f} s"


screens: Final = (Screen("GET", "/dashboard", show_home, Role.VIEWER),)
