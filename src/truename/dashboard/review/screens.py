"""The screens of a reviewer: take the next case, answer blind, see the rest, decide, take back."""

from typing import Final

from starlette.responses import Response

from truename.audit.model import Action, Entry
from truename.audit.reads import record_reading
from truename.dashboard.guard import Screen
from truename.dashboard.people import called
from truename.dashboard.review.act import (
    PATH,
    answer_question,
    decide_case,
    next_case,
    release_case,
    renew_case,
    take_back,
    take_case,
    take_over_case,
)
from truename.dashboard.review.numbers import show_numbers
from truename.dashboard.review.page import review_page
from truename.dashboard.visit import Visit
from truename.operators.model import Role
from truename.plumbing.http.queries import path_id
from truename.reviews import queue
from truename.reviews.decide import held_by
from truename.reviews.model import COUNTED_TO

SHOWN: Final = 20
"""So many of the longest waiting are listed."""


async def show_queue(visit: Visit) -> Response:
    """What waits, who has what, and my decisions that can still be taken back."""
    async with visit.connection() as connection:
        found = await queue.waiting(connection, visit.account_id, samples=True)
        held = await held_by(connection, visit.account_id, visit.actor)
        rows = await queue.longest_waiting(connection, visit.account_id, SHOWN)
    about, counted = f"account:{visit.account_id}", {"count": len(rows)}
    listed = Entry(visit.account_id, visit.actor, Action.TRANSACTIONS_LISTED, about, counted)
    await record_reading(visit.plumbing.database, listed)
    return visit.page(
        "review_queue.html",
        waiting=found,
        counted_to=COUNTED_TO,
        held=held,
        rows=rows,
        who=await called(visit.plumbing, [row.lease.holder if row.lease else None for row in rows]),
        none_left=visit.request.query_params.get("none") == "1",
    )


async def show_review(visit: Visit) -> Response:
    """One case."""
    return await review_page(visit, path_id(visit.request, "transaction_id"))


ONE: Final = PATH + "/{transaction_id}"
screens: Final = (
    Screen("GET", PATH, show_queue, Role.REVIEWER),
    Screen("POST", PATH + "/next", next_case, Role.REVIEWER),
    Screen("GET", PATH + "/numbers", show_numbers, Role.REVIEWER),
    Screen("GET", ONE, show_review, Role.REVIEWER),
    Screen("POST", ONE + "/take", take_case, Role.REVIEWER),
    Screen("POST", ONE + "/take-over", take_over_case, Role.ADMIN),
    Screen("POST", ONE + "/renew", renew_case, Role.REVIEWER),
    Screen("POST", ONE + "/release", release_case, Role.REVIEWER),
    Screen("POST", ONE + "/answer", answer_question, Role.REVIEWER),
    Screen("POST", ONE + "/decide", decide_case, Role.REVIEWER),
    Screen("POST", ONE + "/undo", take_back, Role.REVIEWER),
)
