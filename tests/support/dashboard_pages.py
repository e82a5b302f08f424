"""Every page of the dashboard that has an address of its own."""

from uuid import UUID

from truename.dashboard.guard import Screen
from truename.dashboard.routes import SCREENS

PARTS = ("/lab/sample",)
"""Answers that are put into a page and are none."""
FILES = (".csv", ".svg")


def every_page(customer_id: UUID, transaction_id: UUID) -> list[str]:
    """Every page that can be opened by its address, of the list of routes."""
    known = {"{customer_id}": str(customer_id), "{transaction_id}": str(transaction_id)}
    found = ["/dashboard/sign-in"]
    for screen in SCREENS:
        path = screen.path
        for place, value in known.items():
            path = path.replace(place, value)
        plain = isinstance(screen, Screen) and screen.method == "GET" and not screen.by_itself
        if plain and "{" not in path and not path.endswith((*FILES, *PARTS)):
            found.append(path)
    return found
