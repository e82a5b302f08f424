"""Can an account keep its own blocklist by the API, sealed, audited, and gone when it should be?"""

import asyncio
import base64

import numpy as np
import pytest
import skimage.data

from tests.support.api import CUSTOMER, KYC, problem
from tests.support.transactions import a_customer
from truename.accounts.change import change_account
from truename.audit.model import INSTALLATION
from truename.face_search.blocklist import NewEntry, add_entry, expire_entries, keep_up_entries, remove_entry
from truename.face_search.search import search_faces
from truename.face_search.take_face import face_of_customer, face_of_picture
from truename.media.faces import plain_template
from truename.plumbing.errors import CustomerNotFound
from truename.privacy.erase import erase
from truename.vision.captures import FaceTemplate
from truename.vision.configuration import FaceRecipe, VisionConfiguration, configured
from truename.vision.face.embed import template_sha256
from truename.vision.images import encode_jpeg

PATH = f"{KYC}/blocklist"
FACE = base64.b64encode(encode_jpeg(skimage.data.astronaut())).decode()
NO_FACE = base64.b64encode(encode_jpeg(skimage.data.coffee())).decode()


async def the_face(plumbing):
    return await face_of_picture(plumbing, "test", base64.b64decode(FACE))


async def searched(plumbing, account, template):
    customer = await a_customer(plumbing, account)
    return await search_faces(plumbing, account.account_id, customer, template)


async def actions(plumbing, account):
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT action FROM audit_log WHERE action LIKE 'blocklist%%' ORDER BY sequence", ()
        )
        return [row["action"] for row in await cursor.fetchall()]


async def test_a_face_is_listed_found_shown_and_removed(client, another_client, plumbing, an_account, another_account):
    sent = {"face_image": FACE, "reason": "Chargebacks, case 4711", "valid_days": 365}
    added = await client.post(PATH, json=sent, headers={"Idempotency-Key": "once"})
    entry = await added.json()
    assert (added.status, entry["reason"], entry["customer_id"]) == (201, sent["reason"], None)
    repeated = await client.post(PATH, json=sent, headers={"Idempotency-Key": "once"})
    assert (await repeated.json())["entry_id"] == entry["entry_id"]
    second = await (await client.post(PATH, json={"face_image": FACE, "reason": "Twice"})).json()
    assert second["expires_at"] is None

    page = await (await client.get(f"{PATH}?limit=1")).json()
    assert (page["data"], page["has_more"]) == ([second], True)
    rest = await (await client.get(f"{PATH}?cursor={page['next_cursor']}")).json()
    assert (rest["data"], rest["has_more"]) == ([entry], False)
    assert (await (await another_client.get(PATH)).json())["data"] == []

    template = (await the_face(plumbing)).template
    found = (await searched(plumbing, an_account, template)).account_blocklist
    assert (found.searched, found.found.id in (entry["entry_id"], second["entry_id"])) == (2, True)
    assert (await searched(plumbing, another_account, template)).account_blocklist.found is None

    for one in (entry, second):
        assert (await client.delete(f"{PATH}/{one['entry_id']}")).status == 200
    gone = await problem(await client.delete(f"{PATH}/{entry['entry_id']}"), 404)
    assert gone["code"] == "blocklist_entry_not_found"
    assert (await searched(plumbing, an_account, template)).account_blocklist.searched == 0
    listed, added_, removed = "blocklist.listed", "blocklist_entry.added", "blocklist_entry.removed"
    assert await actions(plumbing, an_account) == [added_, added_, listed, listed, removed, removed]


@pytest.mark.parametrize(
    ("change", "pointer", "code"),
    [
        ({"face_image": NO_FACE}, "/face_image", "image_shows_no_face"),
        ({"face_image": "aGVsbG8="}, "/face_image", "image_format_not_supported"),
        ({"reason": " "}, "/reason", "text_has_outer_space"),
        ({"valid_days": 0}, "/valid_days", "number_out_of_range"),
        ({"expires": "never"}, "/expires", "field_unknown"),
    ],
)
async def test_what_cannot_be_listed_is_refused_by_name(client, change, pointer, code):
    refused = await problem(await client.post(PATH, json={"face_image": FACE, "reason": "x", **change}), 400)
    assert [(fault["pointer"], fault["code"]) for fault in refused["errors"]] == [(pointer, code)]


