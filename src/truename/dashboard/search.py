"""The search field of every page: leads straight to what an id names."""

from typing import Final

from starlette.responses import Response

from truename.dashboard.customers import PATH as CUSTOMERS
from truename.dashboard.customers import customer_of
from truename.dashboard.guard import Screen
from truename.dashboard.visit import Visit
from truename.operators.model import Role
from truename.plumbing.http.queries import uuid_of

TRANSACTIONS: Final = "/dashboard/transactions"
LONGEST: Final = 255


async def find(visit: Visit) -> Response:
    """A transaction's or customer's id, or the integrator's own identifier of a customer."""
    text = visit.request.query_params.get("q", "").strip()[:LONGEST]
    if (identity := uuid_of(text)) is not None:
        async with visit.connection() as connection:
            cursor = await connection.execute(
                "SELECT 1 FROM transactions WHERE account_id = %s AND transaction_id = %s", (visit.account_id, identity)
            )
            if await cursor.fetchone() is not None:
                return visit.redirect(f"{TRANSACTIONS}/{identity}")
    customer_id = await customer_of(visit, text) if text else None
    if customer_id is not None:
        return visit.redirect(f"{CUSTOMERS}/{customer_id}")
    return visit.page("search.html", 404 if text else 200, text=text)


screens: Final = (Screen("GET", "/dashboard/search", find, Role.VIEWER),)
