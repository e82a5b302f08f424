"""Does every decision have a receipt that holds, after erasure, redaction and rotation, and tells of nobody?"""

import base64
import contextlib
import json
import re
from typing import Any

import pytest
from joserfc import jws
from joserfc.jwk import OKPKey

from tests.support.api import TRANSACTION, problem
from tests.support.dossiers import EVERYTHING_EXPECTED, a_device, a_document, a_dossier
from tests.support.judged import a_judged
from tests.support.transactions import a_customer, a_transaction, expire_now, submitted
from truename.accounts.create import create_account
from truename.accounts.model import AccountSettings
from truename.plumbing.database.ids import new_id
from truename.privacy.erase import erase
from truename.privacy.redact import redact
from truename.receipts.hashes import canonical, policy_sha256
from truename.receipts.keys import published_keys, rotate_receipt_key
from truename.receipts.model import TYPE
from truename.receipts.verify import ReceiptRefused, judge_again, verify_receipt
from truename.rules.config import Config
from truename.rules.evidence import FacePair, ModelUsed
from truename.rules.verdict import Decision
from truename.transactions.conclude import conclude
from truename.transactions.lifecycle import Status
from truename.transactions.receipt import read_evidence, read_receipt
from truename.transactions.review import review

PERSON = {"given_names": "XIMENA", "surnames": "QUISPE", "document_number": "ZQ998877", "date_of_birth": "1971-02-03"}
REFUSED: dict[str, Any] = {
    "document": a_document(**PERSON),  # type: ignore[arg-type]
    "config": {"document_policy": {"data_matching": EVERYTHING_EXPECTED}},
    "device": a_device(gps_country="PE"),
    "engine": (ModelUsed(name="sface", version="1", sha256="a" * 64),),
}


async def keys_of(plumbing) -> bytes:
    return json.dumps(await published_keys(plumbing)).encode()


async def evidence_of(plumbing, account, transaction_id) -> bytes:
    file = await read_evidence(plumbing, account.account_id, transaction_id, actor="test")
    return file.model_dump_json().encode()


async def test_a_decision_has_a_receipt_that_is_judged_the_same_again(plumbing, an_account):
    transaction_id = await a_judged(plumbing, an_account, a_dossier(**REFUSED))
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute("SELECT jws FROM receipts WHERE transaction_id = %s", (transaction_id,))
        row = await cursor.fetchone()
    verified = verify_receipt(row["jws"], await keys_of(plumbing))
    receipt = verified.receipt
    assert (receipt.transaction_id, receipt.account_id) == (transaction_id, an_account.account_id)
    assert receipt.decision.outcome is receipt.judgement is Decision.REJECTED
    assert [model.name for model in receipt.models] == ["sface"]
    assert receipt.judge is not None
    verdict = judge_again(receipt, await evidence_of(plumbing, an_account, transaction_id))
    assert [issue.code.name for issue in verdict.issues] == [issue.code for issue in receipt.issues]


async def test_a_receipt_holds_nothing_of_the_person(plumbing, an_account):
    transaction_id = await a_judged(plumbing, an_account, a_dossier(**REFUSED))
    signed = await read_receipt(plumbing, an_account.account_id, transaction_id)
    payload = signed.split(".")[1]
    text = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode()
    told = {*PERSON.values(), "ab123456", "1990-04-23", '"PE"', '"AR"', "0.95", "PASSPORT"}
    # Not in what is left of a moment: one that ends in 10.95 seconds tells of nobody.
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+", "", text)
    assert [value for value in told if value.lower() in text.lower()] == []
    # The same person twice: nobody can tell so by comparing hashes.
    other = await a_judged(plumbing, an_account, a_dossier(**REFUSED))
    keys = await keys_of(plumbing)
    one, two = (
        verify_receipt(text, keys).receipt
        for text in (signed, await read_receipt(plumbing, an_account.account_id, other))
    )
    assert one.evidence_hash != two.evidence_hash
    assert one.config_hash != two.config_hash
    assert one.policy_sha256 == two.policy_sha256