async def test_an_entry_taken_from_a_customer_goes_with_the_customer(client, plumbing, an_account):
    bare = await a_customer(plumbing, an_account)
    refused = await problem(await client.post(f"{CUSTOMER}/{bare}/blocklist", json={"reason": "x"}), 409)
    assert refused["code"] == "no_usable_face"
    customer = await a_customer(plumbing, an_account, face_reference_image=FACE)
    listed = await (await client.post(f"{CUSTOMER}/{customer}/blocklist", json={"reason": "Borrowed papers"})).json()
    assert listed["customer_id"] == str(customer)
    template = (await the_face(plumbing)).template
    assert (await searched(plumbing, an_account, template)).account_blocklist.found is not None
    async with plumbing.database.account(an_account.account_id) as connection:
        await erase(connection, an_account.account_id, customer, actor="test")
    assert (await searched(plumbing, an_account, template)).account_blocklist.searched == 0
    assert (await (await client.get(PATH)).json())["data"] == []


async def test_nobody_is_listed_who_was_erased_while_the_face_was_taken(plumbing, an_account):
    customer, taken = await a_customer(plumbing, an_account), await the_face(plumbing)
    entry = NewEntry(taken.template, taken.picture, "x", customer_id=customer)

    async def listed():
        async with plumbing.database.account(an_account.account_id) as connection:
            await add_entry(connection, plumbing.vault, an_account.account_id, entry, actor="test")

    async with plumbing.database.account(an_account.account_id) as connection:
        await erase(connection, an_account.account_id, customer, actor="test")
        listing = asyncio.create_task(listed())
        await asyncio.wait({listing}, timeout=0.5)
        assert not listing.done(), "it waits for the erasure"
    with pytest.raises(CustomerNotFound):
        await listing


@pytest.mark.slow
async def test_the_installations_list_holds_for_every_account_until_an_entry_ends(plumbing, an_account):
    taken = await the_face(plumbing)
    async with plumbing.database.account(INSTALLATION) as connection:
        entry = await add_entry(
            connection, plumbing.vault, INSTALLATION, NewEntry(taken.template, taken.picture, "x"), actor="test"
        )
    try:
        found = (await searched(plumbing, an_account, taken.template)).installation_blocklist
        assert found.found.id == str(entry.entry_id)
        with configured(VisionConfiguration(face_recipe=FaceRecipe.SFACE)):
            await keep_up_entries(plumbing)
            alone = (await the_face(plumbing)).template
            assert alone.model_sha256 == template_sha256() != taken.template.model_sha256
            again = (await searched(plumbing, an_account, alone)).installation_blocklist
        assert again.found.id == str(entry.entry_id), "a change of the recipe makes the template anew, from the picture"
    finally:
        async with plumbing.database.account(INSTALLATION) as connection:
            await connection.execute(
                "UPDATE blocklist_entries SET expires_at = clock_timestamp() - interval '1 second' WHERE entry_id = %s",
                (entry.entry_id,),
            )
    assert (await searched(plumbing, an_account, taken.template)).installation_blocklist.found is None
    await expire_entries(plumbing)
    async with plumbing.database.account(INSTALLATION) as connection:
        cursor = await connection.execute("SELECT 1 FROM blocklist_entries WHERE entry_id = %s", (entry.entry_id,))
        assert await cursor.fetchone() is None


async def test_an_entry_whose_time_is_over_is_neither_shown_nor_found_and_its_end_is_written_down(
    client, plumbing, an_account
):
    entry = await (await client.post(PATH, json={"face_image": FACE, "reason": "x", "valid_days": 1})).json()
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("UPDATE blocklist_entries SET expires_at = clock_timestamp() - interval '1 second'")
    assert (await (await client.get(PATH)).json())["data"] == []
    template = (await the_face(plumbing)).template
    assert (await searched(plumbing, an_account, template)).account_blocklist.hits == ()
    await expire_entries(plumbing)
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT actor, subject FROM audit_log WHERE action = 'blocklist_entry.removed'"
        )
        assert await cursor.fetchall() == [{"actor": "rule:expiry", "subject": f"blocklist_entry:{entry['entry_id']}"}]
        cursor = await connection.execute("SELECT 1 FROM face_vectors WHERE entry_id IS NOT NULL")
        assert await cursor.fetchone() is None, "the vector goes with the entry"


