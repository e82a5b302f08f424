"""Is a face found that is enrolled under another customer, and nobody else, whatever becomes of the faces meanwhile?"""

import base64
from dataclasses import replace

import numpy as np
import pytest
import skimage.data
from psycopg import AsyncConnection
from psycopg.conninfo import make_conninfo

from tests.support.api import CUSTOMER
from tests.support.transactions import a_customer
from truename.accounts.change import change_account
from truename.audit.model import INSTALLATION
from truename.face_search.blocklist import NewEntry, add_entry
from truename.face_search.graph import candidates, index_name, make_graph
from truename.face_search.keep_up import keep_up, keep_up_account
from truename.face_search.search import chance_score, nearest, search_customers, search_faces
from truename.face_search.take_face import face_of_customer
from truename.media.face_vectors import enrol_for_search, rotation, turned
from truename.media.faces import FaceOrigin, sealed_face
from truename.media.store import insert_face
from truename.plumbing.database.pool import Database
from truename.privacy.erase import erase
from truename.rules.searched_faces import LEAST_SCORE
from truename.vision.captures import FaceTemplate
from truename.vision.face.compare import curve
from truename.vision.face.embed import template_sha256
from truename.vision.images import encode_jpeg

NUMBERS = 320
FACE = base64.b64encode(encode_jpeg(skimage.data.astronaut())).decode()


def a_template(random: np.random.Generator, like: FaceTemplate | None = None, cosine: float = 0.9) -> FaceTemplate:
    """Somebody's template; with `like`, another of the same person."""
    other = random.standard_normal(NUMBERS)
    if like is not None:
        known = np.asarray(like.vector)
        other -= (other @ known) * known
        other = cosine * known + np.sqrt(1 - cosine**2) * other / np.linalg.norm(other)
    return FaceTemplate(tuple((other / np.linalg.norm(other)).tolist()), template_sha256())


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(10)


async def switched(plumbing, account, mode):
    async with plumbing.database.system() as connection:
        await change_account(connection, account.account_id, {"face_search": mode}, actor="test")
    await keep_up_account(plumbing, account.account_id)


async def enrolled(plumbing, account, template):
    """A customer whose reference face has this template; made searchable by the upkeep, as after a switch."""
    customer = await a_customer(plumbing, account)
    async with plumbing.database.account(account.account_id) as connection:
        owned = await plumbing.keys.of_customer(connection, account.account_id, customer)
        own = account.account_id, customer, None
        face = sealed_face(owned.key, *own, FaceOrigin.REFERENCE_IMAGE, None, template)
        await insert_face(connection, face)
        await connection.execute(
            "UPDATE customers SET reference_face_id = %s WHERE customer_id = %s", (face.face_id, customer)
        )
    return customer


async def vectors_of(plumbing, account):
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute("SELECT face_id, model_sha256, vector::text FROM face_vectors")
        return await cursor.fetchall()


async def test_a_face_is_found_among_the_others_of_its_account_and_only_there(
    plumbing, an_account, another_account, random
):
    faces = [a_template(random) for _ in range(12)]
    customers = [await enrolled(plumbing, an_account, face) for face in faces]
    await enrolled(plumbing, another_account, faces[3])
    for account in (an_account, another_account):
        await switched(plumbing, account, "report")

    async def looked_for(account, customer, template):
        searched = (await search_faces(plumbing, account.account_id, customer, template)).customers
        assert searched is not None
        return searched

    again = a_template(random, like=faces[3], cosine=0.8)
    found = await looked_for(an_account, customers[0], again)
    assert found.searched == 12
    assert found.found.id == str(customers[3])
    assert found.found.score == pytest.approx(curve().score(0.8), abs=2e-3)
    assert len(found.hits) == 3
    assert found.hits[1].score < LEAST_SCORE

    assert (await looked_for(an_account, customers[3], again)).found is None, "one's own face is no repetition"
    assert (await looked_for(an_account, customers[0], a_template(random))).found is None
    assert (await looked_for(another_account, customers[0], a_template(random, like=faces[5]))).found is None


