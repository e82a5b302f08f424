"""What is wrong with an input, fault by fault: where it stands, a stable code, and words that repeat no value."""

import difflib
import re
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any, Final, NamedTuple, get_args

from pydantic import BaseModel, ValidationError, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError
from pydantic_core.core_schema import ErrorType


class Fault(NamedTuple):
    """One thing that is wrong with a request: where, by which code, and in words."""

    pointer: str
    """JSON pointer (RFC 6901)."""
    code: str
    detail: str


OURS: Final[dict[str, tuple[str, str]]] = {
    "missing": ("field_required", "The field is required."),
    "extra_forbidden": ("field_unknown", "There is no such field."),
    "enum": ("value_not_allowed", "The value must be one of: {expected}."),
    "literal_error": ("value_not_allowed", "The value must be one of: {expected}."),
    "string_type": ("not_a_string", "The value must be a string."),
    "string_unicode": ("not_a_string", "The text is not valid Unicode."),
    "string_pattern_mismatch": ("text_malformed", "The text does not have the form that the field asks for."),
    "string_too_short": ("text_too_short", "The text must have at least {min_length} characters."),
    "string_too_long": ("text_too_long", "The text must have at most {max_length} characters."),
    "bool_type": ("not_a_boolean", "The value must be true or false."),
    "int_type": ("not_an_integer", "The value must be a whole number."),
    "int_parsing_size": ("number_out_of_range", "The number is too large."),
    "float_type": ("not_a_number", "The value must be a number."),
    "finite_number": ("not_a_number", "The value must be a finite number."),
    "greater_than_equal": ("number_out_of_range", "The number must be at least {ge}."),
    "less_than_equal": ("number_out_of_range", "The number must be at most {le}."),
    "tuple_type": ("not_an_array", "The value must be an array."),
    "list_type": ("not_an_array", "The value must be an array."),
    "too_short": ("list_too_short", "The list must have at least {min_length} items."),
    "too_long": ("list_too_long", "The list must have at most {max_length} items."),
    "model_type": ("not_an_object", "The value must be an object."),
    "dict_type": ("not_an_object", "The value must be an object."),
}
"""The codes of the library in our words; a custom fault brings its own."""
OTHERWISE: Final = "value_invalid", "The value does not have the form that the field asks for."
"""Whatever else the library may find: its own words could repeat the value."""
_LIBRARY: Final = frozenset(get_args(ErrorType))
_OF_A_TEXT: Final = {"too_short": "string_too_short", "too_long": "string_too_long"}
"""What the library says of any value whose length a validator of ours came before, which it no longer knows as text."""

MOST_FAULTS: Final = 1000
LONGEST_NAME: Final = 128
"""A body of nothing but faults would else be answered by one many times its size, and stop everyone meanwhile."""
MOST_GUESSES: Final = 20
"""So many misspelt names and words are guessed at: the comparison takes its time."""
LETTERS_AND_DIGITS: Final = "^[A-Za-z0-9]+$"
GUESSED: Final = frozenset({"extra_forbidden", "enum", "literal_error"})
"""The faults for which there is something to guess."""


def faults_of(error: ValidationError, model: type[BaseModel] | None = None, under: str = "") -> list[Fault]:
    """Every fault of a validation error; `under` is the pointer of the object that was validated.

    With the model, a misspelt field or word is told which one was probably meant.
    """
    if error.error_count() > MOST_FAULTS:
        return [too_many_faults(under)]
    found = [one for one in error.errors(include_url=False) if not _is_long_enough(one)]
    guesses = count()
    return [
        _fault(one, under, model if one["type"] not in GUESSED or next(guesses) < MOST_GUESSES else None)
        for one in found
    ]


def _is_long_enough(details: ErrorDetails) -> bool:
    """Is it called too short only for its items, each of which is told? The library counts those without a fault."""
    given = details["input"]
    return details["type"] == "too_short" and isinstance(given, list) and len(given) >= details["ctx"]["min_length"]


def with_another(refused: ValidationError, more: PydanticCustomError, given: object) -> ValidationError:
    """The same faults of something, and one more of the whole of it; of too many nothing more is to be told."""
    if refused.error_count() > MOST_FAULTS:
        return refused
    found = [
        InitErrorDetails(
            type=one["type"]
            if one["type"] in _LIBRARY
            else PydanticCustomError(one["type"], "{words}", {"words": one["msg"]}),
            loc=one["loc"],
            input=one["input"],
            ctx=one.get("ctx", {}),
        )
        for one in refused.errors(include_url=False)
    ]
    return ValidationError.from_exception_data(refused.title, [*found, InitErrorDetails(type=more, input=given)])


