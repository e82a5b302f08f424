"""Does the process live, and can it work?"""

import asyncio
from typing import Final, Literal

import psycopg
import psycopg_pool
from starlette.requests import Request
from starlette.responses import Response

from truename.plumbing.errors import NotReady
from truename.plumbing.http.answers import json_answer
from truename.plumbing.http.bodies import Shown
from truename.plumbing.http.operations import Answer, Operation
from truename.plumbing.resources import Plumbing
from truename.wiring import missing_files

PATIENCE_SECONDS: Final = 3.0


class Health(Shown):
    """The process is well."""

    status: Literal["ok"]
    """All is well."""


async def get_health(_: Request) -> Response:
    """Answer that the process lives; it asks nothing else."""
    return json_answer({"status": "ok"})


async def get_readiness(request: Request) -> Response:
    """Answer that it can work; 503 says what is missing: a database, weights or page assets."""
    plumbing: Plumbing = request.app.state.plumbing
    try:
        async with asyncio.timeout(PATIENCE_SECONDS), plumbing.database.system() as connection:
            await connection.execute("SELECT 1 FROM accounts LIMIT 1")
    except (TimeoutError, OSError, psycopg.Error, psycopg_pool.PoolTimeout):
        raise NotReady("The database does not answer.") from None
    if plumbing.keys_database is not None:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await plumbing.keys_database.check()
        except (TimeoutError, OSError, psycopg.Error, psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed):
            raise NotReady("The database of keys does not answer.") from None
    if missing := missing_files():
        raise NotReady(missing[0])
    return json_answer({"status": "ok"})


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
                "The database answers, and weights and page assets are there.", Health, example={"status": "ok"}
            )
        },
        refusals=(503,),
    ),
)
