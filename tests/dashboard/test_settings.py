"""Settings, clients, secrets and operators of an account, changed in the dashboard by an admin."""

import re
from datetime import timedelta

from tests.support.dashboard import an_operator, signed_in
from tests.support.transactions import a_customer, a_transaction
from truename.accounts.clients import list_clients
from truename.accounts.store import account_settings
from truename.operators.change import grant_role
from truename.operators.model import Role
from truename.operators.store import find_operator, memberships

PATH = "/dashboard/settings"
REVIEW = {
    "manual_review": "1",
    "review_blind_first": "all",
    "review_hold_seconds": "30",
    "review_quality_percent": "0",
    "suspicious_rule": "1",
}


async def settings_of(plumbing, account):
    async with plumbing.database.account(account.account_id) as connection:
        return await account_settings(connection, account.account_id)


async def test_each_setting_says_its_value_its_default_and_who_changed_it(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN}, name="Ana Muster")
    async with signed_in(plumbing, live_server, ana) as desk:
        await desk.post_for_location(f"{PATH}/review", **REVIEW)
        found = await settings_of(plumbing, an_account)
        assert (found.manual_review, found.review_blind_first, found.review_hold_seconds) == (True, "all", 30)
        assert found.trial  # what the page does not set stays
        page = (await desk.get(PATH))[1]
        assert "Ana Muster" in page
        assert "Default: faces." in page
        assert "`" not in page
        assert "(<code>transactions:write</code>)" in page
        for wrong in ({**REVIEW, "review_hold_seconds": "61"}, {**REVIEW, "review_hold_seconds": "soon"}):
            assert (await desk.post(f"{PATH}/review", **wrong))[0] == 400
        status, page = await desk.post(f"{PATH}/capture", privacy_url="javascript:alert(1)", language="en")
        assert status == 400
        assert "Nothing was changed" in page
        assert await settings_of(plumbing, an_account) == found
        await desk.post_for_location(
            f"{PATH}/capture", capture_origins="https://a.example\nhttps://b.example", handoff="1"
        )
        found = await settings_of(plumbing, an_account)
        assert found.capture_origins == ("https://a.example", "https://b.example")
        assert (found.handoff, found.file_upload, found.language) == (True, False, None)
        assert (await desk.post(f"{PATH}/nothing"))[0] == 404