async def test_a_vector_goes_with_its_face_and_with_the_setting(plumbing, an_account, random):
    faces = [a_template(random) for _ in range(3)]
    customers = [await enrolled(plumbing, an_account, face) for face in faces]
    await switched(plumbing, an_account, "enforce")
    assert len(await vectors_of(plumbing, an_account)) == 3

    async with plumbing.database.account(an_account.account_id) as connection:
        await erase(connection, an_account.account_id, customers[0], actor="test")
        await connection.execute(
            "UPDATE customers SET reference_face_id = NULL WHERE customer_id = %s", (customers[1],)
        )
    assert len(await vectors_of(plumbing, an_account)) == 2, "erasure takes the vector with the face"
    found = await search_faces(plumbing, an_account.account_id, customers[2], a_template(random, like=faces[1]))
    assert found.customers is not None
    assert found.customers.found is None, "what is no reference any more is not found, before any upkeep"
    await keep_up_account(plumbing, an_account.account_id)
    assert len(await vectors_of(plumbing, an_account)) == 1

    await switched(plumbing, an_account, "off")
    assert await vectors_of(plumbing, an_account) == []
    found = await search_faces(plumbing, an_account.account_id, customers[1], faces[2])
    assert found.customers is None, "an account that does not search has no list to search"


async def test_while_the_search_is_off_no_vector_is_stored_and_from_then_on_at_once(client, plumbing, an_account):
    await a_customer(plumbing, an_account, face_reference_image=FACE)
    assert await vectors_of(plumbing, an_account) == []
    async with plumbing.database.system() as connection:
        await change_account(connection, an_account.account_id, {"face_search": "report"}, actor="test")
    await a_customer(plumbing, an_account, face_reference_image=FACE)
    assert len(await vectors_of(plumbing, an_account)) == 1, "before any upkeep"
    changed = await a_customer(plumbing, an_account)
    assert (await client.patch(f"{CUSTOMER}/{changed}", json={"face_reference_image": FACE})).status == 200
    assert len(await vectors_of(plumbing, an_account)) == 2


async def test_a_face_that_was_enrolled_since_the_last_count_was_searched_as_well(plumbing, an_account):
    await switched(plumbing, an_account, "enforce")
    known = await a_customer(plumbing, an_account, face_reference_image=FACE)
    template = (await face_of_customer(plumbing, an_account.account_id, known)).template
    searched = (await search_faces(plumbing, an_account.account_id, an_account.account_id, template)).customers
    assert searched is not None
    assert (searched.searched, [hit.id for hit in searched.hits]) == (1, [str(known)])


async def test_the_face_that_is_listed_is_the_newest_live_one(plumbing, an_account, random):
    """A reference image may have been sent by whoever was somebody else."""
    reference, first, second = (a_template(random) for _ in range(3))
    customer = await enrolled(plumbing, an_account, reference)
    assert (await face_of_customer(plumbing, an_account.account_id, customer)).template.vector == pytest.approx(
        reference.vector, abs=1e-6
    )
    for live in (first, second):
        async with plumbing.database.account(an_account.account_id) as connection:
            owned = await plumbing.keys.of_customer(connection, an_account.account_id, customer)
            own = an_account.account_id, customer, None
            await insert_face(connection, sealed_face(owned.key, *own, FaceOrigin.LIVENESS, None, live))
    taken = await face_of_customer(plumbing, an_account.account_id, customer)
    assert taken.template.vector == pytest.approx(second.vector, abs=1e-6)


async def test_the_vector_of_a_reference_goes_when_another_takes_its_place(plumbing, an_account, random):
    first, second = a_template(random), a_template(random)
    customer = await enrolled(plumbing, an_account, first)
    await switched(plumbing, an_account, "report")
    async with plumbing.database.account(an_account.account_id) as connection:
        owned = await plumbing.keys.of_customer(connection, an_account.account_id, customer)
        own = an_account.account_id, customer, None
        face = sealed_face(owned.key, *own, FaceOrigin.REFERENCE_IMAGE, None, second)
        await insert_face(connection, face)
        await connection.execute(
            "UPDATE customers SET reference_face_id = %s WHERE customer_id = %s", (face.face_id, customer)
        )
        await enrol_for_search(connection, plumbing.vault, owned.key, an_account.account_id, customer)
    assert [row["face_id"] for row in await vectors_of(plumbing, an_account)] == [face.face_id], "before any upkeep"


