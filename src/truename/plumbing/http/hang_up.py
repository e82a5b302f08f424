"""Work that nobody waits for any more is broken off."""

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

from starlette.requests import Request

from truename.plumbing.errors import Invalid
from truename.plumbing.http.turns import aside
from truename.rules.faults import Fault

Done = TypeVar("Done")


async def unless_hung_up(request: Request, work: Coroutine[object, None, Done]) -> Done:
    """Do the long work, whose request was read to its end; cancel it when the client hangs up meanwhile.

    Others of the same caller have their turns meanwhile.
    Only for work that leaves nothing behind when it is cancelled. Raises Invalid, which nobody will read.
    """
    working = asyncio.ensure_future(work)
    watching = asyncio.ensure_future(_hung_up(request))
    try:
        async with aside(request):
            await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise Invalid([Fault("", "body_incomplete", "The connection ended before the answer.")])
    finally:
        watching.cancel()
        if not working.done():
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)  # nobody asks what became of it


async def _hung_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
