"""What becomes of a sign-in that is under way while the operator's password or second factor is changed?"""

import asyncio

import psycopg
import pyotp
import pytest

from tests.support.dashboard import PASSWORD, an_operator
from tests.support.waiting import until
from truename.operators.change import set_password
from truename.operators.model import Origin, Role, SignInRefused
from truename.operators.one_time_codes import begin_totp, confirm_totp
from truename.operators.sessions import end_other_sessions, list_sessions
from truename.operators.sign_in import second_step, sign_in
from truename.plumbing.http.rate_limits import RateLimiter, charging

ORIGIN = Origin("127.0.0.1", "an unknown place", "Firefox 141 on Linux")
ANOTHER = "quite another sentence, 2026"


@pytest.fixture
async def ana(plumbing, an_account):
    return await an_operator(plumbing, {an_account.account_id: Role.ADMIN}, name="Ana")


async def came_so_far(plumbing, signing: asyncio.Task) -> None:
    """Until the sign-in is over, or waits for whoever changes the operator."""
    asked = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"

    async def so_far() -> bool:
        with psycopg.connect(plumbing.database.url) as connection:
            return signing.done() or connection.execute(asked).fetchone() is not None

    await until(so_far, 20)


async def codes_of(plumbing, operator) -> list[str]:
    async with plumbing.database.system() as connection:
        secret = await begin_totp(plumbing, connection, operator)
        codes = await confirm_totp(plumbing, connection, operator, pyotp.TOTP(secret).now())
        await end_other_sessions(connection, operator.operator_id)
    return codes or []


async def asked_for_a_code(plumbing, operator, password: str) -> bytes:
    step = await sign_in(plumbing, operator.email, password, ORIGIN)
    assert step.challenge is not None
    return step.challenge


async def sessions_of(plumbing, operator):
    async with plumbing.database.system() as connection:
        return await list_sessions(connection, plumbing.settings, operator.operator_id)


async def test_the_old_password_opens_no_session_that_outlives_its_change(plumbing, ana):
    async with plumbing.database.system() as connection:
        await set_password(connection, ana, ANOTHER, by=ana.actor)
        signing = asyncio.create_task(sign_in(plumbing, ana.email, PASSWORD, ORIGIN))
        await came_so_far(plumbing, signing)
    with pytest.raises(SignInRefused):
        await signing
    assert await sessions_of(plumbing, ana) == []


async def test_a_password_alone_opens_no_session_once_a_second_factor_is_switched_on(plumbing, ana):
    async with plumbing.database.system() as connection:
        secret = await begin_totp(plumbing, connection, ana)
    async with plumbing.database.system() as connection:
        assert await confirm_totp(plumbing, connection, ana, pyotp.TOTP(secret).now())
        await end_other_sessions(connection, ana.operator_id)
        signing = asyncio.create_task(sign_in(plumbing, ana.email, PASSWORD, ORIGIN))
        await came_so_far(plumbing, signing)
    step = await signing
    assert (step.session_token, step.challenge is not None) == (None, True)
    assert await sessions_of(plumbing, ana) == []


async def test_a_sign_in_that_waits_for_its_code_ends_when_the_password_is_changed(plumbing, ana):
    codes = await codes_of(plumbing, ana)
    limiter = RateLimiter(charging(plumbing.database))
    before = await asked_for_a_code(plumbing, ana, PASSWORD)
    async with plumbing.database.system() as connection:
        await set_password(connection, ana, ANOTHER, by=ana.actor)
    with pytest.raises(SignInRefused):
        await second_step(plumbing, limiter, before, codes[0], ORIGIN)
    assert await sessions_of(plumbing, ana) == []
    after = await asked_for_a_code(plumbing, ana, ANOTHER)
    assert await second_step(plumbing, limiter, after, codes[1], ORIGIN)


async def test_a_code_that_was_being_looked_at_opens_nothing_when_the_password_is_changed(plumbing, ana):
    codes = await codes_of(plumbing, ana)
    limiter = RateLimiter(charging(plumbing.database))
    before = await asked_for_a_code(plumbing, ana, PASSWORD)
    async with plumbing.database.system() as connection:
        await set_password(connection, ana, ANOTHER, by=ana.actor)
        trying = asyncio.create_task(second_step(plumbing, limiter, before, codes[0], ORIGIN))
        await came_so_far(plumbing, trying)
    with pytest.raises(SignInRefused):
        await trying
    assert await sessions_of(plumbing, ana) == []
