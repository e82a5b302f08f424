"""Whole stories, nothing stood in for: from creating a customer to a decision by the real models, and its webhook."""

import asyncio
import dataclasses
import json
import time
from functools import partial

import aiohttp
import pytest
from standardwebhooks import Webhook

from tests.support import faces
from tests.support.api import KYC, a_transaction
from tests.support.receiver import a_receiver
from tests.support.sdk import Phone, a_passport_photo, photographed
from truename.analysis.replay import replay
from truename.plumbing.jobs.worker import run_pending
from truename.sandbox.drawing import documents
from truename.wiring import load_jobs

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session", autouse=True)
def jobs():
    load_jobs()


@pytest.fixture
async def receiver(tmp_path):
    async with a_receiver(tmp_path) as receiver:
        yield receiver


@pytest.fixture
def house(plumbing, receiver):
    trusting = plumbing.settings.model_copy(update={"webhook_ca_file": receiver.ca_file})
    return dataclasses.replace(plumbing, settings=trusting)


@pytest.fixture
async def outside(live_server):
    async with aiohttp.ClientSession(live_server) as session:
        yield session


async def living_person(phone):
    """Do as the challenge says, at the speed of a person."""
    status, answer = await _answered(phone, faces.a_live_sequence)
    assert (status, answer["usable"]) == (200, True), answer


async def flat_photograph(phone):
    """Hold a printed photograph before the camera and tilt it."""
    status, answer = await _answered(phone, partial(faces.flat_picture_frames, "tilt 40"))
    assert status == 200, answer


async def _answered(phone, film):
    _, challenge = await phone.challenge()
    began = time.monotonic()
    frames = await asyncio.to_thread(film, steps=tuple(challenge["steps"]))
    await asyncio.sleep(max(0.0, began + frames[-1].at_ms / 1000 - time.monotonic()))
    return await phone.liveness(challenge["nonce"], frames)


async def result_of(client, made):
    async with client.get(f"{KYC}/transaction/{made['transaction_id']}") as answer:
        assert answer.status == 200
        return await answer.json()


def codes(result):
    return {issue["code"] for issue in result["issues"] if issue["severity"] == "REJECTION"}


async def test_a_person_with_her_passport_is_approved_and_the_integrator_learns_it(
    house, an_account, client, outside, receiver
):
    matching = {
        "surnames": {"value": "Mustermann", "similarity_min_score": 0.95},
        "given_names": {"value": "Erika", "similarity_min_score": 0.95},
        "date_of_birth": "1985-08-12",
        "document_issuing_country": "DE",
    }
    config = {"webhook": {"url": receiver.url}, "document_policy": {"data_matching": matching}}
    made = await a_transaction(client, "DOCUMENT_AND_BIOMETRIC", config)
    phone = Phone(outside, made["sdk_token"])
    await phone.consent()
    await phone.device()
    _, front = await phone.document("front", a_passport_photo(), params={"country": "DE", "type": "PASSPORT"})
    assert front["usable"], front
    await living_person(phone)
    assert (await phone.submit())[0] == 202
    await run_pending(house)
    await run_pending(house)  # the last event was asked for when the first round was nearly over

    result = await result_of(client, made)
    assert (result["status"], codes(result)) == ("APPROVED", set()), result["issues"]
    assert result["decision"]["decided_by"] == "ENGINE"
    fields = result["document"]["fields"]
    assert fields["surnames"]["value"].upper() == "MUSTERMANN"
    assert fields["date_of_birth"]["value"] == "1985-08-12"
    assert (result["document"]["country"], result["document"]["type"]) == ("DE", "PASSPORT")
    assert result["biometrics"]["liveness"]["score"] >= 0.85
    assert result["biometrics"]["comparisons"]["DOCUMENT_AND_LIVENESS"]["score"] >= 0.85
    assert result["engine"]
    outcomes = {check["check"]: check["result"] for check in result["checks"]}
    assert outcomes["LIVENESS"] == outcomes["DOCUMENT_VS_LIVENESS_FACE"] == "PASSED"
    assert outcomes["MOCK_LOCATION"] == outcomes["GPS_IP_LOCATION"] == "NOT_RUN"

    events = [json.loads(got.body)["type"] for got in receiver.received]
    assert sorted(events) == ["transaction.approved", "transaction.in_progress", "transaction.processing"]
    for got in receiver.received:
        Webhook(an_account.webhook_secret).verify(got.body, got.headers)

    again = await replay(house, made["transaction_id"])
    assert again.same

    async with client.get(f"{KYC}/customer/{made['customer_id']}") as answer:
        assert (await answer.json())["reference_face"]["origin"] == "LIVENESS"


async def test_a_photograph_of_a_person_is_rejected(house, client, outside):
    made = await a_transaction(client, "BIOMETRIC_ONLY")
    phone = Phone(outside, made["sdk_token"])
    await phone.consent()
    await phone.device()
    await flat_photograph(phone)
    assert (await phone.submit())[0] == 202
    await run_pending(house)
    result = await result_of(client, made)
    assert result["status"] == "REJECTED"
    assert "LIVENESS_LOW_CONFIDENCE" in codes(result)


async def test_a_document_that_says_something_else_is_rejected_with_every_reason(house, client, outside):
    matching = {
        "surnames": {"value": "Sommer", "similarity_min_score": 0.9},
        "date_of_birth": "1990-01-01",
        "document_type": "NATIONAL_ID",
    }
    made = await a_transaction(client, "DOCUMENT_ONLY", {"document_policy": {"data_matching": matching}})
    phone = Phone(outside, made["sdk_token"])
    await phone.consent()
    await phone.device(rooted=True)
    await phone.document("front", a_passport_photo())
    assert (await phone.submit())[0] == 202
    await run_pending(house)
    result = await result_of(client, made)
    assert result["status"] == "REJECTED"
    assert codes(result) == {
        "SURNAME_MISMATCH",
        "DATE_OF_BIRTH_MISMATCH",
        "EXPECTED_DOCUMENT_TYPE_MISMATCH",
        "COMPROMISED_DEVICE",
    }


async def test_an_identity_card_is_read_from_both_sides(house, client, outside):
    card = documents.id_card()
    assert card.back is not None
    made = await a_transaction(client, "DOCUMENT_ONLY")
    phone = Phone(outside, made["sdk_token"])
    await phone.consent()
    await phone.device()
    params = {"country": card.country, "type": "NATIONAL_ID"}
    _, front = await phone.document("front", photographed(card.front), params=params)
    assert front["back_needed"] is True
    assert (await phone.submit())[1]["code"] == "capture_missing"
    await phone.document("back", photographed(card.back), params=params)
    assert (await phone.submit())[0] == 202
    await run_pending(house)
    result = await result_of(client, made)
    assert (result["document"]["country"], result["document"]["type"]) == (card.country, "NATIONAL_ID")
    assert result["document"]["mrz"]["valid"] is True
    assert result["status"] == "APPROVED", result["issues"]