async def test_an_index_of_the_accounts_own_answers_as_the_comparison_with_all(plumbing, an_account, random):
    faces = [a_template(random) for _ in range(40)]
    customers = [await enrolled(plumbing, an_account, face) for face in faces]
    await switched(plumbing, an_account, "report")
    again = a_template(random, like=faces[7], cosine=0.75)
    exact = (await search_faces(plumbing, an_account.account_id, customers[0], again)).customers
    earlier = f"face_graph_{an_account.account_id.hex}_{template_sha256()[:12]}"
    async with await AsyncConnection.connect(plumbing.database.url, autocommit=True) as owner:
        await owner.execute(f"CREATE INDEX {earlier} ON face_vectors (account_id)")
        assert await make_graph(plumbing.database, an_account.account_id, template_sha256(), 40)
        assert await make_graph(plumbing.database, an_account.account_id, template_sha256(), 40), "it is there already"
        cursor = await owner.execute("SELECT to_regclass(%s)", (earlier,))
        assert await cursor.fetchone() == (None,), "one that was made in an earlier way is gone"
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("UPDATE face_search_counts SET graph = true")
        query = nearest("face_id", an_account.account_id, again)
        await connection.execute("SET LOCAL enable_sort = off")
        cursor = await connection.execute(
            "EXPLAIN " + query.as_string(connection),
            {"vector": turned(plumbing.vault, an_account.account_id, again)},
            prepare=False,
        )
        plan = " ".join(row["QUERY PLAN"] for row in await cursor.fetchall())
    assert index_name(an_account.account_id, template_sha256()) in plan
    by_index = Database(make_conninfo(plumbing.database.url, options="-c enable_sort=off"), connections=2)
    await by_index.open()  # among so few the planner would compare with all
    try:
        found = await search_faces(replace(plumbing, database=by_index), an_account.account_id, customers[0], again)
    finally:
        await by_index.close()
    assert found.customers == exact
    async with plumbing.database.account(an_account.account_id) as connection:
        vector = turned(plumbing.vault, an_account.account_id, again)
        await connection.execute("UPDATE face_search_counts SET enrolled = 1000000")
        await search_customers(connection, an_account.account_id, customers[0], again, vector)
        cursor = await connection.execute("SELECT current_setting('hnsw.ef_search') AS width")
        assert await cursor.fetchone() == {"width": str(candidates(1_000_000))}, "as carefully as so many faces ask for"
    await switched(plumbing, an_account, "off")
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(
            "SELECT to_regclass(%s) AS index", (index_name(an_account.account_id, template_sha256()),)
        )
        assert await cursor.fetchone() == {"index": None}


async def test_faces_that_are_gone_do_not_hide_from_the_index_those_that_are_there(plumbing, an_account, random):
    """What was deleted stays in an index until it is swept: more of it than a search keeps in hand lies nearer here."""
    faces = [a_template(random) for _ in range(12)]
    customers = [await enrolled(plumbing, an_account, face) for face in faces]
    await switched(plumbing, an_account, "report")
    again = a_template(random, like=faces[7], cosine=0.75)
    assert await make_graph(plumbing.database, an_account.account_id, template_sha256(), 12)
    url = plumbing.database.url
    own = {"account_id": an_account.account_id, "customer_id": customers[3]}
    change = """UPDATE face_vectors v SET vector = %(vector)s FROM faces f
                WHERE f.face_id = v.face_id AND v.account_id = %(account_id)s AND f.customer_id = %(customer_id)s"""
    async with await AsyncConnection.connect(url, autocommit=True) as owner:
        for _ in range(candidates(12) + 20):
            gone = turned(plumbing.vault, an_account.account_id, a_template(random, like=again, cosine=0.95))
            assert (await owner.execute(change, {**own, "vector": gone})).rowcount == 1
        away = turned(plumbing.vault, an_account.account_id, faces[3])
        await owner.execute(change, {**own, "vector": away})
        await owner.execute(
            "UPDATE face_search_counts SET graph = true WHERE account_id = %s", (an_account.account_id,)
        )
    # Among so few the planner would compare with all.
    by_index = Database(make_conninfo(url, options="-c enable_sort=off -c enable_seqscan=off"), connections=2)
    await by_index.open()
    try:
        found = await search_faces(replace(plumbing, database=by_index), an_account.account_id, customers[0], again)
    finally:
        await by_index.close()
    assert found.customers is not None
    assert found.customers.hits, "nobody was found"
    assert found.customers.hits[0].id == str(customers[7])
    await switched(plumbing, an_account, "off")


