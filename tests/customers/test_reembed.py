"""Can the recipe of face templates be changed while faces are stored, without a moment in which they are lost?"""

import base64

import pytest
import skimage.data

from tests.support.transactions import a_customer
from truename.customers.reembed import Reembedded, promote, reembed
from truename.media.faces import opened_template
from truename.vision.configuration import FaceRecipe, VisionConfiguration, configured
from truename.vision.face.embed import template_sha256
from truename.vision.images import encode_jpeg

FACE = base64.b64encode(encode_jpeg(skimage.data.astronaut())).decode()
SFACE_ALONE = VisionConfiguration(face_recipe=FaceRecipe.SFACE)


async def face_of(plumbing, account, customer):
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute("SELECT * FROM faces WHERE customer_id = %s", (customer,))
        [row] = await cursor.fetchall()
        owned = await plumbing.keys.of_customer(connection, account.account_id, customer)
    return row, owned.key


@pytest.fixture
async def left_before(plumbing):
    """What other tests have left in the shared database was made anew already; those that cannot be, stay."""
    with configured(SFACE_ALONE):
        await reembed(plumbing)
        await promote(plumbing)
        return await reembed(plumbing)


async def test_new_templates_stand_beside_the_old_ones_until_they_take_their_place(plumbing, an_account, left_before):
    customer = await a_customer(plumbing, an_account, face_reference_image=FACE)
    seen = []
    with configured(SFACE_ALONE):
        assert await reembed(plumbing, progress=lambda done, total: seen.append((done, total))) == Reembedded(
            1, left_before.without_picture, left_before.without_face
        )
        alone = template_sha256()
    all_of_them = 1 + left_before.without_picture + left_before.without_face
    assert seen[-1] == (all_of_them, all_of_them)
    row, key = await face_of(plumbing, an_account, customer)
    assert (row["model_sha256"], row["next_model_sha256"]) == (template_sha256(), alone)
    old = opened_template(key, row["face_id"], bytes(row["sealed_template"]))
    new = opened_template(key, row["face_id"], bytes(row["sealed_next_template"]))
    assert (len(old.vector), len(new.vector)) == (320, 128)

    with configured(SFACE_ALONE):
        assert (await reembed(plumbing)).made == 0, "a second run finds nothing left to do"
        assert await promote(plumbing) == 1
        assert await promote(plumbing) == 0
    row, key = await face_of(plumbing, an_account, customer)
    assert (row["model_sha256"], row["next_model_sha256"], row["sealed_next_template"]) == (alone, None, None)
    assert opened_template(key, row["face_id"], bytes(row["sealed_template"])) == new


async def test_a_face_whose_picture_is_gone_is_counted_and_stays(plumbing, an_account, left_before):
    customer = await a_customer(plumbing, an_account, face_reference_image=FACE)
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("UPDATE media SET redacted_at = now() WHERE customer_id = %s", (customer,))
    with configured(SFACE_ALONE):
        assert await reembed(plumbing) == Reembedded(
            made=0, without_picture=1 + left_before.without_picture, without_face=left_before.without_face
        )
        assert await promote(plumbing) == 0
    row, _ = await face_of(plumbing, an_account, customer)
    assert row["model_sha256"] == template_sha256()
