"""Does the process live, and can it work?"""

import asyncio
from collections.abc import Coroutine
from typing import Final, Literal

import psycopg
import psycopg_pool
from psycopg.errors import ReadOnlySqlTransaction
from starlette.requests import Request
from starlette.responses import Response

from truename.media.store_answers import store_answers
from truename.plumbing.errors import NotReady
from truename.plumbing.http.answers import json_answer
from truename.plumbing.http.bodies import Shown
from truename.plumbing.http.operations import Answer, Operation
from truename.plumbing.resources import Plumbing
from truename.plumbing.storage.objects import StorageUnavailable
from truename.wiring import missing_files

PATIENCE_SECONDS: Final = 3.0
AWAY: Final = (
    TimeoutError,
    OSError,
    psycopg.Error,
    psycopg_pool.PoolTimeout,
    psycopg_pool.PoolClosed,
    StorageUnavailable,
)


unanswered: Final[set[asyncio.Task[None]]] = set()
"""Questions under way: the event loop alone would not keep them."""


class Health(Shown):
    """The process is well."""

    status: Literal["ok"]
    """All is well."""


async def get_health(_: Request) -> Response:
    """Answer that the process lives; it asks nothing else."""
    return json_answer({"status": "ok"})


async def get_readiness(request: Request) -> Response:
    """Answer that it can work; 503 says what fails, each by name: a database, the store, weights or page assets.

    Of files it is asked only whether they are there: their hashes were checked before this process listened, and those
    of weights are checked again by whoever loads them.
    """
    plumbing: Plumbing = request.app.state.plumbing
    asked = [_answers_and_takes(plumbing)]
    if plumbing.keys_database is not None:
        asked.append(_fails("The database of keys does not answer.", plumbing.keys_database.check()))
    asked.append(_store(plumbing))
    failing = [sentence for sentence in await asyncio.gather(*asked) if sentence] + missing_files()[:1]
    if failing:
        raise NotReady(" ".join(failing))
    return json_answer({"status": "ok"})


async def _answers_and_takes(plumbing: Plumbing) -> str | None:
    """That it takes rows is asked only where it had no room for one, because that writes."""
    sentence = await _fails("The database does not answer.", _database(plumbing))
    sentence = sentence or await _fails("The database may only be read.", _may_write(plumbing))
    return sentence or await _fails("The database has no room.", plumbing.database.takes_again())


async def _store(plumbing: Plumbing) -> str | None:
    """That it answers is asked each time; that it takes pictures only where it has refused one, because that writes."""
    sentence = await _fails("The store of pictures does not answer.", store_answers(plumbing))
    return sentence or await _fails("The store of pictures takes no new ones.", plumbing.objects.takes_again())


async def _database(plumbing: Plumbing) -> None:
    async with plumbing.database.system() as connection:
        await connection.execute("SELECT 1 FROM accounts LIMIT 1")


async def _may_write(plumbing: Plumbing) -> None:
    async with plumbing.database.system() as connection:
        cursor = await connection.execute("SELECT current_setting('transaction_read_only') AS only_read")
        row = await cursor.fetchone()
    if row is not None and row["only_read"] == "on":
        raise ReadOnlySqlTransaction


async def _fails(sentence: str, asking: Coroutine[object, object, None]) -> str | None:
    """None, or the sentence where it fails or says nothing in time.

    It is left to end by itself: to take a question back from a server that is frozen takes ten seconds.
    """
    asked = asyncio.create_task(asking)
    unanswered.add(asked)
    asked.add_done_callback(_forget)
    done, _ = await asyncio.wait([asked], timeout=PATIENCE_SECONDS)
    if not done:
        asked.cancel()
        return sentence
    try:
        await asked
    except AWAY:
        return sentence
    return None


def _forget(asked: asyncio.Task[None]) -> None:
    """Nobody asks for its fault any more; without this, somebody complains that nobody did."""
    unanswered.discard(asked)
    if not asked.cancelled():
        asked.exception()


operations: Final = (
    Operation(
        "GET",
        "/healthz",
        get_health,
        summary="Does the process live?",
        tag="Service",
        limited=False,
        answers={200: Answer("It does.", Health, example={"status": "ok"})},
    ),
    Operation(
        "GET",
        "/readyz",
        get_readiness,
        summary="Can it work?",
        tag="Service",
        limited=False,
        answers={
            200: Answer(
                "Database and store answer, and neither has refused what was last written for want of room; weights "
                "and page assets are there.",
                Health,
                example={"status": "ok"},
            )
        },
        refusals=(503,),
    ),
)
