"""Is the index of faces made where processes of PostgreSQL can share but little memory, as in many containers?"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import structlog
from psycopg import AsyncConnection

from tests.support.migrated import migrate_by_copy
from tests.support.small_disk import a_small_disk
from truename.face_search.graph import index_name, make_graph
from truename.plumbing.database.embedded import Embedded
from truename.plumbing.database.embedded_programs import options_here, programs
from truename.plumbing.database.embedded_supervisor import Cluster
from truename.plumbing.database.pool import Database

MADE_BY = "a" * 64
FACES = """
INSERT INTO face_vectors (account_id, model_sha256, face_id, vector)
SELECT %s, %s, gen_random_uuid(),
       (SELECT array_agg(random() + face * number * 0) FROM generate_series(1, 320) AS number)::vector::halfvec
FROM generate_series(1, 30) AS face
"""


@pytest.fixture
def cramped(tmp_path: Path) -> Iterator[str]:
    """The address of a migrated database whose processes have eight megabytes to share."""
    tmp_path.chmod(0o755)
    migrate_by_copy(tmp_path / "data")
    made = Embedded(tmp_path / "data")
    server = Cluster(made.folder, made.sockets, programs(), made.owner, options_here(made.owner))
    server.options["dynamic_shared_memory_type"] = "mmap"  # in a folder of its own instead of /dev/shm
    server.prepare()
    with a_small_disk("8m") as disk:
        os.chown(disk, made.owner.pw_uid, made.owner.pw_gid)
        shutil.rmtree(server.data / "pg_dynshmem")
        (server.data / "pg_dynshmem").symlink_to(disk)
        server.start()
        try:
            yield made.url
        finally:
            server.stop()


async def test_where_little_memory_can_be_shared_one_process_makes_the_index_of_faces(cramped: str) -> None:
    account_id = uuid4()
    async with await AsyncConnection.connect(cramped, autocommit=True) as owner:
        await owner.execute("SET session_replication_role = replica")  # the faces behind these vectors do not matter
        await owner.execute(FACES, (account_id, MADE_BY))
        await owner.execute("ALTER TABLE face_vectors SET (parallel_workers = 1)")  # as PostgreSQL decides for many
        with structlog.testing.capture_logs() as said:
            assert await make_graph(Database(cramped), account_id, MADE_BY, 30)
        assert [line["event"] for line in said] == [
            "face graph is made by one process: too little shared memory",
            "face graph made",
        ]
        cursor = await owner.execute(
            "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", (index_name(account_id, MADE_BY),)
        )
        assert await cursor.fetchone() == (True,)
