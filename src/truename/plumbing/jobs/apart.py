"""Do regular work for many, one after another: what is wrong with one keeps none of the others waiting."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from truename.plumbing.jobs.engine import is_outage

Item = TypeVar("Item")


async def each_apart(items: Iterable[Item], work: Callable[[Item], Awaitable[object]]) -> None:
    """Do it for each; the first fault is raised when all others were tried, an outage at once: it would meet them all.

    Regular work begins anew from the front: one account whose rows were altered would stop it for everybody behind it.
    """
    first: Exception | None = None
    for item in items:
        try:
            await work(item)
        except Exception as fault:
            if is_outage(fault):
                raise
            first = first or fault
    if first is not None:
        raise first