async def test_a_receipt_outlives_redaction_erasure_and_rotation(plumbing, an_account):
    customer = await a_customer(plumbing, an_account)
    redacted = await a_judged(plumbing, an_account, a_dossier(**REFUSED), customer_id=customer)
    erased = await a_judged(plumbing, an_account, a_dossier(**REFUSED), customer_id=customer)
    before = [await read_receipt(plumbing, an_account.account_id, one) for one in (redacted, erased)]
    file = await evidence_of(plumbing, an_account, erased)
    async with plumbing.database.account(an_account.account_id) as connection:
        await redact(connection, an_account.account_id, redacted, actor="test")
    async with plumbing.database.account(an_account.account_id) as connection:
        await erase(connection, an_account.account_id, customer, actor="test")
    kid = await rotate_receipt_key(plumbing)
    keys = await keys_of(plumbing)
    assert json.loads(keys)["keys"][0]["kid"] == kid
    assert "d" not in json.loads(keys)["keys"][0], "a private key is published"
    after = [await read_receipt(plumbing, an_account.account_id, one) for one in (redacted, erased)]
    assert after == before
    for signed in after:
        assert verify_receipt(signed, keys).kid != kid
    assert judge_again(verify_receipt(after[1], keys).receipt, file).decision is Decision.REJECTED
    fresh = await a_judged(plumbing, an_account, a_dossier())
    assert verify_receipt(await read_receipt(plumbing, an_account.account_id, fresh), keys).kid == kid
    async with plumbing.database.system() as connection:
        cursor = await connection.execute("SELECT count(*) AS n FROM receipt_keys WHERE sealed IS NOT NULL")
        row = await cursor.fetchone()
    assert row == {"n": 1}, "a retired key can still sign"


async def test_what_was_altered_does_not_hold(plumbing, an_account):
    transaction_id = await a_judged(plumbing, an_account, a_dossier(**REFUSED))
    signed = await read_receipt(plumbing, an_account.account_id, transaction_id)
    keys, file = await keys_of(plumbing), json.loads(await evidence_of(plumbing, an_account, transaction_id))
    receipt = verify_receipt(signed, keys).receipt
    head, payload, signature = signed.split(".")
    approved = base64.urlsafe_b64encode(
        base64.urlsafe_b64decode(payload + "==").replace(b"REJECTED", b"APPROVED")
    ).decode()
    for altered in (f"{head}.{approved.rstrip('=')}.{signature}", signed[:-8], "", "no receipt", "ÿ.ÿ.ÿ"):
        with pytest.raises(ReceiptRefused, match="None of the keys signed this"):
            verify_receipt(altered, keys)
    for no_keys in (b"", b"[]", b"{}", b'{"keys": 1}', b"\xff"):
        with pytest.raises(ReceiptRefused):
            verify_receipt(signed, no_keys)
    stranger = OKPKey.generate_key("Ed25519", auto_kid=True)
    forged = jws.serialize_compact(
        {"alg": "EdDSA", "kid": stranger.kid, "typ": TYPE},
        canonical(receipt.model_dump(mode="json")),
        stranger,
        ["EdDSA"],
    )
    with pytest.raises(ReceiptRefused):
        verify_receipt(forged, keys)
    own = json.dumps({"keys": [stranger.as_dict(private=False)]}).encode()
    assert verify_receipt(forged, own).receipt == receipt
    file["dossier"]["evidence"]["liveness"]["score"] = 0.96
    for wrong, words in (
        (file, "its hash is another"),
        ({**file, "transaction_id": str(new_id())}, "another transaction"),
        ({}, "no evidence file"),
    ):
        with pytest.raises(ReceiptRefused, match=words):
            judge_again(receipt, json.dumps(wrong).encode())


async def test_an_access_token_is_no_receipt(plumbing, an_account):
    key = OKPKey.generate_key("Ed25519", auto_kid=True)
    token = jws.serialize_compact({"alg": "EdDSA", "kid": key.kid, "typ": "at+jwt"}, b"{}", key, ["EdDSA"])
    with pytest.raises(ReceiptRefused, match="no receipt of a decision"):
        verify_receipt(token, json.dumps({"keys": [key.as_dict(private=False)]}).encode())


@pytest.mark.parametrize("outcome", [Status.APPROVED, Status.REJECTED])
async def test_a_reviewers_decision_has_its_receipt_and_the_waiting_one_none(plumbing, outcome):
    account = await create_account(plumbing, f"reviewed {new_id()}", settings=AccountSettings(manual_review=True))
    dossier = a_dossier(face_similarity={FacePair.DOCUMENT_AND_LIVENESS: 0.3})
    transaction_id = await a_judged(plumbing, account, dossier)
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT count(*) AS n FROM receipts WHERE transaction_id = %s", (transaction_id,)
        )
        assert await cursor.fetchone() == {"n": 0}
        await review(
            connection, plumbing, account.account_id, transaction_id, outcome, "Seen in person.", actor="client:test"
        )
    receipt = verify_receipt(
        await read_receipt(plumbing, account.account_id, transaction_id), await keys_of(plumbing)
    ).receipt
    assert receipt.decision.decided_by == "REVIEWER"
    assert receipt.decision.outcome.value == outcome.value
    assert receipt.judgement is Decision.REJECTED
    assert judge_again(receipt, await evidence_of(plumbing, account, transaction_id)).decision is Decision.REJECTED


