"""The SDK side over real HTTP: who may call, in which order, and what is answered at once."""

import asyncio
from collections.abc import Mapping
from datetime import datetime, timedelta

import numpy as np
import pytest

from tests.support.api import KYC, a_transaction
from tests.support.sdk import Phone, a_passport_photo, code_of, photographed, plain_frames
from truename.accounts.change import change_account
from truename.accounts.tokens import issue_sdk_token
from truename.plumbing.clock import now
from truename.plumbing.database.ids import new_id
from truename.plumbing.jobs.queue import enqueue
from truename.rules.config import Config
from truename.sandbox.drawing import documents
from truename.vision.captures import Step
from truename.vision.images import encode_jpeg

A_WALL = encode_jpeg(np.full((600, 800, 3), 127, np.uint8))
"""A picture that is looked at in no time: there is nothing on it."""

# ── who may call ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/session"),
        ("GET", "/status"),
        ("POST", "/consent"),
        ("POST", "/device"),
        ("POST", "/document/front"),
        ("POST", "/liveness/challenge"),
        ("POST", "/liveness"),
        ("POST", "/submit"),
        ("POST", "/handoff"),
        ("GET", "/handoff"),
        ("POST", "/handoff/confirm"),
    ],
)
async def test_no_token_a_false_one_or_an_access_token_is_refused(outside, client, method, path):
    access = client.headers["Authorization"].removeprefix("Bearer ")
    for token in ("", "false", access):
        assert code_of(await Phone(outside, token).call(method, path, json={})) == (401, "not_authenticated")


async def test_an_sdk_token_opens_no_integration_endpoint(opened, outside):
    phone, made = await opened()
    for path in (f"/transaction/{made['transaction_id']}", f"/customer/{made['customer_id']}", "/transaction"):
        async with outside.get(KYC + path, headers={"Authorization": f"Bearer {phone.token}"}) as answer:
            assert answer.status == 401


async def test_a_token_for_a_transaction_that_does_not_exist_is_refused(outside, plumbing, an_account):
    ends = datetime.fromisoformat("2036-01-01T00:00:00+00:00")
    token = await issue_sdk_token(plumbing, an_account.account_id, new_id(), ends)
    assert code_of(await Phone(outside, token).session()) == (401, "not_authenticated")


@pytest.mark.parametrize("path", ["/session", "/status"])
async def test_the_first_call_begins_the_transaction(opened, client, path):
    phone, made = await opened()
    assert (await phone.call("GET", path))[1]["status"] == "IN_PROGRESS"
    async with client.get(f"{KYC}/transaction/{made['transaction_id']}") as answer:
        assert (await answer.json())["status"] == "IN_PROGRESS"


async def test_the_config_is_read_only_by_calls_that_need_it(opened, monkeypatch):
    """One that lists thousands of documents takes up to a tenth of a second, and a page polls the status."""
    phone, _ = await opened()
    read: list[object] = []
    real = Config.from_stored

    def watched(stored: Mapping[str, object]) -> Config:
        read.append(stored)
        return real(stored)

    monkeypatch.setattr(Config, "from_stored", watched)
    assert (await phone.session())[0] == 200
    assert len(read) == 1
    assert [(await call)[0] for call in (phone.status(), phone.consent(), phone.device())] == [200, 200, 204]
    assert len(read) == 1


async def test_expiry_takes_effect_at_the_instant(opened, plumbing, an_account):
    phone, made = await opened()
    assert (await phone.session())[0] == 200
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute(
            "UPDATE transactions SET expires_at = clock_timestamp() WHERE transaction_id = %s",
            (made["transaction_id"],),
        )
    calls = (phone.session(), phone.consent(), phone.submit(), phone.challenge(), phone.status())
    for answer in [await call for call in calls]:
        assert code_of(answer) == (401, "transaction_expired")


async def test_a_token_whose_time_is_up_says_so(outside, plumbing, an_account, opened):
    _, made = await opened()
    ends = datetime.fromisoformat("2020-01-01T00:00:00+00:00")
    token = await issue_sdk_token(plumbing, an_account.account_id, made["transaction_id"], ends)
    assert code_of(await Phone(outside, token).session()) == (401, "transaction_expired")


