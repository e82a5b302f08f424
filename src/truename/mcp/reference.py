"""What an assistant looks up without asking the service: issue codes, config fields, whether a config is valid."""

from collections.abc import Iterator
from datetime import date
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from truename.rules.config import Config
from truename.rules.explain import LIMIT_SET_BY
from truename.rules.faults import faults_of, nearest
from truename.rules.issues import IssueCode, Severity

FACTS: Final = ("type", "enum", "const", "minimum", "maximum", "pattern", "format")


class Told(BaseModel):
    """Base of what a tool answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class CodeTold(Told):
    """One issue code."""

    code: str
    group: str
    default_severity: Severity
    severity_set_by: str | None
    limit_set_by: str | None
    applies_to: list[str]
    meaning: str
    extension: bool


class ConfigField(Told):
    """One field of the config."""

    pointer: str
    required: bool
    default: JsonValue
    rules: dict[str, JsonValue]
    meaning: str


class ConfigFault(Told):
    """One fault of a config; the words repeat no value."""

    pointer: str
    code: str
    detail: str


class ConfigChecked(Told):
    """Whether a config would be accepted."""

    valid: bool
    faults: list[ConfigFault]


def issue_codes() -> list[CodeTold]:
    """The whole catalogue."""
    return [told_code(code) for code in IssueCode]


def told_code(code: IssueCode) -> CodeTold:
    """One row of the catalogue."""
    return CodeTold(
        code=code.name,
        group=code.group.value,
        default_severity=code.severity.in_config(Config()),
        severity_set_by=code.severity.policy,
        limit_set_by=LIMIT_SET_BY.get(code),
        applies_to=sorted(kind.value for kind in code.applies_to),
        meaning=code.meaning,
        extension=code.is_extension,
    )


def find_code(name: str) -> IssueCode:
    """The code of that name; raises LookupError with the one that was probably meant."""
    names = [code.name for code in IssueCode]
    if name not in names:
        meant = nearest(name, names)
        raise LookupError("There is no such issue code." + (f" Did you mean {meant}?" if meant else ""))
    return IssueCode[name]


def check_config(config: dict[str, JsonValue], today: date) -> ConfigChecked:
    """Would this config be accepted for a transaction? Every fault at once."""
    try:
        Config.model_validate(config, context={"today": today})
    except ValidationError as error:
        found = faults_of(error, Config)
        faults = [ConfigFault(pointer=one.pointer, code=one.code, detail=one.detail) for one in found]
        return ConfigChecked(valid=False, faults=faults)
    return ConfigChecked(valid=True, faults=[])


def config_fields() -> list[ConfigField]:
    """Every field of the config: where it stands, what it may be, what it is when left out, what it means."""
    schema = Config.model_json_schema()
    return list(_fields(schema, schema.get("$defs", {}), ""))


def _fields(schema: dict[str, Any], named: dict[str, Any], under: str) -> Iterator[ConfigField]:
    for name, found in schema.get("properties", {}).items():
        inner = _resolved(found, named)
        pointer = f"{under}/{name}"
        listed = _resolved(inner["items"], named) if "items" in inner else {}
        if "properties" not in inner:
            yield ConfigField(
                pointer=pointer,
                required=name in schema.get("required", ()),
                default=found.get("default"),
                rules={fact: _short(inner[fact]) for fact in FACTS if fact in inner},
                meaning=" ".join(str(found.get("description") or inner.get("description") or "").split()),
            )
        yield from _fields(inner, named, pointer)
        yield from _fields(listed, named, f"{pointer}/0")


def _resolved(schema: dict[str, Any], named: dict[str, Any]) -> dict[str, Any]:
    """A schema without its reference, and without the null that stands for "left out"."""
    for several in ("anyOf", "allOf"):
        kept = [one for one in schema.get(several, ()) if one != {"type": "null"}]
        if len(kept) == 1:
            return _resolved({**kept[0], **{key: schema[key] for key in ("description",) if key in schema}}, named)
    reference = schema.get("$ref")
    return {**named[reference.rpartition("/")[2]], **schema} if reference else schema


def _short(value: JsonValue) -> JsonValue:
    """Lists of 249 countries help nobody."""
    if isinstance(value, list) and len(value) > 12:
        return f"{len(value)} values, such as {', '.join(str(one) for one in value[:3])}"
    return value
