"""Customers: the list, one person with everything that became of it, another status, and erasure."""

from typing import Final
from uuid import UUID

from pydantic import ValidationError
from starlette.responses import Response

from truename.customers.change_status import change_status
from truename.customers.list import COUNTED_TO, find_customer, history_of, list_customers, reference_picture
from truename.customers.model import NewStatus
from truename.customers.read import find_customers, read_customer
from truename.dashboard.guard import Screen
from truename.dashboard.links import read_links
from truename.dashboard.people import called
from truename.dashboard.visit import Notice, Visit
from truename.operators.model import Role
from truename.plumbing.errors import CustomerNotFound, Invalid
from truename.plumbing.http.queries import Query, path_id, uuid_of
from truename.privacy.erase import erase
from truename.reviews.queue import leases
from truename.rules.dossier import CustomerStatus
from truename.transactions.list import Filters, list_transactions

PATH: Final = "/dashboard/customers"
PAGE: Final = 50
TRANSACTIONS: Final = 100


async def show_customers(visit: Visit) -> Response:
    """The list, newest first; or the one customer of an id."""
    query = Query(visit.request, ("status", "before", "q"))
    status, before, wanted = query.word("status", tuple(CustomerStatus)), query.identifier("before"), query.text("q")
    query.refuse_faults()
    if wanted:
        found = await customer_of(visit, wanted.strip())
        if found is not None:
            return visit.redirect(f"{PATH}/{found}")
    listed = await list_customers(
        visit.plumbing,
        visit.caller,
        status=CustomerStatus(status) if status else None,
        before=before,
        limit=PAGE + 1,
    )
    return visit.page(
        "customers.html",
        customers=listed[:PAGE],
        more=listed[PAGE - 1].customer_id if len(listed) > PAGE else None,
        status=status or "",
        before=before,
        wanted=wanted or "",
        statuses=tuple(CustomerStatus),
        counted_to=COUNTED_TO,
    )


async def show_customer(visit: Visit) -> Response:
    """One person; the face only when it is asked for."""
    customer_id = path_id(visit.request, "customer_id")
    async with visit.connection() as connection:
        known = await find_customer(connection, visit.account_id, customer_id)
        if known is None:
            raise CustomerNotFound
        history = await history_of(visit.plumbing, connection, visit.account_id, customer_id)
        face = await reference_picture(connection, visit.account_id, customer_id)
        links = await read_links(connection, visit.account_id, customer_id)
    listed = await list_transactions(visit.plumbing, visit.caller, Filters(customer_id=customer_id, limit=TRANSACTIONS))
    async with visit.connection() as connection:
        held = await leases(connection, visit.account_id, [one.transaction_id for one in listed.data])
    wants_face = visit.request.query_params.get("face") == "1" and face is not None
    return visit.page(
        "customer.html",
        known=known,
        customer=None if known.erased_at else await read_customer(visit.plumbing, visit.caller, customer_id),
        history=history,
        people=await called(
            visit.plumbing, [*(one.actor for one in history), *(lease.holder for lease in held.values())]
        ),
        has_picture=face is not None,
        picture=visit.picture(face) if wants_face and face else None,
        transactions=listed,
        held=held,
        statuses=tuple(CustomerStatus),
        links=links,
    )


async def post_status(visit: Visit) -> Response:
    """Move a customer to another status, with the reason that is kept."""
    customer_id = path_id(visit.request, "customer_id")
    try:
        new = NewStatus.model_validate({"status": visit.form.text("status"), "reason": visit.form.text("reason")})
    except ValidationError:
        raise Invalid(detail="Choose a status and say why, in 1 to 500 characters.") from None
    async with visit.connection() as connection:
        own = visit.account_id, customer_id
        await change_status(connection, visit.plumbing.keys, *own, new.status, actor=visit.actor, reason=new.reason)
    return visit.redirect(f"{PATH}/{customer_id}", Notice.STATUS_CHANGED)


async def show_erasure(visit: Visit) -> Response:
    """Ask once more, and name what will be gone."""
    customer_id = path_id(visit.request, "customer_id")
    async with visit.connection() as connection:
        known = await find_customer(connection, visit.account_id, customer_id)
    if known is None or known.erased_at is not None:
        raise CustomerNotFound
    return visit.page("erase.html", known=known, fault="")


async def post_erasure(visit: Visit) -> Response:
    """Erase the person, once the last characters of the id were typed; answers with the receipt."""
    customer_id = path_id(visit.request, "customer_id")
    async with visit.connection() as connection:
        known = await find_customer(connection, visit.account_id, customer_id)
        if known is None or known.erased_at is not None:
            raise CustomerNotFound
        if visit.form.text("confirm", 4).lower() != str(customer_id)[-4:]:
            words = "These are not the last four characters of the id. Nothing was erased."
            return visit.page("erase.html", 400, known=known, fault=words)
        receipt = await erase(connection, visit.account_id, customer_id, actor=visit.actor)
    return visit.page("erased.html", customer_id=customer_id, receipt=receipt)


async def customer_of(visit: Visit, text: str) -> UUID | None:
    """The customer that an id, or the integrator's own identifier, names."""
    if (identity := uuid_of(text)) is not None:
        async with visit.connection() as connection:
            if await find_customer(connection, visit.account_id, identity) is not None:
                return identity
    if not text or len(text) > 255 or "\x00" in text:
        return None
    found = await find_customers(visit.plumbing, visit.caller, text)
    return found[0].customer_id if found else None


screens: Final = (
    Screen("GET", PATH, show_customers, Role.VIEWER),
    Screen("GET", PATH + "/{customer_id}", show_customer, Role.VIEWER),
    Screen("POST", PATH + "/{customer_id}/status", post_status, Role.ADMIN),
    Screen("GET", PATH + "/{customer_id}/erase", show_erasure, Role.ADMIN),
    Screen("POST", PATH + "/{customer_id}/erase", post_erasure, Role.ADMIN),
)