async def test_a_cancelled_transaction_takes_nothing_more(opened, client):
    phone, made = await opened()
    async with client.post(f"{KYC}/transaction/{made['transaction_id']}/cancel", json={}) as answer:
        assert answer.status == 200
    assert code_of(await phone.session()) == (409, "transaction_cancelled")
    assert (await phone.status())[1]["status"] == "CANCELLED"


# ── session, consent, device ───────────────────────────────────────────────────────────────────────────────


async def test_the_session_tells_steps_and_accepted_documents_but_no_thresholds(opened):
    targets = [{"country": "DE", "type": "PASSPORT", "allow_expired": False}]
    config = {"document_policy": {"document_eligibility": {"filter_mode": "ALLOW", "target_documents": targets}}}
    phone, _ = await opened(config=config)
    _, session = await phone.session()
    assert session["steps"] == ["CONSENT", "DOCUMENT", "LIVENESS"]
    assert session["documents"] == [{"country": "DE", "type": "PASSPORT", "sides": ["front"]}]
    assert session["consent"]["given"] is None
    assert "min_score" not in str(session)
    phone, _ = await opened("BIOMETRIC_ONLY")
    _, session = await phone.session()
    assert (session["steps"], session["documents"]) == (["CONSENT", "LIVENESS"], [])


async def test_location_is_wanted_only_where_a_policy_acts_on_it(opened):
    ignored = {"device_policy": {"on_gps_mock_location": "IGNORE", "on_gps_ip_location_mismatch": "IGNORE"}}
    assert (await (await opened(config=ignored))[0].session())[1]["wants_location"] is False
    assert (await (await opened())[0].session())[1]["wants_location"] is True


async def test_the_session_bears_the_accounts_own_texts(opened, plumbing, an_account):
    phone, _ = await opened()
    assert (await phone.session())[1]["texts"] == {}
    own = {"de": {"welcome": "Fast geschafft", "done": None}}
    async with plumbing.database.account(an_account.account_id) as connection:
        await change_account(connection, an_account.account_id, {"capture_texts": own}, actor="test")
    assert (await phone.session())[1]["texts"] == own


async def test_nothing_is_captured_before_consent_and_a_refusal_can_be_taken_back(opened):
    phone, _ = await opened()
    assert code_of(await phone.document("front", b"\xff\xd8\xff")) == (409, "consent_missing")
    assert code_of(await phone.challenge()) == (409, "consent_missing")
    assert (await phone.consent(given=False))[1]["given"] is False
    assert code_of(await phone.challenge()) == (409, "consent_missing")
    assert (await phone.consent())[0] == 200
    assert (await phone.challenge())[0] == 201


async def test_faulty_signals_are_refused_and_good_ones_noted(opened):
    phone, _ = await opened()
    assert (await phone.device(platform="TOASTER"))[0] == 400
    assert (await phone.device(unknown=1))[0] == 400
    assert (await phone.session())[1]["progress"]["device"] is False
    assert (await phone.device())[0] == 204
    assert (await phone.session())[1]["progress"]["device"] is True


async def test_what_one_person_does_is_no_step_of_another_at_the_same_time(opened):
    """Two customers of one account: every other test has a single one."""
    ana, _ = await opened()
    ben, _ = await opened()
    await ana.consent()
    assert code_of(await ben.challenge()) == (409, "consent_missing")
    await ben.consent(given=False)
    given = (await ana.challenge())[1]
    await ana.device()
    await ana.document("front", A_WALL)
    await ben.consent()
    progress = (await ben.session())[1]["progress"]
    assert (progress["device"], progress["document"]["front"]) == (False, None)
    assert (await ben.document("front", A_WALL))[1]["takes_left"] == 7
    assert (await ben.challenge())[0] == 201, "and voids no challenge of hers"
    frames = plain_frames([Step(step) for step in given["steps"]])
    assert code_of(await ben.liveness(given["nonce"], frames)) == (409, "challenge_unknown")
    assert (await ana.liveness(given["nonce"], frames))[0] == 200
    status, problem = await ben.submit()
    assert (status, {fault["pointer"] for fault in problem["errors"]} >= {"/device", "/liveness"}) == (409, True)


