"""Look for a live face: among the reference faces of the account's other customers, and on both blocklists.

Up to `GRAPH_FROM` faces every one is compared; beyond that the nearest are found through an HNSW index of the account
and recipe (`graph.py`). Templates of different recipes are never compared.
"""

from typing import Final
from uuid import UUID

from psycopg import sql
from psycopg.rows import DictRow

from truename.audit.model import INSTALLATION
from truename.face_search.graph import candidates
from truename.media.face_vectors import search_is_prepared, turned
from truename.plumbing.database.pool import Connection
from truename.plumbing.resources import Plumbing
from truename.rules.searched_faces import FALSE_HITS_PER_SEARCH, FaceHit, SearchedFaces, SearchedList
from truename.vision.captures import FaceTemplate
from truename.vision.face.compare import curve

KEPT: Final = 3
"""So many of the most alike faces are kept with the evidence, found or not."""
LOOKED_AT: Final = 10
"""So many are asked for: among them may be the customer's own face, and one that stopped being a reference."""

COUNTED: Final = """
SELECT enrolled, graph FROM face_search_counts WHERE account_id = %s AND model_sha256 = %s
"""
NEAREST: Final = sql.SQL("""
SELECT {wanted}, -(vector::halfvec({numbers}) <#> %(vector)s::halfvec({numbers})) AS cosine
FROM face_vectors WHERE account_id = {account_id} AND model_sha256 = {made_by} AND {wanted} IS NOT NULL
ORDER BY vector::halfvec({numbers}) <#> %(vector)s::halfvec({numbers}) LIMIT {limit}
""")
"""The account and the recipe stand in it as they stand in the condition of the account's index."""
OTHERS: Final = sql.SQL("""
SELECT c.customer_id AS id, near.cosine FROM ({nearest}) near
JOIN faces f ON f.face_id = near.face_id
JOIN customers c ON c.customer_id = f.customer_id AND c.reference_face_id = f.face_id
WHERE c.customer_id <> %(customer_id)s ORDER BY near.cosine DESC
""")
LISTED: Final = sql.SQL("""
SELECT e.entry_id AS id, near.cosine FROM ({nearest}) near
JOIN blocklist_entries e ON e.entry_id = near.entry_id
WHERE e.expires_at IS NULL OR e.expires_at > clock_timestamp() ORDER BY near.cosine DESC
""")
ON_LIST: Final = """
SELECT count(*) AS many FROM face_vectors WHERE account_id = %s AND model_sha256 = %s AND entry_id IS NOT NULL
"""


async def search_faces(
    plumbing: Plumbing, account_id: UUID, customer_id: UUID, template: FaceTemplate
) -> SearchedFaces:
    """What is most like the live face in each list; a list that cannot be searched (yet) is None."""
    async with plumbing.database.account(account_id) as connection:
        if not await search_is_prepared(connection):
            return SearchedFaces()
        vector = turned(plumbing.vault, account_id, template)
        customers = await search_customers(connection, account_id, customer_id, template, vector)
        listed = await _search_blocklist(connection, account_id, template, vector)
    async with plumbing.database.account(INSTALLATION) as connection:
        vector = turned(plumbing.vault, INSTALLATION, template)
        everywhere = await _search_blocklist(connection, INSTALLATION, template, vector)
    return SearchedFaces(customers=customers, account_blocklist=listed, installation_blocklist=everywhere)


async def search_customers(
    connection: Connection, account_id: UUID, customer_id: UUID, template: FaceTemplate, vector: str
) -> SearchedList | None:
    """The reference faces of the others; None until the account's faces were all made searchable once."""
    cursor = await connection.execute(COUNTED, (account_id, template.model_sha256))
    counted = await cursor.fetchone()
    if counted is None:
        return None
    if counted["graph"]:
        width = f"SET LOCAL hnsw.ef_search = {candidates(counted['enrolled']):d}"
        await connection.execute(f"{width}; SET LOCAL hnsw.iterative_scan = strict_order", prepare=False)
    query = OTHERS.format(nearest=nearest("face_id", account_id, template))
    # Never prepared: a plan that does not know the account cannot use an index that is the account's own.
    cursor = await connection.execute(query, {"vector": vector, "customer_id": customer_id}, prepare=False)
    rows = await cursor.fetchall()
    # Whom the last count did not see was searched all the same.
    return _searched(max(counted["enrolled"], len(rows)), rows)


async def _search_blocklist(
    connection: Connection, account_id: UUID, template: FaceTemplate, vector: str
) -> SearchedList:
    cursor = await connection.execute(ON_LIST, (account_id, template.model_sha256))
    counted = await cursor.fetchone()
    query = LISTED.format(nearest=nearest("entry_id", account_id, template))
    cursor = await connection.execute(query, {"vector": vector}, prepare=False)
    return _searched(counted["many"] if counted else 0, await cursor.fetchall())


def nearest(wanted: str, account_id: UUID, template: FaceTemplate) -> sql.Composed:
    """The query for the nearest faces (`face_id`) or entries (`entry_id`) of an account, by the template's recipe."""
    return NEAREST.format(
        wanted=sql.Identifier(wanted),
        numbers=sql.Literal(len(template.vector)),
        account_id=sql.Literal(str(account_id)),
        made_by=sql.Literal(template.model_sha256),
        limit=sql.Literal(LOOKED_AT),
    )


def _searched(many: int, rows: list[DictRow]) -> SearchedList:
    hits = tuple(FaceHit(id=str(row["id"]), score=curve().score(row["cosine"])) for row in rows[:KEPT])
    return SearchedList(searched=many, chance_score=chance_score(many), hits=hits)


def chance_score(many: int) -> float:
    """The score that the most alike of so many strangers reaches in one search of a hundred, as people can read it."""
    share = min(0.5, FALSE_HITS_PER_SEARCH / max(many, 1))
    return round(curve().score(curve().cosine_of_strangers(share)), 4)
