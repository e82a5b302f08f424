"""The account's blocklist of faces: who is on it and why, a customer's face put on it, an entry taken off it."""

from datetime import timedelta
from typing import Final

from pydantic import ValidationError
from starlette.responses import Response

from truename.audit.model import Action
from truename.audit.record import record
from truename.dashboard.guard import Screen
from truename.dashboard.people import called
from truename.dashboard.visit import Notice, Visit
from truename.face_search.blocklist import NewEntry, add_entry, list_entries, remove_entry
from truename.face_search.model import NewListing
from truename.face_search.take_face import NoUsableFace, face_of_customer
from truename.operators.model import Role
from truename.plumbing.clock import now
from truename.plumbing.errors import Invalid, WrongState
from truename.plumbing.http.queries import Query, path_id

PATH: Final = "/dashboard/blocklist"
PAGE: Final = 50


async def show_blocklist(visit: Visit) -> Response:
    """The list, newest first; the reading is written down, because reasons tell of people."""
    query = Query(visit.request, ("before",))
    before = query.identifier("before")
    query.refuse_faults()
    own = visit.account_id
    async with visit.connection() as connection:
        found = await list_entries(connection, visit.plumbing.vault, own, before=before, limit=PAGE + 1)
        await record(
            connection,
            own,
            actor=visit.actor,
            action=Action.BLOCKLIST_LISTED,
            subject=f"account:{own}",
            details={"count": min(PAGE, len(found))},
        )
    return visit.page(
        "blocklist.html",
        entries=found[:PAGE],
        more=found[PAGE - 1].entry_id if len(found) > PAGE else None,
        before=before,
        people=await called(visit.plumbing, [one.added_by for one in found]),
    )


async def post_customer(visit: Visit) -> Response:
    """Put the face of a customer on the list, with the reason, once the last characters of the id were typed."""
    customer_id = path_id(visit.request, "customer_id")
    if visit.form.text("confirm", 4).lower() != str(customer_id)[-4:]:
        raise Invalid(
            detail="These are not the last four characters of the customer's id. No face was put on the list."
        )
    days = visit.form.text("valid_days", 5)
    sent: dict[str, object] = {"reason": visit.form.text("reason")}
    if days:
        sent["valid_days"] = int(days) if days.isascii() and days.isdigit() else 0
    try:
        new = NewListing.model_validate(sent)
    except ValidationError:
        words = "Say why, in 1 to 500 characters; the days, if any, are a number from 1 to 36500."
        raise Invalid(detail=words) from None
    try:
        taken = await face_of_customer(visit.plumbing, visit.account_id, customer_id)
    except NoUsableFace:
        words = "No face of this customer is kept that could be searched for."
        raise WrongState(words, code="no_usable_face") from None
    end = now() + timedelta(days=new.valid_days) if new.valid_days is not None else None
    entry = NewEntry(taken.template, taken.picture, new.reason, end, customer_id)
    async with visit.connection() as connection:
        await add_entry(connection, visit.plumbing.vault, visit.account_id, entry, actor=visit.actor)
    return visit.redirect(PATH, Notice.FACE_LISTED)


async def post_removal(visit: Visit) -> Response:
    """Take a face off the list."""
    entry_id = path_id(visit.request, "entry_id")
    async with visit.connection() as connection:
        await remove_entry(connection, visit.account_id, entry_id, actor=visit.actor)
    return visit.redirect(PATH, Notice.FACE_REMOVED)


screens: Final = (
    Screen("GET", PATH, show_blocklist, Role.ADMIN),
    Screen("POST", "/dashboard/customers/{customer_id}/blocklist", post_customer, Role.ADMIN),
    Screen("POST", PATH + "/{entry_id}/remove", post_removal, Role.ADMIN),
)