async def test_what_is_stored_tells_nothing_without_the_secret_of_its_account(plumbing, an_account, random):
    one, two = a_template(random), a_template(random)
    here, elsewhere = (
        [np.fromstring(turned(plumbing.vault, account, face)[1:-1], sep=",") for face in (one, two)]
        for account in (an_account.account_id, INSTALLATION)
    )
    alike = np.dot(one.vector, two.vector)
    assert here[0] @ here[1] == pytest.approx(alike, abs=1e-4), "angles within a list are as they were"
    assert elsewhere[0] @ elsewhere[1] == pytest.approx(alike, abs=1e-4)
    for stranger in (np.asarray(one.vector), elsewhere[0]):
        assert abs(here[0] @ stranger) < 0.3, "neither the template itself nor another list's vector resembles it"


def test_a_rotation_is_the_same_for_ever():
    made = rotation(b"a secret that never changes", 4)
    assert np.allclose(made @ made.T, np.eye(4))
    assert made.round(4).tolist() == ROTATION


def test_more_faces_are_searched_with_more_care():
    assert [candidates(many) for many in (0, 10_000, 100_000, 1_000_000, 50_000_000)] == [200, 200, 447, 1000, 1000]
    assert 447 < candidates(300_000) < 1000


def test_more_faces_ask_for_more_likeness():
    assert chance_score(0) < chance_score(100) < LEAST_SCORE
    assert chance_score(10_000) == pytest.approx(LEAST_SCORE, abs=1e-6), "1 in 1,000,000 pairs, 1 search in 100"
    assert LEAST_SCORE < chance_score(100_000) < chance_score(1_000_000) < 1


ROTATION = [
    [0.3237, -0.5023, 0.1504, 0.7876],
    [-0.3101, -0.1375, 0.9305, -0.138],
    [0.584, 0.7259, 0.3257, 0.1608],
    [0.6768, -0.4492, 0.0733, -0.5786],
]
"""Every vector that is stored was turned by one like it: another way to make it would lose them all."""


async def test_a_reference_that_cannot_be_compared_is_not_made_searchable(plumbing, an_account, random):
    customer = await enrolled(plumbing, an_account, a_template(random))
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("UPDATE faces SET usable = false WHERE customer_id = %s", (customer,))
    await switched(plumbing, an_account, "report")
    assert await vectors_of(plumbing, an_account) == []


async def test_the_vector_by_a_recipe_that_the_face_no_longer_has_goes(plumbing, an_account, random):
    """Nobody who searches by the new one finds it, and it tells of the person for as long as the face is kept."""
    customer, other = await enrolled(plumbing, an_account, a_template(random)), "f" * 64
    await switched(plumbing, an_account, "report")
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("UPDATE faces SET model_sha256 = %s WHERE customer_id = %s", (other, customer))
        await connection.execute(
            "INSERT INTO face_search_counts (account_id, model_sha256, enrolled) VALUES (%s, %s, 7)",
            (an_account.account_id, "e" * 64),
        )
    for _ in range(2):  # another round finds the counts of the first
        await keep_up_account(plumbing, an_account.account_id)
    assert [row["model_sha256"] for row in await vectors_of(plumbing, an_account)] == [other]
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute("SELECT model_sha256, enrolled FROM face_search_counts")
        counted = {row["model_sha256"]: row["enrolled"] for row in await cursor.fetchall()}
    assert counted == {template_sha256(): 0, other: 1}, "one that no face is of any more is no longer counted"


