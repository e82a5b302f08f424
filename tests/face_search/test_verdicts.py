"""What becomes of a person whose face is known under another name, or is not to be let in: one journey, real models."""

import json
from uuid import UUID

import pytest

from tests.support.analyses import a_live_transaction, every_second_frame, run
from tests.support.api import CUSTOMER, KYC, TRANSACTION
from tests.support.dashboard import an_operator, signed_in
from tests.support.people import key_of
from tests.support.transactions import a_customer
from truename.accounts.change import change_account
from truename.analysis.replay import replay
from truename.face_search.keep_up import keep_up_account
from truename.operators.model import Role
from truename.plumbing.crypto import seals

pytestmark = pytest.mark.slow

BLOCKLIST = f"{KYC}/blocklist"
CHECKS = ("REPEATED_FACE", "INTERNAL_BLOCKLIST", "GLOBAL_BLOCKLIST")


async def test_a_face_that_is_known_is_shown_reviewed_or_rejected_as_the_account_says(
    client, plumbing, live_server, an_account
):
    live_frames = every_second_frame()

    async def chosen(**settings):
        async with plumbing.database.system() as connection:
            await change_account(connection, an_account.account_id, settings, actor="test")

    async def verified():
        customer = await a_customer(plumbing, an_account)
        one = await a_live_transaction(plumbing, an_account, customer, live_frames)
        await run(plumbing, an_account, one)
        shown = await (await client.get(f"{TRANSACTION}/{one}")).json()
        checks = {check["check"]: check for check in shown["checks"]}
        assert (await replay(plumbing, one)).same
        return customer, shown, [checks[name]["result"] for name in CHECKS], checks

    await chosen(face_search="enforce", manual_review=True)
    first, shown, results, checks = await verified()
    assert (shown["status"], results) == ("APPROVED", ["INCONCLUSIVE", "PASSED", "PASSED"]), "not all enrolled yet"
    assert checks["REPEATED_FACE"]["reason"] == "NOT_SEARCHED"
    assert await vectors(plumbing, an_account) == 1, "the approval has enrolled the face, before any upkeep"

    await keep_up_account(plumbing, an_account.account_id)
    _, shown, results, checks = await verified()
    assert (shown["status"], results) == ("IN_REVIEW", ["FAILED", "PASSED", "PASSED"]), "a person looks at it"
    [issue] = shown["issues"]
    assert (issue["code"], issue["severity"]) == ("ANOTHER_CUSTOMER_REPEATED_FACE", "REJECTION")
    assert issue["policy"] == "/biometric_policy/on_another_customer_repeated_face"
    assert issue["details"]["score"] > issue["details"]["threshold"] == checks["REPEATED_FACE"]["threshold"] == 0.95

    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    async with signed_in(plumbing, live_server, ana) as desk:
        page = (await desk.get(f"/dashboard/transactions/{shown['transaction_id']}"))[1]
    assert "Face search" in page
    assert f'href="/dashboard/customers/{first}"' in page, "the reviewer finds the other customer"

    listed = await client.post(f"{CUSTOMER}/{first}/blocklist", json={"reason": "Chargebacks", "valid_days": 30})
    assert listed.status == 201
    entry = await listed.json()
    assert (entry["customer_id"], entry["reason"]) == (str(first), "Chargebacks")
    await chosen(manual_review=False)
    _, shown, results, _ = await verified()
    assert (shown["status"], results) == ("REJECTED", ["FAILED", "FAILED", "PASSED"])
    assert [issue["code"] for issue in shown["issues"]] == [
        "ANOTHER_CUSTOMER_REPEATED_FACE",
        "INTERNAL_FACE_BLACKLIST_MATCH",
    ]
    assert (await client.delete(f"{BLOCKLIST}/{entry['entry_id']}")).status == 200

    await chosen(face_search="report")
    _, shown, results, _ = await verified()
    assert (shown["status"], shown["issues"], results) == ("APPROVED", [], ["FAILED", "PASSED", "PASSED"])

    await chosen(face_search="off")
    await keep_up_account(plumbing, an_account.account_id)
    customer, shown, results, _ = await verified()
    assert (shown["status"], results) == ("APPROVED", ["NOT_RUN"] * 3)
    assert await vectors(plumbing, an_account) == 0
    assert await evidence_of(plumbing, an_account, customer, shown["transaction_id"]) is None, "nothing was looked for"


async def vectors(plumbing, account):
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute("SELECT count(*) AS many FROM face_vectors WHERE face_id IS NOT NULL")
        return (await cursor.fetchone())["many"]


async def evidence_of(plumbing, account, customer, transaction_id):
    """What is kept of the search with the evidence of a transaction."""
    key = await key_of(plumbing, account, customer)
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT sealed_dossier FROM examinations WHERE transaction_id = %s", (transaction_id,)
        )
        sealed = bytes((await cursor.fetchone())["sealed_dossier"])
    return json.loads(key.open(sealed, seals.dossier(UUID(transaction_id))))["evidence"]["searched_faces"]