# ── documents ──────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_good_photograph_is_usable_and_a_retake_replaces_it(opened, client):
    phone, made = await opened("DOCUMENT_ONLY")
    await phone.consent()
    status, first = await phone.document("front", a_passport_photo(), params={"country": "DE", "type": "PASSPORT"})
    assert status == 200, first
    assert (first["usable"], first["reasons"], first["back_needed"]) == (True, [], False)
    _, second = await phone.document("front", a_passport_photo(), params={"country": "DE", "type": "PASSPORT"})
    assert second["takes_left"] == first["takes_left"] - 1
    async with client.get(f"{KYC}/transaction/{made['transaction_id']}") as answer:
        assert [media["kind"] for media in (await answer.json())["media"]] == ["DOCUMENT_FRONT"]


@pytest.mark.slow
async def test_a_bad_photograph_is_told_at_once(opened):
    phone, _ = await opened("DOCUMENT_ONLY")
    await phone.consent()
    page = documents.passport().front
    _, blurred = await phone.document("front", photographed(page, blur=9))
    assert blurred["usable"] is False
    assert blurred["advice"]
    _, dark = await phone.document("front", photographed(page, light=0.06))
    assert dark["usable"] is False


async def test_an_upload_that_is_repeated_with_its_key_counts_once(opened):
    phone, _ = await opened("DOCUMENT_ONLY")
    await phone.consent()
    answers = [await phone.document("front", A_WALL, headers={"Idempotency-Key": "take-1"}) for _ in range(2)]
    assert answers[0] == answers[1]
    assert (await phone.session())[1]["progress"]["document"]["front"]["takes_left"] == answers[0][1]["takes_left"] == 7


@pytest.mark.parametrize(
    ("data", "headers", "params", "code"),
    [
        (b"GIF89a", {}, {}, (400, "invalid_image")),
        (b"", {}, {}, (400, "invalid_image")),
        (b"{}", {"Content-Type": "application/json"}, {}, (415, "unsupported_media_type")),
        (b"x" * (12 * 1024 * 1024 + 1), {}, {}, (413, "too_large")),
        (b"\xff\xd8\xff", {}, {"country": "DE"}, (400, "validation_failed")),
        (b"\xff\xd8\xff", {}, {"country": "ZZ", "type": "PASSPORT"}, (400, "validation_failed")),
        (b"\xff\xd8\xff", {}, {"colour": "red"}, (400, "validation_failed")),
    ],
)
async def test_a_faulty_upload_is_told_so(opened, data, headers, params, code):
    phone, _ = await opened("DOCUMENT_ONLY")
    await phone.consent()
    assert code_of(await phone.document("front", data, headers=headers, params=params)) == code
    assert (await phone.session())[1]["progress"]["document"]["front"] is None


async def test_all_that_is_wrong_with_the_parameters_of_an_upload_is_told_together(opened):
    phone, _ = await opened("DOCUMENT_ONLY")
    status, told = await phone.document("front", b"", params={"country": "DE", "source": "FAX", "colour": "red"})
    assert (status, [fault["pointer"] for fault in told["errors"]]) == (400, ["/colour", "/source", "/country"])


async def test_the_back_comes_after_the_front_and_a_biometric_transaction_takes_no_document(opened):
    phone, _ = await opened()
    await phone.consent()
    assert code_of(await phone.document("back", b"\xff\xd8\xff")) == (409, "wrong_step")
    status, refused = await phone.call("POST", "/document/frnt", data=b"")
    assert status == 404
    assert refused["detail"].endswith("Did you mean front?")
    phone, _ = await opened("BIOMETRIC_ONLY")
    await phone.consent()
    assert code_of(await phone.document("front", b"\xff\xd8\xff")) == (409, "wrong_step")


# ── submit ─────────────────────────────────────────────────────────────────────────────────────────────────


async def test_submit_names_what_is_missing_and_closes_the_capture(opened):
    phone, _ = await opened("BIOMETRIC_ONLY")
    assert code_of(await phone.submit()) == (409, "consent_missing")
    await phone.consent()
    status, problem = await phone.submit()
    assert (status, problem["code"]) == (409, "capture_missing")
    assert [fault["pointer"] for fault in problem["errors"]] == ["/device", "/liveness"]
    assert (await phone.show_face())[1]["usable"] is True
    status, problem = await phone.submit()
    assert (status, [fault["pointer"] for fault in problem["errors"]]) == (409, ["/device"])
    assert (await phone.device())[0] == 204
    assert await phone.submit() == (202, {"status": "PROCESSING", "result_expected_at": None})
    for answer in (await phone.session(), await phone.challenge(), await phone.submit(), await phone.consent()):
        assert code_of(answer) == (409, "already_submitted")
    assert (await phone.status())[1]["status"] == "PROCESSING"


