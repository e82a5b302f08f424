"""What was asked of somebody is answered by that one, for what it was asked, once and soon."""

from datetime import timedelta

import pytest

from tests.support.dashboard import an_operator
from truename.operators.challenges import TRIES, Purpose, ask, forget_old, try_step, use_up
from truename.operators.model import Role

LATE = "UPDATE operator_challenges SET expires_at = expires_at - %s WHERE operator_id = %s"


@pytest.fixture
async def ana(plumbing, an_account):
    return (await an_operator(plumbing, {an_account.account_id: Role.ADMIN})).operator_id


@pytest.fixture
async def ben(plumbing, an_account):
    return (await an_operator(plumbing, {an_account.account_id: Role.ADMIN})).operator_id


async def test_an_answer_counts_once_for_whom_and_for_what_it_was_asked(plumbing, ana, ben):
    async with plumbing.database.system() as connection:
        asked = await ask(connection, Purpose.ADD_PASSKEY, ana)
        assert not await use_up(connection, Purpose.ADD_PASSKEY, asked, ben)
        assert not await use_up(connection, Purpose.ADD_PASSKEY, asked)
        assert not await use_up(connection, Purpose.SECOND_STEP, asked, ana)
        assert await try_step(connection, asked) is None, "a passkey that is being added is no sign-in"
        assert await use_up(connection, Purpose.ADD_PASSKEY, asked, ana)
        assert not await use_up(connection, Purpose.ADD_PASSKEY, asked, ana)


@pytest.mark.parametrize(("after", "counts"), [(timedelta(minutes=4, seconds=50), True), (timedelta(minutes=5), False)])
async def test_an_answer_counts_for_five_minutes(plumbing, ana, after, counts):
    async with plumbing.database.system() as connection:
        asked, step = await ask(connection, Purpose.ADD_PASSKEY, ana), await ask(connection, Purpose.SECOND_STEP, ana)
        await connection.execute(LATE, (after, ana))
        assert await use_up(connection, Purpose.ADD_PASSKEY, asked, ana) is counts
        assert await try_step(connection, step) == (ana if counts else None)


async def test_five_codes_may_be_tried_before_the_password_is_asked_for_again(plumbing, ana):
    async with plumbing.database.system() as connection:
        asked = await ask(connection, Purpose.SECOND_STEP, ana)
        assert [await try_step(connection, asked) for _ in range(TRIES + 1)] == [ana] * 5 + [None]
        another = await ask(connection, Purpose.SECOND_STEP, ana)
        assert await try_step(connection, another) == ana


async def test_only_what_nobody_can_answer_any_more_is_forgotten(plumbing, ana, ben):
    async with plumbing.database.system() as connection:
        old, fresh = await ask(connection, Purpose.SECOND_STEP, ana), await ask(connection, Purpose.SECOND_STEP, ben)
        await connection.execute(LATE, (timedelta(minutes=5), ana))
        await forget_old(connection)
        cursor = await connection.execute(
            "SELECT operator_id FROM operator_challenges WHERE operator_id = ANY(%s)", ([ana, ben],)
        )
        assert [row["operator_id"] for row in await cursor.fetchall()] == [ben]
        assert (await try_step(connection, old), await try_step(connection, fresh)) == (None, ben)
