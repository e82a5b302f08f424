"""Operators made, listed, given roles, reset and disabled on the command line."""

import secrets

import pytest

from truename.accounts.create import create_account
from truename.cli.operators import _create, _disable, _list, _reset, _roles, _shown
from truename.operators.model import Origin, Role, SignInRefused
from truename.operators.passwords import PasswordRefused, new_password, refuse_weak
from truename.operators.sign_in import sign_in

NOWHERE = Origin("127.0.0.1", "", "")


@pytest.fixture
async def shop(plumbing):
    name = f"shop {secrets.token_hex(6)}"
    await create_account(plumbing, name)
    return name


async def test_an_operator_lives_from_creation_to_disabling(settings, plumbing, shop):
    email, password = f"{secrets.token_hex(5)}@example.com", new_password()
    made, roles = await _create(settings, email, password, "Ana", [f"{shop}=viewer"], given=True)
    assert [(one.account_name, one.role, one.live) for one in roles] == [(shop, Role.VIEWER, True)]
    assert (await sign_in(plumbing, email, password, NOWHERE)).session_token
    assert email in {one.email for one, _ in await _list(settings)}
    _, roles = await _roles(settings, email, [f"{shop}=admin"])
    assert [one.role for one in roles] == [Role.ADMIN]
    assert _shown(made, roles)["second_factor"] == "none"
    await _disable(settings, email)
    with pytest.raises(SignInRefused):
        await sign_in(plumbing, email, password, NOWHERE)
    other = new_password()
    changed, _ = await _reset(settings, email, other, given=True)
    assert changed.disabled_at is None
    assert changed.owes_password, "whoever made it knows it"
    with pytest.raises(SignInRefused):
        await sign_in(plumbing, email, password, NOWHERE)
    assert (await sign_in(plumbing, email, other, NOWHERE)).session_token
    _, roles = await _roles(settings, email, [f"{shop}=none"])
    assert roles == ()


@pytest.mark.parametrize(
    ("email", "role"),
    [("no address", "viewer"), ("a@example.com", "owner"), ("a@example.com", ""), ("", "viewer")],
)
async def test_what_cannot_be_is_refused_and_nothing_is_made(settings, shop, email, role):
    before = len(await _list(settings))
    with pytest.raises(ValueError):
        await _create(settings, email, new_password(), "", [f"{shop}={role}"], given=True)
    with pytest.raises(LookupError):
        await _create(settings, "b@example.com", new_password(), "", ["nowhere=viewer"], given=True)
    with pytest.raises(LookupError):
        await _reset(settings, "nobody@example.com", new_password(), given=True)
    assert len(await _list(settings)) == before


async def test_an_address_belongs_to_one_operator_however_it_is_written(settings, shop):
    email = f"{secrets.token_hex(5)}@example.com"
    await _create(settings, email, new_password(), "", [f"{shop}=viewer"], given=True)
    with pytest.raises(ValueError, match="already"):
        await _create(settings, email.upper(), new_password(), "", [f"{shop}=viewer"], given=True)


@pytest.mark.parametrize(
    "weak", ["short", "password1234", "qwertyuiopasdf", "aaaaaaaaaaaaaa", "ana.muster@example.com"]
)
def test_passwords_that_are_tried_first_are_refused(weak):
    with pytest.raises(PasswordRefused):
        refuse_weak(weak, ["ana.muster@example.com", "ana.muster"])


def test_a_sentence_in_any_script_is_a_good_password():
    for good in ("seven quiet lanterns", "снег идёт над крышами", new_password()):
        refuse_weak(good)
