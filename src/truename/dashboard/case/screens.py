"""The page of one transaction, its replay and its print."""

from typing import Final
from urllib.parse import urlencode
from uuid import UUID

from starlette.responses import Response

from truename.analysis.replay import NothingToReplay, Replay, replay
from truename.dashboard import policy
from truename.dashboard.case.film import film_of, stored_steps
from truename.dashboard.case.model import Case
from truename.dashboard.case.neighbours import neighbours
from truename.dashboard.case.printing import printed
from truename.dashboard.case.read import read_case
from truename.dashboard.case.ruler import ruler_of
from truename.dashboard.case.shown import marks_of, steps_in_words
from truename.dashboard.documents import country, document_words
from truename.dashboard.guard import Screen
from truename.dashboard.people import called
from truename.dashboard.visit import Notice, Visit
from truename.operators.model import Role
from truename.plumbing.errors import EventNotFound, TransactionNotFound
from truename.plumbing.http.queries import path_id
from truename.reviews.answer import unanswered
from truename.reviews.model import Decided, Lease
from truename.reviews.queue import leases
from truename.reviews.reasons import words_of
from truename.reviews.shown import Seen, record_shown
from truename.transactions.receipt import read_receipt
from truename.webhooks.redeliver import redeliver

PATH: Final = "/dashboard/transactions/{transaction_id}"
OWN: Final = frozenset({"frames", "pictures", "replay", "section"})
"""Parameters of this page; all others are the list's."""
ALL_PARTS: Final = (Seen.FIELDS, Seen.SCORES, Seen.ISSUES, Seen.CHECKS, Seen.DEVICE, Seen.HISTORY)


async def show_case(visit: Visit) -> Response:
    """Everything about one transaction; `?replay=1` judges the stored evidence again, which changes nothing.

    Whoever has the case in hand and has not answered yet is led to the question: they would see the answer here.
    """
    transaction_id = path_id(visit.request, "transaction_id")
    lease = await _lease_of_mine(visit, transaction_id)
    if lease is not None and await _owes_answer(visit, transaction_id):
        return visit.redirect(f"/dashboard/review/{transaction_id}")
    case = await _case(visit)
    if lease is not None and case.is_open:
        await record_shown(visit.plumbing.database, visit.account_id, lease, ALL_PARTS)
    values = await page_values(visit, case)
    values["neighbours"] = await neighbours(visit, case, _list_query(visit))
    if visit.request.query_params.get("replay") == "1":
        values |= {"replayed": True, "replay": await _replayed(visit, transaction_id)}
    return visit.page("case.html", 200, **values)


async def replay_case(visit: Visit) -> Response:
    """Lead to the page that shows the evidence judged again, so that loading it anew sends no form."""
    transaction_id = path_id(visit.request, "transaction_id")
    await _refuse_unknown(visit, transaction_id)
    query = urlencode([*_list_query(visit), ("replay", "1")])
    return visit.redirect(f"/dashboard/transactions/{transaction_id}?{query}#main")


async def _refuse_unknown(visit: Visit, transaction_id: UUID) -> None:
    """Refuse (404) a transaction that this account does not have."""
    async with visit.connection() as connection:
        cursor = await connection.execute(
            "SELECT 1 FROM transactions WHERE account_id = %s AND transaction_id = %s",
            (visit.account_id, transaction_id),
        )
        if await cursor.fetchone() is None:
            raise TransactionNotFound


async def _replayed(visit: Visit, transaction_id: UUID) -> Replay | None:
    try:
        return await replay(visit.plumbing, transaction_id)
    except NothingToReplay:
        return None


async def redeliver_event(visit: Visit) -> Response:
    """Send one of the transaction's webhook events again."""
    transaction_id = path_id(visit.request, "transaction_id")
    event_id = visit.form.text("event_id", 60)
    async with visit.connection() as connection:
        cursor = await connection.execute(
            "SELECT 1 FROM webhook_events WHERE account_id = %s AND transaction_id = %s AND event_id = %s",
            (visit.account_id, transaction_id, event_id),
        )
        if await cursor.fetchone() is None:
            raise EventNotFound
        await redeliver(connection, visit.account_id, event_id, actor=visit.actor)
    return visit.redirect(f"/dashboard/transactions/{transaction_id}#timeline", Notice.REDELIVERED)


async def receipt(visit: Visit) -> Response:
    """The signed receipt of the decision, as a file that `truename receipt verify` checks offline."""
    transaction_id = path_id(visit.request, "transaction_id")
    text = await read_receipt(visit.plumbing, visit.account_id, transaction_id)
    headers = {**policy.HEADERS, "Content-Disposition": f'attachment; filename="receipt-{transaction_id}.jws"'}
    return Response(text, 200, headers, "application/jose")


async def print_case(visit: Visit) -> Response:
    """One case on paper."""
    transaction_id = path_id(visit.request, "transaction_id")
    lease = await _lease_of_mine(visit, transaction_id)
    if lease is not None and await _owes_answer(visit, transaction_id):
        return visit.redirect(f"/dashboard/review/{transaction_id}")
    case = await _case(visit)
    return await printed(visit, case, await page_values(visit, case))


async def _lease_of_mine(visit: Visit, transaction_id: UUID) -> Lease | None:
    async with visit.connection() as connection:
        lease = (await leases(connection, visit.account_id, [transaction_id])).get(transaction_id)
    return lease if lease is not None and lease.holder == visit.actor else None


async def _owes_answer(visit: Visit, transaction_id: UUID) -> bool:
    async with visit.connection() as connection:
        own = visit.account_id, visit.actor, transaction_id, visit.settings
        return bool(await unanswered(connection, *own))


async def _case(visit: Visit) -> Case:
    transaction_id = path_id(visit.request, "transaction_id")
    case = await read_case(visit.plumbing, visit.account_id, transaction_id, actor=visit.actor)
    if case.transaction_id != transaction_id:
        raise TransactionNotFound
    return case


async def page_values(visit: Visit, case: Case) -> dict[str, object]:
    """What the template shows; names of people are looked up once."""
    actors = [moment.by for moment in case.timeline] + [one.reviewer for one in case.opinions]
    actors += [one.reviewer for one in case.answers] + [case.lease.holder if case.lease else None]
    actors += [case.sample.reviewer] if case.sample else []
    query = visit.request.query_params
    return {
        "case": case,
        "who": await called(visit.plumbing, actors),
        "rulers": {one.pair: ruler_of(one.score, one.needed) for one in case.comparisons},
        "document_words": document_words(case.dossier.evidence.document if case.dossier else None),
        "country": country,
        "marks": marks_of(case.dossier) if case.dossier else [],
        "challenge": steps_in_words(case.challenge),
        "frames": film_of(case.frames, stored_steps(case)) if query.get("frames") == "1" else None,
        "list_query": urlencode(_list_query(visit)),
        "reason_words": lambda name, outcome: words_of(name, Decided(outcome)),
        "replayed": False,
        "replay": None,
    }


def _list_query(visit: Visit) -> list[tuple[str, str]]:
    """The query of the list that led here; what this page itself understands is left out."""
    return [(name, value) for name, value in visit.request.query_params.multi_items() if name not in OWN]


screens: Final = (
    Screen("GET", PATH, show_case, Role.VIEWER),
    Screen("POST", PATH + "/replay", replay_case, Role.VIEWER),
    Screen("POST", PATH + "/redeliver", redeliver_event, Role.ADMIN),
    Screen("GET", PATH + "/receipt", receipt, Role.VIEWER),
    Screen("GET", PATH + "/print", print_case, Role.VIEWER),
)
