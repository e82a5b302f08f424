"""The blocklist of faces in the dashboard: a customer's face put on it, read with a trace, taken off."""

import base64

from tests.support.dashboard import an_operator, signed_in
from tests.support.faces import framed_still
from tests.support.transactions import a_customer
from truename.operators.model import Role
from truename.vision.images import encode_jpeg

PATH = "/dashboard/blocklist"


async def test_a_face_is_put_on_the_list_seen_there_and_taken_off(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN}, name="Ana")
    picture = base64.b64encode(encode_jpeg(framed_still())).decode()
    customer = await a_customer(plumbing, an_account, face_reference_image=picture)
    faceless = await a_customer(plumbing, an_account)
    async with signed_in(plumbing, live_server, ana) as desk:
        page = (await desk.get(PATH))[1]
        assert "No face is on the list" in page
        assert "Face search is off" in page
        assert "Put the face on the blocklist" in (await desk.get(f"/dashboard/customers/{customer}"))[1]

        listing = f"/dashboard/customers/{customer}/blocklist"
        mine = {"confirm": str(customer)[-4:]}
        for wrong in ({"reason": ""}, {"reason": "x", "valid_days": "0"}, {"reason": "x", "valid_days": "many"}):
            assert (await desk.post(listing, **mine, **wrong))[0] == 400
        words = {"reason": "Borrowed <b>papers</b>", "valid_days": "30"}
        status, page = await desk.post(listing, **words, confirm=str(faceless)[-4:])
        assert (status, "last four characters" in page) == (400, True), "another's id puts nobody on the list"
        other = {**words, "confirm": str(faceless)[-4:]}
        assert (await desk.post(f"/dashboard/customers/{faceless}/blocklist", **other))[0] == 409
        words |= mine
        assert await desk.post_for_location(listing, **words) == PATH
        page = (await desk.get(PATH))[1]
        assert "Borrowed &lt;b&gt;papers&lt;/b&gt;" in page
        assert f"/dashboard/customers/{customer}" in page
        assert "Ana" in page
        async with plumbing.database.account(an_account.account_id) as connection:
            cursor = await connection.execute("SELECT entry_id FROM blocklist_entries")
            entry = (await cursor.fetchone())["entry_id"]
            cursor = await connection.execute(
                "SELECT action, actor FROM audit_log WHERE action LIKE 'blocklist%%' ORDER BY sequence", ()
            )
            lines = [(row["action"], row["actor"]) for row in await cursor.fetchall()]
        assert lines == [
            ("blocklist.listed", ana.actor),
            ("blocklist_entry.added", ana.actor),
            ("blocklist.listed", ana.actor),
        ]
        assert await desk.post_for_location(f"{PATH}/{entry}/remove") == PATH
        assert "No face is on the list" in (await desk.get(PATH))[1]
        assert (await desk.post(f"{PATH}/{entry}/remove"))[0] == 404
