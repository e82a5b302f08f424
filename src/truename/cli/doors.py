"""Every door that speaks HTTP, behind one address: the API, the SDK side, the capture page and the demo."""

from fastapi import FastAPI

from truename.api import demo
from truename.api.app import create_app
from truename.capture import endpoints as capture
from truename.capture_page.endpoints import router as capture_page
from truename.plumbing.http.operations import routes
from truename.plumbing.resources import Plumbing


def application(plumbing: Plumbing) -> FastAPI:
    """What `truename serve` serves."""
    return create_app(plumbing, [*routes(capture.operations), *routes(demo.operations), *capture_page.routes])
