"""Codes of an app and recovery codes: when each is right, how often, and what replaces them."""

import pyotp
import pytest

from tests.support.dashboard import an_operator
from truename.operators.model import Operator, Role
from truename.operators.one_time_codes import (
    STEP_SECONDS,
    begin_totp,
    confirm_totp,
    is_totp,
    new_recovery_codes,
    pending_secret,
    remove_totp,
    use_recovery_code,
)
from truename.operators.store import read_operator
from truename.plumbing import clock
from truename.plumbing.database.pool import Connection


@pytest.fixture
async def ana(plumbing, an_account):
    return await an_operator(plumbing, {an_account.account_id: Role.ADMIN})


async def as_stored(connection: Connection, operator: Operator) -> Operator:
    found = await read_operator(connection, operator.operator_id)
    assert found is not None
    return found


def step_of_now():
    return clock.seconds() // STEP_SECONDS


def code_of(secret, step):
    return pyotp.TOTP(secret).generate_otp(step)


async def with_codes(plumbing, connection, operator):
    """The secret, and the recovery codes that came with its confirmation."""
    secret = await begin_totp(plumbing, connection, operator)
    recovery = await confirm_totp(plumbing, connection, operator, code_of(secret, step_of_now()))
    assert recovery is not None
    return secret, recovery


async def test_a_clock_may_be_half_a_minute_off_either_way_and_no_more(plumbing, ana):
    async with plumbing.database.system() as connection:
        secret = await begin_totp(plumbing, connection, ana)
        while True:
            await connection.execute(
                "UPDATE operators SET totp_last_step = 0 WHERE operator_id = %s", (ana.operator_id,)
            )
            now = step_of_now()
            codes = [code_of(secret, now + off) for off in (-2, 2, -1, 0, 1, 1, -1)]
            found = [await is_totp(plumbing, connection, ana.operator_id, code) for code in codes]
            if step_of_now() == now:  # else the next half minute has begun meanwhile
                break
    assert found == [False, False, True, True, True, False, False], "the last two were used, or lie before one that was"


async def test_a_secret_that_is_in_use_is_neither_shown_again_nor_replaced_without_being_removed(plumbing, ana):
    """Else who sits down at an open session would have codes of their own."""
    async with plumbing.database.system() as connection:
        secret, _ = await with_codes(plumbing, connection, ana)
        assert await pending_secret(plumbing, connection, ana) is None
        other = await begin_totp(plumbing, connection, ana)
        assert not await is_totp(plumbing, connection, ana.operator_id, code_of(other, step_of_now() + 1))
        assert await is_totp(plumbing, connection, ana.operator_id, code_of(secret, step_of_now() + 1))
        again = await as_stored(connection, ana)
        await connection.execute("UPDATE operators SET totp_last_step = 0 WHERE operator_id = %s", (ana.operator_id,))
        code = code_of(secret, step_of_now())
        assert await confirm_totp(plumbing, connection, again, code) is None, "it would make fresh recovery codes"


async def test_recovery_codes_go_with_the_last_second_factor(plumbing, ana):
    async with plumbing.database.system() as connection:
        _, (first, second, *_) = await with_codes(plumbing, connection, ana)
        await connection.execute(
            "INSERT INTO operator_passkeys (credential_id, operator_id, public_key, sign_count, name) "
            "VALUES (%s, %s, '', 0, 'phone')",
            (ana.operator_id.bytes, ana.operator_id),
        )
        await remove_totp(connection, await as_stored(connection, ana))
        assert await use_recovery_code(plumbing, connection, ana.operator_id, first), "a passkey can be lost, too"
        await connection.execute("DELETE FROM operator_passkeys WHERE operator_id = %s", (ana.operator_id,))
        await remove_totp(connection, await as_stored(connection, ana))
        assert not await use_recovery_code(plumbing, connection, ana.operator_id, second)


async def test_a_recovery_code_is_good_once_for_its_owner_however_it_is_typed(plumbing, an_account, ana):
    ben = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    async with plumbing.database.system() as connection:
        codes = await new_recovery_codes(plumbing, connection, ana)
        typed = (codes[0], codes[1].upper(), f"  {codes[2].replace('-', ' ')} ", codes[3].replace("-", ""))
        for code in typed:
            assert not await use_recovery_code(plumbing, connection, ben.operator_id, code)
            assert await use_recovery_code(plumbing, connection, ana.operator_id, code)
            assert not await use_recovery_code(plumbing, connection, ana.operator_id, code)
        assert (await as_stored(connection, ana)).recovery_codes == len(codes) - len(typed)
        await new_recovery_codes(plumbing, connection, ana)
        assert not await use_recovery_code(plumbing, connection, ana.operator_id, codes[4]), "fresh ones replace it"


async def test_the_same_recovery_code_has_another_hash_for_each_operator(plumbing, an_account, ana):
    """Else a row that is copied from one operator to another would let its owner in as both."""
    ben = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    async with plumbing.database.system() as connection:
        (code, *_) = await new_recovery_codes(plumbing, connection, ana)
        await connection.execute(
            "UPDATE operators SET recovery_hashes = (SELECT recovery_hashes FROM operators WHERE operator_id = %s) "
            "WHERE operator_id = %s",
            (ana.operator_id, ben.operator_id),
        )
        assert not await use_recovery_code(plumbing, connection, ben.operator_id, code)
