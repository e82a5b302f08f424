"""Does a released step of the schema stay as it was, and do the steps form one line?"""

import hashlib
import re
from importlib.resources import files
from pathlib import Path

import truename.plumbing.database.migrate as migrate

VERSIONS = migrate.FOLDER / "versions"
RELEASED = {
    "0001_foundation.sql": "a072754c171ce44162aa2190e14db11667699c3df622a07feb974e2eac4044bb",
    "0002_customers_and_transactions.sql": "74e49e1a2d4d65067b5aa82d9aed5798d7e6cfd2130916141251987c3b4857c5",
    "0003_webhooks.sql": "927f195e0bf77db153dfb12c95c3429f4e7d3476da73bcc41d75179ae871d947",
    "0004_capture.sql": "41c36caa14a0500c24a651957fce30d8836680008687a2208a197138fd6a36e3",
    "0005_jobs.sql": "695c0971fe891b43d0a8dff570b8ea6b819bbb288cf4ee537809dc8675dcd4f2",
}
"""Steps that were released, by the hash of their SQL: a database somewhere has run them as they are."""
ENGINE_SCHEMA = "c70ec4b400a60ad9592787653aae5ae77ae41bf801d56b5bd2712751a07f2009"
"""The job engine's schema that 0005 took over. Another one in the installed package calls for a new step."""


def steps() -> list[Path]:
    return sorted(VERSIONS.glob("[0-9]*.py"))


def test_a_released_step_is_never_edited():
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in VERSIONS.glob("*.sql")}
    assert {name: found.get(name) for name in RELEASED} == RELEASED


def test_each_step_is_its_sql_and_takes_nothing_from_the_code_of_today():
    for path in steps():
        assert path.with_suffix(".sql").is_file(), path.name
        imported = set(re.findall(r"^(?:from|import) (\S+)", path.read_text("utf-8"), re.MULTILINE))
        assert imported == {"pathlib", "alembic"}, path.name


def test_the_steps_form_one_line():
    stated = re.compile(r'revision = "(\d+)"\ndown_revision = (?:"(\d+)"|None)')
    line = [found.groups() for path in steps() if (found := stated.search(path.read_text("utf-8")))]
    assert len(line) == len(steps())
    assert line == [(f"{number:04}", f"{number - 1:04}" if number > 1 else None) for number in range(1, len(line) + 1)]
    assert [path.name[:4] for path in steps()] == [revision for revision, _ in line]


def test_the_job_engine_wants_the_schema_that_was_taken_over():
    schema = files("procrastinate.sql").joinpath("schema.sql").read_bytes()
    assert hashlib.sha256(schema).hexdigest() == ENGINE_SCHEMA
