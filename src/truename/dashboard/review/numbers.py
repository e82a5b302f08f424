"""The numbers about reviews: are approvals right, do people agree, does the engine pull them; each person's own."""

from datetime import timedelta
from typing import Final

from starlette.responses import Response

from truename.dashboard.people import called
from truename.dashboard.visit import Visit
from truename.dashboard.words import per_cent
from truename.operators.model import Role
from truename.plumbing.clock import now
from truename.reviews.agreement import FEWEST_CASES, FEWEST_PAIRS, Share
from truename.reviews.numbers import read_numbers

RANGES: Final = {"30": "30 days", "90": "90 days", "365": "a year"}


async def show_numbers(visit: Visit) -> Response:
    """The account's numbers, and per person one's own; an admin sees everybody's."""
    chosen = visit.request.query_params.get("days", "90")
    chosen = chosen if chosen in RANGES else "90"
    async with visit.connection() as connection:
        numbers = await read_numbers(connection, visit.account_id, now() - timedelta(days=int(chosen)))
    shown = [one for one in numbers.people if one.reviewer == visit.actor or visit.may(Role.ADMIN)]
    return visit.page(
        "review_numbers.html",
        numbers=numbers,
        people=shown,
        who=await called(visit.plumbing, [one.reviewer for one in shown]),
        ranges=RANGES,
        chosen=chosen,
        fewest=FEWEST_CASES,
        fewest_pairs=FEWEST_PAIRS,
        in_words=share_words,
    )


def share_words(share: Share) -> str:
    """A share with its count and interval: 4 %, 3 of 75 (1 to 11 %)."""
    if share.value is None:
        return "none yet"
    low, high = share.interval
    return f"{per_cent(share.value)} %, {share.part:,} of {share.whole:,} ({per_cent(low)} to {per_cent(high)} %)"