def at_most(most: int) -> WrapValidator:
    """Validates a list of at most so many items: that it is longer is told beside what is wrong with the first ones.

    The library counts the items without a fault alone, so a list with one was called too long once that was mended.
    """

    def checked(given: object, parse: ValidatorFunctionWrapHandler) -> object:
        if not isinstance(given, (list, tuple)) or len(given) <= most:
            parsed: object = parse(given)
            return parsed
        wrong = PydanticCustomError("list_too_long", "The list must have at most {most} items.", {"most": most})
        try:
            parse(given[:most])
        except ValidationError as refused:
            raise with_another(refused, wrong, given) from None
        raise wrong

    return WrapValidator(checked)


def too_many_faults(under: str = "") -> Fault:
    """Instead of all that is wrong with something of which nothing is right."""
    return Fault(under, "too_many_faults", f"More than {MOST_FAULTS} things are wrong here.")


def pointer_to(parts: Iterable[int | str], under: str = "") -> str:
    """The JSON pointer (RFC 6901) of a place; the name of a field is cut where nobody would name one so long."""
    named = (str(part)[:LONGEST_NAME].replace("~", "~0").replace("/", "~1") for part in parts)
    return under + "".join("/" + part for part in named)


def _fault(details: ErrorDetails, under: str, model: type[BaseModel] | None) -> Fault:
    pointer = pointer_to(details["loc"], under)
    kind = details["type"]
    if isinstance(details["input"], str):
        kind = _OF_A_TEXT.get(kind, kind)
    if kind in OURS:
        code, words = OURS[kind]
        words = re.sub(r"\b1 (character|item)s\b", r"1 \1", words.format_map(details.get("ctx", {})))
    else:
        code, words = OTHERWISE if kind in _LIBRARY else (kind, details["msg"])
    if kind == "string_pattern_mismatch" and details.get("ctx", {}).get("pattern") == LETTERS_AND_DIGITS:
        words = "The text may hold letters A to Z and digits only: no dots, hyphens or spaces."
    elif code == "field_unknown" and model is not None:
        words += did_you_mean(_field_meant(model, details["loc"]))
    elif code == "value_not_allowed" and model is not None and isinstance(details["input"], str):
        words += did_you_mean(nearest(details["input"], re.findall(r"'([^']*)'", details["ctx"]["expected"])))
    return Fault(pointer, code, words)


# ── did you mean …? ────────────────────────────────────────────────────────────────────────────────────────


def did_you_mean(meant: str | None) -> str:
    """Words to add: they name one of our own words, never what was sent."""
    return f" Did you mean {meant}?" if meant else ""


def nearest(text: str, words: Iterable[str]) -> str | None:
    """The word that is most like the text, or None when none is like it; case does not count.

    Where none is, the only one that begins as the text does, or with which it begins: M for MALE, and the other way.
    """
    by_fold = {word.casefold(): word for word in words}
    meant = text[:LONGEST_NAME].casefold()
    found = difflib.get_close_matches(meant, by_fold, n=1, cutoff=0.6)
    if not found and meant:
        found = [word for word in by_fold if word and (word.startswith(meant) or meant.startswith(word))]
    return by_fold[found[0]] if len(found) == 1 else None


def _field_meant(model: type[BaseModel], location: tuple[int | str, ...]) -> str | None:
    """A field of the same object that is spelt alike, or the place where a field of this very name belongs."""
    name, here = str(location[-1]), model
    for part in location[:-1]:
        field = here.model_fields.get(part) if isinstance(part, str) else None
        here = next(_models_in(field.annotation), here) if field else here
    places = [place for place in _places(model) if place.rpartition("/")[2] == name]
    return nearest(name, here.model_fields) or (places[0] if places else None)


def _places(model: type[BaseModel], under: str = "") -> Iterator[str]:
    """The pointers of all fields, in lists too (where every index is written 0)."""
    for name, field in model.model_fields.items():
        yield f"{under}/{name}"
        listed = "tuple" in str(field.annotation) or "list" in str(field.annotation)
        for inner in _models_in(field.annotation):
            yield from _places(inner, f"{under}/{name}/0" if listed else f"{under}/{name}")


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)
