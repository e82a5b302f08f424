"""How the pages call whoever did something: people by their name, programs and the service by what they are."""

from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

from truename.operators.store import names_of
from truename.plumbing.http.queries import uuid_of
from truename.plumbing.resources import Plumbing

HOUSE: Final = {
    "sdk": "the person's device",
    "clock": "the clock",
    "engine": "the engine",
    "truename": "the service",
    "operator": "the command line",
    "retention": "the retention rule",
    "rule:retention": "the retention rule",
    "stranger": "somebody unknown",
}


async def called(plumbing: Plumbing, actors: Iterable[str | None]) -> Mapping[str, str]:
    """A name for each actor of the audit log."""
    wanted = {actor for actor in actors if actor}
    ids: dict[str, UUID] = {}
    for actor in wanted:
        found = uuid_of(actor.removeprefix("operator:")) if actor.startswith("operator:") else None
        if found is not None:
            ids[actor] = found
    names: Mapping[UUID, str] = {}
    if ids:
        async with plumbing.database.system() as connection:
            names = await names_of(connection, list(ids.values()))
    return {actor: names.get(ids[actor], "a former operator") if actor in ids else _other(actor) for actor in wanted}


def _other(actor: str) -> str:
    kind, _, name = actor.partition(":")
    if kind == "client":
        return f"client {name}"
    return HOUSE.get(actor, actor.replace("_", " "))
