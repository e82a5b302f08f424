"""Views: a query with a name. Some are shipped; others an operator keeps, privately or for everybody in the account."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from starlette.datastructures import QueryParams

from truename.accounts.model import is_readable_name
from truename.dashboard.listing import store
from truename.dashboard.listing.filters import filters_of
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection

LONGEST_NAME: Final = 60
MOST: Final = 50
"""Views of one operator in one account."""


@dataclass(frozen=True, slots=True)
class View:
    """One view; shipped ones have no id."""

    name: str
    query: str
    view_id: UUID | None = None
    shared: bool = True
    mine: bool = False


SHIPPED: Final = (
    View("Waiting longest", "status=IN_REVIEW&sort=oldest"),
    View("Mine", "holder=me"),
    View("Near the threshold", "within=7d&near=1"),
    View("Rejected today", "status=REJECTED&within=today"),
    View("Stuck > 15 min", "stuck=1"),
    View("Webhook failing", "webhook=failing"),
)


class BadView(ValueError):
    """The view cannot be kept; the message says why."""


async def views(connection: Connection, account_id: UUID, operator_id: UUID) -> list[View]:
    """The shipped ones, the operator's own, and those that others share."""
    own = store.own(account_id, operator_id=operator_id)
    cursor = await connection.execute(store.SAVED, own)
    kept = [
        View(row["name"], row["query"], row["view_id"], row["shared"], row["operator_id"] == operator_id)
        for row in await cursor.fetchall()
    ]
    return [*SHIPPED, *kept]


async def save(
    connection: Connection, account_id: UUID, operator_id: UUID, name: str, query: str, *, shared: bool
) -> None:
    """Keep a view under a name; one of the operator's own of that name is replaced. Raises BadView.

    What was searched for is not kept: it stands for a person.
    """
    if not is_readable_name(name) or len(name) > LONGEST_NAME:
        raise BadView(f"A view needs a name of at most {LONGEST_NAME} characters.")
    filters = filters_of(QueryParams(query))
    if filters.keys:
        raise BadView("A view cannot keep what was searched for: take that filter off first.")
    kept = await views(connection, account_id, operator_id)
    if name not in (own_names := {view.name for view in kept if view.mine}) and len(own_names) >= MOST:
        raise BadView(f"You keep {MOST} views already: delete one first.")
    given = store.own(account_id, view_id=new_id(), operator_id=operator_id, name=name, query=filters.query())
    await connection.execute(store.SAVE, {**given, "shared": shared})


async def forget(connection: Connection, account_id: UUID, operator_id: UUID, view_id: UUID, *, admin: bool) -> bool:
    """Delete a view of one's own, or as an admin anybody's; says whether there was one."""
    given = store.own(account_id, view_id=view_id, operator_id=operator_id, admin=admin)
    return (await connection.execute(store.FORGET, given)).rowcount > 0