async def test_switching_the_search_keeps_the_list(client, plumbing, an_account):
    entry = await (await client.post(PATH, json={"face_image": FACE, "reason": "x"})).json()
    for mode in ("enforce", "off"):
        async with plumbing.database.system() as connection:
            await change_account(connection, an_account.account_id, {"face_search": mode}, actor="test")
    assert [one["entry_id"] for one in (await (await client.get(PATH)).json())["data"]] == [entry["entry_id"]]
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT sealed_reason, sealed_picture, sealed_template FROM blocklist_entries"
        )
        row = await cursor.fetchone()
        assert bytes(row["sealed_reason"]) != b"x"
        assert not bytes(row["sealed_picture"]).startswith(b"\xff\xd8")
        assert plain_template((await the_face(plumbing)).template)[-100:] not in bytes(row["sealed_template"])
        await remove_entry(connection, an_account.account_id, entry["entry_id"], actor="test")


async def test_an_entry_that_does_not_open_keeps_no_other_from_being_searched(client, plumbing, an_account):
    """One altered row ended the upkeep of every list, and of every account's faces behind it."""
    ids = [(await (await client.post(PATH, json={"face_image": FACE, "reason": "x"})).json())["entry_id"] for _ in "ab"]
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("DELETE FROM face_vectors WHERE entry_id IS NOT NULL")
        await connection.execute(
            "UPDATE blocklist_entries SET "
            "sealed_template = set_byte(sealed_template, 20, 255 - get_byte(sealed_template, 20)) WHERE entry_id = %s",
            (ids[0],),
        )
    await keep_up_entries(plumbing)
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute("SELECT entry_id::text FROM face_vectors WHERE entry_id IS NOT NULL")
        assert [row["entry_id"] for row in await cursor.fetchall()] == [ids[1]]
        for entry_id in ids:
            await remove_entry(connection, an_account.account_id, entry_id, actor="test")


async def test_an_entry_that_shows_no_face_by_the_recipe_in_use_keeps_no_other_from_being_searched(
    plumbing, an_account
):
    """After a change of the recipe its picture is looked at anew, and may not do."""
    own, entries, grey = an_account.account_id, [], encode_jpeg(np.full((96, 96, 3), 128, np.uint8))
    earlier, today = FaceTemplate((1.0, *(0.0,) * 127), "f" * 64), FaceTemplate((1.0, *(0.0,) * 319), template_sha256())
    for template, picture in ((earlier, grey), (today, None)):
        async with plumbing.database.account(own) as connection:
            new = NewEntry(template, picture, "Case 4711")
            entries.append((await add_entry(connection, plumbing.vault, own, new, actor="test")).entry_id)
    async with plumbing.database.account(own) as connection:
        await connection.execute("DELETE FROM face_vectors")
    await keep_up_entries(plumbing)
    async with plumbing.database.account(own) as connection:
        cursor = await connection.execute("SELECT entry_id FROM face_vectors")
        assert [row["entry_id"] for row in await cursor.fetchall()] == [entries[1]]
        await remove_entry(connection, own, entries[0], actor="test")


async def test_a_customer_whose_picture_is_lost_is_listed_by_the_template_alone(plumbing, an_account):
    customer = await a_customer(plumbing, an_account, face_reference_image=FACE)
    rows = await plumbing.database.statement(an_account.account_id, "SELECT storage_key FROM media")
    await plumbing.objects.delete(rows[0]["storage_key"])
    taken = await face_of_customer(plumbing, an_account.account_id, customer)
    assert (taken.picture, taken.template.model_sha256) == (None, template_sha256())
