"""What PostgreSQL's own programs are told, and by which way."""

import json
import sys

import pytest

from truename.plumbing.database import programs
from truename.plumbing.database.programs import dump_database, restore_database

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
