"""Every screen of the dashboard, and the files it loads."""

from typing import Final

from starlette.routing import BaseRoute, Route

from truename.dashboard import (
    assets,
    audit,
    blocklist,
    credentials,
    customers,
    developers,
    live,
    me,
    media,
    scenarios,
    search,
    settings,
    sign_in,
    webhook_events,
)
from truename.dashboard.case import screens as case
from truename.dashboard.guard import AnyScreen
from truename.dashboard.guard import routes as guarded
from truename.dashboard.lab import drafts
from truename.dashboard.lab import screens as lab
from truename.dashboard.listing import bulk
from truename.dashboard.listing import screens as listing
from truename.dashboard.numbers import screens as numbers
from truename.dashboard.review import screens as review

SCREENS: Final[tuple[AnyScreen, ...]] = (
    *sign_in.screens,
    *numbers.screens,
    *me.screens,
    *media.screens,
    *live.screens,
    *listing.screens,
    *bulk.screens,
    *case.screens,
    *review.screens,
    *lab.screens,
    *drafts.screens,
    *search.screens,
    *customers.screens,
    *blocklist.screens,
    *audit.screens,
    *developers.screens,
    *webhook_events.screens,
    *scenarios.screens,
    *credentials.screens,
    *settings.screens,
)
"""THE LIST: a test drives every route of it with every role, and from another account."""

routes: Final[tuple[BaseRoute, ...]] = (
    Route("/dashboard/static/{release}/{name}", assets.file, methods=["GET"]),
    *guarded(SCREENS),
)
