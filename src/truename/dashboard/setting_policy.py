"""The default policy among the settings: each field with its value, its default, its codes and who changed it when."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from urllib.parse import urlencode

import orjson
from pydantic import JsonValue, ValidationError

from truename.dashboard.forms import Form
from truename.dashboard.lab.form import CHOICE_WORDS, SLIDERS
from truename.plumbing.errors import Invalid
from truename.rules.config import Action, Config
from truename.rules.default_policy import DefaultPolicy
from truename.rules.faults import faults_of
from truename.rules.issues import catalogue
from truename.transactions.config_given import leaves
from truename.transactions.default_policy import PolicyState, StoredPolicy

Kind = Literal["score", "action", "yes or no", "minutes", "documents"]
MATCHED: Final = "/document_policy/document_eligibility"
FACES: Final = (
    "DOCUMENT_VS_LIVENESS_FACE_MISMATCH",
    "LIVENESS_VS_IDENTITY_REF_FACE_MISMATCH",
    "DOCUMENT_VS_IDENTITY_REF_FACE_MISMATCH",
)
CODES: Final[Mapping[str, tuple[str, ...]]] = {
    "/biometric_policy/liveness_min_score": ("LIVENESS_LOW_CONFIDENCE",),
    "/biometric_policy/face_comparison_min_score": FACES,
    "/biometric_policy/require_face_comparison": ("FACE_COMPARISON_DISABLED",),
    MATCHED: ("DOCUMENT_NOT_ELIGIBLE", "EXPIRED_DOCUMENT"),
}
"""Issue codes of fields that the catalogue does not name, because no action of theirs sets a severity."""
TITLES: Final = {
    "/transaction_ttl_minutes": "Minutes to complete the flow",
    "/biometric_policy/liveness_min_score": "Liveness needs at least",
    "/biometric_policy/face_comparison_min_score": "Face comparison needs at least",
    "/biometric_policy/require_face_comparison": "Compare faces",
    MATCHED: "Accepted documents",
    **{f"/device_policy/{name}": words for name, words in CHOICE_WORDS.items()},
}
WORDS: Final = {
    "/transaction_ttl_minutes": "From 1 to 1440, counted from creation.",
    "/biometric_policy/liveness_min_score": "Between 0.1 and 1.0.",
    "/biometric_policy/face_comparison_min_score": "Between 0.1 and 1.0; 0.85: 1 in 10,000 pairs of strangers pass.",
    "/biometric_policy/require_face_comparison": "Without it no face is compared, and an issue says so.",
    MATCHED: "JSON as in a config: filter_mode and target_documents. Empty: every supported document.",
}


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """Who chose the value that holds, and since when."""

    drafted_by: str | None
    agreed_by: str | None
    since: datetime | None


@dataclass(frozen=True, slots=True)
class PolicyField:
    """One field of the default policy as the page shows it."""

    pointer: str
    title: str
    words: str
    kind: Kind
    value: JsonValue
    default: JsonValue
    codes: tuple[str, ...]
    changed: PolicyChange | None
    lab: str | None
    """The address of the lab with this field in hand; None where the lab has no slider for it."""

    @property
    def name(self) -> str:
        """Of the form's control."""
        return self.pointer.removeprefix("/").replace("/", ".")

    @property
    def text(self) -> str:
        """The value as a field holds it; empty where the interface's default holds."""
        if self.value == self.default:
            return ""
        return orjson.dumps(self.value).decode() if self.kind == "documents" else str(self.value)

    @property
    def is_default(self) -> bool:
        return self.value == self.default


def policy_fields(in_force: StoredPolicy, policies: Sequence[StoredPolicy], now: datetime) -> list[PolicyField]:
    """Every field that a default policy may have."""
    usual, holds = _values(DefaultPolicy()), _values(in_force.policy)
    changes = last_changes(policies, now)
    codes = _codes()
    return [
        PolicyField(
            pointer,
            TITLES[pointer],
            WORDS.get(pointer, ""),
            _kind(pointer),
            holds[pointer],
            usual[pointer],
            codes.get(pointer, ()),
            changes.get(pointer),
            _lab(pointer, holds[pointer]),
        )
        for pointer in TITLES
    ]


def last_changes(policies: Sequence[StoredPolicy], now: datetime) -> dict[str, PolicyChange]:
    """Of each field that was ever changed, who did it last: read off the policies that came into force."""
    agreed = [
        (one.effective_from, one)
        for one in policies
        if one.state is PolicyState.AGREED and one.effective_from is not None and one.effective_from <= now
    ]
    before, found = _values(DefaultPolicy()), {}
    for _, one in sorted(agreed, key=lambda pair: pair[0]):
        after = _values(one.policy)
        for pointer, value in after.items():
            if value != before[pointer]:
                found[pointer] = PolicyChange(one.drafted_by, one.decided_by, one.effective_from)
        before = after
    return found


def sent_policy(form: Form) -> DefaultPolicy:
    """What the form chose; an empty field has the interface's default. Refuses (400) what cannot be."""
    said: dict[str, dict[str, object] | object] = {}
    for pointer in TITLES:
        text = form.text(pointer.removeprefix("/").replace("/", "."), 20_000)
        if not text:
            continue
        value = _value(pointer, text)
        part, _, field = pointer.removeprefix("/").partition("/")
        if not field:
            said[part] = value
        else:
            inner = said.setdefault(part, {})
            if isinstance(inner, dict):
                inner[field] = value
    try:
        return DefaultPolicy.model_validate(said)
    except ValidationError as bad:
        faults = "; ".join(f"{fault.pointer}: {fault.detail}" for fault in faults_of(bad, DefaultPolicy))
        raise Invalid(detail=f"{faults} Nothing was drafted.") from None


def _value(pointer: str, text: str) -> object:
    kind = _kind(pointer)
    try:
        if kind == "score":
            return float(text)
        if kind == "minutes":
            return int(text)
        if kind == "documents":
            return orjson.loads(text)
    except ValueError:
        wanted = {"score": "a number such as 0.85", "minutes": "a whole number", "documents": "JSON"}[kind]
        raise Invalid(detail=f"{TITLES[pointer]}: write {wanted}. Nothing was drafted.") from None
    if kind == "yes or no":
        return text == "true"
    return text


def _kind(pointer: str) -> Kind:
    if pointer.startswith("/device_policy/"):
        return "action"
    if pointer == MATCHED:
        return "documents"
    return "minutes" if pointer == "/transaction_ttl_minutes" else "score" if pointer.endswith("score") else "yes or no"


def _lab(pointer: str, value: JsonValue) -> str | None:
    name = pointer.rpartition("/")[2]
    if name in {slider.name for slider in SLIDERS}:
        return "/dashboard/lab?" + urlencode({f"use_{name}": "1", name: str(value)})
    if name in CHOICE_WORDS:
        stricter = Action.WARN if value == Action.IGNORE else Action.REJECT if value == Action.WARN else Action.WARN
        return "/dashboard/lab?" + urlencode({name: stricter.value})
    return None


def _codes() -> dict[str, tuple[str, ...]]:
    found = dict(CODES)
    for row in catalogue():
        if isinstance(policy := row["policy"], str):
            found[policy.removeprefix("/config")] = (str(row["code"]),)
    return found


def _values(policy: DefaultPolicy) -> dict[str, JsonValue]:
    """Every field of the policy by pointer, with the interface's default where it says nothing."""
    dump: Mapping[str, JsonValue] = policy.filled(Config()).model_dump(mode="json")
    found = dict(leaves(dump))
    return {pointer: found.get(pointer) for pointer in TITLES}
