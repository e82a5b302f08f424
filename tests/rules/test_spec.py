"""The code says what the interface says, fact by fact and both ways."""

import tomllib
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from truename.rules.config import Action, Config, FilterMode, Gender, TransactionType
from truename.rules.countries import COUNTRIES
from truename.rules.dossier import CustomerStatus
from truename.rules.evidence import DocumentType, SelfieGender
from truename.rules.issues import AGAINST_THE_RECORD, SEVERITY_OF, Group, IssueCode, Severity

SPEC = tomllib.loads((Path(__file__).parents[2] / "spec" / "interface.toml").read_text())
FIELDS = {fact["field"]: fact for fact in SPEC["config"]}
WORDS: dict[str, type[StrEnum]] = {
    "action": Action,
    "transaction_type": TransactionType,
    "filter_mode": FilterMode,
    "document_type": DocumentType,
    "gender": Gender,
    "selfie_gender": SelfieGender,
    "customer_status": CustomerStatus,
    "severity": Severity,
}
ISSUES = {code: {"group": group, **fact} for group, codes in SPEC["issues"].items() for code, fact in codes.items()}
EXTENSIONS = {
    code: {"group": group, **fact} for group, codes in SPEC["extension_issues"].items() for code, fact in codes.items()
}


def fields_of_the_code() -> dict[str, dict[str, Any]]:
    """Every field of the config as the code defines it, in the words of the spec."""
    schema = Config.model_json_schema()

    def resolved(part: dict[str, Any]) -> dict[str, Any]:
        return {**schema["$defs"][part["$ref"].rpartition("/")[2]], **part} if "$ref" in part else part

    def walk(part: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
        for name, shown in part.get("properties", {}).items():
            kinds = shown.get("anyOf", [shown])
            null = {"type": "null"} in kinds
            field = resolved(next(kind for kind in kinds if kind != {"type": "null"}))
            yield (
                path + name,
                {
                    **field,
                    "null": null,
                    "required": name in part.get("required", []),
                    "description": shown.get("description"),
                }
                | ({"default": shown["default"]} if "default" in shown else {}),
            )
            yield from walk(field, f"{path}{name}.")
            if "items" in field:
                yield from walk(resolved(field["items"]), f"{path}{name}[].")

    return dict(walk(schema, ""))


CODE = fields_of_the_code()


def test_every_field_is_described_as_in_the_interface() -> None:
    told = {field: " ".join(str(shown.get("description")).split()) for field, shown in CODE.items()}
    assert told == {field: fact["about"] for field, fact in FIELDS.items()}


def test_the_config_has_the_fields_of_the_interface_and_no_other() -> None:
    assert set(CODE) == set(FIELDS)
    assert len(FIELDS) == len(SPEC["config"])


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_of_the_config_is_as_the_interface_says(field: str) -> None:
    fact, code = FIELDS[field], CODE[field]
    kind = fact["type"]
    assert code["required"] is fact.get("required", False)
    assert code["null"] is fact.get("null", False)
    assert (code.get("minimum"), code.get("maximum")) == (fact.get("minimum"), fact.get("maximum"))
    assert code.get("maxItems") == fact.get("maximum_items")
    if kind in SPEC["words"]:
        assert code["enum"] == SPEC["words"][kind]
    elif kind == "country":
        assert code["enum"] == list(COUNTRIES)
    else:
        assert code["type"] == {"date": "string"}.get(kind, kind)
    if "pattern" in fact:
        assert code["pattern"] == fact["pattern"]
    default = code.get("default")
    assert default == fact.get("default")
    assert type(default) is type(fact.get("default"))


@pytest.mark.parametrize("word", SPEC["words"])
def test_each_enumeration_has_the_words_of_the_interface(word: str) -> None:
    assert [member.value for member in WORDS[word]] == SPEC["words"][word]
    assert set(WORDS) == set(SPEC["words"])


def test_the_catalogue_has_the_codes_of_the_interface_and_no_other() -> None:
    assert set(ISSUES) == {code.name for code in IssueCode if not code.is_extension}
    assert set(EXTENSIONS) == {code.name for code in IssueCode if code.is_extension}
    assert len(ISSUES) == sum(map(len, SPEC["issues"].values())) == 27
    assert list(SPEC["issues"]) == [group.value for group in Group]


@pytest.mark.parametrize("name", [*ISSUES, *EXTENSIONS])
def test_an_issue_is_as_the_interface_says(name: str) -> None:
    fact, code = (ISSUES | EXTENSIONS)[name], IssueCode[name]
    assert code.group.value == fact["group"]
    assert code.severity.policy == fact.get("severity_from")
    if "severity" in fact:
        assert code.severity.in_config(Config()).value == fact["severity"]
    else:
        field = FIELDS[fact["severity_from"].removeprefix("/").replace("/", ".")]
        assert field["extension_issue" if code.is_extension else "issue"] == name
        assert code.severity.in_config(Config()).value == SPEC["severity_of_action"][field["default"]]
    against = AGAINST_THE_RECORD.get(code)
    assert (against.severity.value if against else None) == fact.get("against_record")


def test_actions_give_the_severities_of_the_interface() -> None:
    assert {action.value: severity.value for action, severity in SEVERITY_OF.items()} == SPEC["severity_of_action"]


@pytest.mark.parametrize("name", ISSUES)
def test_an_issue_applies_where_its_policy_applies(name: str) -> None:
    fact, code = ISSUES[name], IssueCode[name]
    policy_of_group = {
        "DEVICE": "device_policy",
        "DOCUMENT_ELIGIBILITY": "document_policy",
        "DATA_MATCHING": "document_policy",
        "BIOMETRIC": "biometric_policy",
        "BLOCKLIST": "biometric_policy",
    }
    everywhere = SPEC["words"]["transaction_type"]
    policy = policy_of_group.get(fact["group"])
    types = FIELDS[policy]["applies_to"] if policy else everywhere
    if fact.get("needs") == "document and selfie":
        types = [kind for kind in types if kind in FIELDS["document_policy"]["applies_to"]]
    assert [kind.value for kind in TransactionType if kind in code.applies_to] == types


def test_every_issue_named_by_a_field_is_in_the_catalogue() -> None:
    named = {fact["issue"] for fact in SPEC["config"] if "issue" in fact}
    named |= {code for fact in SPEC["config"] for code in fact.get("issues", [])}
    named |= {fact["issue"] for fact in SPEC["customer"]["status"] if "issue" in fact}
    assert set(ISSUES) - named == {"DOCUMENT_TYPE_NOT_SUPPORTED", "DOCUMENT_NOT_ELIGIBLE"}
    assert named <= set(ISSUES)


def test_the_limits_repeat_what_the_fields_say() -> None:
    for limit in SPEC["limit"]:
        for path in limit["of"]:
            room, _, field = path.partition(".")
            fact = FIELDS[field] if room == "config" else {it["field"]: it for it in SPEC[room]["request"]}[field]
            for bound in ("minimum", "maximum", "maximum_bytes", "maximum_items"):
                assert limit.get(bound) == fact.get(bound), path


def test_each_customer_status_has_its_row() -> None:
    assert [row["status"] for row in SPEC["customer"]["status"]] == [status.value for status in CustomerStatus]


@pytest.mark.parametrize("field", [name for name, fact in FIELDS.items() if "minimum" in fact])
def test_the_bounds_of_a_number_are_inclusive(field: str) -> None:
    fact = FIELDS[field]
    step = 1 if fact["type"] == "integer" else 1e-9
    for value, good in [
        (fact["minimum"], True),
        (fact["maximum"], True),
        (fact["minimum"] - step, False),
        (fact["maximum"] + step, False),
    ]:
        assert _accepts(field, value) is good, value


def _accepts(field: str, value: float) -> bool:
    *path, last = field.split(".")
    config: Any = {last: value} | ({"value": "Ana"} if last == "similarity_min_score" else {})
    for name in reversed(path):
        config = {name: config}
    try:
        Config.model_validate(config)
    except ValidationError:
        return False
    return True