async def test_an_index_is_dropped_only_when_faces_have_become_few(plumbing, an_account, random, monkeypatch):
    """Where their number goes up and down around the limit, the index would be made anew each time."""
    for _ in range(3):
        await enrolled(plumbing, an_account, a_template(random))

    async def has_index(limit: int) -> bool:
        monkeypatch.setattr("truename.face_search.keep_up.GRAPH_FROM", limit)
        await keep_up_account(plumbing, an_account.account_id)
        async with plumbing.database.account(an_account.account_id) as connection:
            cursor = await connection.execute("SELECT graph FROM face_search_counts")
            row = await cursor.fetchone()
        return bool(row["graph"])

    await switched(plumbing, an_account, "report")
    assert [await has_index(limit) for limit in (4, 3, 4, 6, 8)] == [False, True, True, True, False]


async def test_a_face_that_does_not_open_keeps_no_other_from_being_searched(plumbing, an_account, random):
    """One altered row ended the upkeep: of its account, and of every account behind it, each time."""
    altered = await enrolled(plumbing, an_account, a_template(random))
    await enrolled(plumbing, an_account, a_template(random))
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute(
            "UPDATE faces SET sealed_template = set_byte(sealed_template, 20, 255 - get_byte(sealed_template, 20)) "
            "WHERE customer_id = %s",
            (altered,),
        )
    await switched(plumbing, an_account, "report")
    assert len(await vectors_of(plumbing, an_account)) == 1


async def test_an_index_that_a_process_left_unfinished_is_made_anew(plumbing, an_account, random):
    """PostgreSQL searches by none that is not valid: taken for made, all faces would be compared for ever."""
    await enrolled(plumbing, an_account, a_template(random))
    await switched(plumbing, an_account, "report")
    own = an_account.account_id, template_sha256()
    assert await make_graph(plumbing.database, *own, 1)
    async with await AsyncConnection.connect(plumbing.database.url, autocommit=True) as owner:
        await owner.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass(%s)", (index_name(*own),)
        )
        assert await make_graph(plumbing.database, *own, 1)
        cursor = await owner.execute(
            "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", (index_name(*own),)
        )
        assert await cursor.fetchone() == (True,)


async def test_the_regular_round_makes_what_is_missing_ends_what_is_over_and_forgets_who_stopped_searching(
    plumbing, an_account, another_account, random
):
    """A worker may die over the job that a changed setting asked for, or before an entry has its vector."""
    for account in (an_account, another_account):
        await enrolled(plumbing, account, a_template(random))
    await switched(plumbing, another_account, "report")
    own = an_account.account_id
    async with plumbing.database.system() as connection:
        await change_account(connection, own, {"face_search": "report"}, actor="test")
        await change_account(connection, another_account.account_id, {"face_search": "off"}, actor="test")
    entries = []
    for reason in ("stays", "is over"):
        async with plumbing.database.account(own) as connection:
            new = NewEntry(a_template(random), None, reason)
            entries.append((await add_entry(connection, plumbing.vault, own, new, actor="test")).entry_id)
    async with plumbing.database.account(own) as connection:
        await connection.execute("DELETE FROM face_vectors")
        over = "UPDATE blocklist_entries SET expires_at = now() - interval '1 second' WHERE entry_id = %s"
        await connection.execute(over, (entries[1],))
    await keep_up(plumbing)
    assert await vectors_of(plumbing, another_account) == []
    async with plumbing.database.account(own) as connection:
        cursor = await connection.execute("SELECT face_id IS NOT NULL AS face, entry_id FROM face_vectors")
        made = {(row["face"], row["entry_id"]) for row in await cursor.fetchall()}
        cursor = await connection.execute("SELECT entry_id FROM blocklist_entries")
        kept = [row["entry_id"] for row in await cursor.fetchall()]
    assert (made, kept) == ({(True, None), (False, entries[0])}, [entries[0]])
