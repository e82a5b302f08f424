"""The two endpoints of the interface read and answer what the interface says, field by field and both ways."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from truename.customers import endpoints as customer_endpoints
from truename.customers.model import MAX_IMAGE_BYTES, CustomerCreated, NewCustomer
from truename.rules.dossier import CustomerStatus
from truename.transactions import endpoints as transaction_endpoints
from truename.transactions.answers import TokenIssued
from truename.transactions.lifecycle import Status
from truename.transactions.model import NewTransaction

SPEC = tomllib.loads((Path(__file__).parents[2] / "spec" / "interface.toml").read_text(encoding="utf-8"))

MARK = "livemode"
"""Only there, and false, in answers of sandbox accounts: those of live accounts are the interface's alone."""


def facts(room: str, part: str) -> dict[str, dict[str, Any]]:
    return {fact["field"]: fact for fact in SPEC[room][part]}


@pytest.mark.parametrize(("room", "model"), [("customer", NewCustomer), ("transaction", NewTransaction)])
def test_a_request_has_the_fields_of_the_interface_and_no_other(room: str, model: type[BaseModel]) -> None:
    said = facts(room, "request")
    assert list(model.model_fields) == list(said)
    required = {name for name, field in model.model_fields.items() if field.is_required()}
    assert required == {name for name, fact in said.items() if fact.get("required")}
    assert model.model_config.get("extra") == "forbid"


@pytest.mark.parametrize(("room", "model"), [("customer", CustomerCreated), ("transaction", TokenIssued)])
def test_an_answer_has_the_fields_of_the_interface_and_no_other(room: str, model: type[BaseModel]) -> None:
    kinds = {"uuid": "string", "timestamp": "string", "jwt": "string"}
    schema = model.model_json_schema()["properties"]
    said = facts(room, "response")
    assert (schema.pop(MARK)["const"], MARK in model.model_json_schema()["required"]) == (False, False)
    assert list(schema) == list(said)
    for name, fact in said.items():
        assert schema[name]["type"] == kinds.get(fact["type"], fact["type"])
        assert schema[name].get("const") == fact.get("always")


@pytest.mark.parametrize(
    ("room", "part", "model"),
    [
        ("customer", "request", NewCustomer),
        ("customer", "response", CustomerCreated),
        ("transaction", "request", NewTransaction),
        ("transaction", "response", TokenIssued),
    ],
)
def test_every_field_is_described_as_in_the_interface(room: str, part: str, model: type[BaseModel]) -> None:
    told = {name: field.description for name, field in model.model_fields.items() if name != MARK}
    assert told == {name: fact["about"] for name, fact in facts(room, part).items()}


def test_the_image_may_be_as_large_as_the_interface_says() -> None:
    assert facts("customer", "request")["face_reference_image"]["maximum_bytes"] == MAX_IMAGE_BYTES


def test_the_addresses_are_those_of_the_interface() -> None:
    paths = [customer_endpoints.PATH, transaction_endpoints.PATH]
    assert [endpoint["path"] for endpoint in SPEC["endpoint"]] == paths


def test_the_statuses_that_the_interface_names_exist() -> None:
    assert {row["status"] for row in SPEC["transaction"]["status"]} <= {status.value for status in Status}
    assert {row["status"] for row in SPEC["customer"]["status"]} == {status.value for status in CustomerStatus}
