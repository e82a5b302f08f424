"""Does a refusal lead its reader on: every fault at once, the place, the word that was meant, and a line in the log?"""

import base64
import io
import json
import secrets
from dataclasses import replace
from uuid import uuid4

import aiohttp
import pytest
import structlog
from PIL import Image

from tests.support.api import CUSTOMER, TRANSACTION, problem
from truename.accounts.model import SCOPES
from truename.accounts.tokens import issue_access_token

GIF = base64.b64encode(b"GIF89a" + bytes(40)).decode()


def faults(body) -> dict[str, str]:
    return {fault["pointer"]: fault["code"] for fault in body["errors"]}


def words(body) -> str:
    return " ".join(fault["detail"] for fault in body["errors"])


# ── every fault in one answer ──────────────────────────────────────────────────────────────────────────────


async def test_a_bad_number_and_a_bad_picture_are_told_together(client) -> None:
    body = {"external_customer_id": "x", "phone_number": "12", "face_reference_image": GIF}
    found = await problem(await client.post(CUSTOMER, json=body))
    assert faults(found) == {
        "/phone_number": "phone_number_malformed",
        "/face_reference_image": "image_format_not_supported",
    }


async def test_bad_ages_and_a_private_address_are_told_together(client) -> None:
    config = {
        "webhook": {"url": "https://10.0.0.1/hook"},
        "biometric_policy": {"expected_min_age": 30, "expected_max_age": 20},
    }
    body = {"customer_id": str(uuid4()), "transaction_type": "DOCUMENT_ONLY", "config": config}
    found = await problem(await client.post(TRANSACTION, json=body))
    assert faults(found) == {
        "/config/biometric_policy/expected_max_age": "max_age_below_min_age",
        "/config/webhook/url": "webhook_address_not_allowed",
    }


async def test_parameter_key_and_body_are_told_together(client) -> None:
    answer = await client.post(f"{CUSTOMER}?dry_run=1", json={}, headers={"Idempotency-Key": "ключ"})
    assert faults(await problem(answer)) == {
        "/dry_run": "parameter_unknown",
        "/Idempotency-Key": "idempotency_key_malformed",
        "/external_customer_id": "field_required",
    }


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (
            "/api/account/integration/webhooks/event?limit=0&cursor=x&zz=1",
            {"/limit": "number_out_of_range", "/cursor": "cursor_malformed", "/zz": "parameter_unknown"},
        ),
        (f"{CUSTOMER}?zz=1", {"/zz": "parameter_unknown", "/external_customer_id": "field_required"}),
        (
            f"{CUSTOMER}?zz=1&external_customer_id=",
            {"/zz": "parameter_unknown", "/external_customer_id": "text_malformed"},
        ),
    ],
)
async def test_all_parameters_of_a_list_are_told_together(client, path: str, told: dict[str, str]) -> None:
    assert faults(await problem(await client.get(path))) == told


async def test_parameter_key_and_body_are_told_together_where_nothing_is_to_be_sent(client) -> None:
    path = f"{TRANSACTION}/{uuid4()}/cancel?zz=1"
    answer = await client.post(path, json={"a": 1}, headers={"Idempotency-Key": "ключ"})
    told = {"/zz": "parameter_unknown", "/Idempotency-Key": "idempotency_key_malformed", "/a": "field_unknown"}
    assert faults(await problem(answer)) == told


@pytest.mark.parametrize("size", [4_194_305, 4_720_000, 6_000_000])
async def test_a_picture_that_is_too_large_is_a_fault_of_its_field_however_large(client, size: int) -> None:
    image = base64.b64encode(bytes(size)).decode()
    answer = await client.post(CUSTOMER, json={"external_customer_id": "x", "face_reference_image": image})
    assert faults(await problem(answer)) == {"/face_reference_image": "image_too_large"}


# ── which thing is missing ─────────────────────────────────────────────────────────────────────────────────


async def test_an_unknown_customer_of_a_transaction_is_pointed_at(client) -> None:
    body = {"customer_id": str(uuid4()), "transaction_type": "DOCUMENT_ONLY"}
    matching = {"document_policy": {"data_matching": {"gender": "F"}}}
    for config in ({}, matching):
        found = await problem(await client.post(TRANSACTION, json={**body, "config": config}), 404)
        assert found["code"] == "customer_not_found"
        assert faults(found) == {"/customer_id": "customer_not_found"}


async def test_each_missing_thing_has_a_code_of_its_own(client) -> None:
    unknown = uuid4()
    for path, code in {
        f"{CUSTOMER}/{unknown}": "customer_not_found",
        f"{CUSTOMER}/no-uuid": "customer_not_found",
        f"{TRANSACTION}/{unknown}": "transaction_not_found",
        f"{TRANSACTION}/{unknown}?wait=1": "transaction_not_found",
        f"{TRANSACTION}/{unknown}/media/{unknown}": "media_not_found",
        f"/api/account/integration/webhooks/event/evt_{unknown}": "event_not_found",
        "/api/account/integration/kyc/costumer": "route_not_found",
    }.items():
        assert (await problem(await client.get(path), 404))["code"] == code, path


async def test_a_misspelt_path_is_told_which_one_was_meant(client) -> None:
    found = await problem(await client.post("/api/account/integration/kyc/costumer", json={}), 404)
    assert found["detail"].endswith(f"Did you mean {CUSTOMER}?")


