"""What PostgreSQL's own programs are told, and by which way."""

import asyncio
import json
import sys

import pytest

from truename.plumbing.database import programs
from truename.plumbing.database.programs import ProgramFailed, dump_database, restore_database

TELLS = """#!{python}
import json, os, sys
json.dump({{"words": sys.argv, "password": os.environ.get("PGPASSWORD")}}, open({told!r}, "w"))
"""


@pytest.mark.parametrize("name", ["pg_dump", "psql"])
async def test_no_password_stands_in_the_list_of_processes(tmp_path, monkeypatch, name):
    told = tmp_path / "told.json"
    for called in {name, "pg_restore"}:  # which only reads the file
        program = tmp_path / called
        program.write_text(TELLS.format(python=sys.executable, told=str(told) if called == name else "/dev/null"))
        program.chmod(0o755)
    monkeypatch.setattr(programs, "programs", lambda: tmp_path)
    url = "postgresql://shop:s3cr%40t@db.internal:5433/truename?sslmode=require"
    work = dump_database if name == "pg_dump" else restore_database
    await work(url, tmp_path / "x.dump")
    found = json.loads(told.read_text())
    assert found["password"] == "s3cr@t"
    assert "s3cr" not in " ".join(found["words"])
    (where,) = [word for word in found["words"] if word.startswith("--dbname=")]
    assert {"user=shop", "dbname=truename", "host=db.internal", "port=5433", "sslmode=require"} == set(
        where.removeprefix("--dbname=").split()
    )


COMPLAINS = """#!{python}
import sys
if "--list" not in sys.argv:
    sys.stderr.write("pg_restore: warning: again\\n" * 20_000)
    sys.stdout.write("SELECT 1;\\n")
"""
KEEPS = """#!{python}
import sys
open({kept!r}, "w").write(sys.stdin.read())
"""


async def test_a_restore_with_thousands_of_warnings_comes_to_its_end(tmp_path, monkeypatch):
    """More than a pipe holds: unread, they would keep pg_restore from writing its script."""
    kept = tmp_path / "kept.sql"
    for name, text in (("pg_restore", COMPLAINS), ("psql", KEEPS)):
        (tmp_path / name).write_text(text.format(python=sys.executable, kept=str(kept)))
        (tmp_path / name).chmod(0o755)
    monkeypatch.setattr(programs, "programs", lambda: tmp_path)
    await asyncio.wait_for(restore_database("postgresql://shop@db.internal/truename", tmp_path / "x.dump"), 60)
    assert kept.read_text() == "BEGIN;\nSELECT 1;\nCOMMIT;\n"


BREAKS_OFF = """#!{python}
import sys
if "--list" not in sys.argv:
    sys.stdout.write("CREATE TABLE half (of_it integer);\\n")
    sys.stdout.flush()
    sys.exit("pg_restore: error: could not read from input file: end of file")
"""


async def test_a_script_that_breaks_off_between_two_statements_is_never_committed(tmp_path, monkeypatch):
    """psql takes the end of its input for the end of the script: a database of half of the tables would stay."""
    kept = tmp_path / "kept.sql"
    for name, text in (("pg_restore", BREAKS_OFF), ("psql", KEEPS)):
        (tmp_path / name).write_text(text.format(python=sys.executable, kept=str(kept)))
        (tmp_path / name).chmod(0o755)
    monkeypatch.setattr(programs, "programs", lambda: tmp_path)
    with pytest.raises(ProgramFailed, match="end of file"):
        await asyncio.wait_for(restore_database("postgresql://shop@db.internal/truename", tmp_path / "x.dump"), 60)
    if kept.exists():  # it may have been ended before it wrote
        assert "COMMIT" not in kept.read_text()
