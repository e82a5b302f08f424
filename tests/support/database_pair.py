"""A PostgreSQL and its standby, which holds every commit before it is confirmed: each on a socket of its own."""

import contextlib
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg

from tests.support.waiting import within
from truename.plumbing.database.embedded import Embedded
from truename.plumbing.database.embedded_programs import options_here, programs
from truename.plumbing.database.embedded_supervisor import Cluster

REPLICATES = "local replication all peer map=truename\n"


class DatabasePair:
    """The first is the primary until it is stopped and the second promoted."""

    def __init__(self, folder: Path) -> None:
        made = [Embedded(folder / name) for name in ("first", "second")]
        self.first, self.second = (
            Cluster(one.folder, one.sockets, programs(), one.owner, options_here(one.owner)) for one in made
        )

    def start(self) -> None:
        """Both, the second made by pg_basebackup; commits wait for it from now on."""
        self.first.prepare()
        with (self.first.data / "pg_hba.conf").open("a") as rules:
            rules.write(REPLICATES)
        self.first.start()
        with self.connected(self.first, "postgres") as connection:
            connection.execute("CREATE DATABASE truename")
        self.second.data.mkdir(mode=0o700)
        self.second._give(self.second.data)
        copied = ["pg_basebackup", "-D", self.second._seen(self.second.data), "-R", "-X", "stream", "-c", "fast"]
        copied += ["-d", f"host={self.first.sockets} user=truename application_name=second"]
        assert self.second._spawn(copied, cwd=self.second.data).wait(60) == 0
        arguments = [part for name, value in self.second.options.items() for part in ("-c", f"{name}={value}")]
        command = ["postgres", "-D", self.second._seen(self.second.data), *arguments]
        self.second.process = self.second._spawn(command, cwd=self.second.data)
        with self.connected(self.first, "postgres") as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = 'second'")
            connection.execute("SELECT pg_reload_conf()")
        within(60, self._is_told_of_commits)

    def _is_told_of_commits(self) -> bool:
        with self.connected(self.first, "postgres") as connection:
            return connection.execute("SELECT sync_state FROM pg_stat_replication").fetchone() == ("sync",)

    @property
    def url(self) -> str:
        """Of whichever may be written to."""
        hosts = ",".join(quote(str(one.sockets), safe="") for one in (self.first, self.second))
        return f"postgresql://truename@/truename?host={hosts}&target_session_attrs=read-write"

    @contextmanager
    def connected(self, one: Cluster, database: str = "truename") -> Iterator[psycopg.Connection]:
        with psycopg.connect(host=str(one.sockets), user="truename", dbname=database, autocommit=True) as connection:
            yield connection

    def fail_over(self) -> None:
        """The first dies at whatever it is doing; the second takes over."""
        assert self.first.process is not None
        self.first.process.kill()
        self.first.process.wait(30)
        with self.connected(self.second, "postgres") as connection:
            assert connection.execute("SELECT pg_promote(true, 60)").fetchone() == (True,)

    def stop(self) -> None:
        for one in (self.first, self.second):
            with contextlib.suppress(subprocess.TimeoutExpired):
                one.stop()
