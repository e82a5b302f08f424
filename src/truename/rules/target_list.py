"""The list of documents that are eligible or refused: no longer than there are kinds, and of one mind about each."""

from typing import Final, Protocol, TypeVar

from pydantic import ValidationInfo
from pydantic_core import PydanticCustomError

from truename.rules.countries import COUNTRIES
from truename.rules.evidence import DocumentType
from truename.rules.json_values import Json

MOST: Final = len(COUNTRIES) * len(DocumentType)
"""Each country with each type once: a longer list says something twice. Every judgement goes through it."""

JSON_SCHEMA: Final[dict[str, Json]] = {
    "maxItems": MOST,
    "x-one-meaning": {"of": ["country", "type"], "in": "allow_expired"},
}


class Target(Protocol):
    """What is asked of an entry."""

    country: str
    type: DocumentType
    allow_expired: bool


AnyTarget = TypeVar("AnyTarget", bound=Target)


def checked_targets(targets: tuple[AnyTarget, ...], info: ValidationInfo) -> tuple[AnyTarget, ...]:
    """The list as it is. Its length is asked only of what is sent now: configs stored before are read as they are."""
    if info.context is not None and len(targets) > MOST:
        raise PydanticCustomError("list_too_long", "The list must have at most {most} items.", {"most": MOST})
    said: dict[tuple[str, DocumentType], bool] = {}
    for target in targets:
        if said.setdefault((target.country, target.type), target.allow_expired) != target.allow_expired:
            raise PydanticCustomError(
                "target_documents_contradictory",
                "The same country and type is listed twice with different allow_expired.",
            )
    return targets
