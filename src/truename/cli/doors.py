"""Every door that speaks HTTP, behind one address: API, SDK side, capture page, demo and dashboard."""

from starlette.applications import Starlette

from truename.api import demo
from truename.api.app import create_app
from truename.capture_page.endpoints import routes as capture_page
from truename.dashboard.routes import routes as dashboard
from truename.plumbing.http.operations import routes
from truename.plumbing.resources import Plumbing


def application(plumbing: Plumbing) -> Starlette:
    """What `truename serve` serves."""
    return create_app(plumbing, [*routes(demo.operations), *capture_page, *dashboard])
