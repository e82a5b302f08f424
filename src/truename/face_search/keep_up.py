"""Keep what is searched as what is enrolled: after a setting or the recipe of templates was changed, and now and then.

A face that becomes a reference is made searchable in that very transaction (`media/face_vectors.py`), and its vector
goes with the row of the face. What is left for here: all faces of an account that switches its search on, and none of
one that switches it off; other recipes; faces of blocklists by the recipe in use; how many there are, and their index.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final
from uuid import UUID

import psycopg
import structlog
from psycopg.rows import DictRow

from truename.face_search.blocklist import expire_entries, keep_up_entries
from truename.face_search.graph import GRAPH_FROM, drop_graph, make_graph
from truename.media.face_vectors import INSERT_OF_FACE, search_is_prepared, turned
from truename.media.faces import opened_template
from truename.plumbing.crypto.vault import CannotOpen, DataKey, Vault
from truename.plumbing.jobs.apart import each_apart
from truename.plumbing.jobs.registry import job, periodic
from truename.plumbing.resources import Plumbing
from truename.vision.face.embed import template_sha256

log = structlog.get_logger(__name__)

BATCH: Final = 200
FIRST: Final = UUID(int=0)
ACCOUNTS: Final = """
SELECT account_id FROM accounts WHERE coalesce(settings ->> 'face_search', 'off') <> 'off'
UNION SELECT account_id FROM face_search_counts ORDER BY account_id
"""
SEARCHES: Final = """
SELECT coalesce(settings ->> 'face_search', 'off') <> 'off' AS searches FROM accounts WHERE account_id = %s
"""
FORGET: Final = """
DELETE FROM face_vectors v WHERE v.account_id = %s AND v.face_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM faces f JOIN customers c ON c.customer_id = f.customer_id AND c.reference_face_id = f.face_id
    WHERE f.face_id = v.face_id AND v.model_sha256 IN (f.model_sha256, f.next_model_sha256))
"""
MISSING: Final = """
SELECT f.face_id, f.customer_id, c.data_key, made.model_sha256, made.sealed
FROM customers c JOIN faces f ON f.face_id = c.reference_face_id AND f.account_id = c.account_id
CROSS JOIN LATERAL (VALUES (f.model_sha256, f.sealed_template), (f.next_model_sha256, f.sealed_next_template))
    AS made (model_sha256, sealed)
LEFT JOIN face_vectors v ON v.face_id = f.face_id AND v.model_sha256 = made.model_sha256
WHERE c.account_id = %(account_id)s AND f.usable AND made.sealed IS NOT NULL AND v.face_id IS NULL
  AND (f.face_id, made.model_sha256) > (%(face_id)s, %(made_by)s)
ORDER BY f.face_id, made.model_sha256 LIMIT %(limit)s
"""
COUNT: Final = """
WITH counted AS (
    SELECT model_sha256, count(*) AS enrolled FROM face_vectors
    WHERE account_id = %(account_id)s AND face_id IS NOT NULL GROUP BY model_sha256
), gone AS (
    DELETE FROM face_search_counts WHERE account_id = %(account_id)s AND model_sha256 <> %(made_by)s
      AND model_sha256 NOT IN (SELECT model_sha256 FROM counted)
)
INSERT INTO face_search_counts (account_id, model_sha256, enrolled)
SELECT %(account_id)s, model_sha256, enrolled FROM counted
UNION ALL SELECT %(account_id)s, %(made_by)s, 0 WHERE %(made_by)s NOT IN (SELECT model_sha256 FROM counted)
ON CONFLICT (account_id, model_sha256) DO UPDATE SET enrolled = excluded.enrolled, counted_at = clock_timestamp()
RETURNING model_sha256, enrolled, graph
"""
SET_GRAPH: Final = "UPDATE face_search_counts SET graph = %s WHERE account_id = %s AND model_sha256 = %s"


@periodic(seconds=600)
async def keep_up(plumbing: Plumbing) -> None:
    """Go once through every account that searches, or did, and through the blocklists."""
    async with plumbing.database.system() as connection:
        if not await search_is_prepared(connection):
            return
        cursor = await connection.execute(ACCOUNTS)
        accounts = [row["account_id"] for row in await cursor.fetchall()]
    await expire_entries(plumbing)
    await keep_up_entries(plumbing)
    await each_apart(accounts, partial(keep_up_account, plumbing))


@job("face_search.keep_up")
async def keep_up_later(plumbing: Plumbing, *, account_id: str) -> None:
    """The same of one account, whose setting was changed."""
    async with plumbing.database.system() as connection:
        prepared = await search_is_prepared(connection)
    if prepared:
        await keep_up_entries(plumbing)
        await keep_up_account(plumbing, UUID(account_id))


async def keep_up_account(plumbing: Plumbing, account_id: UUID) -> None:
    """Make the account's reference faces searchable, or none of them where its search is off. Safe to repeat."""
    async with plumbing.database.account(account_id) as connection:
        cursor = await connection.execute(SEARCHES, (account_id,))
        row = await cursor.fetchone()
        searches = row is not None and bool(row["searches"])
        if searches:
            await connection.execute(FORGET, (account_id,))
    if not searches:
        await _forget_all(plumbing, account_id)
        return
    made = await _make_missing(plumbing, account_id)
    async with plumbing.database.account(account_id) as connection:
        cursor = await connection.execute(COUNT, {"account_id": account_id, "made_by": template_sha256()})
        counted = await cursor.fetchall()
    for recipe in counted:
        await _keep_graph(plumbing, account_id, recipe)
    if made:
        log.info("faces made searchable", account_id=str(account_id), faces=made)


