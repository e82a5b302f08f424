"""JSON into the dataclasses of answers.py: unknown fields are ignored, since new ones may come with any version."""

import types
import typing
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final, TypeVar, cast

from truename_client.errors import UnexpectedAnswer

T = TypeVar("T")
Decode = Callable[[Any], Any]
ABSENT: Final = object()


def decoded(kind: type[T], value: object) -> T:
    """The value as this type; raises UnexpectedAnswer when it is of another shape."""
    try:
        return cast(T, _decoder(cast(Any, kind))(value))
    except (TypeError, ValueError, KeyError, AttributeError) as fault:
        raise UnexpectedAnswer(f"The answer is no {getattr(kind, '__name__', kind)}: {fault}") from None


def _same(value: Any) -> Any:
    return value


@cache
def _decoder(kind: Any) -> Decode:
    if kind is datetime:
        return datetime.fromisoformat
    if is_dataclass(kind):
        return _of_dataclass(kind)
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is list:
        each = _decoder(parts[0])
        return lambda value: [each(one) for one in _of(list, value)]
    if origin is dict:
        each = _decoder(parts[1])
        return lambda value: {name: each(one) for name, one in _of(dict, value).items()}
    if origin in (types.UnionType, typing.Union):
        return _of_union(parts)
    # Words (Literal) stay text, so that one of a newer service does no harm; bodies that are sent stay dictionaries.
    return _same


def _of(kind: type[T], value: object) -> T:
    if not isinstance(value, kind):
        raise TypeError(f"expected {kind.__name__}, got {type(value).__name__}")
    return value


def _of_dataclass(kind: Any) -> Decode:
    hints = typing.get_type_hints(kind)
    rows = [(field.name, field.metadata.get("json", field.name), hints[field.name]) for field in fields(kind)]

    def decode(value: Any) -> Any:
        given = _of(dict, value)
        found = {name: given.get(written, ABSENT) for name, written, _ in rows}
        return kind(**{name: _decoder(hint)(found[name]) for name, _, hint in rows if found[name] is not ABSENT})

    return decode


def _of_union(parts: tuple[Any, ...]) -> Decode:
    """None, or the first of the types that fits."""
    kinds = [_decoder(part) for part in parts if part is not type(None)]

    def decode(value: Any) -> Any:
        if value is None and type(None) in parts:
            return None
        for each in kinds[:-1]:
            try:
                return each(value)
            except (TypeError, ValueError):
                continue
        return kinds[-1](value)

    return decode