async def test_a_decision_from_before_there_were_receipts_gets_one_when_it_is_asked_for(plumbing, an_account, postgres):
    transaction_id = await a_judged(plumbing, an_account, a_dossier())
    first = await read_receipt(plumbing, an_account.account_id, transaction_id)
    async with plumbing.database.pool.connection() as connection:
        await connection.execute("RESET ROLE")  # nobody but the owner of the tables can delete a receipt
        await connection.execute("DELETE FROM receipts WHERE transaction_id = %s", (transaction_id,))
        await connection.execute("SET ROLE truename_app")
    again = verify_receipt(await read_receipt(plumbing, an_account.account_id, transaction_id), await keys_of(plumbing))
    then = verify_receipt(first, await keys_of(plumbing)).receipt
    assert again.receipt.model_dump(exclude={"iat"}) == then.model_dump(exclude={"iat"})


async def test_status_receipt_and_event_are_kept_together_or_not_at_all(plumbing, an_account):
    config = {"webhook": {"url": "https://hooks.example.com/x"}}
    customer = await a_customer(plumbing, an_account)
    transaction_id = await a_transaction(plumbing, an_account, customer, config=config)
    await submitted(plumbing, an_account, transaction_id)

    async def kept() -> dict[str, object]:
        async with plumbing.database.account(an_account.account_id) as connection:
            cursor = await connection.execute(
                """SELECT status,
                   (SELECT count(*) FROM receipts r WHERE r.transaction_id = t.transaction_id) AS receipts,
                   (SELECT count(*) FROM webhook_events e WHERE e.transaction_id = t.transaction_id) AS events
                   FROM transactions t WHERE transaction_id = %s""",
                (transaction_id,),
            )
            return dict(await cursor.fetchone())

    before = await kept()
    own = an_account.account_id, transaction_id, Status.APPROVED
    for crashes in (True, False):
        with contextlib.suppress(ConnectionAbortedError):
            async with plumbing.database.account(an_account.account_id) as connection:
                await conclude(connection, plumbing, *own, decided_by="ENGINE", after=Status.PROCESSING)
                if crashes:
                    raise ConnectionAbortedError
        if crashes:
            assert await kept() == before
    after = await kept()
    assert (before["status"], before["receipts"]) == ("PROCESSING", 0)
    assert (after["status"], after["receipts"], after["events"]) == ("APPROVED", 1, int(str(before["events"])) + 1)


async def test_receipts_over_http(client, another_client, plumbing, an_account):
    undecided = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    assert (await problem(await client.get(f"{TRANSACTION}/{undecided}/receipt"), 404))["code"] == "receipt_not_found"
    assert (await problem(await client.get(f"{TRANSACTION}/{undecided}/evidence"), 404))["code"] == "evidence_not_found"
    await expire_now(plumbing, an_account, undecided)
    assert (await client.get(f"{TRANSACTION}/{undecided}/receipt")).status == 404
    decided = await a_judged(plumbing, an_account, a_dossier(**REFUSED))
    answer = await client.get(f"{TRANSACTION}/{decided}/receipt")
    assert (answer.status, answer.content_type) == (200, "application/jose")
    keys = await (await client.get("/.well-known/receipt-keys.json")).read()
    receipt = verify_receipt(await answer.text(), keys).receipt
    file = await (await client.get(f"{TRANSACTION}/{decided}/evidence")).read()
    assert judge_again(receipt, file).decision is Decision.REJECTED
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute("SELECT count(*) AS n FROM audit_log WHERE action = 'evidence.read'")
        assert await cursor.fetchone() == {"n": 1}
    for part in ("receipt", "evidence", "explanation"):
        assert (await another_client.get(f"{TRANSACTION}/{decided}/{part}")).status == 404


def test_the_policy_hash_leaves_out_what_is_expected_of_a_person():
    plain = Config().model_dump(mode="json")
    personal = Config.model_validate(
        {
            "webhook": {"url": "https://example.com/hook"},
            "document_policy": {"data_matching": {"document_number": "77"}},
            "biometric_policy": {"expected_gender": "MALE", "expected_min_age": 18},
        }
    ).model_dump(mode="json")
    assert policy_sha256(plain) == policy_sha256(personal)
    stricter = Config.model_validate({"biometric_policy": {"liveness_min_score": 0.9}}).model_dump(mode="json")
    assert policy_sha256(plain) != policy_sha256(stricter)


def test_numbers_that_no_double_holds_are_hashed_as_text():
    assert canonical({"b": 2**60, "a": [1.0, None, "é"]}) == b'{"a":[1,null,"\xc3\xa9"],"b":"1152921504606846976"}'
