"""What would another policy have decided? Judged from stored evidence, without a word about a person."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.any_dossier import configs, dossiers
from tests.support.api import KYC, problem
from tests.support.dossiers import EVERYTHING_EXPECTED, a_device, a_document, a_dossier
from tests.support.judged import a_judged
from tests.support.transactions import a_customer
from truename.accounts.create import create_account
from truename.accounts.model import AccountSettings
from truename.accounts.tokens import issue_access_token
from truename.backtest import jobs
from truename.backtest.again import prepared
from truename.backtest.model import BEGINNING, OtherConfig, policy_of
from truename.backtest.policy import Mode, OtherPolicy
from truename.backtest.run import backtest
from truename.backtest.sample import read_sample, samples
from truename.backtest.stored import Range, Reader
from truename.backtest.tally import JudgedThen, Tally
from truename.plumbing.clock import now
from truename.plumbing.database.ids import new_id
from truename.privacy.erase import erase
from truename.rules.authenticity_signs import AuthenticitySign
from truename.rules.config import Config, TransactionType
from truename.rules.dossier import CustomerStatus
from truename.rules.evidence import FacePair
from truename.rules.issues import Severity
from truename.rules.verdict import evaluate

PATH = f"{KYC}/policy/backtest"
VARIED = [
    {},
    {"liveness": 0.87},
    {"liveness": 0.5},
    {"face_similarity": {FacePair.DOCUMENT_AND_LIVENESS: 0.62}},
    {"device": a_device(emulator=True)},
    {"device": a_device(vpn_or_proxy=True)},
    {"document": a_document(date_of_expiry="2020-01-01")},
    {"document": None},
    {"customer_status": CustomerStatus.BLOCKED},
    {"config": {"document_policy": {"data_matching": EVERYTHING_EXPECTED}}},
    {"config": {"document_policy": {"data_matching": {"document_number": "77"}}}},
    {"config": {"biometric_policy": {"expected_gender": "MALE"}}},
    {"config": {"biometric_policy": {"require_face_comparison": False}}, "face_similarity": {}},
    {"config": {"device_policy": {"on_emulator": "IGNORE"}}, "device": a_device(emulator=True)},
    {"transaction_type": TransactionType.DOCUMENT_ONLY},
    {"transaction_type": TransactionType.BIOMETRIC_ONLY, "liveness": 0.9},
]


async def nothing(done: int) -> None:
    """Nobody watches."""


@pytest.fixture
async def varied(plumbing, an_account):
    """One transaction of each kind, with what the engine said."""
    return {
        await a_judged(plumbing, an_account, dossier): evaluate(dossier).decision
        for dossier in (a_dossier(**changes) for changes in VARIED)  # type: ignore[arg-type]
    }


def all_of(account) -> Range:
    return Range(account.account_id, BEGINNING, now())


def changed(**config) -> OtherPolicy:
    return policy_of(OtherConfig.model_validate(config), Mode.CHANGE)


async def test_the_same_config_flips_none_of_every_stored_one(plumbing, an_account, varied):
    result = await backtest(plumbing, all_of(an_account), changed(), nothing)
    assert result.decisions.judged == len(VARIED)
    assert result.decisions.approved_then == result.decisions.approved_now == list(varied.values()).count("APPROVED")
    assert (result.flips, result.reviewed.judged, result.cannot_be_judged, result.changed_rules) == ((), 0, 0, 0)


async def test_flips_are_counted_by_direction_and_code(plumbing, an_account, varied):
    stricter = await backtest(
        plumbing, all_of(an_account), changed(biometric_policy={"liveness_min_score": 0.92}), nothing
    )
    assert stricter.to_rejected_by_code == {"LIVENESS_LOW_CONFIDENCE": 2}
    assert (stricter.decisions.to_rejected, stricter.decisions.to_approved) == (2, 0)
    milder = await backtest(plumbing, all_of(an_account), changed(device_policy={"on_emulator": "WARN"}), nothing)
    assert milder.to_approved_by_code == {"EMULATOR_DETECTED": 1}
    (flip,) = milder.flips
    assert varied[flip.transaction_id] == flip.was == "REJECTED"
    # Instead of everything, with defaults: who ignored emulators now rejects them; what is expected of a person stays.
    replaced = await backtest(plumbing, all_of(an_account), policy_of(OtherConfig(), Mode.REPLACE), nothing)
    assert replaced.to_rejected_by_code["EMULATOR_DETECTED"] == 1
    assert "LIVENESS_GENDER_MISMATCH_EXPECTED" not in replaced.to_approved_by_code
    assert "DOCUMENT_NUMBER_MISMATCH" not in replaced.to_approved_by_code


async def test_no_more_is_opened_at_once_than_so_many_bytes_and_still_everything_is_judged(
    plumbing, an_account, varied
):
    """A config may bring 256 kB: a sample of 5000 such transactions took eleven gigabytes of the API process."""
    reader, seen, after = Reader(plumbing, all_of(an_account)), [], None
    async with plumbing.database.account(an_account.account_id) as connection:
        for _ in VARIED:
            page = await reader.next_page(connection, after, most_bytes=1)
            seen += [one.transaction_id for one in page.stored]
            assert page.size == 1, "one at least, else it would never end"
            after = page.after
        assert sorted(seen) == sorted(varied)
        assert after is None
        whole = await reader.next_page(connection, None)
        assert (whole.size, whole.after) == (len(VARIED), None)
    newest = list(varied)[-1]
    few = await read_sample(plumbing, all_of(an_account), most_bytes=1)
    assert ([one.transaction_id for one in few.judged], few.total) == ([newest], len(VARIED))


def test_doubtful_documents_that_would_be_approved_are_counted_the_same_either_way():
    doubtful = a_document().model_copy(update={"authenticity": {AuthenticitySign.ZONE_FONT: 0.4}})
    dossiers = [
        a_dossier(document=doubtful),
        a_dossier(document=doubtful, liveness=0.5),
        a_dossier(),
        a_dossier(transaction_type=TransactionType.BIOMETRIC_ONLY),
    ]
    for keep in (prepared, lambda dossier: None):
        tally = Tally(changed())
        tally.add(
            JudgedThen(new_id(), evaluate(one).decision, tuple(rejecting(one)), True, one, keep(one))
            for one in dossiers
        )
        assert tally.result().doubtful == 1


def rejecting(dossier) -> list[str]:
    return [issue.code.name for issue in evaluate(dossier).issues if issue.severity is Severity.REJECTION]


async def test_what_was_erased_cannot_be_judged_and_counts_apart(plumbing, an_account):
    customer = await a_customer(plumbing, an_account)
    await a_judged(plumbing, an_account, a_dossier(), customer_id=customer)
    await a_judged(plumbing, an_account, a_dossier())
    async with plumbing.database.account(an_account.account_id) as connection:
        await erase(connection, an_account.account_id, customer, actor="test")
    result = await backtest(plumbing, all_of(an_account), changed(), nothing)
    assert (result.decisions.judged, result.cannot_be_judged) == (1, 1)


async def test_what_a_person_decides_counts_apart(plumbing):
    account = await create_account(plumbing, f"reviewed {new_id()}", settings=AccountSettings(manual_review=True))
    await a_judged(plumbing, account, a_dossier(liveness=0.5))
    await a_judged(plumbing, account, a_dossier())
    result = await backtest(plumbing, all_of(account), changed(biometric_policy={"liveness_min_score": 0.4}), nothing)
    assert (result.decisions.judged, result.decisions.to_approved, result.flips) == (1, 0, ())
    assert (result.reviewed.judged, result.reviewed.to_approved) == (1, 1)


@settings(max_examples=settings().max_examples * 3 // 2)
@given(dossiers, configs, st.sampled_from(Mode))
def test_what_is_expected_of_a_person_is_never_replaced(dossier, config, mode):
    applied = OtherPolicy(config, mode).applied(dossier).config
    own = dossier.config
    assert applied.document_policy.data_matching == own.document_policy.data_matching
    if "expected_gender" not in config.biometric_policy.model_fields_set:
        assert applied.biometric_policy.expected_gender == own.biometric_policy.expected_gender
    assert OtherPolicy(Config(), Mode.CHANGE).applied(dossier) == dossier


@settings(max_examples=settings().max_examples * 2)
@given(dossiers, configs, st.sampled_from(Mode))
def test_what_is_not_asked_again_would_have_answered_the_same(dossier, config, mode):
    applied = OtherPolicy(config, mode).applied(dossier)
    rejections = [issue.code.name for issue in evaluate(applied).issues if issue.severity is Severity.REJECTION]
    assert prepared(dossier).rejected_by(applied) == rejections


async def test_a_sample_is_judged_in_memory_and_kept_for_a_while(plumbing, an_account, varied):
    range_ = all_of(an_account)
    sample = await read_sample(plumbing, range_, 5)
    assert (len(sample.judged), sample.total) == (5, len(VARIED))
    shelf = samples(plumbing)
    kept = await shelf.get(range_)
    assert await shelf.get(range_) is kept
    assert kept.judge(changed(biometric_policy={"liveness_min_score": 0.92})).decisions.to_rejected == 2


# ── over HTTP ──────────────────────────────────────────────────────────────────────────────────────────────


async def test_few_are_answered_at_once_and_many_by_a_job(client, plumbing, an_account, varied, monkeypatch):
    body = {"mode": "CHANGE", "config": {"biometric_policy": {"liveness_min_score": 0.92}}}
    answer = await client.post(PATH, json=body)
    told = await answer.json()
    assert (answer.status, told["status"], told["total"], told["done"]) == (200, "DONE", len(VARIED), len(VARIED))
    assert told["result"]["to_rejected_by_code"] == {"LIVENESS_LOW_CONFIDENCE": 2}
    monkeypatch.setattr(jobs, "AT_ONCE", 3)
    answer = await client.post(PATH, json=body)
    queued = await answer.json()
    assert (answer.status, queued["status"], queued["result"]) == (202, "QUEUED", None)
    account, identity = str(an_account.account_id), queued["backtest_id"]
    for _ in range(2):  # after a crash it is run again
        await jobs.run_queued(plumbing, account_id=account, backtest_id=identity)
    read = await (await client.get(answer.headers["Location"])).json()
    assert (read["status"], read["done"], read["result"]) == ("DONE", len(VARIED), told["result"])
    later = {**body, "since": "2100-01-01T00:00:00Z"}
    assert (await (await client.post(PATH, json=later)).json())["total"] == 0
    typed = {**body, "transaction_type": "BIOMETRIC_ONLY"}
    assert (await (await client.post(PATH, json=typed)).json())["total"] == 1


async def test_nobody_is_told_gender_or_age_by_asking_who_flips(client, plumbing, an_account):
    await a_judged(plumbing, an_account, a_dossier())
    for mode in Mode:
        for expected in ({"expected_gender": "MALE"}, {"expected_gender": "FEMALE"}, {"expected_min_age": 99}):
            told = await (await client.post(PATH, json={"mode": mode, "config": {"biometric_policy": expected}})).json()
            assert (told["total"], told["result"]["flips"]) == (1, [])
            assert told["config"] == {"biometric_policy": {}}  # and it says so
    seen = policy_of(OtherConfig.model_validate({"biometric_policy": {"expected_min_age": 99}}), Mode.CHANGE)
    assert len((await backtest(plumbing, all_of(an_account), seen, nothing)).flips) == 1  # at the machine itself it may


async def test_a_job_that_is_given_up_says_so(client, plumbing, an_account, monkeypatch):
    monkeypatch.setattr(jobs, "AT_ONCE", -1)
    queued = await (await client.post(PATH, json={"config": {}})).json()
    await jobs.give_up(
        plumbing, account_id=str(an_account.account_id), backtest_id=queued["backtest_id"], error=ValueError()
    )
    assert (await (await client.get(f"{PATH}/{queued['backtest_id']}")).json())["status"] == "FAILED"


async def test_a_wrong_policy_is_refused_and_another_accounts_is_unknown(client, another_client, plumbing, an_account):
    matching = {"config": {"document_policy": {"data_matching": {"document_number": "77"}}}}
    refused = await problem(await client.post(PATH, json=matching))
    assert [fault["pointer"] for fault in refused["errors"]] == ["/config/document_policy/data_matching"]
    refused = await problem(await client.post(PATH, json={"config": {}, "since": "yesterday"}))
    assert refused["errors"][0]["code"] == "instant_malformed"
    made = await (await client.post(PATH, json={"config": {}})).json()
    assert (await problem(await another_client.get(f"{PATH}/{made['backtest_id']}"), 404))[
        "code"
    ] == "backtest_not_found"
    token = await issue_access_token(plumbing, an_account.account_id, an_account.client_id, ["transactions:read"])
    narrow = {"Authorization": f"Bearer {token}"}
    assert (await client.post(PATH, json={"config": {}}, headers=narrow)).status == 403


async def test_which_documents_people_have_is_told_only_to_who_may_read_transactions(client, plumbing, an_account):
    """To accept one kind of document alone, and to be told who flips, is to be told the kind of each."""
    await a_judged(plumbing, an_account, a_dossier())
    target = {"country": "IS", "type": "PASSPORT", "allow_expired": False}
    only = {"document_eligibility": {"filter_mode": "ALLOW", "target_documents": [target]}}
    body = {"mode": "CHANGE", "config": {"document_policy": only}}
    async with client.post(PATH, json=body) as answer:
        told = await answer.json()
        assert answer.status == 200, told
        assert [flip["codes"] for flip in told["result"]["flips"]] == [["DOCUMENT_NOT_ELIGIBLE"]]
    token = await issue_access_token(plumbing, an_account.account_id, an_account.client_id, ["explanations:read"])
    headers = {"Authorization": f"Bearer {token}"}
    assert (await problem(await client.post(PATH, json=body, headers=headers), 403))["code"] == "scope_missing"
    read = await client.get(f"{PATH}/{told['backtest_id']}", headers=headers)
    assert (await problem(read, 403))["code"] == "scope_missing"


async def test_back_tests_are_not_kept_without_end_nor_queued_without_end(
    client, plumbing, an_account, varied, monkeypatch
):
    body = {"mode": "CHANGE", "config": {}}
    made = [(await (await client.post(PATH, json=body)).json())["backtest_id"] for _ in range(4)]
    async with plumbing.database.account(an_account.account_id) as connection:
        query = "UPDATE backtests SET created_at = now() - interval '31 days' WHERE backtest_id = %s"
        await connection.execute(query, (made[3],))
    monkeypatch.setattr(jobs, "MOST_KEPT", 2)
    await jobs.forget_old_backtests(plumbing)
    kept = [(await client.get(f"{PATH}/{one}")).status for one in made]
    assert kept == [404, 200, 200, 404]
    monkeypatch.setattr(jobs, "AT_ONCE", 1)
    monkeypatch.setattr(jobs, "MOST_WAITING", 2)
    keys = [{"Idempotency-Key": name} for name in ("first", "second", "third", "first")]
    answers = [await client.post(PATH, json=body, headers=key) for key in keys]
    assert [answer.status for answer in answers] == [202, 202, 429, 202]
    assert await answers[3].json() == await answers[0].json(), "a repeated call is one of those that wait"


async def test_a_range_that_ends_before_it_begins_is_refused_and_not_answered_as_empty(client):
    body = {"config": {}, "since": "2026-11-02T00:00:00+01:00", "until": "2026-11-01T22:59:59Z"}
    told = await problem(await client.post(PATH, json=body), 400)
    assert [(one["pointer"], one["code"]) for one in told["errors"]] == [("/until", "until_before_since")]
    async with client.post(PATH, json={**body, "until": "2026-11-01T23:00:01Z"}) as answer:
        assert answer.status == 200, await answer.text()
