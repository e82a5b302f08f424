"""Whose sessions are ended, and which stay listed?"""

import pytest

from tests.support.dashboard import a_session, an_operator
from truename.operators.model import Role
from truename.operators.sessions import KEPT_DAYS, end_session, forget_old, list_sessions, look_at, read_session


@pytest.fixture
async def ana(plumbing, an_account):
    return await an_operator(plumbing, {an_account.account_id: Role.ADMIN})


async def signed_in(plumbing, token):
    async with plumbing.database.system() as connection:
        return await read_session(connection, plumbing.settings, token, stays_alive=False)


async def kept_of(connection, operator):
    cursor = await connection.execute(
        "SELECT session_id FROM operator_sessions WHERE operator_id = %s ORDER BY created_at", (operator.operator_id,)
    )
    return [row["session_id"] for row in await cursor.fetchall()]


async def test_nobody_ends_a_session_of_another(plumbing, an_account, ana):
    ben = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    token = await a_session(plumbing, ana)
    session_id = (await signed_in(plumbing, token)).session.session_id
    async with plumbing.database.system() as connection:
        assert not await end_session(connection, ben.operator_id, session_id)
    assert await signed_in(plumbing, token) is not None
    async with plumbing.database.system() as connection:
        assert await end_session(connection, ana.operator_id, session_id)
        assert not await end_session(connection, ana.operator_id, session_id), "once"
    assert await signed_in(plumbing, token) is None


async def test_old_sessions_are_forgotten_but_for_the_last_of_each_operator(plumbing, an_account, ana):
    """The last one says when somebody was here at all."""
    for _ in range(3):
        await a_session(plumbing, ana)
    async with plumbing.database.system() as connection:
        first, second, last = await kept_of(connection, ana)
        age = "UPDATE operator_sessions SET seen_at = now() - make_interval(days => %s) WHERE session_id = ANY(%s)"
        await connection.execute(age, (KEPT_DAYS - 1, [second]))
        await connection.execute(age, (KEPT_DAYS + 1, [first, last]))
        await forget_old(connection, plumbing.settings)
        assert await kept_of(connection, ana) == [second, last]


async def test_a_session_that_may_still_be_used_is_not_forgotten_however_long_that_is(plumbing, ana):
    """An installation may let sessions last for longer than ended ones are kept."""
    long = plumbing.settings.model_copy(
        update={"dashboard_session_hours": 24 * 2 * KEPT_DAYS, "dashboard_idle_minutes": 60 * 24 * 2 * KEPT_DAYS}
    )
    for _ in range(2):
        await a_session(plumbing, ana)
    async with plumbing.database.system() as connection:
        await connection.execute(
            "UPDATE operator_sessions SET seen_at = seen_at - make_interval(days => %s), "
            "created_at = created_at - make_interval(days => %s) WHERE operator_id = %s",
            (KEPT_DAYS + 1, KEPT_DAYS + 1, ana.operator_id),
        )
        await forget_old(connection, long)
        assert len(await list_sessions(connection, long, ana.operator_id)) == 2


async def test_a_new_session_begins_where_the_last_one_ended(plumbing, an_account, another_account):
    both = {an_account.account_id: Role.ADMIN, another_account.account_id: Role.ADMIN}
    bea = await an_operator(plumbing, both)
    for account in (an_account, another_account):
        session = await signed_in(plumbing, await a_session(plumbing, bea))
        async with plumbing.database.system() as connection:
            await look_at(connection, session.session.session_id, account.account_id)
        found = await signed_in(plumbing, await a_session(plumbing, bea))
        assert found.current.account_id == account.account_id
