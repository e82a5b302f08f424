"""Why was a stored transaction decided so? Told without a value of the person, over HTTP."""

import json

import pytest

from tests.support.api import TRANSACTION
from tests.support.dossiers import a_device, a_document, a_dossier, a_selfie
from tests.support.judged import a_judged
from tests.support.transactions import a_customer, a_transaction
from truename.accounts.create import create_account
from truename.accounts.model import AccountSettings
from truename.accounts.tokens import issue_access_token
from truename.plumbing.database.ids import new_id
from truename.privacy.redact import redact
from truename.rules.evidence import FacePair
from truename.transactions.explanation import explain_transaction

CANARIES = ("XIMENA", "QUISPE", "ZQ998877", "1971-02-03", "2019-08-07", "WILHELMINA", "KK112233", '"UY"', "57", "43")


def personal():
    return a_dossier(
        document=a_document(
            given_names="XIMENA",
            surnames="QUISPE",
            document_number="ZQ998877",
            date_of_birth="1971-02-03",
            date_of_expiry="2019-08-07",
        ),
        selfie=a_selfie(age=57.3),
        device=a_device(gps_country="UY", ip_country="AR"),
        face_similarity={FacePair.DOCUMENT_AND_LIVENESS: 0.62},
        config={
            "device_policy": {"on_gps_ip_location_mismatch": "REJECT"},
            "document_policy": {
                "data_matching": {
                    "given_names": {"value": "WILHELMINA", "similarity_min_score": 0.9},
                    "document_number": "KK112233",
                }
            },
            "biometric_policy": {"expected_max_age": 43, "expected_gender": "MALE"},
        },
    )


async def test_an_explanation_over_http_holds_no_canary_of_the_person(live_server, client, plumbing, an_account):
    transaction_id = await a_judged(plumbing, an_account, personal())
    token = await issue_access_token(
        plumbing,
        an_account.account_id,
        an_account.client_id,
        ["explanations:read"],
    )
    narrow = {"Authorization": f"Bearer {token}"}
    answer = await client.get(f"{TRANSACTION}/{transaction_id}/explanation", headers=narrow)
    assert answer.status == 200
    told = await answer.json()
    text = json.dumps({name: part for name, part in told.items() if name not in ("transaction_id", "decided_at")})
    assert [canary for canary in CANARIES if canary in text] == []
    assert told["judgement"] == "REJECTED"
    assert {issue["code"] for issue in told["issues"]} >= {"NAME_MISMATCH", "GEO_IP_MISMATCH", "EXPIRED_DOCUMENT"}
    assert told["what_if"][0]["kind"] == "POLICY"
    assert told["evidence_kept"] is True
    for other in ("", "/receipt", "/evidence"):
        assert (await client.get(f"{TRANSACTION}/{transaction_id}{other}", headers=narrow)).status == 403


async def test_what_was_redacted_is_explained_from_what_is_kept(client, plumbing, an_account):
    transaction_id = await a_judged(plumbing, an_account, personal())
    async with plumbing.database.account(an_account.account_id) as connection:
        await redact(connection, an_account.account_id, transaction_id, actor="test")
    told = await (await client.get(f"{TRANSACTION}/{transaction_id}/explanation")).json()
    assert told["sentence"].startswith("Rejected: ")
    assert (told["evidence_kept"], told["what_if"]) == (False, [])
    mismatch = next(one for one in told["issues"] if one["code"] == "DOCUMENT_VS_LIVENESS_FACE_MISMATCH")
    assert (mismatch["measured"], mismatch["limit"]) == ("0.62", "0.85")


async def test_what_has_no_decision_says_why(client, plumbing, an_account):
    transaction_id = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    told = await (await client.get(f"{TRANSACTION}/{transaction_id}/explanation")).json()
    assert told["sentence"] == "Not decided: the capture has not begun."
    assert (told["judgement"], told["issues"], told["checks"]) == (None, [], [])


@pytest.mark.parametrize("blind", [True, False])
async def test_what_waits_for_a_person_says_what_the_engine_found(plumbing, blind):
    account = await create_account(plumbing, f"reviewed {new_id()}", settings=AccountSettings(manual_review=True))
    dossier = a_dossier(face_similarity={FacePair.DOCUMENT_AND_LIVENESS: 0.62})
    transaction_id = await a_judged(plumbing, account, dossier)
    found = await explain_transaction(plumbing, account.account_id, transaction_id, blind=blind)
    assert found.sentence == (
        "Waiting for a person. The engine says REJECTED: the live face is not the face on the document: "
        "0.62, needed 0.85."
    )
