"""Kinds of value that the config, and other bodies that are sent, are made of: how each is checked and described."""

import re
from datetime import date
from typing import Annotated, Final

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from truename.rules.countries import COUNTRIES, country_meant
from truename.rules.evidence import DocumentType
from truename.rules.faults import did_you_mean


def whole_number(value: object) -> object:
    """60.0 counts as 60, because JSON has only one kind of number."""
    return int(value) if type(value) is float and value.is_integer() else value


def _not_null(value: object) -> object:
    if value is None:
        raise PydanticCustomError("null_not_allowed", "The field may be left out, but must not be null.")
    return value


def _country(code: str) -> str:
    if code not in COUNTRIES:
        words = "The country must be an assigned ISO 3166-1 alpha-2 code in upper case."
        raise PydanticCustomError("country_unknown", "{words}", {"words": words + did_you_mean(country_meant(code))})
    return code


_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _past_date(value: object, info: ValidationInfo) -> date:
    """The future is known only to a caller who says what day it is: this code has no clock."""
    if type(value) is date:
        day = value
    elif isinstance(value, str) and _DATE.fullmatch(value):
        try:
            day = date.fromisoformat(value)
        except ValueError:
            raise _not_a_date() from None
    else:
        raise _not_a_date()
    today = info.context.get("today") if info.context else None
    if today is not None and day > today:
        raise PydanticCustomError("date_in_future", "The date must not be in the future.")
    return day


def _not_a_date() -> PydanticCustomError:
    return PydanticCustomError("date_malformed", "The date must be a real day written YYYY-MM-DD.")


class OrLeftOut:
    """A field that may be left out, but not be null, in what an integrator sends."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        shown = handler(schema)
        kept = [kind for kind in shown.get("anyOf", []) if kind != {"type": "null"}]
        return shown if handler.mode == "serialization" or len(kept) != 1 else kept[0]


REAL_DAY: Final = (
    "(([0-9]{3}[1-9]|[0-9]{2}[1-9][0-9]|[0-9][1-9][0-9]{2}|[1-9][0-9]{3})-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])"
    "|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
    "|([0-9]{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)-02-29)"
)
"""YYYY-MM-DD as a regular expression: every day of the years 1 to 9999, and no other."""

_DATE_JSON_SCHEMA: Final[dict[str, object]] = {
    "type": "string",
    "format": "date",
    "pattern": f"^{REAL_DAY}$",
    "x-format": "past-date",
    "examples": ["1990-04-23"],
}
"""That it must not lie in the future cannot be said in JSON Schema: `x-format` says so."""


def without_misleading_defaults(schema: JsonSchemaValue) -> None:
    """A default shown in the schema must be a value that may be sent: a field that is left out is not one."""
    for field in schema.get("properties", {}).values():
        if isinstance(field.get("default"), dict) or (field.get("default", 0) is None and "anyOf" not in field):
            del field["default"]


LEFT_OUT: Final = (OrLeftOut(), BeforeValidator(_not_null))
Score = Annotated[float, Field(ge=0.1, le=1.0, allow_inf_nan=False)]
Age = Annotated[int, Field(ge=0, le=200), BeforeValidator(whole_number)]
CountryCode = Annotated[str, AfterValidator(_country), Field(json_schema_extra={"enum": list(COUNTRIES)})]
SetDocumentType = Annotated[DocumentType, Field(strict=False)]
PastDate = Annotated[date, BeforeValidator(_past_date), WithJsonSchema(_DATE_JSON_SCHEMA)]


class Closed(BaseModel):
    """Base of whatever is sent to us: closed, strict and frozen, so that a misspelt field is a fault."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        use_attribute_docstrings=True,
        json_schema_extra=without_misleading_defaults,
    )
