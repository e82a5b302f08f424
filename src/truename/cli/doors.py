"""The whole application: the interface and the capture page, behind one address."""

from fastapi import FastAPI

from truename.api.app import create_app
from truename.capture_page.endpoints import router as capture_page
from truename.plumbing import Plumbing


def application(plumbing: Plumbing) -> FastAPI:
    """What `truename serve` serves."""
    return create_app(plumbing, more=capture_page.routes)