# ── did you mean …? ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("config", "meant"),
    [
        ({"device_policy": {"on_emulater": "WARN"}}, "on_emulator"),
        ({"liveness_min_score": 0.9}, "/config/biometric_policy/liveness_min_score"),
        ({"device_policy": {"on_emulator": "reject"}}, "REJECT"),
        ({"biometric_policy": {"expected_gender": "Femal"}}, "FEMALE"),
        ({"biometric_policy": {"expected_gender": "M"}}, "MALE"),
        ({"document_policy": {"data_matching": {"gender": "female"}}}, "F"),
        ({"document_policy": {"data_matching": {"document_issuing_country": "ESP"}}}, "ES"),
        ({"document_policy": {"data_matching": {"document_issuing_country": "UK"}}}, "GB"),
        ({"document_policy": {"data_matching": {"document_issuing_country": "es"}}}, "ES"),
        ({"document_policy": {"data_matching": {"document_issuing_country": "Spain"}}}, "ES"),
        (
            {
                "document_policy": {
                    "document_eligibility": {
                        "filter_mode": "ALLOW",
                        "target_documents": [{"country": "ES", "type": "PASPORT", "allow_expired": False}],
                    }
                }
            },
            "PASSPORT",
        ),
    ],
)
async def test_a_misspelt_field_or_word_is_told_which_one_was_meant(client, config, meant: str) -> None:
    body = {"customer_id": str(uuid4()), "transaction_type": "DOCUMENT_ONLY", "config": config}
    assert words(await problem(await client.post(TRANSACTION, json=body))).endswith(f"Did you mean {meant}?")


async def test_a_misspelt_parameter_is_told_which_one_was_meant(client) -> None:
    found = await problem(await client.get(f"{TRANSACTION}?statuss=APPROVED&limit=5"))
    assert words(found) == "There is no such parameter. Did you mean status?"
    found = await problem(await client.get(f"{TRANSACTION}?status=APROVED"))
    assert words(found).endswith("Did you mean APPROVED?")


async def test_many_other_faults_keep_no_misspelt_field_from_its_guess(client) -> None:
    wrong = {"country": 1, "type": "PASSPORT"}
    eligibility = {"filter_mode": "ALLOW", "target_documents": [wrong] * 15}
    config = {"document_policy": {"document_eligibility": eligibility}, "device_polcy": {}}
    body = {"customer_id": str(uuid4()), "transaction_type": "DOCUMENT_ONLY", "config": config}
    faults = (await problem(await client.post(TRANSACTION, json=body)))["errors"]
    assert len(faults) == 31
    assert faults[-1]["detail"] == "There is no such field. Did you mean device_policy?"


async def test_an_address_that_knows_another_method_says_which(client) -> None:
    found = await problem(await client.delete(TRANSACTION), 405)
    assert found["detail"] == "The address knows GET, HEAD, POST."


async def test_a_body_that_should_be_empty_is_told_each_field_of_too_much(client) -> None:
    rotate = "/api/account/integration/webhooks/secret/rotate"
    found = await problem(await client.post(rotate, json={"overlap": 1, "a/b": 2}))
    assert [(one["pointer"], one["code"]) for one in found["errors"]] == [
        ("/overlap", "field_unknown"),
        ("/a~1b", "field_unknown"),
    ]


async def test_what_resembles_nothing_is_guessed_at_neither_here_nor_elsewhere(client) -> None:
    secret = "q7zzk9xw"
    found = await problem(await client.post(CUSTOMER, json={"external_customer_id": "x", secret: secret}))
    assert "mean" not in words(found)
    assert secret not in words(found)


# ── tokens, pages, log ─────────────────────────────────────────────────────────────────────────────────────


async def test_an_expired_token_has_a_code_of_its_own(live_server, plumbing, an_account) -> None:
    brief = plumbing.settings.model_copy(update={"access_token_seconds": -1})
    token = await issue_access_token(
        replace(plumbing, settings=brief), an_account.account_id, an_account.client_id, SCOPES
    )
    async with aiohttp.ClientSession(live_server, headers={"Authorization": f"Bearer {token}"}) as client:
        answer = await client.get(f"{CUSTOMER}/{uuid4()}")
        assert (await problem(answer, 401))["code"] == "token_expired"
        assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]


async def test_a_refusal_is_found_in_the_log_by_its_id_and_nothing_personal_with_it(client, an_account) -> None:
    external = f"person-{secrets.token_hex(8)}"
    with structlog.testing.capture_logs() as lines:
        answer = await client.post(CUSTOMER, json={"external_customer_id": external, "email": "not-a-mail"})
        found = await problem(answer)
        missing = await problem(await client.get(f"{CUSTOMER}/{uuid4()}?"), 404)
    told = {line["request_id"]: line for line in lines if line["event"] == "request"}
    line = told[found["request_id"]]
    assert (line["code"], line["route"], line["status"]) == ("validation_failed", CUSTOMER, 400)
    assert line["client"] == an_account.client_id
    assert told[missing["request_id"]]["route"] == CUSTOMER + "/{customer_id}"
    assert external not in json.dumps(lines, default=str)


def a_png() -> str:
    out = io.BytesIO()
    Image.new("RGB", (8, 8)).save(out, "PNG")
    return base64.b64encode(out.getvalue()).decode()


async def test_a_good_picture_beside_a_fault_is_no_fault(client) -> None:
    body = {"external_customer_id": " x", "face_reference_image": a_png()}
    assert faults(await problem(await client.post(CUSTOMER, json=body))) == {
        "/external_customer_id": "text_has_outer_space"
    }
