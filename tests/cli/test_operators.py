"""Operators made, listed, given roles, reset and disabled on the command line."""

import secrets

import pytest
from typer.testing import CliRunner
from zxcvbn import matching

from tests.support.dashboard import PASSWORD
from truename.accounts.create import create_account
from truename.cli import app
from truename.cli.exit_codes import ExitCode
from truename.cli.operators import _create, _disable, _list, _reset, _roles, _shown, _sign_out
from truename.operators.model import Origin, Role, SignInRefused
from truename.operators.passwords import PasswordRefused, new_password, refuse_weak
from truename.operators.sessions import read_session
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


async def test_every_session_of_a_person_is_ended_and_they_may_sign_in_again(settings, plumbing, shop):
    people = [f"{secrets.token_hex(5)}@example.com" for _ in range(2)]
    for email in people:
        await _create(settings, email, PASSWORD, "", [f"{shop}=viewer"], given=False)
    tokens = [(await sign_in(plumbing, email, PASSWORD, NOWHERE)).session_token or "" for email in (*people, people[0])]

    async def alive() -> list[bool]:
        async with plumbing.database.system() as connection:
            found = [await read_session(connection, settings, token, stays_alive=False) for token in tokens]
        return [one is not None for one in found]

    assert await alive() == [True, True, True]
    assert await _sign_out(settings, people[0]) == {people[0]: 2}
    assert await alive() == [False, True, False]
    assert await _sign_out(settings, people[0]) == {}
    assert (await sign_in(plumbing, people[0], PASSWORD, NOWHERE)).session_token
    with pytest.raises(LookupError):
        await _sign_out(settings, "nobody@example.com")
    wrong = CliRunner().invoke(app, ["operator", "sign-out"])
    assert wrong.exit_code == ExitCode.USAGE
    assert "Name one operator, or --everybody." in wrong.output


@pytest.mark.parametrize(
    "weak", ["short", "password1234", "qwertyuiopasdf", "aaaaaaaaaaaaaa", "ana.muster@example.com"]
)
def test_passwords_that_are_tried_first_are_refused(weak):
    with pytest.raises(PasswordRefused):
        refuse_weak(weak, ["ana.muster@example.com", "ana.muster"])


@pytest.mark.parametrize("weak", ["P@$$w0rd1234", "p4$$w0rdp4$$w0rd", "01234567890123456789"])
def test_signs_instead_of_letters_make_no_password_strong(weak):
    with pytest.raises(PasswordRefused):
        refuse_weak(weak)


def test_few_signs_of_a_password_are_read_as_letters(monkeypatch):
    """Each combination of readings goes through all dictionaries: with all twenty signs 1,476 times, for 8 seconds."""
    looked: list[str] = []
    real = matching.dictionary_match

    def watched(password: str, *more: object, **named: object) -> list[object]:
        looked.append(password)
        return real(password, *more, **named)

    monkeypatch.setattr(matching, "dictionary_match", watched)
    refuse_weak("4@8({[<369!1|7+$5%20" * 10)
    assert 0 < len(looked) <= 20
    looked.clear()
    refuse_weak("{<+@(|70 seven quiet lanterns")
    assert len(looked) <= 200


def test_a_sentence_in_any_script_is_a_good_password():
    for good in ("seven quiet lanterns", "снег идёт над крышами", new_password()):
        refuse_weak(good)
