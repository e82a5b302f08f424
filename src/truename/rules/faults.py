"""What is wrong with an input, fault by fault: where it stands, a stable code, and words that repeat no value."""

from typing import Final, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails


class Fault(NamedTuple):
    pointer: str
    """JSON pointer (RFC 6901)."""
    code: str
    detail: str


_OURS: Final[dict[str, tuple[str, str]]] = {
    "missing": ("field_required", "The field is required."),
    "extra_forbidden": ("field_unknown", "There is no such field."),
    "enum": ("value_not_allowed", "The value must be one of: {expected}."),
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
    "model_type": ("not_an_object", "The value must be an object."),
    "dict_type": ("not_an_object", "The value must be an object."),
}
"""The codes of the library in our words; a custom fault brings its own."""


MOST_FAULTS: Final = 1000
LONGEST_NAME: Final = 128
"""A body of nothing but faults would else be answered by one many times its size, and stop everyone meanwhile."""


def faults_of(error: ValidationError, under: str = "") -> list[Fault]:
    """Every fault of a validation error; `under` is the pointer of the object that was validated."""
    if error.error_count() > MOST_FAULTS:
        return [Fault(under, "too_many_faults", f"More than {MOST_FAULTS} things are wrong here.")]
    return [_fault(details, under) for details in error.errors(include_url=False, include_input=False)]


def _fault(details: ErrorDetails, under: str) -> Fault:
    parts = (str(part)[:LONGEST_NAME].replace("~", "~0").replace("/", "~1") for part in details["loc"])
    pointer = under + "".join("/" + part for part in parts)
    code, words = _OURS.get(details["type"], (details["type"], details["msg"]))
    return Fault(
        pointer, code, words.format_map(details["ctx"]) if "ctx" in details and code != details["type"] else words
    )
