"""The default policy in settings and lab: drafted, agreed to by a second person; texts of the capture page."""

import re

from tests.support.cases import a_case, mismatch
from tests.support.dashboard import an_operator, signed_in
from tests.support.reviews import choose, waiting_for_review
from tests.support.transactions import a_customer, a_transaction
from truename.accounts.store import account_settings
from truename.dashboard.lab.hours import ReviewerHours
from truename.operators.model import Role
from truename.reviews.decide import decide
from truename.reviews.model import Decided
from truename.reviews.queue import take
from truename.transactions.default_policy import policy_in_force

SETTINGS, POLICIES = "/dashboard/settings", "/dashboard/lab/policies"
CHOSEN = {"biometric_policy.liveness_min_score": "0.9", "device_policy.on_emulator": "WARN"}


async def config_of(plumbing, account, transaction_id):
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT config FROM transactions WHERE transaction_id = %s", (transaction_id,)
        )
        return (await cursor.fetchone())["config"]


async def test_a_policy_goes_from_a_draft_by_a_second_person_into_every_new_config(plumbing, live_server, an_account):
    ana, ben = [
        await an_operator(plumbing, {an_account.account_id: Role.ADMIN}, name=name) for name in ("Ana <i>", "Ben")
    ]
    customer = await a_customer(plumbing, an_account)
    async with signed_in(plumbing, live_server, ana) as desk, signed_in(plumbing, live_server, ben) as other:
        for wrong in (
            {"biometric_policy.liveness_min_score": "high"},
            {"biometric_policy.liveness_min_score": "7"},
            {"document_policy.document_eligibility": "{"},
            {"device_policy.on_emulator": "<script>"},
        ):
            status, page = await desk.post(f"{SETTINGS}/policy", **wrong)
            assert (status, "Nothing was drafted" in page) == (400, True), wrong
        assert await desk.post_for_location(f"{SETTINGS}/policy", **CHOSEN, note="Less <b>fraud</b>") == POLICIES
        page = (await desk.get(POLICIES))[1]
        assert "Less &lt;b&gt;fraud&lt;/b&gt;" in page
        assert "another admin of this account must agree" in page
        (path,) = re.findall(rf'action="({POLICIES}/[^"]+)/withdraw"', page)
        confirm, when = path[-4:], "2026-01-01T00:00"
        refused = await desk.post(f"{path}/agree", confirm=confirm, effective_from=when)
        assert refused[0] == 409
        for wrong in ({"confirm": "xxxx", "effective_from": when}, {"confirm": confirm, "effective_from": "soon"}):
            assert (await other.post(f"{path}/agree", **wrong))[0] == 400
        before = await a_transaction(plumbing, an_account, customer)
        assert await other.post_for_location(f"{path}/agree", confirm=confirm, effective_from=when) == POLICIES
        after = await a_transaction(plumbing, an_account, customer)
        assert (await config_of(plumbing, an_account, before))["biometric_policy"]["liveness_min_score"] == 0.85
        made = await config_of(plumbing, an_account, after)
        assert (made["biometric_policy"]["liveness_min_score"], made["device_policy"]["on_emulator"]) == (0.9, "WARN")
        page = (await desk.get(SETTINGS))[1]
        assert "In force: <strong>0.9</strong>. Default: 0.85." in page
        assert "<bdi>Ana &lt;i&gt;</bdi>, agreed by <bdi>Ben</bdi>" in page
        assert "Sets: <code>EMULATOR_DETECTED</code>" in page
        assert 'href="/dashboard/lab?use_liveness_min_score=1&amp;liveness_min_score=0.9"' in page
        assert "blacklist_policy" not in page
        # From the lab a change is put upon what is in force.
        place = await other.post_for_location(
            "/dashboard/lab/draft", use_face_comparison_min_score="1", face_comparison_min_score="0.8", note="lab"
        )
        page = (await other.get(place))[1]
        assert "/biometric_policy/face_comparison_min_score" in page
        assert "<strong>0.8</strong>" in page
        of_a_person = '{"biometric_policy": {"expected_min_age": 18}}'
        status, page = await other.post("/dashboard/lab/draft", config=of_a_person, mode="CHANGE")
        assert (status, "This cannot be a default policy" in page) == (400, True)
        (path,) = re.findall(rf'action="({POLICIES}/[^"]+)/withdraw"', (await other.get(POLICIES))[1])
        await desk.post_for_location(f"{path}/withdraw")
        assert (await desk.post(f"{path}/withdraw"))[0] == 409
        assert (await desk.post(f"{POLICIES}/{customer}/withdraw"))[0] == 404
    async with plumbing.database.account(an_account.account_id) as connection:
        holds = await policy_in_force(connection, an_account.account_id)
    assert holds.policy.said() == {
        "device_policy": {"on_emulator": "WARN"},
        "biometric_policy": {"liveness_min_score": 0.9},
    }


async def test_texts_of_the_capture_page_are_kept_by_language_and_bounded(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    async with signed_in(plumbing, live_server, ana) as desk:
        said = {
            "de_welcome": "Fast geschafft! <b>Nur noch</b> Ihr Ausweis.",
            "de_done": "Bis gleich.",
            "ar_done": "شكرا",
        }
        await desk.post_for_location(f"{SETTINGS}/texts", **said)
        page = (await desk.get(SETTINGS))[1]
        assert "Fast geschafft! &lt;b&gt;Nur noch&lt;/b&gt; Ihr Ausweis." in page
        for wrong in ("x" * 301, "bell \x07"):
            status, page = await desk.post(f"{SETTINGS}/texts", en_welcome=wrong)
            assert (status, "Nothing was changed" in page) == (400, True)
        async with plumbing.database.account(an_account.account_id) as connection:
            kept = (await account_settings(connection, an_account.account_id)).capture_texts
        assert kept["de"].welcome == said["de_welcome"]
        assert (kept["ar"].welcome, kept["ar"].done) == (None, "شكرا")
        assert "en" not in kept
        await desk.post_for_location(f"{SETTINGS}/texts")
    async with plumbing.database.account(an_account.account_id) as connection:
        assert (await account_settings(connection, an_account.account_id)).capture_texts == {}


async def test_the_lab_tells_reviewer_hours_where_rejections_wait_for_a_person(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    await a_case(plumbing, an_account, mismatch(0.84), pictures=False)
    query = "/dashboard/lab/sample?days=7&use_face_comparison_min_score=1&face_comparison_min_score=0.8"
    async with signed_in(plumbing, live_server, ana) as desk:
        page = (await desk.get(query))[1]
        assert "no rejection waits for a person" in page
        assert "cannot be judged</th>" in page
        await choose(plumbing, an_account, manual_review=True, review_hold_seconds=0, review_blind_first="off")
        assert "nobody has decided one yet" in (await desk.get(query))[1]
        (waiting,) = await waiting_for_review(plumbing, an_account)
        async with plumbing.database.account(an_account.account_id) as connection:
            lease = await take(connection, an_account.account_id, ana.actor, waiting)
            own = connection, plumbing, an_account.account_id, ana.actor, waiting
            await decide(*own, lease.version, Decided.REJECTED, "OTHER", "x" * 20)
            await connection.execute(
                "UPDATE review_opinions SET state = 'FINAL', decided_at = decided_at + interval '90 s'"
            )
        page = (await desk.get(query))[1]
    assert re.search(r"<strong>−1 min (29|30) s</strong> <span class=\"fine\">−1 cases at 1 min (29|30) s each", page)
    assert ReviewerHours(80, 90.0, 200).hours == 2.0
