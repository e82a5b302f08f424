"""`truename database dump` and `restore`: what is written is put back, and never over something."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.served import truename, truename_here
from truename.cli.exit_codes import ExitCode
from truename.plumbing.database.embedded import Embedded

NOBODY = "00000000-0000-4000-8000-000000000000"


@pytest.mark.slow
def test_a_dump_is_restored_into_a_new_folder_and_never_over_something(tmp_path: Path):
    first, second, file = tmp_path / "first", tmp_path / "second", tmp_path / "truename.dump"
    made = truename(first, "account", "create", "acme", "--json")
    assert f"Making a new data folder, {first}." in made.stderr
    assert truename_here(first, "database", "dump", str(file)).returncode == ExitCode.OK
    assert file.stat().st_mode & 0o077 == 0
    assert truename_here(first, "database", "dump", str(file)).returncode == ExitCode.USAGE
    done = truename_here(second, "database", "restore", str(file))
    assert done.returncode == ExitCode.OK, done.stderr
    (second / "master.key").write_bytes((first / "master.key").read_bytes())
    held = Embedded(second)
    held.attach()  # so that it is not stopped and started again for each of the commands that follow
    listed = json.loads(truename_here(second, "account", "list", "--json").stdout)
    told = json.loads(made.stdout)
    assert [one["account_id"] for one in listed] == [told["account_id"], told["sandbox"]["account_id"]]
    assert [one["livemode"] for one in listed] == [True, False]
    again = truename_here(second, "database", "restore", str(file))
    assert (again.returncode, "not empty" in again.stderr) == (ExitCode.USAGE, True)
    assert truename_here(second, "replay", NOBODY).stderr.strip() == f"There is no transaction {NOBODY}."
    wrong = truename_here(second, "account", "set", "acme", "retention_day=90", "handoff=maybe", "foo=1")
    held.close()
    assert wrong.returncode == ExitCode.USAGE
    assert "retention_day is not a setting of an account. Did you mean retention_days?" in wrong.stderr
    assert "handoff: " in wrong.stderr
    assert "foo is not a setting of an account. Settings: manual_review" in wrong.stderr


def test_of_a_database_that_holds_nothing_of_ours_no_dump_is_made(tmp_path: Path, new_database: Callable[..., str]):
    """Seen before: of the wrong database an empty dump was written, which passed for a backup."""
    file = tmp_path / "truename.dump"
    done = truename_here(tmp_path, "database", "dump", str(file), TRUENAME_DATABASE_URL=new_database("template0"))
    assert (done.returncode, "The database is empty" in done.stderr) == (ExitCode.CONFIGURATION, True), done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_dump_is_a_wrong_call_and_makes_no_data_folder(tmp_path: Path):
    file, folder = tmp_path / "no.dump", tmp_path / "data"
    file.write_bytes(os.urandom(2000))
    done = truename_here(folder, "database", "restore", str(file))
    assert (done.returncode, folder.exists()) == (ExitCode.USAGE, False), done.stderr
    assert f"{file} is no whole dump" in done.stderr
