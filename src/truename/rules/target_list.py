"""The list of documents that are eligible or refused: no longer than there are kinds, and of one mind about each."""

from collections.abc import Sequence
from typing import Final

from pydantic import ValidationError, ValidationInfo, ValidatorFunctionWrapHandler
from pydantic_core import PydanticCustomError

from truename.rules.countries import COUNTRIES
from truename.rules.evidence import DocumentType
from truename.rules.faults import with_another
from truename.rules.json_values import Json

MOST: Final = len(COUNTRIES) * len(DocumentType)
"""Each country with each type once: a longer list says something twice. Every judgement goes through it."""

JSON_SCHEMA: Final[dict[str, Json]] = {
    "maxItems": MOST,
    "x-one-meaning": {"of": ["country", "type"], "in": "allow_expired"},
}


def checked_targets(targets: object, parse: ValidatorFunctionWrapHandler, info: ValidationInfo) -> object:
    """The list as it was parsed; what is wrong with the whole of it is told beside what is wrong with its entries."""
    wrong = _wrong_with(targets, info) if isinstance(targets, (list, tuple)) else None
    try:
        parsed: object = parse(targets)
    except ValidationError as refused:
        raise (refused if wrong is None else with_another(refused, wrong, targets)) from None
    if wrong is not None:
        raise wrong
    return parsed


def _wrong_with(targets: Sequence[object], info: ValidationInfo) -> PydanticCustomError | None:
    """Its length is asked only of what is sent now: configs stored before are read as they are."""
    if info.context is not None and len(targets) > MOST:
        return PydanticCustomError("list_too_long", "The list must have at most {most} items.", {"most": MOST})
    said: dict[tuple[str, str], bool] = {}
    for target in targets:
        country, kind, allowed = _said(target)
        if not (isinstance(country, str) and isinstance(kind, str) and isinstance(allowed, bool)):
            continue  # told of the entry itself
        if said.setdefault((country, kind), allowed) is not allowed:
            return PydanticCustomError(
                "target_documents_contradictory",
                "The same country and type is listed twice with different allow_expired.",
            )
    return None


def _said(target: object) -> tuple[object, object, object]:
    """Country, type and whether it may have expired, as far as they are there: of what was sent, or of a model."""
    if isinstance(target, dict):
        return target.get("country"), target.get("type"), target.get("allow_expired")
    return getattr(target, "country", None), getattr(target, "type", None), getattr(target, "allow_expired", None)
