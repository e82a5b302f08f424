"""How quickly and how completely is a face found? `python -m benchmarks.face_search [--faces 10000 200000 1000000]`.

Fills an embedded PostgreSQL with so many enrolled faces of one account and looks for faces by the service's own code:
for people who are enrolled, by another picture of them, and for strangers. Prints for each size what the search takes
when all faces are compared and through the account's HNSW index, how often the index finds first what the comparison
with all finds first, how often a stranger is taken for somebody, and what it costs in bytes and in seconds of making.

Templates are drawn as the real ones of the default recipe are distributed: around a common mean, along directions of
falling weight. The figures behind it are those of 447 people of LFW, and what is drawn is printed beside them. Run it
under `taskset -c 0,1` on an idle machine: 1,000,000 faces take some 4 GB of disk, 3 GB of memory and, most of all, the
making of the index.
"""

import argparse
import asyncio
import base64
import secrets
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import numpy as np
import psycopg
from numpy.typing import NDArray

from truename.accounts.create import create_account
from truename.accounts.model import AccountSettings
from truename.face_search.graph import index_name, make_graph
from truename.face_search.search import chance_score, search_customers
from truename.media.face_vectors import rotation, turned
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import load_settings
from truename.rules.searched_faces import LEAST_SCORE, SearchedList
from truename.vision.captures import FaceTemplate
from truename.vision.face.compare import curve
from truename.vision.face.embed import template_sha256
from truename.wiring import wired

NUMBERS = 320
MEAN, DIRECTIONS, FALL = 0.266, 165, 46.0
"""Length of the common mean; how many directions matter, and after how many of them the weight has fallen to 1/e."""
GENUINE, SPREAD = 0.695, 0.09
"""Cosines of two pictures of one person: 169 pairs of LFW have the median 0.70, a tenth lies under 0.58."""
REAL = "0.07 ± 0.09, one in 1,000 over 0.36"
CHUNK = 20_000
SIGNATURE = b"PGCOPY\n\xff\r\n\0" + bytes(8)
NOBODY = UUID(int=0)

Vectors = NDArray[np.float32]


