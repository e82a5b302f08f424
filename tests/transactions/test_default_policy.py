"""The default policy of an account fills what a config leaves out; and what was sent is kept beside it."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.transactions import a_customer, a_transaction
from truename.plumbing.clock import now
from truename.plumbing.errors import NotFound, WrongState
from truename.privacy.erase import erase
from truename.rules.config import Action, Config
from truename.rules.default_policy import DefaultPolicy
from truename.rules.issues import catalogue
from truename.transactions.config_given import ConfigOrigin, read_config_origins
from truename.transactions.default_policy import agree, draft_policy, policy_in_force, withdraw

STRICT = {"transaction_ttl_minutes": 30, "biometric_policy": {"liveness_min_score": 0.9}}
ANA, BEN = "operator:ana", "operator:ben"


async def in_force(plumbing, account, policy, **when):
    async with plumbing.database.account(account.account_id) as connection:
        wanted = DefaultPolicy.model_validate(policy)
        policy_id = await draft_policy(connection, account.account_id, wanted, "why", actor=ANA)
        begins = now() + timedelta(**when)
        await agree(connection, account.account_id, policy_id, begins, actor=BEN, needs_another=True)
    return policy_id


async def stored(plumbing, account, transaction_id):
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT config, config_sent, expires_at - created_at AS ttl FROM transactions WHERE transaction_id = %s",
            (transaction_id,),
        )
        return await cursor.fetchone()


async def test_a_policy_fills_what_is_left_out_and_what_was_sent_is_kept_beside_it(plumbing, an_account):
    customer = await a_customer(plumbing, an_account)
    before = await a_transaction(plumbing, an_account, customer)
    await in_force(plumbing, an_account, STRICT)
    await in_force(plumbing, an_account, {"transaction_ttl_minutes": 5}, days=1)  # not yet
    sent = {"biometric_policy": {"face_comparison_min_score": 0.8, "expected_min_age": 18}}
    filled = await a_transaction(plumbing, an_account, customer, config=sent)
    own = {"biometric_policy": {"liveness_min_score": 0.7}, "transaction_ttl_minutes": 60}
    kept = await a_transaction(plumbing, an_account, customer, config=own)
    row = await stored(plumbing, an_account, before)
    assert (row["config"]["biometric_policy"]["liveness_min_score"], row["config_sent"]) == (0.85, {})
    row = await stored(plumbing, an_account, filled)
    policy = row["config"]["biometric_policy"]
    assert (policy["liveness_min_score"], policy["face_comparison_min_score"]) == (0.9, 0.8)
    assert row["ttl"] == timedelta(minutes=30)
    assert row["config_sent"] == sent
    row = await stored(plumbing, an_account, kept)
    assert row["config"]["biometric_policy"]["liveness_min_score"] == 0.7
    assert row["ttl"] == timedelta(hours=1)
    async with plumbing.database.account(an_account.account_id) as connection:
        found = await read_config_origins(connection, an_account.account_id, filled)
        await erase(connection, an_account.account_id, customer, actor="client:x")
    assert found is not None
    assert found["/biometric_policy/face_comparison_min_score"] is ConfigOrigin.SENT
    assert found["/biometric_policy/liveness_min_score"] is ConfigOrigin.ACCOUNT
    assert found["/biometric_policy/require_face_comparison"] is ConfigOrigin.INTERFACE
    row = await stored(plumbing, an_account, filled)
    assert row["config_sent"] == {"biometric_policy": {"face_comparison_min_score": 0.8}}, (
        "the age goes with the person"
    )


async def test_nobody_puts_a_draft_of_their_own_in_force_and_a_settled_one_stays_settled(
    plumbing, an_account, another_account
):
    account_id = an_account.account_id
    async with plumbing.database.account(account_id) as connection:
        wanted = DefaultPolicy.model_validate(STRICT)
        draft = await draft_policy(connection, account_id, wanted, "", actor=ANA)
        with pytest.raises(WrongState, match="Another admin"):
            await agree(connection, account_id, draft, now(), actor=ANA, needs_another=True)
        assert (await policy_in_force(connection, account_id)).policy_id is None
        await withdraw(connection, account_id, draft, actor=ANA)
        with pytest.raises(WrongState, match="withdrawn"):
            await agree(connection, account_id, draft, now(), actor=BEN, needs_another=True)
        own = await draft_policy(connection, account_id, wanted, "", actor=ANA)
        await agree(connection, account_id, own, now(), actor=ANA, needs_another=False)
        assert (await policy_in_force(connection, account_id)).policy_id == own
    async with plumbing.database.account(another_account.account_id) as connection:
        with pytest.raises(NotFound):
            await withdraw(connection, another_account.account_id, own, actor=BEN)
    async with plumbing.database.account(account_id) as connection:
        cursor = await connection.execute(
            "SELECT action, details FROM audit_log WHERE subject = %s ORDER BY sequence", (f"default_policy:{own}",)
        )
        lines = await cursor.fetchall()
    assert [line["action"] for line in lines] == ["policy.drafted", "policy.agreed"]
    assert lines[1]["details"]["fields"] == "/transaction_ttl_minutes,/biometric_policy/liveness_min_score"


@given(
    chosen=st.dictionaries(st.sampled_from(sorted(type(Config().device_policy).model_fields)), st.sampled_from(Action)),
    sent=st.dictionaries(st.sampled_from(sorted(type(Config().device_policy).model_fields)), st.sampled_from(Action)),
)
def test_what_is_sent_always_stands_and_the_rest_is_the_accounts_or_the_interfaces(chosen, sent):
    policy = DefaultPolicy.model_validate({"device_policy": chosen} if chosen else {})
    effective = policy.filled(Config.model_validate({"device_policy": sent})).device_policy
    usual = Config().device_policy
    for name in type(usual).model_fields:
        assert getattr(effective, name) == sent.get(name, chosen.get(name, getattr(usual, name)))
    assert policy.filled(Config()) == policy.effective()
    assert DefaultPolicy.model_validate(policy.said()) == policy
    assert DefaultPolicy().filled(Config()) == Config()


def test_a_policy_may_say_nothing_of_one_person_nor_what_is_not_enforced():
    allowed = {*DefaultPolicy().effective().device_policy.model_fields_set}
    assert allowed == set()
    for refused in ("expected_gender", "expected_min_age", "on_another_customer_repeated_face"):
        with pytest.raises(ValueError, match=refused):
            DefaultPolicy.model_validate({"biometric_policy": {refused: None}})
    for refused in ("webhook", "blacklist_policy"):
        with pytest.raises(ValueError, match=refused):
            DefaultPolicy.model_validate({refused: {}})
    pointers = {row["policy"] for row in catalogue() if row["policy"]}
    devices = {f"/device_policy/{name}" for name in Config().device_policy.model_dump()}
    assert devices <= {str(pointer).removeprefix("/config") for pointer in pointers}