async def _forget_all(plumbing: Plumbing, account_id: UUID) -> None:
    async with plumbing.database.account(account_id) as connection:
        await connection.execute(
            "DELETE FROM face_vectors WHERE account_id = %s AND face_id IS NOT NULL", (account_id,)
        )
        cursor = await connection.execute(
            "DELETE FROM face_search_counts WHERE account_id = %s RETURNING model_sha256, graph", (account_id,)
        )
        recipes = await cursor.fetchall()
    for recipe in recipes:
        if recipe["graph"]:
            await drop_graph(plumbing.database, account_id, recipe["model_sha256"])


async def _make_missing(plumbing: Plumbing, account_id: UUID) -> int:
    """The vectors of faces that have none, in short transactions, so that a stop loses nothing; says how many."""
    done, after = 0, (FIRST, "")
    while True:
        own = {"account_id": account_id, "face_id": after[0], "made_by": after[1], "limit": BATCH}
        rows = await plumbing.database.statement(account_id, MISSING, own)
        if not rows:
            return done
        keys = await plumbing.keys.open_many({row["customer_id"]: row["data_key"] for row in rows}, account_id)
        made = await asyncio.to_thread(_vectors, plumbing.vault, account_id, rows, keys)
        async with plumbing.database.account(account_id) as connection, connection.cursor() as cursor:
            await cursor.executemany(INSERT_OF_FACE, made)
        done += len(made)
        after = rows[-1]["face_id"], rows[-1]["model_sha256"]


def _vectors(
    vault: Vault, account_id: UUID, rows: Sequence[DictRow], keys: Mapping[UUID, DataKey]
) -> list[dict[str, object]]:
    """What is inserted for each face; left out: who was erased meanwhile and has no key, and what does not open."""
    made: list[dict[str, object]] = []
    for row in rows:
        if (key := keys.get(row["customer_id"])) is None:
            continue
        try:
            template = opened_template(key, row["face_id"], bytes(row["sealed"]))
        except CannotOpen:
            log.error("a face does not open and is not searched", face_id=str(row["face_id"]))
            continue
        made.append(
            {
                "account_id": account_id,
                "face_id": row["face_id"],
                "model_sha256": row["model_sha256"],
                "vector": turned(vault, account_id, template),
            }
        )
    return made


async def _keep_graph(plumbing: Plumbing, account_id: UUID, recipe: DictRow) -> None:
    """Have an index where there are many faces, and none where there are few; in between, what there is stays."""
    made_by, many = recipe["model_sha256"], recipe["enrolled"]
    if many >= GRAPH_FROM:
        try:
            graph = await make_graph(plumbing.database, account_id, made_by, many)
        except psycopg.errors.InsufficientPrivilege:
            graph = False
    elif recipe["graph"] and many < GRAPH_FROM // 2:
        await drop_graph(plumbing.database, account_id, made_by)
        graph = False
    else:
        return
    if graph != recipe["graph"]:
        async with plumbing.database.account(account_id) as connection:
            await connection.execute(SET_GRAPH, (graph, account_id, made_by))