async def test_who_must_wait_for_the_result_is_told_until_when_and_nobody_else(
    client, another_client, outside, plumbing, an_account
):
    """By the account's own queue: the other's submission comes before the flood."""
    own = {"account_id": str(an_account.account_id)}
    async with plumbing.database.account(an_account.account_id) as connection:
        for _ in range(130):
            await enqueue(connection, "analysis.test_late", own)
    async with plumbing.database.system() as connection:
        await connection.execute("DELETE FROM jobs.pace")
        minute = "INSERT INTO jobs.pace (queue, minute, done) VALUES ('analysis', date_trunc('minute', now()), 60)"
        await connection.execute(minute)
    try:
        made = [await a_transaction(each, "BIOMETRIC_ONLY") for each in (client, another_client)]
        phones = [Phone(outside, one["sdk_token"]) for one in made]
        for phone in phones:
            await phone.consent()
            await phone.device()
            await phone.show_face()
        before = now()
        (_, late), (_, soon) = [await phone.submit() for phone in phones]
        expected = datetime.fromisoformat(late["result_expected_at"])
        assert expected - before >= timedelta(seconds=130)
        assert expected - now() <= timedelta(seconds=190), "not many more than the 130 stand before it"
        assert soon["result_expected_at"] is None
    finally:
        async with plumbing.database.system() as connection:
            await connection.execute("DELETE FROM procrastinate_jobs WHERE task_name = 'analysis.test_late'")
            await connection.execute("DELETE FROM jobs.pace")


async def test_of_many_submits_at_once_one_is_taken(opened):
    phone, _ = await opened("BIOMETRIC_ONLY")
    await phone.consent()
    await phone.device()
    await phone.show_face()
    answers = await asyncio.gather(*(phone.submit() for _ in range(8)))
    assert sorted(status for status, _ in answers) == [202] + [409] * 7


async def test_control_characters_are_refused_not_stumbled_over(opened):
    phone, _ = await opened("BIOMETRIC_ONLY")
    consent = {"given": True, "text_version": "2026\x00", "language": "en"}
    assert code_of(await phone.call("POST", "/consent", json=consent)) == (400, "validation_failed")
    assert code_of(await phone.call("POST", "/handoff", json={"device": "a\x00b"})) == (400, "validation_failed")


@pytest.mark.slow
async def test_a_front_of_another_country_discards_the_back(opened):
    phone, _ = await opened("DOCUMENT_ONLY")
    await phone.consent()
    card = photographed(documents.id_card().front)
    for side, country in (("front", "ES"), ("back", "ES")):
        assert (await phone.document(side, card, params={"country": country, "type": "NATIONAL_ID"}))[0] == 200
    assert (await phone.session())[1]["progress"]["document"]["back"] is not None
    assert (await phone.document("front", card, params={"country": "PT", "type": "NATIONAL_ID"}))[0] == 200
    assert (await phone.session())[1]["progress"]["document"]["back"] is None


async def test_a_key_that_comes_back_with_another_choice_is_another_request(opened):
    phone, _ = await opened("DOCUMENT_ONLY")
    await phone.consent()
    key = {"Idempotency-Key": "once"}
    assert (await phone.document("front", A_WALL, headers=key))[0] == 200
    german = {"country": "DE", "type": "PASSPORT"}
    answer = await phone.document("front", A_WALL, headers=key, params=german)
    assert code_of(answer) == (422, "idempotency_key_reused")


async def test_an_upload_notes_where_it_came_from_and_is_no_report(opened, plumbing, an_account):
    phone, made = await opened("BIOMETRIC_ONLY")
    await phone.consent()
    assert (await phone.show_face())[0] == 200
    assert (await phone.session())[1]["progress"]["device"] is False
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT d.sealed, c.data_key, c.customer_id FROM device_signals d "
            "JOIN transactions t USING (transaction_id) JOIN customers c ON c.customer_id = t.customer_id "
            "WHERE d.transaction_id = %s",
            (made["transaction_id"],),
        )
        row = await cursor.fetchone()
    key = plumbing.vault.customer_key(bytes(row["data_key"]), an_account.account_id, row["customer_id"])
    noted = key.open(bytes(row["sealed"]), f"device_signals:{made['transaction_id']}")
    assert b'"addresses":["127.0.0.1"]' in noted
