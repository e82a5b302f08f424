"""The account's settings as people see them: in groups, each field with its words, value, default and last change."""

import types
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from truename.accounts.change import LastChange
from truename.accounts.model import AccountSettings
from truename.dashboard.forms import Form
from truename.plumbing.errors import Invalid

Kind = Literal["yes or no", "number", "choice", "text", "list", "fixed"]


@dataclass(frozen=True)
class Group:
    """Some settings that belong together."""

    name: str
    title: str
    words: str
    fields: tuple[str, ...]


GROUPS: Final = (
    Group(
        "review",
        "Review",
        "What waits for a person, and how people decide.",
        (
            "manual_review",
            "review_blind_first",
            "review_four_eyes",
            "review_hold_seconds",
            "review_quality_percent",
            "suspicious_rule",
        ),
    ),
    Group(
        "search",
        "Face search",
        "Whether a live face is looked for among your other customers and on blocklists.",
        ("face_search",),
    ),
    Group("retention", "Retention", "How long captures are kept.", ("retention_days",)),
    Group(
        "capture",
        "Capture page",
        "What the person who is verified sees.",
        ("capture_origins", "language", "file_upload", "handoff", "privacy_url", "return_url"),
    ),
    Group(
        "access",
        "Access",
        "Who may look, and what is kept of requests.",
        ("require_second_factor", "request_log", "policy_second_person"),
    ),
)
SETS: Final = {
    "suspicious_rule": ("CUSTOMER_SUSPICIOUS",),
    "face_search": (
        "ANOTHER_CUSTOMER_REPEATED_FACE",
        "INTERNAL_FACE_BLACKLIST_MATCH",
        "GLOBAL_FACE_BLACKLIST_MATCH",
    ),
    "manual_review": ("every code whose severity is a rejection",),
}
"""Issue codes that a setting has a say in."""


@dataclass(frozen=True)
class ShownSetting:
    """One setting as the page shows it."""

    name: str
    title: str
    words: str
    kind: Kind
    value: object
    default: object
    choices: tuple[str, ...]
    low: int | None
    high: int | None
    optional: bool
    sets: tuple[str, ...]
    changed: LastChange | None

    @property
    def is_default(self) -> bool:
        return self.value == self.default

    @property
    def text(self) -> str:
        """The value as a field holds it."""
        if self.value is None:
            return ""
        return "\n".join(self.value) if isinstance(self.value, tuple) else str(self.value)


@dataclass(frozen=True)
class ShownGroup:
    """A group with its settings."""

    group: Group
    settings: tuple[ShownSetting, ...]
    last_change: datetime | None


def shown_groups(settings: AccountSettings, changes: dict[str, LastChange]) -> list[ShownGroup]:
    """Every group of settings with their present values."""
    found = []
    for group in GROUPS:
        rows = tuple(_shown(name, settings, changes.get(name)) for name in group.fields)
        found.append(ShownGroup(group, rows, max((one.changed.at for one in rows if one.changed), default=None)))
    return found


def sent_changes(group: Group, form: Form) -> dict[str, object]:
    """What a form of this group chose, ready to be validated; refuses a number that is none."""
    found: dict[str, object] = {}
    for name in group.fields:
        field = AccountSettings.model_fields[name]
        kind, text = _kind(field), form.text(name, 20_000)
        if kind == "yes or no":
            found[name] = form.ticked(name)
        elif kind == "list":
            found[name] = [part for line in text.splitlines() for part in line.replace(",", " ").split()]
        elif kind == "number":
            if text and not (text.isascii() and text.isdigit() and len(text) < 10):
                raise Invalid(detail=f"{_title(name)}: write a whole number.")
            found[name] = int(text) if text else None
        elif kind != "fixed":
            found[name] = text or (None if _is_optional(field) else field.default)
    return found


def _shown(name: str, settings: AccountSettings, changed: LastChange | None) -> ShownSetting:
    field = AccountSettings.model_fields[name]
    bounds = {type(one).__name__: one for one in field.metadata}
    return ShownSetting(
        name,
        _title(name),
        field.description or "",
        _kind(field),
        getattr(settings, name),
        field.default,
        _choices(field),
        getattr(bounds.get("Ge"), "ge", None),
        getattr(bounds.get("Le"), "le", None),
        _is_optional(field),
        SETS.get(name, ()),
        changed,
    )


def _title(name: str) -> str:
    return name.replace("_", " ").replace(" url", " address").capitalize()


def _kind(field: FieldInfo) -> Kind:
    plain = _plain(field)
    if plain is bool:
        return "yes or no"
    if plain is int:
        return "number"
    if get_origin(plain) is Literal:
        return "choice" if len(get_args(plain)) > 1 else "fixed"
    return "list" if get_origin(plain) is tuple else "text"


def _plain(field: FieldInfo) -> object:
    """The type without `| None`."""
    kind: object = field.annotation
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(one for one in get_args(kind) if one is not type(None))
    return kind


def _is_optional(field: FieldInfo) -> bool:
    return type(None) in get_args(field.annotation)


def _choices(field: FieldInfo) -> tuple[str, ...]:
    plain = _plain(field)
    return tuple(get_args(plain)) if get_origin(plain) is Literal else ()