class People:
    """Draws templates."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        weights = np.exp(-np.arange(DIRECTIONS) / FALL)
        spread = np.sqrt(weights / weights.sum() * (1 - MEAN**2))
        axes, _ = np.linalg.qr(self.random.standard_normal((NUMBERS, NUMBERS)))
        self.along = (axes[:, :DIRECTIONS] * spread).T.astype(np.float32)
        self.mean = (axes[:, DIRECTIONS] * MEAN).astype(np.float32)

    def strangers(self, many: int) -> Vectors:
        """One template each of so many people."""
        drawn = self.random.standard_normal((many, DIRECTIONS), dtype=np.float32) @ self.along + self.mean
        return _of_length_one(drawn)

    def again(self, known: Vectors) -> Vectors:
        """Another picture of each of these people."""
        cosine = np.clip(self.random.normal(GENUINE, SPREAD, (len(known), 1)), 0.4, 0.95).astype(np.float32)
        other = self.random.standard_normal((len(known), DIRECTIONS), dtype=np.float32) @ self.along
        other -= (other * known).sum(1, keepdims=True) * known
        return _of_length_one((cosine * known + np.sqrt(1 - cosine**2) * _of_length_one(other)).astype(np.float32))


def _of_length_one(vectors: Vectors) -> Vectors:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def template(vector: Vectors) -> FaceTemplate:
    return FaceTemplate(tuple(vector.tolist()), template_sha256())


def face_id(place: int) -> UUID:
    """Of the face at this place; its customer has the same, for brevity."""
    return UUID(int=(1 << 100) + place)


# ── filling ────────────────────────────────────────────────────────────────────────────────────────────────


def fill(url: str, plumbing: Plumbing, account_id: UUID, faces: Vectors, start: int) -> None:
    """Enrol the faces from `start` on, straight into the tables, as the service would have them."""
    secret = plumbing.vault.keyed_hash(f"face vectors of {account_id}", template_sha256())
    turn = rotation(secret, NUMBERS).astype(np.float32)
    row = np.dtype(
        [
            *(("n", ">i2"), ("l1", ">i4"), ("account", "u1", 16), ("l2", ">i4"), ("made_by", "u1", 64)),
            *(("l3", ">i4"), ("face", "u1", 16), ("l4", ">i4"), ("numbers", ">i2"), ("none", ">i2")),
            ("vector", ">f2", NUMBERS),
        ]
    )
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        with (
            connection.cursor() as cursor,
            cursor.copy(
                "COPY face_vectors (account_id, model_sha256, face_id, vector) FROM STDIN (FORMAT BINARY)"
            ) as copy,
        ):
            copy.write(SIGNATURE)
            for first in range(start, len(faces), CHUNK):
                part = faces[first : first + CHUNK]
                rows = np.zeros(len(part), row)
                rows["n"], rows["l1"], rows["l2"], rows["l3"], rows["l4"] = 4, 16, 64, 16, 4 + 2 * NUMBERS
                rows["account"] = np.frombuffer(account_id.bytes, np.uint8)
                rows["made_by"] = np.frombuffer(template_sha256().encode(), np.uint8)
                ids = b"".join(face_id(place).bytes for place in range(first, first + len(part)))
                rows["face"] = np.frombuffer(ids, np.uint8).reshape(-1, 16)
                rows["numbers"], rows["vector"] = NUMBERS, part @ turn.T
                copy.write(rows.tobytes())
            copy.write(b"\xff\xff")
        connection.execute(
            """INSERT INTO faces (face_id, account_id, customer_id, origin, usable, model_sha256)
               SELECT v.face_id, v.account_id, v.face_id, 'REFERENCE_IMAGE', true, v.model_sha256 FROM face_vectors v
               LEFT JOIN faces f USING (face_id) WHERE f.face_id IS NULL"""
        )
        connection.execute(
            """INSERT INTO customers (customer_id, account_id, external_customer_id, data_key, reference_face_id)
               SELECT f.face_id, f.account_id, f.face_id::text, '', f.face_id FROM faces f
               LEFT JOIN customers c ON c.customer_id = f.face_id WHERE c.customer_id IS NULL"""
        )
        connection.execute(
            """INSERT INTO face_search_counts (account_id, model_sha256, enrolled) VALUES (%s, %s, %s)
               ON CONFLICT (account_id, model_sha256) DO UPDATE SET enrolled = excluded.enrolled, graph = false""",
            (account_id, template_sha256(), len(faces)),
        )
        for table in ("face_vectors", "faces", "customers"):
            connection.execute(f"VACUUM (ANALYZE) {table}")


# ── measuring ──────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Searches:
    """Answers and how long each took."""

    found: list[SearchedList]
    seconds: list[float]

    def words(self) -> str:
        middle, worst = np.quantile(self.seconds, [0.5, 0.99]) * 1000
        return f"p50 {middle:6.1f} ms  p99 {worst:6.1f} ms"


async def searches(plumbing: Plumbing, account_id: UUID, wanted: Vectors) -> Searches:
    """Look for each, one after another, as an analysis does: the turning and the transaction included."""
    found, seconds = [], []
    for vector in wanted:
        began = time.perf_counter()
        live = template(vector)
        async with plumbing.database.account(account_id) as connection:
            text = turned(plumbing.vault, account_id, live)
            answer = await search_customers(connection, account_id, NOBODY, live, text)
        seconds.append(time.perf_counter() - began)
        assert answer is not None
        found.append(answer)
    return Searches(found, seconds)


def first_of(faces: Vectors, wanted: Vectors) -> tuple[list[str], Vectors]:
    """Whom a comparison with all finds first, by numpy, and how alike."""
    alike = np.stack([(faces @ one) for one in wanted])
    best = alike.argmax(1)
    return [str(face_id(int(place))) for place in best], alike.max(1)


async def measure(plumbing: Plumbing, account_id: UUID, faces: Vectors, people: People, number: int) -> None:
    many, url = len(faces), plumbing.database.url
    mated = people.again(faces[people.random.integers(0, many, number)])
    strangers = people.strangers(number)
    wanted = np.concatenate([mated, strangers])
    first, cosines = first_of(faces, wanted)
    needed = max(LEAST_SCORE, chance_score(many))
    hits = np.array([curve().score(float(one)) >= needed for one in cosines])

    few = min(number, 20 if many > 100_000 else 50)
    await searches(plumbing, account_id, wanted[:5])
    exact = await searches(plumbing, account_id, wanted[:few])
    agree = np.mean([one.hits[0].id == name for one, name in zip(exact.found, first, strict=False)])
    print(f"\n{many:,} faces: a face counts from {needed:.4f} on, cosine {curve().cosine_at(needed):.3f}")
    print(f"  all compared        {exact.words()}  ({few} searches; first as numpy's: {agree:.3f})")

    began = time.perf_counter()
    if not await make_graph(plumbing.database, account_id, template_sha256(), many):
        raise SystemExit("The index could not be made.")
    making = time.perf_counter() - began
    async with plumbing.database.account(account_id) as connection:
        await connection.execute("UPDATE face_search_counts SET graph = true")
    await searches(plumbing, account_id, people.strangers(20))
    found = await searches(plumbing, account_id, wanted)
    same = np.array([bool(one.hits) and one.hits[0].id == name for one, name in zip(found.found, first, strict=True)])
    said = np.array([one.found is not None for one in found.found])
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT pg_relation_size('face_vectors'), pg_relation_size(%s)",
            (index_name(account_id, template_sha256()),),
        ).fetchone()
    assert row is not None
    print(f"  through the index   {found.words()}  ({len(wanted)} searches)")
    print(f"  recall against exact: first {same[:number].mean():.3f} for who is enrolled, {same.mean():.3f} for all;")
    print(f"    of {hits.sum()} searches in which exact finds somebody, the index finds {said[hits].mean():.3f}")
    print(f"  enrolled people found {hits[:number].mean():.2f} (by exact), strangers taken for somebody")
    print(f"    {hits[number:].sum()} of {number}; promised at most 1 in 100 by the calibration")
    print(
        f"  cost: {row[0] / many:.0f} + {row[1] / many:.0f} bytes a face (table, index), index made in {making:.1f} s"
    )
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"DROP INDEX {index_name(account_id, template_sha256())}")


async def main(sizes: list[int], number: int, seed: int) -> None:
    people = People(seed)
    drawn = people.strangers(2000)
    pairs = (drawn @ drawn.T)[np.triu_indices(2000, 1)]
    print(f"strangers' cosines: drawn {pairs.mean():.2f} ± {pairs.std():.2f}, one in 1,000 over "
          f"{np.quantile(pairs, 0.999):.2f}; real {REAL}")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(
            data_dir=Path(folder), master_key=base64.b64encode(secrets.token_bytes(32)).decode(), log_level="warning"
        )
        async with wired(settings, may_create=True) as plumbing:
            account = await create_account(plumbing, "search", settings=AccountSettings(face_search="report"))
            faces = np.empty((0, NUMBERS), np.float32)
            for size in sorted(sizes):
                already = len(faces)
                faces = np.concatenate([faces, *(people.strangers(n) for n in _chunks(size - already))])
                fill(plumbing.database.url, plumbing, account.account_id, faces, already)
                await measure(plumbing, account.account_id, faces, people, number)


def _chunks(many: int) -> list[int]:
    return [min(CHUNK, many - first) for first in range(0, many, CHUNK)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="How quickly and how completely is a face found?")
    parser.add_argument("--faces", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--searches", type=int, default=500, help="for enrolled people, and as many for strangers")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    asyncio.run(main(given.faces, given.searches, given.seed))
