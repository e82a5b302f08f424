"""The first page: whatever the operator's navigation begins with."""

from typing import Final

from starlette.responses import Response

from truename.dashboard.guard import SECURITY, Screen
from truename.dashboard.navigation import entries_for
from truename.dashboard.visit import Visit, redirect
from truename.operators.model import Role


async def show_home(visit: Visit) -> Response:
    """Go to the first page that this role may open; the notice that waits is shown there."""
    entries = entries_for(visit.role)
    return redirect(visit.plumbing, entries[0].path if entries else SECURITY)


screens: Final = (Screen("GET", "/dashboard", show_home, Role.VIEWER),)