async def test_the_form_of_the_default_policy_takes_a_limit_of_any_number_of_digits(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    async with signed_in(plumbing, live_server, ana) as desk:
        page = (await desk.get("/dashboard/settings"))[1]
    limits = re.findall(r'<input type="number" name="biometric_policy\.\w+_min_score"[^>]*>', page)
    assert ['step="any"' in one for one in limits] == [True, True]


async def test_retention_says_on_which_day_how_many_go(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    transaction_id = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute(
            "UPDATE transactions SET completed_at = now() - interval '28 days' WHERE transaction_id = %s "
            "RETURNING completed_at",
            (transaction_id,),
        )
        due = (await cursor.fetchone())["completed_at"] + timedelta(days=30)
    async with signed_in(plumbing, live_server, ana) as desk:
        await desk.post_for_location(f"{PATH}/retention", retention_days="30")
        page = (await desk.get(PATH))[1]
    assert f"On {due:%A, %Y-%m-%d}: 1 transaction will lose pictures and data." in page


async def test_a_client_is_made_rotated_and_revoked_and_its_secret_shown_once(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    async with signed_in(plumbing, live_server, ana) as desk:
        new = {"name": "shop <i>backend</i>", "scopes": "transactions:read", "once": "first"}
        status, page = await desk.post(f"{PATH}/clients/add", **new)
        assert status == 200
        (secret,) = re.findall(r"secret_[\w-]{43}", page.partition('class="secret"')[2].partition("</code>")[0])
        assert (await desk.post(f"{PATH}/clients/add", **new))[0] == 409  # the page was loaded again
        page = (await desk.get(PATH))[1]
        assert secret not in page
        assert "shop &lt;i&gt;backend&lt;/i&gt;" in page
        async with plumbing.database.account(an_account.account_id) as connection:
            made = (await list_clients(connection, an_account.account_id))[-1]
        assert made.scopes == ("transactions:read",)
        wrong = {"client_id": made.client_id, "confirm": "xxxx", "once": "second"}
        assert (await desk.post(f"{PATH}/clients/rotate", **wrong))[0] == 400
        right = {**wrong, "confirm": made.client_id[-4:], "overlap_hours": "1"}
        assert "works until" in (await desk.post(f"{PATH}/clients/rotate", **right))[1]
        await desk.post_for_location(f"{PATH}/clients/revoke", **right)
        assert (await desk.post(f"{PATH}/clients/rotate", **{**right, "once": "third"}))[0] == 409
        assert (await desk.post(f"{PATH}/clients/add", name="idle", once="fourth"))[0] == 400

        confirm = str(an_account.account_id)[-4:]
        assert (await desk.post(f"{PATH}/webhooks/rotate", confirm="0", once="fifth"))[0] == 400
        status, page = await desk.post(f"{PATH}/webhooks/rotate", confirm=confirm, once="fifth", overlap_hours="2")
        assert status == 200
        assert "whsec_" in page
        assert "The one before" in (await desk.get(PATH))[1]


async def test_an_admin_gives_people_roles_but_not_themselves(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    async with signed_in(plumbing, live_server, ana) as desk:
        add = {"email": "eve-of-tests@example.com", "role": "viewer", "once": "1"}
        page = (await desk.post(f"{PATH}/operators/add", **add))[1]
        assert re.search(r"([a-z0-9]{5}-){3}[a-z0-9]{5}", page)
        own = {"operator_id": str(ana.operator_id), "role": "viewer"}
        assert (await desk.post(f"{PATH}/operators/role", **own))[0] == 409
        assert (await desk.post(f"{PATH}/operators/add", email=ana.email.upper(), role="viewer", once="2"))[0] == 409
        async with plumbing.database.system() as connection:
            eve = await find_operator(connection, "eve-of-tests@example.com")
            assert eve is not None
        await desk.post_for_location(f"{PATH}/operators/role", operator_id=str(eve.operator_id), role="none")
        assert (await desk.post(f"{PATH}/operators/role", operator_id=str(eve.operator_id), role="admin"))[0] == 404
        async with plumbing.database.system() as connection:
            assert await memberships(connection, eve.operator_id) == ()
            assert {one.role for one in await memberships(connection, ana.operator_id)} == {Role.ADMIN}


async def test_who_signs_in_for_others_gets_no_role_from_an_admin_who_does_not_know_them(
    plumbing, live_server, an_account, another_account
):
    """An admin could make anybody's address an operator, with a password of his own, and wait to be let in there."""
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    bob = await an_operator(plumbing, {another_account.account_id: Role.ADMIN})
    add = {"role": "admin", "email": f"chief-{ana.operator_id}@example.com"}
    async with signed_in(plumbing, live_server, ana) as desk:
        assert (await desk.post(f"{PATH}/operators/add", **add, once="1"))[0] == 200
    async with signed_in(plumbing, live_server, bob) as desk:
        status, page = await desk.post(f"{PATH}/operators/add", **add, once="2")
        assert status == 409
        assert "already signs in for other accounts" in page
        async with plumbing.database.system() as connection:
            chief = await find_operator(connection, add["email"])
            assert chief is not None
            assert [one.account_id for one in await memberships(connection, chief.operator_id)] == [
                an_account.account_id
            ]
            await grant_role(connection, bob.operator_id, an_account.account_id, Role.VIEWER, by="test")
        assert f'data-account="{another_account.account_id}"' in (await desk.get(PATH))[1]  # a role moves nobody
        status, _ = await desk.post(f"{PATH}/operators/add", **add, once="3")
        assert status == 409, "a viewer there vouches for nobody"
        async with plumbing.database.system() as connection:
            await grant_role(connection, bob.operator_id, an_account.account_id, Role.ADMIN, by="test")
        await desk.post_for_location(f"{PATH}/operators/add", **add, once="4")
    async with plumbing.database.system() as connection:
        held = {one.account_id: one.role for one in await memberships(connection, chief.operator_id)}
    assert held == {an_account.account_id: Role.ADMIN, another_account.account_id: Role.ADMIN}
